/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debug-log: what a tracer does to its tracees and why, one line for each action, for PPROFIL_DEBUG=supervisor.
 *
 *     SECONDS TRACER EVENT DETAILS
 *
 *     12.000103877 1 interrupt 4711
 *     12.000141250 1 stop 4711 80057f INTERRUPT INTERRUPTED
 *     12.000149913 1 resume 4711 0
 *
 * SECONDS is CLOCK_MONOTONIC, and TRACER is the number of the tracer, 0 being the first. These events change the state
 * of a task, in the words of enum tracee_state:
 *
 *     seize TID PID            RUNNING: it has been seized
 *     born TID PID             STARTING: its parent, or /proc, tells of it
 *     held TID                 UNKNOWN: it has stopped before anybody told of it
 *     leader TID CALLER        RUNNING: another tracer, or nobody, had the leader of a process that executes
 *     interrupt TID            INTERRUPTED, if it was RUNNING
 *     stop TID STATUS KIND STATE   it stands still: the status of wait(2) in hexadecimal digits, enum stop_kind,
 *                              and the state that it was in; ENDED: it is no task any more
 *     resume TID SIGNAL        RUNNING
 *     call TID SIGNAL          CONTINUING: it runs on to its next system-call stop
 *     follow TID SIGNAL        RUNNING, to its next system-call stop: a signal is held, a signal mask is to be put back
 *                              there, or ticks leave it alone (backoff of calls.h)
 *     listen TID               LISTENING
 *     detach TID               it is detached for good
 *     release TID TO           RELEASED: it is detached for another tracer, whose number is TO
 *     forget TID               it is known no longer
 *
 * These events change a thread that stands still:
 *
 *     restart TID CALL         it is to make the call of that number anew
 *     piece TID CALL           it is to make a call that does a part of the rest of one that came back short
 *     fail TID                 the piece that it is entering is made to fail: its descriptors stand for other files now
 *     return TID RESULT        the call that we followed is over, and returns that
 *     mask TID SIGNALS         it blocks this set of signals: bit signal - 1, in hexadecimal digits
 *     hold TID SIGNAL          the signal is kept back until the next piece begins
 *     send TID SIGNAL          a signal that was kept back is sent to it, for no piece follows
 *     drop TID SIGNAL          the signal, which only a piece has raised, is not delivered
 *     siginfo TID SIGNAL       the signal gets the siginfo_t that it was first sent with
 *     short TID RESULT         nothing is changed: its call, which we cut short, cannot be continued
 *
 * The rate follows from these events (budget.h), in the order in which they were booked:
 *
 *     ask HZ SHARE             the rate that is asked for, and the share of its time that a target may lose
 *     cost CONDITION SAMPLES NS   what these samples cost; 0 samples: a part of what the next ones cost
 *     condition CONDITION      it is in force from now on
 *     rate HZ                  the rate in force has changed much
 *
 * Other events are decisions: tick, move, late, backoff, waits, hand, sample; there may be more of them. Lines are kept
 * in memory and written when the tracer is about to sleep, so the lines of several tracers have to be sorted by time.
 * The line of a stop is made while the thread stands still.
 */
#ifndef PPROFIL_DEBUG_LOG_H
#define PPROFIL_DEBUG_LOG_H

struct debug_log;
struct tracer;

/* Makes a log that writes to the descriptor. NULL: no memory. */
struct debug_log *debug_log_new(int fd);
/* Adds a line: an event and its details. Does nothing if the tracer has no log. Does not allocate; writes only where 64
 * KiB have gathered. Needs no lock, but is called by the tracer's own thread only. */
void debug_log(struct tracer *tracer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the lines that have gathered. Waits while nobody reads them. Needs no lock; by the tracer's own thread. */
void debug_log_flush(struct tracer *tracer);

#endif
