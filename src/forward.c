/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "forward.h"

struct note {
    int signal;
    bool from_user;
    int64_t ms; /* CLOCK_MONOTONIC */
};

/* A handler has no context: what it needs is static. */
static int notes_end = -1; /* the end of its pipe, owned */

static int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static uint64_t bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

/* --- catching -------------------------------------------------------------------------- */

static void take_note(int signal, siginfo_t *info, void *context)
{
    struct note note = {.signal = signal, .from_user = info->si_code <= 0, .ms = now_ms()};
    int error = errno;
    ssize_t ignored = write(notes_end, &note, sizeof note);

    (void)ignored;
    (void)context;
    errno = error;
}

/* The kernel keeps signals of default action from the first process of a container, all but
 * those from outside that cannot be caught: pid_namespaces(7). */
static void die(int signal)
{
    _exit(128 + signal);
}

static bool asks_for_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/* Left alone are what cannot be caught or tells of a fault of our own, what stops us, which a
 * terminal does to all of a job, what main.c has taken, and the C library's own. */
static bool is_for_program(int signal)
{
    static const int ours[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD,
                               SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP, SIGABRT,
                               SIGSYS,  SIGPIPE, SIGXFSZ, SIGXCPU};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (signal == ours[i])
            return false;
    return signal < SIGSYS || (signal >= SIGRTMIN && signal <= SIGRTMAX);
}

/* What is ignored stays so: nohup(1). */
static void set_action(int signal, const struct sigaction *action)
{
    struct sigaction old;

    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(signal, action, NULL);
}

static void catch_signal(int signal)
{
    struct sigaction action = {.sa_sigaction = take_note, .sa_flags = SA_SIGINFO};

    if (!asks_for_end(signal))
        action.sa_flags |= SA_RESTART;
    set_action(signal, &action);
}

int forward_open(struct forward *forward, bool program)
{
    int ends[2];

    *forward = (struct forward){.attached = !program, .init = getpid() == 1, .witness.socket = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    forward->notes = ends[0];
    notes_end = ends[1];
    for (int signal = 1; signal <= FORWARD_SIGNALS; signal++)
        if (program ? is_for_program(signal) : asks_for_end(signal))
            catch_signal(signal);
    return 0;
}

void forward_catch(const struct forward *forward, bool caught)
{
    struct sigaction ends = {.sa_handler = forward->init ? die : SIG_DFL};

    for (int signal = 1; signal <= FORWARD_SIGNALS; signal++)
        if (asks_for_end(signal) && caught)
            catch_signal(signal);
        else if (asks_for_end(signal))
            set_action(signal, &ends);
}

void forward_to(struct forward *forward, pid_t program, char **argv)
{
    forward->program = program;
    witness_start(&forward->witness, argv);
}

void forward_end(struct forward *forward)
{
    forward->program = 0;
    witness_end(&forward->witness);
}

/* --- deciding --------------------------------------------------------------------------- */

/* A number of /proc/PID/status; 0 where there is none. */
static uint64_t status_number(pid_t pid, const char *key, int base)
{
    char path[32], line[256];
    uint64_t number = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtoull(line + strlen(key), NULL, base);
    if (file != NULL)
        fclose(file);
    return number;
}

/* Has it come to the supervisor too? That blocks all signals and is in a session of its own, but
 * in our control group. */
static bool went_to_all(const struct forward *forward, int signal)
{
    pid_t supervisor = (pid_t)status_number(forward->program, "TracerPid:", 10);

    return supervisor > 0 && status_number(supervisor, "ShdPnd:", 16) & bit(signal);
}

/* Has the program got it without us? What the kernel sends to a terminal's process group, to which
 * the program does not belong any more, is not for the program either. */
static bool is_echo(const struct forward *forward, int signal)
{
    if (!(forward->witnessed & bit(signal)))
        return false;
    return getpgid(forward->program) == getpgrp() || !(forward->from_user & bit(signal)) ||
           went_to_all(forward, signal);
}

static void pass_on_what_is_due(struct forward *forward)
{
    int64_t now = now_ms();
    uint64_t due = 0;

    for (int signal = 1; signal <= FORWARD_SIGNALS; signal++)
        if (forward->waiting & bit(signal) && forward->due_ms[signal - 1] <= now)
            due |= bit(signal);
    bool known = due != 0 && witness_ask(&forward->witness, &forward->witnessed);
    for (int signal = 1; signal <= FORWARD_SIGNALS; signal++)
        if (due & bit(signal) && forward->program != 0 && !is_echo(forward, signal) &&
            (known || forward->from_user & bit(signal)))
            kill(forward->program, signal);
    forward->waiting &= ~due;
    forward->from_user &= ~due;
    forward->witnessed &= ~due;
}

static void take(struct forward *forward, const struct note *note)
{
    uint64_t *waiting = &forward->waiting;

    if (asks_for_end(note->signal) &&
        (forward->leaves == 0 || note->ms - forward->leave_ms >= FORWARD_ECHO_MS)) {
        forward->leaves++;
        forward->leave_signal = note->signal;
        forward->leave_ms = note->ms;
    }
    if (!(*waiting & bit(note->signal)))
        forward->due_ms[note->signal - 1] = note->ms + FORWARD_ECHO_MS;
    *waiting |= bit(note->signal);
    if (note->from_user)
        forward->from_user |= bit(note->signal);
}

bool forward_serve(struct forward *forward)
{
    struct note note;

    while (read(forward->notes, &note, sizeof note) == (ssize_t)sizeof note)
        take(forward, &note);
    pass_on_what_is_due(forward);
    if (forward->attached)
        return forward->leaves > 0;
    return forward->leaves > 1 && !forward->init;
}

int forward_wait_ms(const struct forward *forward, int most)
{
    int64_t now = now_ms(), left = most;

    for (int signal = 1; signal <= FORWARD_SIGNALS; signal++)
        if (forward->waiting & bit(signal) && forward->due_ms[signal - 1] - now < left)
            left = forward->due_ms[signal - 1] - now;
    return left < 1 ? 1 : (int)left;
}
