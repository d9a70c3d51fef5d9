/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wakeup: puts a tracer thread to sleep, and wakes it up. Also calls PTRACE_SEIZE with a time limit.
 *
 * The thread waits in waitid(2) for news of its tracees, that is, until one of them has stopped or ended. waitid has no
 * time limit, so timers and other threads wake the thread up by a signal. The handler of that signal jumps out of the
 * wait. Without the jump, a signal that comes just before the thread calls waitid would not end the wait. No news is
 * lost by the jump, because waitid leaves the news in the kernel (WNOWAIT).
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
    uint64_t due[2]; /* the times for which timers[0] and timers[1] are set, CLOCK_MONOTONIC ns; 0: the timer is off */
    uint64_t slow_due;
    sigjmp_buf out;
    volatile sig_atomic_t jumps; /* true if the handler of the signal must jump out of the wait */
    volatile sig_atomic_t woken; /* true if a signal has come since wakeup_sleep last returned */
};

/* To be called once, before the first thread is created. Blocks all signals, and installs the handler of the signal
 * that wakes threads up. */
void wakeup_prepare(void);
/* Called by the thread itself at its beginning. Creates the timers of the thread. Returns 0 or -errno: -EAGAIN if
 * RLIMIT_SIGPENDING is reached. */
int wakeup_init(struct wakeup *wakeup);
/* Called by the thread itself at its end. Deletes the timers of the thread. */
void wakeup_end(struct wakeup *wakeup);
/* Sets one timer for the time `due` and another for the time `after`, CLOCK_MONOTONIC in ns; 0: the timer is turned
 * off. Each timer wakes the thread up at its time, or immediately if that time has passed. If a timer is already set
 * for one of these times, it is not set again. */
void wakeup_set(struct wakeup *wakeup, uint64_t due, uint64_t after);
/* Sets a third timer, for work that is not urgent, for the time `due`, CLOCK_MONOTONIC in ns; 0: the timer is turned
 * off. If it is already set for an earlier time, it stays as it is. This saves a system call, but the thread may wake
 * up earlier than necessary. */
void wakeup_set_slow(struct wakeup *wakeup, uint64_t due);
/* Sleeps until a tracee of this thread has news, or a signal comes. If there is news, copies it to *news and returns
 * true. The next waitid(2) reports the same news again. */
bool wakeup_sleep(struct wakeup *wakeup, siginfo_t *news);
/* Wakes the thread up. May be called by any thread. */
void wakeup_send(const struct wakeup *wakeup);

/* Seizes thread `tid` by PTRACE_SEIZE with these options. If another thread of the process is in an exec, the kernel
 * makes us wait until the exec has ended, but the exec may wait until we reap other threads. So we give up after 10 ms.
 * Returns 0 or -errno. -EAGAIN means that we gave up; but even then the thread may have been seized at the last
 * moment. */
int wakeup_seize(struct wakeup *wakeup, pid_t tid, long options);

#endif
