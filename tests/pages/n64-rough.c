/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* osProfile(3P): when the host asks for the profile, the histogram is unmapped already, and the stack frame that
 * contained the list of segments is gone. */
#include <ultra64.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void init(void *histogram)
{
    OSProf segment;

    segment.text_start = (u32 *)(void *)((unsigned long)init & ~3ul);
    segment.text_end = segment.text_start + 1024;
    segment.histo_size = 1024;
    segment.histo_base = histogram;
    osProfileInit(&segment, 1);
    memset(&segment, 0xff, sizeof segment);
}

int main(void)
{
    void *histogram = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    init(histogram);
    munmap(histogram, 4096);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
