/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profil(2) works wherever it is called: by several threads together, in a signal handler, in a child that was forked
 * during a call, by a thread that is cancelled or outlives the leader, during execs, and after the supervisor was
 * killed.
 */
#include <pcsample.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

#define LONG_NS (200 * MS)
#define SHORT_NS (80 * MS)
#define PERIOD_NS 1e7

static unsigned short counters[4096];

static void start(void)
{
    profil(counters, sizeof counters, region(), 2);
}

static void stop(void)
{
    profil(NULL, 0, 0, 0);
}

/* Turns counting on for LONG_NS of CPU time, and checks the number of ticks. */
static void expect_counting(const char *name)
{
    struct stretch since = now();
    unsigned before = counters[0];

    start();
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks(name, counters[0] - before, since, PERIOD_NS);
}

static void *call_it(void *unused)
{
    (void)unused;
    for (int i = 0; i < 50; i++) {
        start();
        spin_first(CHUNK);
        if (i % 10 == 0)
            stop();
    }
    return NULL;
}

static void check_two_callers(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, call_it, NULL);
    for (int i = 0; i < 30; i++) { /* forks children while the threads make calls */
        pid_t child = fork();
        if (child == 0) {
            start();
            spin_second(CHUNK);
            stop();
            _exit(0);
        }
        int status = -1;
        if (waitpid(child, &status, 0) != child || status != 0)
            expect("child amid calls", false, "%#x", (unsigned)status);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    stop();
    counters[0] = 0;
    expect_counting("after calls of four threads at once");
}

static void *wait_for_end(void *end)
{
    sem_wait(end);
    sem_post(end);
    return NULL;
}

static void check_many_threads(void)
{
    pthread_t threads[100];
    sem_t end;

    sem_init(&end, 0, 0);
    for (int i = 0; i < 100; i++)
        pthread_create(&threads[i], NULL, wait_for_end, &end);
    expect_counting("100 threads");
    start();
    sem_post(&end);
    for (int i = 0; i < 100; i++)
        pthread_join(threads[i], NULL);
    stop();
}

static void *live_shortly(void *unused)
{
    spin_first(CHUNK);
    return unused;
}

/* A thread that ends just after its sample must not end profiling. Only a bad buffer may end it. */
static void check_short_threads(void)
{
    pthread_t thread;

    start();
    struct stretch since = now();
    while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < since.cpu_ns + LONG_NS)
        if (pthread_create(&thread, NULL, live_shortly, NULL) == 0)
            pthread_join(thread, NULL);
    unsigned before = counters[0];
    since = now();
    burn(spin_first, LONG_NS);
    expect_ticks("still on after many threads", counters[0] - before, since, PERIOD_NS);
    stop();
}

static void *outlive_leader(void *unused)
{
    (void)unused;
    usleep(50000);
    expect_counting("the leader has ended");
    expect("pcsample too", pcsample(NULL, 5) == 0, "not 0");
    stop();
    exit(failures);
}

static void check_no_leader(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, outlive_leader, NULL);
    pthread_exit(NULL);
}

static void on_alarm(int signal)
{
    (void)signal;
    start();
}

static void check_handler(void)
{
    signal(SIGALRM, on_alarm);
    raise(SIGALRM);
    struct stretch since = now();
    burn(spin_first, LONG_NS);
    stop();
    expect_ticks("from a handler", counters[0], since, PERIOD_NS);
}

static void *call_and_be_cancelled(void *unused)
{
    (void)unused;
    for (;;) {
        start();
        stop();
        pthread_testcancel();
    }
    return NULL;
}

static void check_cancel(void)
{
    pthread_t thread;

    for (int i = 0; i < 20; i++) {
        pthread_create(&thread, NULL, call_and_be_cancelled, NULL);
        usleep(3000 + 700u * (unsigned)i);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    expect_counting("after cancelled callers");
}

/* Executes this program again while another thread calls profil. Counting must end with the old program image, because
 * the new one has its counters at the same address. */
static void check_exec_amid(void)
{
    int round = arguments[2] != NULL ? atoi(arguments[2]) : 0;
    char number[16], *next[] = {arguments[0], arguments[1], number, NULL};
    pthread_t thread;

    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (counters[i] != 0)
            expect("counted in another image", false, "%u", counters[i]);
    if (round == 40) {
        counters[0] = 0;
        expect_counting("after execs amid calls");
        return;
    }
    pthread_create(&thread, NULL, call_it, NULL);
    usleep(500u * (unsigned)(round % 20));
    snprintf(number, sizeof number, "%d", round + 1);
    if (failures == 0)
        execv(next[0], next);
}

static void check_killed(void)
{
    for (int i = 0; i < 3; i++) {
        struct stretch since = now();
        unsigned before = counters[0];
        start();
        burn(spin_first, SHORT_NS);
        expect_ticks("until the supervisor is killed", counters[0] - before, since, PERIOD_NS);
        kill((pid_t)status_number("TracerPid:"), SIGKILL);
        burn(spin_first, SHORT_NS);
        expect_left("untraced");
    }
    expect_counting("the next call starts another");
    expect("pcsample", pcsample(NULL, 5) == 0, "not 0");
}

int main(int argc, char **argv)
{
    static const struct check checks[] = {{"two-callers", check_two_callers},
                                          {"many-threads", check_many_threads},
                                          {"short-threads", check_short_threads},
                                          {"no-leader", check_no_leader},
                                          {"handler", check_handler},
                                          {"cancel", check_cancel},
                                          {"exec-amid", check_exec_amid},
                                          {"killed", check_killed},
                                          {0}};

    return run_checks(checks, argc, argv);
}
