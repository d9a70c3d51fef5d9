/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The probe: a process that finds out which signals reach pprofil's whole process group; see
 * forward-signals.h. It blocks all signals, so that they stay pending until pprofil asks for them.
 *
 * The probe is an orphan and not a child of pprofil. So pprofil's wait calls do not see the probe,
 * and a tool that looks for the program among pprofil's children finds only the program.
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

#include "base/descriptors.h"
#include "forward-signals.h"

#define ANSWER_MS 2000 /* time to wait for an answer, in ms; a probe that was stopped by SIGSTOP does not answer */

/* Forks a child whose end raises no SIGCHLD. Only wait calls with __WCLONE or __WALL see the child; see clone(2). */
static pid_t fork_quietly(void)
{
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

/* Makes the descriptor `fd` standard input, and closes all other descriptors. If the probe kept a
 * pipe of pprofil open, the pipe's reader would wait even after the end of pprofil. */
static void probe_keep_only(int fd)
{
    if (fd != STDIN_FILENO)
        dup2(fd, STDIN_FILENO);
    descriptors_close(STDIN_FILENO + 1);
}

static uint64_t probe_take_signals(void)
{
    const struct timespec at_once = {0};
    uint64_t signals = 0;
    sigset_t all;

    sigfillset(&all);
    for (int signal; (signal = sigtimedwait(&all, NULL, &at_once)) > 0;)
        signals |= UINT64_C(1) << (signal - 1);
    return signals;
}

static void probe_serve(int socket, char **argv)
{
    char question;

    for (; *argv != NULL; argv++)
        memset(*argv, 0, strlen(*argv));
    prctl(PR_SET_NAME, "group-probe", 0, 0, 0);
    probe_keep_only(socket);
    if (chdir("/") < 0)
        _exit(1);
    while (read(STDIN_FILENO, &question, sizeof question) == (ssize_t)sizeof question) {
        uint64_t signals = probe_take_signals();
        if (write(STDIN_FILENO, &signals, sizeof signals) != (ssize_t)sizeof signals)
            break;
    }
    _exit(0);
}

void forward_probe_start(struct forward_probe *probe, char **argv)
{
    sigset_t all, before;
    int sockets[2];

    probe->socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
        return;
    sigfillset(&all);
    /* the probe inherits our handlers, but must not run them */
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork_quietly();
    if (child == 0) {
        pid_t probe_pid = fork_quietly();
        if (probe_pid == 0)
            probe_serve(sockets[1], argv);
        _exit(probe_pid < 0);
    }
    close(sockets[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = -1;
    while (child > 0 && waitpid(child, &status, (int)__WCLONE) < 0 && errno == EINTR)
        ;
    if (status == 0)
        probe->socket = sockets[0];
    else
        close(sockets[0]);
}

bool forward_probe_ask(const struct forward_probe *probe, uint64_t *signals)
{
    struct pollfd poller = {.fd = probe->socket, .events = POLLIN};
    uint64_t got = 0;
    bool answered = false;

    if (probe->socket < 0 || send(probe->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        return false;
    while (poll(&poller, 1, ANSWER_MS) < 0 && errno == EINTR)
        ;
    /* this also reads answers that came too late for earlier calls */
    while (recv(probe->socket, &got, sizeof got, MSG_DONTWAIT) == (ssize_t)sizeof got) {
        *signals |= got;
        answered = true;
    }
    return answered;
}

void forward_probe_end(struct forward_probe *probe)
{
    if (probe->socket >= 0)
        close(probe->socket);
    probe->socket = -1;
}
