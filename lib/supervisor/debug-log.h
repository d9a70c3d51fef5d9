/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * debug-log: logs what a tracer does to its tracees and why, one line for each action, if PPROFIL_DEBUG=supervisor is
 * set.
 *
 *     SECONDS TRACER EVENT DETAILS
 *
 *     12.000103877 1 interrupt 4711
 *     12.000141250 1 stop 4711 80057f INTERRUPT INTERRUPTED
 *     12.000149913 1 resume 4711 0
 *
 * SECONDS is the time of CLOCK_MONOTONIC. TRACER is the number of the tracer; the first tracer is 0. The following
 * events change the state of task TID. In the descriptions, the word in capitals is the new state, from enum
 * tracee_state:
 *
 *     seize TID PID            RUNNING: it has been seized
 *     born TID PID             STARTING: a stop of its parent, or /proc, has shown that it belongs to process PID
 *     held TID                 UNKNOWN: it has stopped before its process was known
 *     leader TID CALLER        RUNNING: the new leader after an exec by CALLER; the old one had another tracer, or none
 *     interrupt TID            INTERRUPTED, if it was RUNNING
 *     stop TID STATUS KIND STATE   it is stopped: the status of wait(2) in hexadecimal digits, enum stop_kind,
 *                              and the state before the stop; KIND is ENDED if the task has ended
 *     resume TID SIGNAL        RUNNING
 *     call TID SIGNAL          CONTINUING: it runs on to its next system-call stop
 *     follow TID SIGNAL        RUNNING until its next system-call stop, because a signal is held, a signal mask must be
 *                              restored there, or ticks must not interrupt it (backoff of calls.h)
 *     listen TID               LISTENING
 *     detach TID               none: it is detached for good
 *     release TID TO           RELEASED: it is detached, so that the tracer with number TO can trace it
 *     forget TID               none: it is no tracee any more
 *
 * In the descriptions of the following events, "it" is the stopped thread TID:
 *
 *     restart TID CALL         it will make the call with number CALL anew
 *     piece TID CALL           it will make a call with number CALL for the rest of a call that was cut short: repair.h
 *     fail TID                 the piece that it is entering will fail: its descriptors refer to other files now
 *     return TID RESULT        a call that we have continued or restarted is over, and returns RESULT
 *     mask TID SIGNALS         it blocks this set of signals from now on; in hexadecimal digits, bit N - 1 is signal N
 *     hold TID SIGNAL          the signal is held until the next piece begins
 *     send TID SIGNAL          a held signal is sent to it, because no piece follows
 *     drop TID SIGNAL          a piece has raised the signal, but the uncut call would not have: it is not delivered
 *     siginfo TID SIGNAL       the held signal, sent again, gets the siginfo_t with which it first came
 *     short TID RESULT         its call, which we cut short, cannot be continued, so it returns RESULT
 *
 * The sampling rate can be computed from the following events (budget.h). Their order in the log is the order in which
 * the budget has changed:
 *
 *     ask HZ SHARE             the requested rate, and the share of a target's CPU time that may be lost
 *     cost CONDITION SAMPLES NS   SAMPLES samples cost NS; if SAMPLES is 0, NS is added to the cost of the next sample
 *     condition CONDITION      this condition applies from now on
 *     rate HZ                  the present rate; logged when it has changed by 5 % or more
 *
 * Other events are decisions of the tracer: tick, move, late, backoff, waits, hand, sample. More may be added later. A
 * tracer keeps its lines in memory, and writes them before it sleeps. So if there are several tracers, the reader of
 * the log must sort the lines by time. The line of a stop is added while the thread is still stopped.
 */
#ifndef PPROFIL_DEBUG_LOG_H
#define PPROFIL_DEBUG_LOG_H

struct debug_log;
struct tracer;

/* Creates a log that writes to descriptor fd. Returns NULL if memory is short. The caller owns the log, and frees it
 * with free. */
struct debug_log *debug_log_new(int fd);
/* Adds a line with an event and its details to the log. Does nothing if the tracer has no log. Does not allocate
 * memory. Writes to the descriptor only if 64 KiB of lines are in memory. Needs no lock, but only the tracer's own
 * thread may call it. */
void debug_log(struct tracer *tracer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the lines that are in memory to the descriptor. If the reader of the log is slow, waits for it. Needs no lock,
 * but only the tracer's own thread may call it. */
void debug_log_flush(struct tracer *tracer);

#endif
