/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes a chain of DEPTH calls of descend(), compiled without frame pointers:
 *
 *   call-chain busy DEPTH SECONDS      spends half of the CPU time in left(), half in right(). Prints "left NS" and
 *                                      "right NS"
 *   call-chain thread DEPTH SECONDS    like busy, but in a thread
 *   call-chain fixed DEPTH SECONDS     a fixed amount of work, of about SECONDS
 *   call-chain asleep DEPTH SECONDS    sleeps in poll()
 *   call-chain handler DEPTH SECONDS   like busy, but in a signal handler that runs on a stack of its own
 *   call-chain handlers DEPTH SECONDS  like busy, but in a signal handler that interrupted another handler on
 *                                      that stack
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clocks.h"

static double end, half[2];
static int depth;
static void (*bottom)(void);

static void spend(double seconds)
{
    for (double until = clock_now(CLOCK_PROCESS_CPUTIME_ID) + seconds; clock_now(CLOCK_PROCESS_CPUTIME_ID) < until;)
        for (volatile int i = 0; i < 3000; i++)
            ;
}

__attribute__((noinline)) static void left(void)
{
    spend(0.001);
    __asm__ volatile("");
}

/* The code differs from that of left(). Otherwise the compiler would make one function of both. */
__attribute__((noinline)) static void right(void)
{
    spend(0.001);
    __asm__ volatile("nop");
}

__attribute__((noinline)) static void halves(void)
{
    for (double now = clock_now(CLOCK_PROCESS_CPUTIME_ID), then; now < end;) {
        left();
        then = now, now = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        half[0] += now - then;
        right();
        then = now, now = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        half[1] += now - then;
    }
    __asm__ volatile("");
}

/* Works in registers, because a loop through memory is not equally fast in each run. */
__attribute__((noinline)) static void work(void)
{
    unsigned long value = 88172645463325252ul;

    for (long i = 0; i < (long)(end * 5e8); i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    __asm__ volatile("" : : "r"(value));
}

__attribute__((noinline)) static void sleep_there(void)
{
    poll(NULL, 0, (int)(end * 1000));
    __asm__ volatile("");
}

__attribute__((noinline)) static int descend(int left_over)
{
    volatile char room[200];

    room[0] = (char)left_over;
    if (left_over == 0)
        bottom();
    else
        room[1] = (char)descend(left_over - 1);
    return room[0];
}

static void *in_thread(void *unused)
{
    descend(depth);
    return unused;
}

static void handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    descend(depth);
}

/* Raises the second signal, whose handler makes the chain of calls. */
static void outer_handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    raise(SIGUSR2);
    __asm__ volatile("");
}

__attribute__((noinline)) static void handle(int signal)
{
    stack_t stack = {.ss_sp = malloc(1 << 20), .ss_size = 1 << 20};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_ONSTACK | SA_SIGINFO};

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR2, &action, NULL);
    action.sa_sigaction = outer_handler;
    sigaction(SIGUSR1, &action, NULL);
    raise(signal);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc != 4)
        return 2;
    depth = atoi(argv[2]);
    end = atof(argv[3]);
    bottom = strcmp(argv[1], "asleep") == 0 ? sleep_there : halves;
    if (strcmp(argv[1], "fixed") == 0)
        bottom = work;
    if (strcmp(argv[1], "thread") == 0) {
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(argv[1], "handler") == 0) {
        handle(SIGUSR2);
    } else if (strcmp(argv[1], "handlers") == 0) {
        handle(SIGUSR1);
    } else {
        descend(depth);
    }
    if (strcmp(argv[1], "busy") == 0)
        printf("left %.0f\nright %.0f\n", half[0] * 1e9, half[1] * 1e9);
    return 0;
}
