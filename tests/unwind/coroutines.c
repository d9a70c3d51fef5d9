/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three coroutines (makecontext) that switch to each other at different depths of calls. */
#include <stdlib.h>
#include <ucontext.h>

#define COUNT 3

static ucontext_t contexts[COUNT], leader;
static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long deeper(int self, int depth)
{
    if (depth > 0)
        return deeper(self, depth - 1) + 1;
    for (unsigned long i = 0; i < 2000; i++)
        sink += i;
    swapcontext(&contexts[self], &contexts[(self + 1) % COUNT]);
    return sink;
}

static void run(int self)
{
    for (int turn = self;; turn++)
        deeper(self, turn % 13);
}

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(65536);
        contexts[i].uc_stack.ss_size = 65536;
        contexts[i].uc_link = &leader;
        makecontext(&contexts[i], (void (*)(void))run, 1, i);
    }
    return swapcontext(&leader, &contexts[0]);
}
