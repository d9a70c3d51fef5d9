/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Catches signals that end the live view, or stop it for a while. Handlers get no argument of ours, so their data are
 * static in this file. A signal that was ignored at the start stays ignored, as nohup(1) wants. A signal that has a
 * handler already keeps it. But signals of crashes get our handler instead, because other handlers would not restore
 * the terminal. src/main.c has handlers for SIGPIPE and SIGXFSZ.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "signals.h"

#define ALTERNATE_STACK 65536 /* a signal frame with all vector registers takes 11 KiB */

static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGALRM, SIGPROF, SIGVTALRM, SIGXCPU, SIGIO,   SIGPWR};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
static const int stopping[] = {SIGTSTP};
#define COUNT(signals) (sizeof(signals) / sizeof *(signals))

static volatile sig_atomic_t last_signal, stop_asked;
static int ends[2] = {-1, -1};
static void (*restore_terminal)(void);
static stack_t stack_before;

static void signals_wake(void)
{
    int error = errno;
    ssize_t ignored = write(ends[1], "", 1);

    (void)ignored;
    errno = error;
}

static void signals_note(int signal)
{
    last_signal = signal;
    signals_wake();
}

static void signals_note_stop(int signal)
{
    (void)signal;
    stop_asked = 1;
    signals_wake();
}

static void signals_crash(int signal_number)
{
    signal(signal_number, SIG_DFL);
    restore_terminal();
    raise(signal_number);
}

static void signals_take_crashes(void)
{
    struct sigaction action = {.sa_handler = signals_crash, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    struct sigaction old;

    for (size_t i = 0; i < COUNT(crashes); i++)
        if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(crashes[i], &action, NULL);
}

/* Sets the handler `to` for each signal that has the handler `from` now. */
static void signals_change_handler(const int *signals, size_t count, void (*from)(int), void (*to)(int))
{
    struct sigaction action = {.sa_handler = to}, old;

    for (size_t i = 0; i < count; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == from)
            sigaction(signals[i], &action, NULL);
}

/* Sets another stack for handlers, because after a stack overflow the normal stack has no room for a handler. */
static void signals_have_stack(void)
{
    static char bytes[ALTERNATE_STACK];
    stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};

    if (sigaltstack(&stack, &stack_before) < 0)
        stack_before = (stack_t){.ss_flags = SS_DISABLE};
}

int signals_catch(void (*restore)(void))
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    restore_terminal = restore;
    signals_have_stack();
    signals_change_handler(ending, COUNT(ending), SIG_DFL, signals_note);
    signals_take_crashes();
    return 0;
}

void signals_catch_stop(void)
{
    signals_change_handler(stopping, COUNT(stopping), SIG_DFL, signals_note_stop);
}

void signals_release(void)
{
    signals_change_handler(ending, COUNT(ending), signals_note, SIG_DFL);
    signals_change_handler(crashes, COUNT(crashes), signals_crash, SIG_DFL);
    signals_change_handler(stopping, COUNT(stopping), signals_note_stop, SIG_DFL);
    sigaltstack(&stack_before, NULL);
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

/* Stops the whole job, as a terminal does, because a shell takes the terminal back only when all processes of the job
 * have stopped. We send SIGTSTP and not SIGSTOP, because the kernel drops SIGTSTP if no shell would continue us (an
 * orphaned process group; signal(7)). The other processes are stopped first, while we ignore the signal, because
 * raise(3) returns only after we are continued. */
void signals_stop(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, stop = {.sa_handler = SIG_DFL}, before;

    sigaction(SIGTSTP, &ignore, &before);
    kill(0, SIGTSTP);
    if (before.sa_handler != SIG_IGN) {
        sigaction(SIGTSTP, &stop, NULL);
        raise(SIGTSTP);
    }
    sigaction(SIGTSTP, &before, NULL);
}

/* The pipe is emptied before stop_asked is read. So a signal that comes later leaves a byte in the
 * pipe, and signals_fd stays readable. */
bool signals_stop_asked(void)
{
    char bytes[16];

    while (read(ends[0], bytes, sizeof bytes) > 0)
        continue;
    bool asked = stop_asked;
    stop_asked = 0;
    return asked;
}

int signals_fd(void)
{
    return ends[0];
}

int signals_ending(void)
{
    return last_signal;
}
