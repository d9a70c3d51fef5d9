/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-tree: main calls chain_middle and chain_other, chain_middle calls chain_hot and chain_cold, and both of these
 * call chain_leaf, over and over. Ends after ten minutes if its test does not end it.
 */
#include <stdint.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) void chain_leaf(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        sink += i;
}

/* Without the addition after it, the last call of a function would be a jump. */
__attribute__((noinline)) void chain_hot(void)
{
    chain_leaf(60000);
    sink++;
}

__attribute__((noinline)) void chain_cold(void)
{
    chain_leaf(20000);
    sink++;
}

__attribute__((noinline)) void chain_middle(void)
{
    chain_hot();
    chain_cold();
    sink++;
}

__attribute__((noinline)) void chain_other(void)
{
    for (unsigned i = 0; i < 20000; i++)
        sink += i;
}

int main(void)
{
    alarm(600);
    for (;;) {
        chain_middle();
        chain_other();
    }
}
