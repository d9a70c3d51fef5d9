/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves its own code into memory without a file, as programs do that want huge pages: copies it, and puts the copy at
 * the address of the code. Then spends its time in spend_here, which work calls.
 *
 *   copied-code SECONDS [part]
 *
 * part: only the first page of the code is copied.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

/* Takes 10 ms or more, so that few system calls of clock(3) come between: an interrupt that is on its way when a system
 * call begins stops the thread at the end of the call. */
static __attribute__((noinline)) void spend_here(void)
{
    for (unsigned i = 0; i < 10000000; i++)
        sink += i;
}

/* Without the addition after it, the call would be a jump. */
static __attribute__((noinline)) void work(void)
{
    spend_here();
    sink++;
}

/* Finds the mapping that contains this function. */
static int find_code(unsigned long *start, unsigned long *end)
{
    unsigned long here = (unsigned long)find_code;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    int found = 0;

    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL)
        found = sscanf(line, "%lx-%lx", start, end) == 2 && *start <= here && here < *end;
    if (maps != NULL)
        fclose(maps);
    return found;
}

/* The program goes on in the copy when mremap returns. */
static int move_code(int only_part)
{
    unsigned long start, end;

    if (!find_code(&start, &end))
        return -1;
    size_t size = only_part ? (size_t)sysconf(_SC_PAGESIZE) : end - start;
    char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return -1;
    memcpy(copy, (void *)start, size);
    if (mprotect(copy, size, PROT_READ | PROT_EXEC) != 0)
        return -1;
    return mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) == (void *)start ? 0 : -1;
}

int main(int argc, char **argv)
{
    if (argc < 2 || move_code(argc > 2 && strcmp(argv[2], "part") == 0) != 0) {
        perror("copied-code");
        return 1;
    }
    clock_t end = clock() + (clock_t)(atof(argv[1]) * CLOCKS_PER_SEC);
    while (clock() < end)
        work();
    _exit(0); /* LeakSanitizer would fail, because it cannot be used in a traced process */
}
