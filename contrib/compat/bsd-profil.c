/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 4.4BSD profil(2): makes a histogram of where this program spends its time. Written from the manual page alone:
 *
 *    cc -O1 bsd-profil.c $(pkg-config --cflags --libs pprofil-bsd)
 *
 * With a scale of 16384, each 16-bit counter (bin) counts 8 bytes of text. Only time in user mode counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCALE 16384
#define TEXT_OF_BIN 8

extern char etext;

static volatile unsigned int sink;

__attribute__((noinline)) static void count_bits(void)
{
    for (unsigned int i = 0; i < 80000000; i++)
        for (unsigned int bits = i & 0xfff; bits != 0; bits &= bits - 1)
            sink = sink + 1;
}

__attribute__((noinline)) static void hash(void)
{
    for (unsigned int i = 0; i < 300000000; i++)
        sink = (sink ^ i) * 16777619u;
}

int main(void)
{
    unsigned long low = (unsigned long)(count_bits < hash ? count_bits : hash);
    size_t bins = ((unsigned long)&etext - low) / TEXT_OF_BIN + 1;
    unsigned short *samples = calloc(bins, sizeof *samples);

    if (samples == NULL)
        return 1;
    if (profil((char *)samples, bins * sizeof *samples, low, SCALE) != 0) {
        perror("profil");
        return 1;
    }
    count_bits();
    hash();
    profil(NULL, 0, 0, 0);
    for (size_t i = 0; i < bins; i++)
        if (samples[i] != 0) {
            unsigned long pc = low + i * TEXT_OF_BIN;
            const char *name = pc + TEXT_OF_BIN > (unsigned long)hash &&
                                       ((unsigned long)hash > low || pc < (unsigned long)count_bits)
                                   ? "hash"
                                   : "count_bits";
            printf("%-10s +%#04lx %5u\n", name, pc - low, samples[i]);
        }
    free(samples);
    return 0;
}
