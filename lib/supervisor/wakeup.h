/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wakeup: how a tracer thread sleeps.
 *
 * It waits in waitid(2) for news of its tracees. Its timers, and other threads, send it a signal, whose handler jumps
 * out of that wait: waitid has no time limit, and a signal that came just before the call would otherwise be slept
 * over. Nothing is lost by the jump, for the wait leaves all news where it is (WNOWAIT).
 */
#ifndef PPROFIL_WAKEUP_H
#define PPROFIL_WAKEUP_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct wakeup {
    pid_t tid; /* number of the thread */
    timer_t timers[2], slow;
    uint64_t due[2]; /* the time that each timer is set for; 0: it is off */
    uint64_t slow_due;
    sigjmp_buf out;
    volatile sig_atomic_t jumps; /* the handler is to jump out of the wait */
    volatile sig_atomic_t woken; /* a signal has come since the last sleep began */
};

/* To be called once, before any thread is made. Blocks all signals, and sets the handler. */
void wakeup_prepare(void);
/* By the thread itself. Makes its timers. Returns 0 or -errno: -EAGAIN where RLIMIT_SIGPENDING is reached. */
int wakeup_init(struct wakeup *wakeup);
/* By the thread itself, at its end. Deletes its timers. */
void wakeup_end(struct wakeup *wakeup);
/* Sets a timer for each of the two times, CLOCK_MONOTONIC in ns; 0: off. Both wake the thread up, at once if their time
 * is past. A timer that is already set for one of these times stays as it is. */
void wakeup_set(struct wakeup *wakeup, uint64_t due, uint64_t after);
/* Sets another timer, for what is not urgent, CLOCK_MONOTONIC in ns; 0: off. If that timer is set for an earlier time
 * it stays as it is, which saves a system call: the sleep then ends early. */
void wakeup_set_slow(struct wakeup *wakeup, uint64_t due);
/* Sleeps until a tracee of this thread has news, or a signal comes. Returns true if there is news. Copies the news to
 * *news, and leaves it where it is. */
bool wakeup_sleep(struct wakeup *wakeup, siginfo_t *news);
/* Wakes the thread up. May be called by any thread. */
void wakeup_send(const struct wakeup *wakeup);

/* Makes this thread trace tid with those options: PTRACE_SEIZE. While another thread of that process execs, the kernel
 * makes us wait, and the exec may wait for us to reap the ends of other threads. So the attempt is given up after 10
 * ms. Returns 0 or -errno; -EAGAIN: it was given up, though it may just have succeeded. */
int wakeup_seize(struct wakeup *wakeup, pid_t tid, long options);

#endif
