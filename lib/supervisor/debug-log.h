/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debug-log: logs what a tracer does to its tracees and why, one line for each action, for PPROFIL_DEBUG=supervisor.
 *
 *     SECONDS TRACER EVENT DETAILS
 *
 *     12.000103877 1 interrupt 4711
 *     12.000141250 1 stop 4711 80057f INTERRUPT INTERRUPTED
 *     12.000149913 1 resume 4711 0
 *
 * SECONDS is CLOCK_MONOTONIC, and TRACER is the number of the tracer; the first is 0. These events change the state of
 * a task to the state of enum tracee_state that is shown in capitals:
 *
 *     seize TID PID            RUNNING: it has been seized
 *     born TID PID             STARTING: its parent's stop, or /proc, has shown its process PID
 *     held TID                 UNKNOWN: it has stopped before its process was known
 *     leader TID CALLER        RUNNING: the new leader after an exec by CALLER; the old one had another tracer, or none
 *     interrupt TID            INTERRUPTED, if it was RUNNING
 *     stop TID STATUS KIND STATE   it is stopped: the status of wait(2) in hexadecimal digits, enum stop_kind,
 *                              and the state before the stop; KIND is ENDED if the task has ended
 *     resume TID SIGNAL        RUNNING
 *     call TID SIGNAL          CONTINUING: it runs on to its next system-call stop
 *     follow TID SIGNAL        RUNNING, to its next system-call stop: a signal is held, a signal mask must be restored
 *                              there, or ticks leave it alone (backoff of calls.h)
 *     listen TID               LISTENING
 *     detach TID               none: it is detached for good
 *     release TID TO           RELEASED: it is detached for the tracer with number TO
 *     forget TID               none: it is no tracee any more
 *
 * These events change a stopped thread:
 *
 *     restart TID CALL         it will make the call with number CALL anew
 *     piece TID CALL           it will make a call with number CALL, a piece of a call that came back short: repair.h
 *     fail TID                 the piece that it is entering will fail: its descriptors refer to other files now
 *     return TID RESULT        the call that we followed is over, and returns RESULT
 *     mask TID SIGNALS         it blocks this set of signals from now on; in hexadecimal digits, bit N - 1 is signal N
 *     hold TID SIGNAL          the signal is held until the next piece begins
 *     send TID SIGNAL          a held signal is sent to it, because no piece follows
 *     drop TID SIGNAL          the signal, which only a piece has raised, is not delivered
 *     siginfo TID SIGNAL       the signal gets the siginfo_t with which it was first sent
 *     short TID RESULT         no change: its call, which we cut short, cannot be continued, and returns RESULT
 *
 * The rate can be computed from these events (budget.h), in the order in which they were booked:
 *
 *     ask HZ SHARE             the requested rate, and the share of its time that a target may lose
 *     cost CONDITION SAMPLES NS   SAMPLES samples cost NS; if SAMPLES is 0, NS is a part of the cost of the next ones
 *     condition CONDITION      this condition applies from now on
 *     rate HZ                  the present rate has changed much
 *
 * Other events are decisions: tick, move, late, backoff, waits, hand, sample. More may be added. Lines are kept in
 * memory, and written before the tracer sleeps, so the lines of several tracers must be sorted by time. The
 * line of a stop is added while the thread is stopped.
 */
#ifndef PPROFIL_DEBUG_LOG_H
#define PPROFIL_DEBUG_LOG_H

struct debug_log;
struct tracer;

/* Creates a log that writes to descriptor fd. Returns NULL if memory is short. The caller owns the log, and frees it
 * with free. */
struct debug_log *debug_log_new(int fd);
/* Adds a line: an event and its details. Does nothing if the tracer has no log. Does not allocate. Writes to the
 * descriptor only if 64 KiB have gathered. Needs no lock, but only the tracer's own thread may call it. */
void debug_log(struct tracer *tracer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the lines that have gathered. Waits while the reader is too slow. Needs no lock, but only the tracer's own
 * thread may call it. */
void debug_log_flush(struct tracer *tracer);

#endif
