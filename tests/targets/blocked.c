/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process whose one writev(2) into a pipe runs now and then, sleeps for long, and runs again:
 *
 *   blocked MS
 *
 * The child at the other end reads half of it in small pieces, sleeps for MS milliseconds, and reads the rest. The
 * exit status is 0 if the call returns all that it was given.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE (4 << 20)

static char block[SIZE / 2];

static size_t read_up_to(int fd, size_t most)
{
    char some[4096];
    size_t sum = 0;
    ssize_t size;

    while (sum < most && (size = read(fd, some, sizeof some)) > 0)
        sum += (size_t)size;
    return sum;
}

int main(int argc, char **argv)
{
    long ms = argc > 1 ? atol(argv[1]) : 1000;
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    struct iovec halves[] = {{block, sizeof block}, {block, sizeof block}};
    int end[2], status;

    if (pipe(end) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        size_t sum = read_up_to(end[0], SIZE / 2);
        nanosleep(&time, NULL);
        _exit(sum + read_up_to(end[0], SIZE - sum) != SIZE);
    }
    close(end[0]);
    if (writev(end[1], halves, 2) != SIZE)
        return 1;
    return waitpid(child, &status, 0) != child || status != 0;
}
