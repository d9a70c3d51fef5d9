/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IRIX profil(2): which of two functions takes more time? Written from the manual page alone:
 *
 *    cc -O1 irix-profil.c $(pkg-config --cflags --libs pprofil-irix)
 *
 * With a scale of 0x8000, every 4-byte instruction has its own counter: "a 1-1 mapping of instructions to counters". So
 * the parameter bufsiz is half of the region's size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char etext; /* address of the end of the text, see end(3) */

static volatile double sink;

__attribute__((noinline)) static void divide(void)
{
    for (int i = 1; i < 150000000; i++)
        sink = sink + 1.0 / i;
}

__attribute__((noinline)) static void add(void)
{
    for (int i = 1; i < 150000000; i++)
        sink = sink + i;
}

int main(void)
{
    unsigned long low = (unsigned long)(divide < add ? divide : add);
    unsigned long middle = (unsigned long)(divide < add ? add : divide);
    unsigned long instructions = ((unsigned long)&etext - low) / 4 + 1;
    unsigned short *counts = calloc(instructions, sizeof *counts);
    unsigned long ticks[2] = {0, 0};

    if (counts == NULL)
        return 1;
    profil(counts, (unsigned int)(instructions * sizeof *counts), low, 0x8000);
    divide();
    add();
    profil(counts, 0, 0, 0);
    for (unsigned long i = 0; i < instructions; i++)
        ticks[low + 4 * i >= (middle & ~3ul)] += counts[i];
    printf("divide %.2f s, add %.2f s\n", (double)ticks[low != (unsigned long)divide] / 100,
           (double)ticks[low != (unsigned long)add] / 100);
    free(counts);
    return 0;
}
