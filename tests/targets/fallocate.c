/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allocates a file of 64 MiB again and again:
 *
 *   fallocate DIRECTORY TIMES
 *
 * Prints the CPU time of the program, "fallocate CPU_MS". In kernels before 6.11 a fallocate(2) on tmpfs that is
 * interrupted begins anew at its first page (shmem_fallocate in mm/shmem.c), so a tracer that stops the call often
 * makes it take longer.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clocks.h"

#define SIZE (64 << 20)

int main(int count, char **words)
{
    char path[4096];

    if (count != 3)
        return 125;
    snprintf(path, sizeof path, "%s/fallocate-XXXXXX", words[1]);
    int fd = mkstemp(path);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    unlink(path);
    for (int times = atoi(words[2]); times > 0; times--)
        if (fallocate(fd, 0, 0, SIZE) != 0 || ftruncate(fd, 0) != 0) {
            perror("fallocate");
            return 1;
        }
    printf("fallocate %.0f\n", clock_now(CLOCK_PROCESS_CPUTIME_ID) * 1e3);
    return 0;
}
