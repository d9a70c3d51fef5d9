/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mac OS X profil(2): how much of the time is spent in one function? Written from the manual page alone:
 *
 *    cc -O1 macos-profil.c $(pkg-config --cflags --libs pprofil-macos)
 *
 * A pc is counted in the counter (bin) with the index [(pc - offset) / 2] * scale / 65536.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCALE 65536u

extern char etext;

static volatile unsigned long sink;

__attribute__((noinline)) static void once(void)
{
    for (unsigned long i = 0; i < 300000000; i++)
        sink = sink + i;
}

__attribute__((noinline)) static void thrice(void)
{
    for (unsigned long i = 0; i < 900000000; i++)
        sink = sink + i;
}

static size_t bin_of(unsigned long pc, unsigned long offset)
{
    return (pc - offset) / 2 * SCALE / 65536;
}

int main(void)
{
    unsigned long offset = (unsigned long)(once < thrice ? once : thrice) & ~1ul;
    unsigned long middle = (unsigned long)(once < thrice ? thrice : once);
    size_t bins = bin_of((unsigned long)&etext, offset) + 1;
    unsigned short *samples = calloc(bins, sizeof *samples);
    unsigned long low = 0, high = 0;

    if (samples == NULL)
        return 1;
    if (profil((char *)samples, bins * sizeof *samples, offset, SCALE) != 0) {
        perror("profil");
        return 1;
    }
    once();
    thrice();
    profil(NULL, 0, 0, 0);
    for (size_t i = 0; i < bins; i++)
        *(i < bin_of(middle, offset) ? &low : &high) += samples[i];
    printf("thrice took %.1f times as long as once\n",
           (double)(once < thrice ? high : low) / (double)(once < thrice ? low : high));
    free(samples);
    return 0;
}
