/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris profil(2): where does this program spend its time? Written from the manual page alone:
 *
 *    cc -O1 solaris-profil.c $(pkg-config --cflags --libs pprofil-solaris)
 *
 * With a scale of 0x4000, each counter counts 8 bytes of text. A counter has 2 bytes, so the parameter bufsiz is a
 * quarter of the region's size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 1000000000ul

static volatile unsigned long sink;

__attribute__((noinline)) static void twice(void)
{
    for (unsigned long i = 0; i < 2 * ROUNDS; i++)
        sink = sink + i;
}

__attribute__((noinline)) static void once(void)
{
    for (unsigned long i = 0; i < ROUNDS; i++)
        sink = sink ^ i;
}

static unsigned long sum(const unsigned short *counts, unsigned long low, unsigned long from, unsigned long to)
{
    unsigned long ticks = 0;

    for (unsigned long pc = from; pc < to; pc += 8)
        ticks += counts[(pc - low) / 8];
    return ticks;
}

int main(void)
{
    unsigned long low = (unsigned long)twice & ~15ul, high = ((unsigned long)sum & ~15ul) + 16;
    unsigned int size = (unsigned int)(high - low) / 4;
    unsigned short *counts = calloc(1, size);

    if (counts == NULL)
        return 1;
    profil(counts, size, low, 0x4000);
    twice();
    once();
    profil(NULL, 0, 0, 0);
    printf("twice %lu once %lu\n", sum(counts, low, low, (unsigned long)once & ~7ul),
           sum(counts, low, (unsigned long)once & ~7ul, high));
    free(counts);
    return 0;
}
