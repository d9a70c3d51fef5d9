/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls everything that fails with EINTR when a tracer stops it, with short busy spells
 * between, and counts how often it does: "calls N eintr N".
 *
 *   eintr SECONDS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
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
static long calls, interrupted;

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

int main(int argc, char **argv)
{
    static int (*const waits[])(void) = {wait_epoll, wait_semaphore, wait_signal, wait_socket,
                                         wait_sleep};
    struct timeval limit = {.tv_usec = 1000};
    struct timespec now;
    volatile unsigned long sum = 0;

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
        if (waits[calls % 5]() < 0 && errno == EINTR)
            interrupted++;
        calls++;
        for (long i = 0; i < 20000 + calls % 7 * 30000; i++)
            sum += (unsigned long)i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < end);
    semctl(semaphores, 0, IPC_RMID);
    printf("calls %ld eintr %ld\n", calls, interrupted);
    return interrupted > 0;
}
