/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * forward-signals: the signals that reach pprofil while it runs a program, or is attached.
 *
 * A signal that was sent to pprofil alone is meant for the program, and pprofil passes it on. A
 * signal that was sent to the whole process group (by a terminal, kill(1) or timeout(1)), or to
 * each process of a control group in turn, reaches the program without us, and must not reach it
 * twice. pprofil decides which of the two it was FORWARD_ECHO_MS after it came: by then every
 * process that was to get the signal has it.
 *
 * A second SIGINT, SIGTERM, SIGHUP or SIGQUIT ends pprofil at once if it comes FORWARD_ECHO_MS or
 * more after the first. It does not end the first process of a container, with which the kernel
 * would kill all other processes there.
 */
#ifndef PPROFIL_FORWARD_SIGNALS_H
#define PPROFIL_FORWARD_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FORWARD_ECHO_MS 200
#define FORWARD_SIGNALS_MAX 64

/* The probe is a child process that shows which signals were sent to our whole process group. The kernel does not tell
 * a receiver whether a signal was sent to it or to its group: kill(2) fills the same siginfo for both. Nobody knows the
 * probe's PID. A signal that it gets was therefore sent to the group, or to each process of a control group in turn. */
struct forward_probe {
    int socket; /* a connection to it, owned; -1: there is no probe */
};

struct forward {
    bool attached; /* to processes that we did not start: nothing is passed on */
    bool init;     /* pprofil is the first process of a container */
    pid_t program; /* 0: it does not run yet, or has ended */
    int notes;     /* a pipe from the signal handler, owned */
    struct forward_probe probe;
    /* Sets of signals: bit SIGNAL - 1 stands for SIGNAL. */
    uint64_t waiting;   /* those that came and are not decided on */
    uint64_t from_user; /* those of waiting that a process sent, by kill(2) or a similar call */
    uint64_t probed;    /* those that the probe got and that are not decided on */
    int64_t due_ms[FORWARD_SIGNALS_MAX]; /* by signal: when a waiting one is decided on; CLOCK_MONOTONIC */
    unsigned ends;  /* how often we were told to end; echoes do not count */
    int end_signal; /* the signal that told us so last */
    int64_t end_ms; /* when that signal came; CLOCK_MONOTONIC */
};

/* Catches signals from now on. With a program to run these are all signals that a process can
 * handle, else those that ask for an end. Returns 0, or a negative errno of pipe(2). */
int forward_open(struct forward *forward, bool program);

/* Passes signals on to the program, which has just been started. argv: the command line of
 * pprofil, not kept. */
void forward_to(struct forward *forward, pid_t program, char **argv);

/* Reads what the handler noted, and passes on the signals that are due. Returns true when the
 * sampling shall end. */
bool forward_serve(struct forward *forward);

/* Returns the milliseconds until a signal is due, 1 to most. */
int forward_wait_ms(const struct forward *forward, int most);

/* caught: signals that ask for an end are noted, as they are after forward_open(). Otherwise
 * they end pprofil. */
void forward_catch(const struct forward *forward, bool caught);

/* Passes nothing on from now on: the program has ended, or goes on without us. */
void forward_end(struct forward *forward);

/* --- the probe: for forward-signals.c ------------------------------------------------------ */

/* Starts the probe, which ends when we end, in whatever way. argv: our own command line, not
 * kept. The probe clears its copy, so that pkill(1) -f does not find the probe by it. On failure
 * probe->socket is -1. */
void forward_probe_start(struct forward_probe *probe, char **argv);

/* Adds to *signals what the probe got since the last call, bit SIGNAL - 1 for each signal.
 * Returns false if there is no probe, or if it does not answer within two seconds. */
bool forward_probe_ask(const struct forward_probe *probe, uint64_t *signals);

/* Ends the probe. */
void forward_probe_end(struct forward_probe *probe);

#endif
