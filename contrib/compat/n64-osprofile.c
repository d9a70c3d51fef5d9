/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nintendo 64 osProfile(3P): which words of the program's text take the most time? Written from the manual page alone,
 * and compiled for the debug library, which reports errors:
 *
 *    cc -O1 -DPPROFIL_N64_DEBUG n64-osprofile.c $(pkg-config --cflags --libs pprofil-n64)
 *
 * On the console, osProfileFlush sends the profile to gperf(1P) on the host. Here it sends the profile to a running
 * "pprofil gperf -s". If there is none, it writes a file. The environment variable PPROFIL_N64_OUTPUT contains the
 * path of the file; the default is osprofile.out.
 */
#include <ultra64.h>
#include <stdio.h>
#include <stdlib.h>

#define TYPICAL_US 10000

extern char etext;

static volatile u32 sink;

__attribute__((noinline)) static void draw(void)
{
    for (u32 i = 0; i < 1200000000; i++)
        sink = sink + i;
}

__attribute__((noinline)) static void play(void)
{
    for (u32 i = 0; i < 300000000; i++)
        sink = sink ^ i;
}

int main(void)
{
    OSProf segment = {.text_start = (u32 *)(void *)(draw < play ? draw : play),
                      .text_end = (u32 *)(((uintptr_t)&etext + 3) & ~3ul)};
    u32 ticks[2] = {0, 0};

    segment.histo_size = (u32)(segment.text_end - segment.text_start);
    segment.histo_base = calloc(segment.histo_size, sizeof *segment.histo_base);
    if (segment.histo_base == NULL)
        return 1;
    osProfileInit(&segment, 1);
    osProfileStart(TYPICAL_US);
    draw();
    play();
    osProfileStop();
    osProfileFlush();
    for (u32 i = 0; i < segment.histo_size; i++) {
        uintptr_t pc = (uintptr_t)(segment.text_start + i);
        uintptr_t later = (uintptr_t)(draw < play ? play : draw);
        ticks[(pc + 3 >= later) == (draw < play)] += segment.histo_base[i];
    }
    printf("draw %u ms, play %u ms\n", ticks[0] * TYPICAL_US / 1000, ticks[1] * TYPICAL_US / 1000);
    free(segment.histo_base);
    return 0;
}
