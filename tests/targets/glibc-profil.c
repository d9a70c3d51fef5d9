/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that profiles itself with glibc's own profil(3), for comparison with pprofil's:
 *
 *   glibc-profil SECONDS
 *
 * Three functions share the CPU time 5:3:2. Prints "NAME LOW HIGH TICKS" for each function, and "hot ADDRESS TICKS" for
 * each counter that is not 0. Addresses are those of the file, in hexadecimal. Ticks are decimal.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define CHUNK 100000ul

static volatile unsigned long sink;
/* NULL; `volatile` hides this from the compiler, because glibc's header forbids NULL */
static unsigned short *volatile nowhere;

__attribute__((noinline, aligned(64))) static void half(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink * 31 + i;
}

__attribute__((noinline, aligned(64))) static void third(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink * 37 + i;
}

__attribute__((noinline, aligned(64))) static void fifth(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds; i++)
        sink = sink * 41 + i;
}

static double cpu(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Sets *bias to the address where the program was loaded, minus the address for which it was linked. */
static int first_object(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(unsigned long *)bias = info->dlpi_addr;
    return 1;
}

static void print_function(const char *name, void (*function)(unsigned long), unsigned long low,
                           const unsigned short *counters, unsigned long bias)
{
    unsigned long from = (unsigned long)function, ticks = 0;

    for (unsigned long pc = from; pc < from + 64; pc += 4)
        ticks += counters[(pc - low) / 4];
    printf("%s %lx %lx %lu\n", name, from - bias, from - bias + 64, ticks);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    unsigned long low = (unsigned long)half, high = (unsigned long)fifth + 64, bias = 0;

    low = low < (unsigned long)third ? low : (unsigned long)third;
    low = low < (unsigned long)fifth ? low : (unsigned long)fifth;
    high = high > (unsigned long)half + 64 ? high : (unsigned long)half + 64;
    high = high > (unsigned long)third + 64 ? high : (unsigned long)third + 64;
    size_t count = (high - low) / 4;
    unsigned short *counters = calloc(count, sizeof *counters);
    if (counters == NULL || profil(counters, count * 2, low, 0x8000) != 0)
        return 1;
    for (double end = cpu() + seconds; cpu() < end;) {
        half(5 * CHUNK);
        third(3 * CHUNK);
        fifth(2 * CHUNK);
    }
    profil(nowhere, 0, 0, 0);
    dl_iterate_phdr(first_object, &bias);
    print_function("half", half, low, counters, bias);
    print_function("third", third, low, counters, bias);
    print_function("fifth", fifth, low, counters, bias);
    for (size_t i = 0; i < count; i++)
        if (counters[i] > 0)
            printf("hot %lx %u\n", low - bias + i * 4, counters[i]);
    free(counters);
    return 0;
}
