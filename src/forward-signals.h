/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * forward-signals: handles the signals that reach pprofil while it runs a program or is attached.
 *
 * A signal that was sent to pprofil alone is meant for the program, and pprofil passes it on. But a signal may also be
 * sent to the whole process group (by a terminal, kill(1) or timeout(1)), or to each process of a control group in
 * turn. In these cases the program gets the signal directly, and pprofil must not send it a second time. pprofil waits
 * FORWARD_ECHO_MS before it decides. By then the signal has reached every process that it was sent to.
 *
 * While pprofil runs a program, a second SIGINT, SIGTERM, SIGHUP or SIGQUIT ends pprofil. It counts only if it comes
 * FORWARD_ECHO_MS or more after the first. If pprofil is the first process of a container, it does not end, because the
 * kernel would kill all other processes of the container.
 */
#ifndef PPROFIL_FORWARD_SIGNALS_H
#define PPROFIL_FORWARD_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FORWARD_ECHO_MS 200
#define FORWARD_SIGNALS_MAX 64

/* The probe is a process that shows which signals were sent to our whole process group. The kernel does not tell a
 * receiver whether a signal was sent to it or to its group: siginfo is the same in both cases. Nobody sends a
 * signal to the probe alone, because nobody knows its PID. So a signal that the probe gets was sent to the group, or to
 * each process of a control group in turn. */
struct forward_probe {
    int socket; /* owned; connection to the probe; -1: there is no probe */
};

struct forward {
    bool attached; /* pprofil is attached to processes that it did not start, so no signal is passed on to them */
    bool init;     /* pprofil is the first process of a container */
    pid_t program; /* PID of the program; 0: not started yet, or ended */
    int notes;     /* owned; read end of the pipe that the signal handler writes to */
    struct forward_probe probe;
    /* Each of the next three fields is a set of signals: bit SIGNAL - 1 is 1 if SIGNAL is in the set. */
    uint64_t waiting;   /* signals that came, and that pprofil has not decided on yet */
    uint64_t from_user; /* waiting signals that a process sent, by kill(2) or a similar call */
    uint64_t probed;    /* signals that the probe got, and that pprofil has not decided on yet */
    /* for each signal that is in `waiting`: time at which pprofil will decide on it;
     * CLOCK_MONOTONIC, ms; the index is the signal's number - 1 */
    int64_t due_ms[FORWARD_SIGNALS_MAX];
    /* number of signals so far that asked for an end; those that came within FORWARD_ECHO_MS after the last counted
     * one are not counted */
    unsigned ends;
    int end_signal; /* last signal that was counted in `ends` */
    int64_t end_ms; /* time when `end_signal` came; CLOCK_MONOTONIC, ms */
};

/* Begins to catch signals. If `program` is true, pprofil will start a program, and all signals that
 * a process can handle are caught. Otherwise only the signals that ask for an end are caught:
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT. Returns 0, or a negative errno of pipe(2). */
int forward_open(struct forward *forward, bool program);

/* Begins to pass signals on to the program, which has just been started. `argv` is the command line
 * of pprofil. No pointer to it is kept. */
void forward_to(struct forward *forward, pid_t program, char **argv);

/* Reads the signals that the handler noted. Passes on the signals that are for the program and
 * whose time (due_ms) has come. Returns true when sampling must end. */
bool forward_serve(struct forward *forward);

/* Returns the milliseconds until the next signal is due, at least 1 and at most `most`. */
int forward_wait_ms(const struct forward *forward, int most);

/* If `caught` is true, signals that ask for an end are noted, as after forward_open(). If `caught`
 * is false, such signals end pprofil. */
void forward_catch(const struct forward *forward, bool caught);

/* Called in a child process of pprofil that finishes some work: signals with which a terminal asks for an end are
 * ignored, all others have their default actions, and the child has no part in passing signals on. */
void forward_leave(struct forward *forward);

/* Stops passing signals on. Call it when the program has ended, or when it will go on without pprofil. */
void forward_end(struct forward *forward);

/* --- the probe, which only forward-signals.c uses ------------------------------------------ */

/* Starts the probe, which ends when pprofil ends, even if pprofil is killed. `argv` is the command
 * line of pprofil, and no pointer to it is kept. The probe clears its own copy of this command
 * line, so that pkill(1) -f does not find the probe by it. On failure probe->socket is -1. */
void forward_probe_start(struct forward_probe *probe, char **argv);

/* Adds to *signals the signals that the probe got since the last call. In *signals, bit SIGNAL - 1 stands for SIGNAL.
 * Returns false if there is no probe, or if it does not answer within two seconds. */
bool forward_probe_ask(const struct forward_probe *probe, uint64_t *signals);

/* Ends the probe. */
void forward_probe_end(struct forward_probe *probe);

#endif
