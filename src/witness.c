/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that blocks all signals, so that they stay with it until we ask.
 *
 * It is no child of ours but an orphan, so that a wait call does not find it and whoever looks for
 * the program among our children finds nothing else.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "witness.h"

#define ANSWER_MS 2000 /* it may be stopped while we are not */

/* A fork whose end raises no SIGCHLD, and that wait calls do not see unless they ask for such
 * children: clone(2), "__WCLONE". */
static pid_t fork_quietly(void)
{
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

/* Whoever reads from our pipes waits for the last writer. */
static void keep_only(int fd)
{
    if (fd != STDIN_FILENO)
        dup2(fd, STDIN_FILENO);
    if (syscall(SYS_close_range, STDIN_FILENO + 1u, ~0u, 0u) == 0)
        return;
    for (long other = STDIN_FILENO + 1; other < sysconf(_SC_OPEN_MAX); other++)
        close((int)other);
}

static uint64_t take_signals(void)
{
    const struct timespec at_once = {0};
    uint64_t signals = 0;
    sigset_t all;

    sigfillset(&all);
    for (int signal; (signal = sigtimedwait(&all, NULL, &at_once)) > 0;)
        signals |= UINT64_C(1) << (signal - 1);
    return signals;
}

static void be_witness(int socket, char **argv)
{
    char question;

    for (; *argv != NULL; argv++)
        memset(*argv, 0, strlen(*argv));
    prctl(PR_SET_NAME, "signal-witness", 0, 0, 0);
    keep_only(socket);
    if (chdir("/") < 0)
        _exit(1);
    while (read(STDIN_FILENO, &question, sizeof question) == (ssize_t)sizeof question) {
        uint64_t signals = take_signals();
        if (write(STDIN_FILENO, &signals, sizeof signals) != (ssize_t)sizeof signals)
            break;
    }
    _exit(0);
}

void witness_start(struct witness *witness, char **argv)
{
    sigset_t all, before;
    int sockets[2];

    witness->socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* before it is there, for it has our handlers */
    pid_t child = fork_quietly();
    if (child == 0) {
        pid_t witness_pid = fork_quietly();
        if (witness_pid == 0)
            be_witness(sockets[1], argv);
        _exit(witness_pid < 0);
    }
    close(sockets[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = -1;
    while (child > 0 && waitpid(child, &status, (int)__WCLONE) < 0 && errno == EINTR)
        ;
    if (status == 0)
        witness->socket = sockets[0];
    else
        close(sockets[0]);
}

bool witness_ask(const struct witness *witness, uint64_t *signals)
{
    struct pollfd poller = {.fd = witness->socket, .events = POLLIN};
    uint64_t got = 0;
    bool answered = false;

    if (witness->socket < 0 || send(witness->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        return false;
    while (poll(&poller, 1, ANSWER_MS) < 0 && errno == EINTR)
        ;
    /* and what it answered too late before */
    while (recv(witness->socket, &got, sizeof got, MSG_DONTWAIT) == (ssize_t)sizeof got) {
        *signals |= got;
        answered = true;
    }
    return answered;
}

void witness_end(struct witness *witness)
{
    if (witness->socket >= 0)
        close(witness->socket);
    witness->socket = -1;
}
