/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program gets the SIGPIPE that it gets without a tracer, and no other. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge-cases.h"

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x100
#endif

static volatile sig_atomic_t signals;

static void count_signal(int signal)
{
    (void)signal;
    signals++;
}

/* Forks a process that reads some, leaves, and sends its parent's thread that signal, if any. */
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

/* The reader goes away amid the write, which asks for no SIGPIPE. */
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
    bool right = size > 0 || errno == EPIPE || errno == EOPNOTSUPP; /* before Linux 6.18 */
    close(end[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* A call that ends before it has all its bytes must not keep the next SIGPIPE away. */
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

/* Runs it 20 times in a process with a filter of system calls, where the rest of a write is a write again, which
 * raises SIGPIPE. */
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

/* What a write on a local socket whose reader leaves has moved a part of raises none, not even a blocked one. Another
 * signal comes with it every other time. */
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

/* A SIGPIPE that somebody sends amid a write comes, though a piece of a call may have to wait for it. */
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
