/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Thread groups in states that a tracer rarely meets, and must not disturb. Each lasts for about SECONDS:
 *
 *   thread-groups leaderless SECONDS    main ends; another thread works on in burn()
 *   thread-groups execs SECONDS         one of many threads executes this program again, over and over
 *   thread-groups notice SECONDS        works, while a child with two threads ends. The kernel reports the child's
 *                                       end by SIGUSR1, not SIGCHLD
 *   thread-groups stopped SECONDS       threads are born while the process is stopped and continued all the time
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

#define IDLE_THREADS 100
#define SMALL_STACK 65536

static char **arguments;
static double seconds;
static volatile double number;

__attribute__((noinline)) static void burn(void)
{
    for (int i = 0; i < 100000; i++)
        number = number * 1.0001 + 1;
}

static void work(void)
{
    double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + seconds;

    while (clock_now(CLOCK_PROCESS_CPUTIME_ID) < end)
        burn();
}

static void start(void *(*body)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
}

static void *work_and_end(void *unused)
{
    (void)unused;
    work();
    _exit(0);
}

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *nap(void *unused)
{
    (void)unused;
    usleep(300000);
    return NULL;
}

static void *execute(void *unused)
{
    (void)unused;
    usleep((useconds_t)(getpid() + (int)(now() * 1e6)) % 3000);
    execv("/proc/self/exe", arguments);
    return NULL;
}

/* The time at which the program must end is one of its arguments, so that each exec passes it on. */
static void execs(void)
{
    static char end[32];
    static char *with_end[5];

    if (arguments[3] == NULL) {
        snprintf(end, sizeof end, "%.3f", now() + seconds);
        memcpy(with_end, arguments, 3 * sizeof *arguments);
        with_end[3] = end;
        arguments = with_end;
    }
    if (now() > strtod(arguments[3], NULL))
        return;
    for (int i = 0; i < IDLE_THREADS; i++)
        start(idle);
    start(execute);
    idle(NULL);
}

/* When the last thread of the child has ended, the kernel sends SIGUSR1 to the tracer of the child's first thread. */
static void notice(void)
{
    signal(SIGUSR1, SIG_IGN);
    if (syscall(SYS_clone, SIGUSR1, 0, 0, 0, 0) == 0) {
        start(nap);
        usleep(100000);
        syscall(SYS_exit, 0);
    }
    work();
    waitpid(-1, NULL, __WALL);
}

static void stopped(void)
{
    int started = 0;
    double end = now() + seconds;
    pid_t self = getpid(), child = fork();

    while (child == 0) {
        if (getppid() != self || kill(self, SIGSTOP) < 0)
            _exit(0);
        usleep(300);
        kill(self, SIGCONT);
        usleep(2500);
    }
    for (; now() < end || started < 100; started++) {
        start(nap);
        usleep(1000);
    }
    kill(child, SIGKILL);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 125;
    arguments = argv;
    seconds = strtod(argv[2], NULL);
    if (strcmp(argv[1], "leaderless") == 0) {
        start(work_and_end);
        pthread_exit(NULL);
    } else if (strcmp(argv[1], "execs") == 0) {
        execs();
    } else if (strcmp(argv[1], "notice") == 0) {
        notice();
    } else if (strcmp(argv[1], "stopped") == 0) {
        stopped();
    }
    return 0;
}
