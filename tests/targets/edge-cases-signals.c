/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals that another process sends during a call. A handler runs for each of them, and ignored signals change
 * nothing. A program gets SIGPIPE when it would get SIGPIPE without a tracer, and at no other time. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
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

/* Forks a process that sends `signals` to its parent in a burst, and again when the parent has handled them. Up to 100
 * us before each burst it sends an ignored signal, so that a tracer may be about to continue the parent's call. */
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

static bool gets_signals(const int *signals, int count)
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

/* A signal that would stop the process is ignored. The wait ends at its time limit. */
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

/* The first process of a PID namespace ignores all signals for which it has no handler: pid_namespaces(7). */
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

/* Sends `first` messages, then a signal that the parent ignores, then one more message. Sets *sent to the time of the
 * last message, in seconds. */
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

/* An ignored signal does not make the time limit of a recvmmsg(2) begin anew. The kernel checks the limit after each
 * message, so the last message ends the call. */
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
    bool late = *sent - start < 0.35 || *sent - start > 2; /* the limit had not passed yet, or the sender was late */
    note_lateness(late);
    if (!right && !late)
        printf("messages-signal: %d messages after %.3f s, the last was sent at %.3f s\n", got, took, *sent - start);
    return right;
}

/* --- SIGPIPE ---------------------------------------------------------------------------------- */

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x100
#endif

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
    (void)signal;
    signals++;
}

/* Forks a process that reads some bytes, closes fd, and sends the signal to the first thread of its parent. If `signal`
 * is 0, it sends none. */
static pid_t reader_that_leaves(int fd, int other, int signal)
{
    static char some[4096];
    pid_t child = fork();

    if (child != 0)
        return child;
    pid_t parent = getppid();
    close(other);
    for (int i = 0; i < 4; i++)
        if (read(fd, some, sizeof some) <= 0)
            break;
    close(fd);
    if (signal != 0)
        syscall(SYS_tgkill, parent, parent, signal);
    _exit(0);
}

/* The reader closes the pipe during a write that must not raise SIGPIPE (RWF_NOSIGNAL). */
bool try_no_sigpipe(void)
{
    static char block[1 << 20];
    const struct iovec vector = {block, sizeof block};
    int end[2];

    if (pipe(end) < 0)
        return false;
    pid_t child = reader_that_leaves(end[0], end[1], 0);
    close(end[0]);
    ssize_t size = pwritev2(end[1], &vector, 1, -1, RWF_NOSIGNAL);
    bool right = size > 0 || errno == EPIPE || errno == EOPNOTSUPP; /* EOPNOTSUPP: before Linux 6.18 */
    close(end[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* After a call that ended before it had moved all its bytes, the next SIGPIPE is delivered. */
bool try_sigpipe_afterwards(void)
{
    enum { SIZE = 1 << 20 };
    struct sigaction before, action = {.sa_handler = count_signal};
    off_t from = 0;
    int pair[2], file = temporary_file(SIZE);

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pid_t child = reader_of_all(pair[0], pair[1]);
    close(pair[0]);
    bool right = sendfile(pair[1], file, &from, 4 * SIZE) == SIZE;
    sigaction(SIGPIPE, &action, &before);
    signals = 0;
    kill(getpid(), SIGPIPE);
    right = right && signals == 1;
    raise(SIGPIPE);
    right = right && signals == 2;
    sigaction(SIGPIPE, &before, NULL);
    close(pair[1]);
    close(file);
    waitpid(child, NULL, 0);
    return right;
}

/* Tries 20 times in a process with a filter of system calls. There, a tracer continues a write by making another write,
 * which may raise SIGPIPE. */
static bool is_right_filtered(bool (*is_right)(int))
{
    struct sock_filter code = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &code};
    int status;
    pid_t child = fork();

    if (child == 0) {
        bool right = true;
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        for (int i = 0; right && i < 20; i++)
            right = is_right(i);
        _exit(right ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* If the reader closes a local socket after a write has sent some of its bytes, the write raises no SIGPIPE, even if
 * SIGPIPE is blocked. In half of the tries, another signal comes when the reader closes the socket. */
static bool raises_no_sigpipe(int number)
{
    static char block[1 << 20];
    const struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    struct timespec no_time = {0};
    sigset_t sigpipe, mask;
    int pair[2];

    sigemptyset(&sigpipe);
    sigaddset(&sigpipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &sigpipe, NULL);
    sigaction(SIGUSR1, &action, NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        return false;
    pid_t child = reader_that_leaves(pair[0], pair[1], number % 2 == 0 ? SIGUSR1 : 0);
    close(pair[0]);
    bool raised = write(pair[1], block, sizeof block) <= 0 || sigtimedwait(&sigpipe, NULL, &no_time) == SIGPIPE;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    close(pair[1]);
    waitpid(child, NULL, 0);
    return !raised && sigismember(&mask, SIGPIPE) && !sigismember(&mask, SIGTERM);
}

bool try_blocked_sigpipe(void)
{
    return is_right_filtered(raises_no_sigpipe);
}

/* A SIGPIPE that another process sends during a write is delivered, even if a tracer continues the write first. */
static bool gets_sigpipe(int number)
{
    const int sigpipe = SIGPIPE;

    (void)number;
    return gets_signals(&sigpipe, 1);
}

bool try_sent_sigpipe(void)
{
    return is_right_filtered(gets_sigpipe);
}
