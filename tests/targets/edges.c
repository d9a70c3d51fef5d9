/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls at the edges of what a tracer may mend: broken by a signal with a handler, ended by a time limit,
 * short by themselves. Without a tracer no try goes wrong: "NAME wrong 0 of 20".
 *
 *   edges [NAME]     all, or those whose name begins so
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Each case tries once. True: all is as it is without a tracer. */

static void handle(int signal)
{
    (void)signal;
    handled++;
    getppid(); /* a call of the handler's own */
}

static bool try_handled_signal(void)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval alarm = {.it_value.tv_usec = 20000};
    struct epoll_event event;
    int epoll = epoll_create1(0);
    sig_atomic_t before = handled;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &alarm, NULL);
    int result = epoll_wait(epoll, &event, 1, 1000);
    bool right = result < 0 && errno == EINTR && handled == before + 1;
    close(epoll);
    return right;
}

static const struct edge {
    const char *name;
    bool (*try)(void);
    double seconds;
} edges[] = {
    {"handled-signal", try_handled_signal, 1},
};

static void run(const struct edge *edge)
{
    long wrong = 0, tries = 0;

    for (double end = now() + edge->seconds; now() < end; tries++)
        wrong += !edge->try();
    printf("%s wrong %ld of %ld\n", edge->name, wrong, tries);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strncmp(edges[i].name, wanted, strlen(wanted)) == 0)
            run(&edges[i]);
    return 0;
}
