/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that wait, and threads that ask the vDSO for the time. They have no main() among their callers. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static long read_clock(int depth)
{
    struct timespec now;
    long sum = 0;

    if (depth > 0)
        return read_clock(depth - 1) + 1;
    for (int i = 0; i < 3000; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sum += now.tv_nsec;
    }
    return sum;
}

static void *run(void *number)
{
    for (unsigned seed = (unsigned)(long)number;;) {
        sink += read_clock(rand_r(&seed) % 9);
        pthread_mutex_lock(&mutex);
        usleep((unsigned)rand_r(&seed) % 500);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    run((void *)7);
}
