/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that sleeps and no signal wakes it up: until the child of vfork(2) has ended, its parent is in state D.
 *
 *   uninterruptible MS
 *
 * The child sleeps for MS milliseconds, which a signal would end.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long ms = argc > 1 ? atol(argv[1]) : 1000;
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    pid_t child = vfork();

    if (child == 0) {
        nanosleep(&time, NULL);
        _exit(0);
    }
    return waitpid(child, NULL, 0) != child;
}
