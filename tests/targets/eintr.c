/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls everything that fails with EINTR when a tracer stops it, with short busy spells
 * between, and counts how often it does, and how often something else is wrong:
 * "calls N eintr N broken N".
 *
 *   eintr SECONDS [MICROSECONDS]     and after so long each a child sends an ignored signal
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int epoll, semaphores, pair[2];
static sigset_t nothing_sent;
static long calls, interrupted, broken;

static int wait_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, 1);
}

static int wait_semaphore(void)
{
    struct sembuf take = {.sem_num = 0, .sem_op = -1};
    struct timespec limit = {.tv_nsec = 1000000};
    return semtimedop(semaphores, &take, 1, &limit);
}

static int wait_signal(void)
{
    struct timespec limit = {.tv_nsec = 1000000};
    return sigtimedwait(&nothing_sent, NULL, &limit);
}

static int wait_socket(void)
{
    char byte;
    return (int)recv(pair[0], &byte, 1, 0);
}

static int wait_sleep(void)
{
    struct timespec length = {.tv_nsec = 1000000};
    return nanosleep(&length, NULL);
}

/* SIGWINCH is ignored by who does not ask for it: it wakes nobody up, and breaks no call. */
static pid_t send_ignored(useconds_t period)
{
    pid_t parent = getpid(), child = fork();

    while (child == 0) {
        usleep(period);
        if (kill(parent, SIGWINCH) < 0)
            _exit(0);
    }
    return child;
}

/* All end by their time limit: nothing else ever happens. */
static bool as_it_should(int result)
{
    return result == 0 || (result == -1 && errno == EAGAIN);
}

int main(int argc, char **argv)
{
    static int (*const waits[])(void) = {wait_epoll, wait_sleep, wait_semaphore, wait_signal,
                                         wait_socket};
    struct timeval limit = {.tv_usec = 1000};
    struct timespec now;
    volatile unsigned long sum = 0;
    pid_t sender = argc > 2 ? send_ignored((useconds_t)atoi(argv[2])) : 0;
    int kinds = sender != 0 ? 2 : 5; /* of the others a tracer does not know the limit */

    epoll = epoll_create1(0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sigemptyset(&nothing_sent);
    sigaddset(&nothing_sent, SIGUSR2);
    sigprocmask(SIG_BLOCK, &nothing_sent, NULL);

    clock_gettime(CLOCK_MONOTONIC, &now);
    double end = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + (argc > 1 ? atof(argv[1]) : 1);
    do {
        errno = 0;
        int result = waits[calls % kinds]();
        interrupted += result < 0 && errno == EINTR;
        broken += !as_it_should(result) && errno != EINTR;
        calls++;
        for (long i = 0; i < 20000 + calls % 7 * 30000; i++)
            sum += (unsigned long)i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < end);
    semctl(semaphores, 0, IPC_RMID);
    if (sender != 0)
        kill(sender, SIGKILL);
    printf("calls %ld eintr %ld broken %ld\n", calls, interrupted, broken);
    return interrupted + broken > 0;
}
