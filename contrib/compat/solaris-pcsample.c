/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris pcsample(2): where do this program and its libraries spend their time? Written from the manual page alone:
 *
 *   cc -O1 solaris-pcsample.c $(pkg-config --cflags --libs pprofil-solaris)
 */
#include <pcsample.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 1000

extern char etext; /* address of the end of the text, see end(3) */

static char from[1 << 16], to[1 << 16];

__attribute__((noinline)) static void copy(void)
{
    for (int i = 0; i < 300000; i++)
        memmove(to, from + i % 64, sizeof to - 64);
}

__attribute__((noinline)) static void spin(void)
{
    for (volatile unsigned long i = 0; i < 500000000; i++)
        ;
}

int main(void)
{
    static uintptr_t samples[SAMPLES];
    uintptr_t low = (uintptr_t)(copy < spin ? copy : spin);
    long inside = 0;

    pcsample(samples, SAMPLES);
    copy();
    spin();
    long stored = pcsample(samples, 0);
    for (long i = 0; i < stored; i++)
        if (samples[i] >= low && samples[i] < (uintptr_t)&etext)
            inside++;
    printf("stored %ld, of which in this program %ld\n", stored, inside);
    return stored < 0;
}
