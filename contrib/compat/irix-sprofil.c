/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IRIX sprofil(2): counts time in this program and in the C library that it uses. The counters have 32 bits, and a full
 * counter stays full. A tick is 1 ms. The last region is the overflow bin, the one counter for all other code. Written
 * from the manual page alone:
 *
 *    cc -O1 irix-sprofil.c $(pkg-config --cflags --libs pprofil-irix)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <sys/time.h>

#define BYTES_OF_LIBRARY 0x10000 /* number of bytes of the library's text that are counted, from memmove on */

extern char etext;

static char from[1 << 16], to[1 << 16];

__attribute__((noinline)) static unsigned long spin(void)
{
    static volatile unsigned long sum;

    for (unsigned long i = 0; i < 600000000; i++)
        sum = sum + i;
    return sum;
}

static unsigned long total(const unsigned int *counts, unsigned int bytes)
{
    unsigned long sum = 0;

    for (unsigned int i = 0; i < bytes / sizeof *counts; i++)
        sum += counts[i];
    return sum;
}

int main(void)
{
    /* there is a counter of 4 bytes for each 16 bytes of text, so counters take a quarter of the text's size */
    unsigned long low = (unsigned long)spin & ~15ul;
    unsigned int own_size = (unsigned int)((unsigned long)&etext - low + 16) / 16 * 4;
    unsigned int other = 0, *own = calloc(1, own_size), *library = calloc(1, BYTES_OF_LIBRARY / 4);
    struct timeval tick;
    struct prof regions[] = {
        {.pr_base = own, .pr_size = own_size, .pr_off = low, .pr_scale = 0x4000},
        {.pr_base = library,
         .pr_size = BYTES_OF_LIBRARY / 4,
         .pr_off = (unsigned long)memmove & ~15ul,
         .pr_scale = 0x4000},
        {.pr_base = &other, .pr_size = sizeof other, .pr_off = 0, .pr_scale = 2},
    };

    if (own == NULL || library == NULL)
        return 1;
    if (sprofil(regions, 3, &tick, PROF_UINT | PROF_FAST) != 0) {
        perror("sprofil");
        return 1;
    }
    spin();
    for (int i = 0; i < 200000; i++)
        memmove(to, from + i % 64, sizeof to - 64);
    sprofil(regions, 0, NULL, 0);
    printf("a tick is %ld us: %lu in this program, %lu around memmove, %u elsewhere\n",
           (long)tick.tv_usec, total(own, own_size), total(library, BYTES_OF_LIBRARY / 4), other);
    free(own);
    free(library);
    return 0;
}
