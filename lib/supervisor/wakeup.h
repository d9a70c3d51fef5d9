/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wakeup: puts a tracer thread to sleep, and wakes it up. Also calls PTRACE_SEIZE with a time limit.
 *
 * The thread waits in waitid(2) for news of its tracees: stops and ends. waitid has no time limit, so timers and other
 * threads wake the thread up by a signal. The handler of that signal jumps out of the wait. Without the jump, a signal
 * that comes just before the call of waitid would not end the wait. The jump loses no news, because the wait leaves it
 * in the kernel (WNOWAIT).
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
    pid_t tid; /* thread id */
    timer_t timers[2], slow;
    uint64_t due[2]; /* times for which `timers` are set, CLOCK_MONOTONIC ns; 0: off */
    uint64_t slow_due;
    sigjmp_buf out;
    volatile sig_atomic_t jumps; /* the handler must jump out of the wait */
    volatile sig_atomic_t woken; /* a signal has come since the last sleep began */
};

/* To be called once, before the first thread is created. Blocks all signals, and sets the handler. */
void wakeup_prepare(void);
/* Called by the thread itself. Creates its timers. Returns 0 or -errno: -EAGAIN if RLIMIT_SIGPENDING is reached. */
int wakeup_init(struct wakeup *wakeup);
/* Called by the thread itself, at its end. Deletes its timers. */
void wakeup_end(struct wakeup *wakeup);
/* Sets a timer for each of the two times, CLOCK_MONOTONIC in ns; 0: off. Each timer wakes the thread up, at once if its
 * time has passed. A timer that is already set for one of these times stays as it is. */
void wakeup_set(struct wakeup *wakeup, uint64_t due, uint64_t after);
/* Sets a third timer, for work that is not urgent, CLOCK_MONOTONIC in ns; 0: off. If that timer is already set for an
 * earlier time, it stays as it is. This saves a system call, but the sleep may end early. */
void wakeup_set_slow(struct wakeup *wakeup, uint64_t due);
/* Sleeps until a tracee of this thread has news, or a signal comes. Returns true if there is news. Copies the news to
 * *news; a later waitid(2) reports it again. */
bool wakeup_sleep(struct wakeup *wakeup, siginfo_t *news);
/* Wakes the thread up. May be called by any thread. */
void wakeup_send(const struct wakeup *wakeup);

/* Seizes thread tid with these options: PTRACE_SEIZE. While another thread of the process execs, the kernel makes us
 * wait, and the exec may wait until we reap other threads. So the attempt is given up after 10 ms. Returns 0 or -errno;
 * -EAGAIN: the attempt was given up, but may have succeeded at the last moment. */
int wakeup_seize(struct wakeup *wakeup, pid_t tid, long options);

#endif
