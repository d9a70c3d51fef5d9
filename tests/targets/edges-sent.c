/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals that another process sends amid a call: each is handled, and one that is ignored does nothing. */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edges.h"

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
