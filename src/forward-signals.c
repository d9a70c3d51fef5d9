/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Catches the signals that reach pprofil, and passes on those that are meant for the program: see forward-signals.h.
 */
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

#include "base/clock.h"
#include "forward-signals.h"

struct note {
    int signal;
    bool from_user;
    int64_t ms; /* CLOCK_MONOTONIC */
};

/* Write end of the pipe that the signal handler writes to. notes_end is static because a signal
 * handler gets no argument of ours. */
static int notes_end = -1; /* owned */

static uint64_t signal_bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

/* --- catching -------------------------------------------------------------------------- */

static void forward_write_note(int signal, siginfo_t *info, void *context)
{
    struct note note = {.signal = signal, .from_user = info->si_code <= 0, .ms = time_now_ms()};
    int error = errno;
    ssize_t ignored = write(notes_end, &note, sizeof note);

    (void)ignored;
    (void)context;
    errno = error;
}

/* If pprofil is the first process of a container, this is the handler of signals that end pprofil. For this process the
 * kernel does not carry out their default action; see pid_namespaces(7). */
static void die_of_signal(int signal)
{
    _exit(128 + signal);
}

static bool asks_for_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/* Returns false for signals that are not meant for the program: SIGCHLD, signals that cannot be caught, signals that
 * report a fault or an exceeded limit of pprofil itself, signals of main.c, signals of the C library, and signals that
 * stop a job. The terminal sends signals that stop a job to each process of the job. */
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

/* Sets the action of a signal. But a signal that was ignored when pprofil started stays ignored,
 * because nohup(1) relies on that. */
static void forward_set_action(int signal, const struct sigaction *action)
{
    struct sigaction old;

    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(signal, action, NULL);
}

static void forward_catch_signal(int signal)
{
    struct sigaction action = {.sa_sigaction = forward_write_note, .sa_flags = SA_SIGINFO};

    if (!asks_for_end(signal))
        action.sa_flags |= SA_RESTART;
    forward_set_action(signal, &action);
}

int forward_open(struct forward *forward, bool program)
{
    int ends[2];

    *forward = (struct forward){.attached = !program, .init = getpid() == 1, .probe.socket = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    forward->notes = ends[0];
    notes_end = ends[1];
    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (program ? is_for_program(signal) : asks_for_end(signal))
            forward_catch_signal(signal);
    return 0;
}

void forward_leave(struct forward *forward)
{
    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (asks_for_end(signal) || is_for_program(signal)) {
            bool of_terminal = asks_for_end(signal) && signal != SIGTERM;
            const struct sigaction action = {.sa_handler = of_terminal ? SIG_IGN : SIG_DFL};
            forward_set_action(signal, &action);
        }
    close(forward->notes);
    close(notes_end);
    if (forward->probe.socket >= 0)
        close(forward->probe.socket);
    *forward = (struct forward){.notes = -1, .probe.socket = -1};
    notes_end = -1;
}

void forward_catch(const struct forward *forward, bool caught)
{
    struct sigaction ends = {.sa_handler = forward->init ? die_of_signal : SIG_DFL};

    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (asks_for_end(signal) && caught)
            forward_catch_signal(signal);
        else if (asks_for_end(signal))
            forward_set_action(signal, &ends);
}

void forward_to(struct forward *forward, pid_t program, char **argv)
{
    forward->program = program;
    forward_probe_start(&forward->probe, argv);
}

void forward_end(struct forward *forward)
{
    forward->program = 0;
    forward_probe_end(&forward->probe);
}

/* --- deciding --------------------------------------------------------------------------- */

/* Returns the number that follows a key in /proc/PID/status, or 0 if the key is missing. */
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

/* Returns true if the supervisor got the signal, too. The supervisor blocks all signals, so a
 * signal that it got is pending there. The supervisor is in our control group but not in our
 * process group. So a signal that reached both of us was sent to the whole control group. */
static bool went_to_all(const struct forward *forward, int signal)
{
    pid_t supervisor = (pid_t)status_number(forward->program, "TracerPid:", 10);

    return supervisor > 0 && status_number(supervisor, "ShdPnd:", 16) & signal_bit(signal);
}

/* Returns true if pprofil must not pass the signal on. A signal that the probe did not get was sent to pprofil alone,
 * and must be passed on. A signal that the probe got has also reached the program, if the program is in our process
 * group. If the program has left our group, signals from our terminal are not meant for the program, and signals from a
 * process have reached the program only if they were sent to our whole control group. */
static bool reached_program(const struct forward *forward, int signal)
{
    if (!(forward->probed & signal_bit(signal)))
        return false;
    return getpgid(forward->program) == getpgrp() || !(forward->from_user & signal_bit(signal)) ||
           went_to_all(forward, signal);
}

static void forward_pass_on_due(struct forward *forward)
{
    int64_t now = time_now_ms();
    uint64_t due = 0;

    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (forward->waiting & signal_bit(signal) && forward->due_ms[signal - 1] <= now)
            due |= signal_bit(signal);
    bool known = due != 0 && forward_probe_ask(&forward->probe, &forward->probed);
    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (due & signal_bit(signal) && forward->program != 0 &&
            !reached_program(forward, signal) && (known || forward->from_user & signal_bit(signal)))
            kill(forward->program, signal);
    forward->waiting &= ~due;
    forward->from_user &= ~due;
    forward->probed &= ~due;
}

static void forward_take_note(struct forward *forward, const struct note *note)
{
    uint64_t *waiting = &forward->waiting;

    if (asks_for_end(note->signal) && (forward->ends == 0 || note->ms - forward->end_ms >= FORWARD_ECHO_MS)) {
        forward->ends++;
        forward->end_signal = note->signal;
        forward->end_ms = note->ms;
    }
    if (!(*waiting & signal_bit(note->signal)))
        forward->due_ms[note->signal - 1] = note->ms + FORWARD_ECHO_MS;
    *waiting |= signal_bit(note->signal);
    if (note->from_user)
        forward->from_user |= signal_bit(note->signal);
}

bool forward_serve(struct forward *forward)
{
    struct note note;

    while (read(forward->notes, &note, sizeof note) == (ssize_t)sizeof note)
        forward_take_note(forward, &note);
    forward_pass_on_due(forward);
    if (forward->attached)
        return forward->ends > 0;
    return forward->ends > 1 && !forward->init;
}

int forward_wait_ms(const struct forward *forward, int most)
{
    int64_t now = time_now_ms(), left = most;

    for (int signal = 1; signal <= FORWARD_SIGNALS_MAX; signal++)
        if (forward->waiting & signal_bit(signal) && forward->due_ms[signal - 1] - now < left)
            left = forward->due_ms[signal - 1] - now;
    return left < 1 ? 1 : (int)left;
}
