/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Uses both forms of OSF/1 profil(2). The first form counts in one range of addresses. The second form gets an array of
 * ranges, the highest range first. Written from the manual page alone:
 *
 *    cc -O1 osf1-profil.c $(pkg-config --cflags --libs pprofil-osf1)
 *
 * Each range has only one counter, because its scale is 2, which "maps all instructions onto the beginning of the
 * short_buffer (producing a non-interrupting clock)".
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define HZ 1024.0

extern char etext;

static char from[1 << 16], to[1 << 16];
static volatile unsigned long sink;

__attribute__((noinline)) static void spin(void)
{
    for (unsigned long i = 0; i < 400000000; i++)
        sink = sink + i;
}

__attribute__((noinline)) static void copy(void)
{
    for (int i = 0; i < 200000; i++)
        memmove(to, from + i % 64, sizeof to - 64);
}

static void clock_of_program(void)
{
    unsigned short ticks = 0;

    profil(&ticks, sizeof ticks, 0, 2);
    spin();
    copy();
    profil(0, 0, 0, 0);
    printf("one range: %.2f s in all\n", ticks / HZ);
}

static void program_and_libraries(void)
{
    static unsigned int own, others;
    struct profil_args ranges[] = {
        {.buffer = &others, .highpc = (void *)-1l, .lowpc = &etext, .offset = &etext, .scale = 2},
        {.buffer = &own, .highpc = &etext, .lowpc = 0, .offset = 0, .scale = 2},
    };

    profil(ranges, 2, -1, 0);
    spin();
    copy();
    profil(0, 0, 0, 0);
    printf("two ranges: %.2f s in this program, %.2f s in libraries\n", own / HZ, others / HZ);
}

int main(void)
{
    clock_of_program();
    program_and_libraries();
    return 0;
}
