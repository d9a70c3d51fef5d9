/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes COUNT events of one kind, with WORK_US of work at each:
 *
 *   event-storm exec COUNT WORK_US             execs of itself
 *   event-storm nonleader-exec COUNT WORK_US   the same, each by a thread that does not lead the process
 *   event-storm fork COUNT WORK_US             children; child i exits with status i % 100
 *   event-storm vfork COUNT WORK_US            children that execute this program
 *   event-storm thread COUNT WORK_US           threads, four at a time
 *   event-storm signal COUNT WORK_US           signals that a second process queues
 *   event-storm raise COUNT WORK_US            processes that only send signals to themselves, for WORK_US each
 *   event-storm turns COUNT 0                  signals that the first thread sends to itself. 16 younger threads do so,
 *                                              too. Fails if the youngest sends 100 * COUNT before the first is done
 *
 * Prints "storm KIND done COUNT" if all events came.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define TAKERS 16

static long count, work_us;
static char **arguments;
static volatile sig_atomic_t arrived;

__attribute__((noinline)) static void work(void)
{
    volatile unsigned long sum = 0;
    for (double end = cpu_now() + (double)work_us * 1e-6; cpu_now() < end;)
        for (int i = 0; i < 2000; i++)
            sum += (unsigned long)i;
}

static int done(const char *kind, long n)
{
    printf("storm %s done %ld\n", kind, n);
    return 0;
}

static void *exec_next(void *unused)
{
    char left[32], all[32];
    char *next[] = {arguments[0], arguments[1], left, arguments[3], all, NULL};

    snprintf(left, sizeof left, "%ld", count - 1);
    snprintf(all, sizeof all, "%ld", arguments[4] ? atol(arguments[4]) : count);
    execv("/proc/self/exe", next);
    perror("execv");
    _exit(1);
    return unused;
}

static int storm_exec(int by_thread)
{
    work();
    if (count == 0)
        return done(arguments[1], atol(arguments[4]));
    if (by_thread) {
        pthread_t id;
        pthread_create(&id, NULL, exec_next, NULL);
        for (;;)
            pause();
    }
    exec_next(NULL);
    return 1;
}

static int storm_fork(pid_t (*make)(void))
{
    for (long i = 0; i < count; i++) {
        int status;
        pid_t child = make();
        if (child == 0) {
            work();
            _exit((int)(i % 100));
        }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != i % 100)
            return 1;
    }
    return done(arguments[1], count);
}

static int storm_vfork(void)
{
    for (long i = 0; i < count; i++) {
        char code[32];
        int status;
        snprintf(code, sizeof code, "%ld", work_us);
        pid_t child = vfork();
        if (child == 0) {
            execl("/proc/self/exe", arguments[0], "once", "0", code, (char *)NULL);
            _exit(127);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return done(arguments[1], count);
}

static void *thread_body(void *unused)
{
    work();
    return unused;
}

static int storm_thread(void)
{
    for (long i = 0; i < count; i += 4) {
        pthread_t ids[4];
        for (int j = 0; j < 4; j++)
            if (pthread_create(&ids[j], NULL, thread_body, NULL) != 0)
                return 1;
        for (int j = 0; j < 4; j++)
            pthread_join(ids[j], NULL);
    }
    return done(arguments[1], count);
}

static void on_signal(int signal)
{
    (void)signal;
    arrived = arrived + 1;
}

/* The kernel queues real-time signals, so each signal that was sent must be counted. */
static int storm_signal(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGRTMIN, &action, NULL);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        for (long i = 0; i < count; i++) {
            union sigval value = {.sival_int = (int)i};
            while (sigqueue(parent, SIGRTMIN, value) < 0 && errno == EAGAIN)
                usleep(100);
            if (work_us > 0)
                usleep((useconds_t)work_us);
        }
        _exit(0);
    }
    volatile unsigned long sum = 0;
    while (arrived < count)
        sum += 1;
    waitpid(child, NULL, 0);
    return done(arguments[1], arrived);
}

/* Sends signals for WORK_US of elapsed time. Under a tracer that is busy, the process gets little CPU time. */
static void raise_signals(void)
{
    double end = now() + (double)work_us * 1e-6;
    long sent = 0;

    do {
        for (int i = 0; i < 100; i++, sent++)
            kill(getpid(), SIGUSR1);
    } while (now() < end);
    _exit(arrived != sent); /* a signal that a process sends to itself comes before kill() returns */
}

static int storm_raise(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    long good = 0;
    int status;

    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < count; i++)
        if (fork() == 0)
            raise_signals();
    while (wait(&status) > 0)
        good += status == 0;
    return good == count ? done(arguments[1], good) : 1;
}

static _Atomic long youngest_turns;

static void *take_turns(void *is_youngest)
{
    for (;;) {
        raise(SIGUSR1);
        if (is_youngest != NULL)
            youngest_turns++;
    }
    return NULL;
}

static int storm_turns(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t id;
    long turns = 0;

    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < TAKERS; i++)
        if (pthread_create(&id, NULL, take_turns, i == TAKERS - 1 ? &id : NULL) != 0)
            return 1;
    while (youngest_turns < 100)
        usleep(1000);
    youngest_turns = 0;
    while (turns < count && youngest_turns < 100 * count) {
        raise(SIGUSR1);
        turns++;
    }
    return turns == count ? done(arguments[1], turns) : 1;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";

    if (argc < 4)
        return 2;
    arguments = argv;
    count = atol(argv[2]);
    work_us = atol(argv[3]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 5 && strstr(kind, "exec") != NULL) {
        static char *with_total[6];
        for (int i = 0; i < 4; i++)
            with_total[i] = argv[i];
        with_total[4] = argv[2];
        arguments = with_total;
    }
    if (strcmp(kind, "once") == 0) {
        work();
        return 0;
    }
    if (strcmp(kind, "exec") == 0)
        return storm_exec(0);
    if (strcmp(kind, "nonleader-exec") == 0)
        return storm_exec(1);
    if (strcmp(kind, "fork") == 0)
        return storm_fork(fork);
    if (strcmp(kind, "vfork") == 0)
        return storm_vfork();
    if (strcmp(kind, "thread") == 0)
        return storm_thread();
    if (strcmp(kind, "signal") == 0)
        return storm_signal();
    if (strcmp(kind, "raise") == 0)
        return storm_raise();
    if (strcmp(kind, "turns") == 0)
        return storm_turns();
    return 2;
}
