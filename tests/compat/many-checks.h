/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks with ticks that are hard to count: bursts, and more threads than CPUs. profil-checks.h includes this file. */
#ifndef PPROFIL_TEST_MANY_CHECKS_H
#define PPROFIL_TEST_MANY_CHECKS_H

#define MANY_THREADS 16
#define MANY_CHILDREN 16

/* Profiling is on for half a period at a time, or for as long as it takes to turn it on if that is longer. */
static void check_bursts(void)
{
    struct stretch since = now();
    uint64_t on_ns = 0;

    while (on_ns < 2 * LONG_NS) {
        start_usual(counters);
        uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID), end = begun;
        while ((double)(end - begun) < fmax(PERIOD_NS / 2, 4.0 * MS)) {
            spin_first(CHUNK / 32);
            end = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        }
        stop();
        on_ns += end - begun;
    }
    expect_ticks_of("half a period each time", (double)sum_all(), (double)on_ns, since, PERIOD_NS, 1);
}

static void *burn_a_part(void *unused)
{
    burn(spin_first, LONG_NS / MANY_THREADS * 2);
    return unused;
}

/* More threads than CPUs, all of them short-lived. */
static void check_many_threads(void)
{
    pthread_t threads[MANY_THREADS];
    struct stretch since = now();

    start_usual(counters);
    for (int i = 0; i < MANY_THREADS; i++)
        pthread_create(&threads[i], NULL, burn_a_part, NULL);
    for (int i = 0; i < MANY_THREADS; i++)
        pthread_join(threads[i], NULL);
    stop();
    expect_ticks_of("all of many threads", (double)sum_all(), 2.0 * LONG_NS, since, PERIOD_NS, 4);
}

/* Many children at once, each of which runs for a few ticks. */
static void check_many_children(void)
{
    uint64_t each = 4 * LONG_NS / MANY_CHILDREN;
    counter *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct stretch since = now();

    start_one(shared);
    for (int i = 0; i < MANY_CHILDREN; i++)
        if (fork() == 0) {
            burn(spin_first, each);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    stop();
    /* A child is sampled only a few times, and the CPU time after its last sample is not always counted. So twice the
     * variance of many threads is allowed. */
    if (CHILD_COUNTS)
        expect_ticks_of("all of many children", *shared, (double)(MANY_CHILDREN * each), since, PERIOD_NS, 8);
    else
        expect_ticks_of("children that do not count", *shared, 0, since, PERIOD_NS, 1);
    munmap(shared, sizeof *shared);
}

#endif
