/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allocates a file of 64 MiB again and again:
 *
 *   fallocate DIRECTORY TIMES
 *
 * Prints "fallocate CPU_MS". tmpfs of kernels before 6.11 begins a fallocate(2) that a signal interrupts anew from its
 * first page (shmem_fallocate in mm/shmem.c).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIZE (64 << 20)

int main(int count, char **words)
{
    char path[4096];
    struct timespec used;

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
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    printf("fallocate %ld\n", (long)used.tv_sec * 1000 + used.tv_nsec / 1000000);
    return 0;
}
