/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals that another process sends amid a call: each is handled, and one that is ignored does nothing. */
#define _GNU_SOURCE
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "edge-cases.h"

static int acknowledgement[2];

static void acknowledge(int signal)
{
    (void)signal;
    if (write(acknowledgement[1], "", 1) != 1)
        abort();
}

static void spin(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        ;
}

/* Forks a process that sends its parent all of the signals at once, again and again, when the last ones have been
 * handled. One that is ignored comes shortly before: a tracer may have to mend the call after that. */
static pid_t sender_of(const int *signals, int count)
{
    enum { ROUNDS = 30 };
    struct pollfd one = {.fd = acknowledgement[0], .events = POLLIN};
    pid_t child = fork();
    char byte;

    if (child != 0)
        return child;
    for (int round = 0; round < ROUNDS; round++) {
        kill(getppid(), SIGWINCH);
        spin(rand() % 100 * 1e-6);
        for (int i = 0; i < count; i++)
            kill(getppid(), signals[i]);
        for (int i = 0; i < count; i++)
            if (poll(&one, 1, 30000) != 1 || read(acknowledgement[0], &byte, 1) != 1)
                _exit(1);
        usleep((useconds_t)(rand() % 100));
    }
    _exit(0);
}

bool gets_signals(const int *signals, int count)
{
    static char block[1 << 16];
    const struct sigaction action = {.sa_handler = acknowledge, .sa_flags = SA_RESTART};
    int pair[2], status = -1;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || pipe(acknowledgement) < 0)
        return false;
    for (int i = 0; i < count; i++)
        sigaction(signals[i], &action, NULL);
    pid_t reader = reader_of_all(pair[0], pair[1]), sender = sender_of(signals, count);
    close(pair[0]);
    while (waitpid(sender, &status, WNOHANG) == 0)
        if (write(pair[1], block, sizeof block) <= 0)
            break;
    close(pair[1]);
    waitpid(reader, NULL, 0);
    close(acknowledgement[0]);
    close(acknowledgement[1]);
    return status == 0;
}

bool try_two_signals(void)
{
    const int both[] = {SIGUSR1, SIGUSR2};

    return gets_signals(both, 2);
}

/* A signal that would stop the process, but is ignored, does nothing. */
bool try_ignored_stop(void)
{
    struct epoll_event event;
    int status, epoll = epoll_create1(0);
    pid_t child;

    signal(SIGTSTP, SIG_IGN);
    child = fork();
    if (child == 0) {
        usleep(10000);
        kill(getppid(), SIGTSTP);
        _exit(0);
    }
    int got = epoll_wait(epoll, &event, 1, 30);
    waitpid(child, &status, 0);
    close(epoll);
    return got == 0;
}

static int wait_as_first(void)
{
    struct epoll_event event;

    return epoll_wait(epoll_create1(0), &event, 1, 30) == 0 ? 0 : 1;
}

/* The first process of a PID namespace ignores all signals that it has no handler for: pid_namespaces(7). */
bool try_first_process(void)
{
    int status = -1;
    pid_t maker = fork();

    if (maker == 0) {
        if (unshare(CLONE_NEWPID) < 0)
            _exit(0);
        signal(SIGUSR1, SIG_DFL);
        pid_t first = fork();
        if (first == 0)
            _exit(wait_as_first());
        usleep(10000);
        kill(first, SIGTERM);
        usleep(5000);
        kill(first, SIGUSR1);
        _exit(waitpid(first, &status, 0) == first && status == 0 ? 0 : 1);
    }
    return waitpid(maker, &status, 0) == maker && status == 0;
}

/* Sends messages, then a signal that the process ignores, then one more message. */
static void send_amid_signal(int fd, int first, double *sent)
{
    for (int i = 0; i < first; i++) {
        usleep(50);
        send(fd, "x", 1, 0);
    }
    usleep(200000);
    kill(getppid(), SIGWINCH);
    usleep(200000);
    *sent = now();
    send(fd, "x", 1, 0);
}

/* The time limit of a recvmmsg(2) does not begin again at an ignored signal. It is looked at after each message, so the
 * last one ends the call. */
bool try_time_amid_signals(void)
{
    enum { FIRST = 20, ROOM = 64 };
    char room[ROOM];
    struct iovec vectors[ROOM];
    struct mmsghdr messages[ROOM] = {0};
    struct timespec limit = {.tv_nsec = 300000000};
    const struct timeval patience = {.tv_sec = 4};
    int pair[2];

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (int i = 0; i < ROOM; i++) {
        vectors[i] = (struct iovec){&room[i], 1};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    double *sent = shared_time();
    *sent = INFINITY;
    pid_t child = fork();
    if (child == 0) {
        send_amid_signal(pair[1], FIRST, sent);
        _exit(0);
    }
    double start = now();
    int got = recvmmsg(pair[0], messages, ROOM, 0, &limit);
    double took = now() - start;
    bool right = got > 0 && got <= FIRST + 1 && took < 3;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    bool late = *sent - start < 0.35 || *sent - start > 2; /* the limit had not passed; or the sender itself was late */
    note_lateness(late);
    if (!right && !late)
        printf("messages-signal: %d messages after %.3f s, the last was sent at %.3f s\n", got, took, *sent - start);
    return right;
}
