/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads in the states that -w distinguishes: running, waiting for a CPU, sleeping, and sleeping uninterruptibly.
 *
 *   thread-states all THREADS MS RUN_US SLEEP_US
 *
 * Each thread works for RUN_US of its CPU time and sleeps for SLEEP_US, again and again, until MS have passed. At the
 * end prints "TID elapsed NS run NS wait NS" for each thread. "run" and "wait" are the times that the kernel has
 * counted: proc(5), /proc/PID/schedstat.
 *
 *   thread-states uninterruptible MS
 *
 * The child of a vfork(2) sleeps for MS. Its parent is in state D until the child has ended.
 *
 *   thread-states writev MS
 *
 * One writev(2) into a pipe runs from time to time, sleeps for about MS, and runs again. A child at the other end reads
 * half of the bytes, 4 KiB at a time, sleeps for MS, and reads the rest. The exit status is 0 if the call returns the
 * number of all its bytes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define THREADS_MAX 64
#define WRITE_SIZE (4 << 20)

static double run_s, end;
static long sleep_us;

static void work(void)
{
    volatile unsigned long sum = 1;
    double until = cpu_now() + run_s;

    while (cpu_now() < until)
        for (int i = 0; i < 20000; i++)
            sum = sum * 31 + 1;
}

static void *live(void *unused)
{
    double began = now();
    unsigned long long run = 0, wait = 0;

    while (now() < end) {
        work();
        if (sleep_us > 0)
            usleep((useconds_t)sleep_us);
    }
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    if (file == NULL || fscanf(file, "%llu %llu", &run, &wait) != 2)
        exit(1);
    fclose(file);
    printf("%d elapsed %.0f run %llu wait %llu\n", gettid(), (now() - began) * 1e9, run, wait);
    return unused;
}

static int live_all(char **words)
{
    int count = atoi(words[0]);
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return 2;
    end = now() + atof(words[1]) * 1e-3;
    run_s = atof(words[2]) * 1e-6;
    sleep_us = atol(words[3]);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, live, NULL) != 0)
            return 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void sleep_once(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int wait_for_vfork(long ms)
{
    pid_t child = vfork();

    if (child == 0) {
        sleep_once(ms);
        _exit(0);
    }
    return waitpid(child, NULL, 0) != child;
}

static size_t read_up_to(int fd, size_t most)
{
    char some[4096];
    size_t sum = 0;
    ssize_t size;

    while (sum < most && (size = read(fd, some, sizeof some)) > 0)
        sum += (size_t)size;
    return sum;
}

static int write_to_sleeper(long ms)
{
    static char block[WRITE_SIZE / 2];
    struct iovec halves[] = {{block, sizeof block}, {block, sizeof block}};
    int ends[2], status;

    if (pipe(ends) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        size_t sum = read_up_to(ends[0], WRITE_SIZE / 2);
        sleep_once(ms);
        _exit(sum + read_up_to(ends[0], WRITE_SIZE - sum) != WRITE_SIZE);
    }
    close(ends[0]);
    if (writev(ends[1], halves, 2) != WRITE_SIZE)
        return 1;
    return waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "all") == 0)
        return live_all(argv + 2);
    if (argc == 3 && strcmp(argv[1], "uninterruptible") == 0)
        return wait_for_vfork(atol(argv[2]));
    if (argc == 3 && strcmp(argv[1], "writev") == 0)
        return write_to_sleeper(atol(argv[2]));
    return 2;
}
