/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs SLEEPING threads that sleep, and BUSY threads that work:
 *
 *   sleepers SLEEPING BUSY SECONDS [processes]
 *
 * With the word "processes", those that sleep are processes. Each busy thread does a fixed amount of work, which takes
 * about SECONDS. If BUSY is 0, the program sleeps for SECONDS. Prints "sleepers WALL_MS CPU_MS".
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clocks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static double rounds;

static void *asleep(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&never, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static bool begin_thread(void)
{
    static pthread_attr_t small;
    pthread_t id;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    return pthread_create(&id, &small, asleep, NULL) == 0;
}

static bool begin_process(void)
{
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return child > 0;
}

__attribute__((noinline)) static void *busy(void *unused)
{
    volatile unsigned long sum = 1;
    for (double i = 0; i < rounds; i += 1000)
        for (int j = 0; j < 1000; j++)
            sum = sum * 2862933555777941757ul + 1;
    return unused;
}

int main(int argc, char **argv)
{
    int sleeping = argc > 1 ? atoi(argv[1]) : 100, working = argc > 2 ? atoi(argv[2]) : 1;
    double seconds = argc > 3 ? atof(argv[3]) : 1;
    pthread_t ids[64];
    struct rusage usage;

    for (int i = 0; i < sleeping; i++)
        if (!(argc > 4 ? begin_process() : begin_thread()))
            return 1;
    rounds = seconds * 6e8;
    double start = now();
    for (int i = 0; i < working && i < 64; i++)
        pthread_create(&ids[i], NULL, busy, NULL);
    if (working == 0)
        usleep((useconds_t)(seconds * 1e6));
    for (int i = 0; i < working && i < 64; i++)
        pthread_join(ids[i], NULL);
    getrusage(RUSAGE_SELF, &usage);
    printf("sleepers %.0f %.0f\n", (now() - start) * 1e3,
           (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3 +
               (double)usage.ru_stime.tv_sec * 1e3 + (double)usage.ru_stime.tv_usec * 1e-3);
    return 0;
}
