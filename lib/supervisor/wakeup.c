/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/wakeup.h"

#define WAKE_SIGNAL SIGALRM /* not a real-time signal, because sending one may fail when memory is short */
#define PATIENCE_NS 10000000u

static __thread struct wakeup *wakeup_of_thread;

static void wakeup_handle(int signal)
{
    struct wakeup *wakeup = wakeup_of_thread;

    (void)signal;
    if (wakeup == NULL)
        return;
    wakeup->woken = 1;
    if (wakeup->jumps) {
        wakeup->jumps = 0;
        siglongjmp(wakeup->out, 1);
    }
}

void wakeup_prepare(void)
{
    /* SA_NODEFER: the handler is left by a jump, so the signal must not be blocked in the handler */
    struct sigaction wake = {.sa_handler = wakeup_handle, .sa_flags = SA_NODEFER | SA_RESTART};
    /* SA_NOCLDSTOP: no SIGCHLD is sent when a thread stops, because sending it would cost that thread time */
    struct sigaction child = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
    sigset_t all;

    sigfillset(&all); /* all signals are blocked, because the end of a tracee may be reported by any signal: clone(2) */
    sigprocmask(SIG_BLOCK, &all, NULL);
    sigaction(WAKE_SIGNAL, &wake, NULL);
    sigaction(SIGCHLD, &child, NULL);
}

int wakeup_init(struct wakeup *wakeup)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL};
    sigset_t wake;

    *wakeup = (struct wakeup){.tid = gettid()};
    event._sigev_un._tid = wakeup->tid;
    timer_t *const timers[] = {&wakeup->timers[0], &wakeup->timers[1], &wakeup->slow};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
        if (timer_create(CLOCK_MONOTONIC, &event, timers[i]) == 0)
            continue;
        int error = -errno;
        while (i > 0)
            timer_delete(*timers[--i]);
        return error;
    }
    wakeup_of_thread = wakeup;
    sigemptyset(&wake);
    sigaddset(&wake, WAKE_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    return 0;
}

void wakeup_end(struct wakeup *wakeup)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    wakeup_of_thread = NULL;
    timer_delete(wakeup->timers[0]);
    timer_delete(wakeup->timers[1]);
    timer_delete(wakeup->slow);
}

static void wakeup_set_timer(timer_t timer, uint64_t due)
{
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(due / 1000000000u),
                                           .tv_nsec = (long)(due % 1000000000u)}};

    timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

static void wakeup_set_one(struct wakeup *wakeup, unsigned timer, uint64_t due)
{
    if (due != wakeup->due[timer])
        wakeup_set_timer(wakeup->timers[timer], due);
    wakeup->due[timer] = due;
}

void wakeup_set(struct wakeup *wakeup, uint64_t due, uint64_t after)
{
    bool second = wakeup->due[1] == due || (after != 0 && wakeup->due[0] == after);

    wakeup_set_one(wakeup, second, due);
    wakeup_set_one(wakeup, !second, after);
}

void wakeup_set_slow(struct wakeup *wakeup, uint64_t due)
{
    if (wakeup->slow_due != 0 && wakeup->slow_due <= due)
        return;
    if (due != wakeup->slow_due)
        wakeup_set_timer(wakeup->slow, due);
    wakeup->slow_due = due;
}

/* Waits for news of a tracee. Does not call the waitid of glibc, because that function changes the cancellation type of
 * the thread while it waits, and our jump out of the wait would leave it changed. */
static bool wakeup_await_news(siginfo_t *news)
{
    int which = WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD;

    if (syscall(SYS_waitid, P_ALL, 0, news, which, NULL) == 0)
        return true;
    if (errno == ECHILD)
        ppoll(NULL, 0, NULL, NULL); /* there are no tracees, so this sleeps until a signal comes */
    return false;
}

bool wakeup_sleep(struct wakeup *wakeup, siginfo_t *news)
{
    volatile bool any = false;

    if (sigsetjmp(wakeup->out, 0) == 0) {
        wakeup->jumps = 1;
        atomic_signal_fence(memory_order_seq_cst);
        if (!wakeup->woken)
            any = wakeup_await_news(news);
    }
    wakeup->jumps = 0;
    atomic_signal_fence(memory_order_seq_cst);
    /* this forgets no signal: its sender has stored the reason before it sent the signal, and the caller will see that
     * reason */
    wakeup->woken = 0;
    uint64_t now = time_now();
    for (unsigned i = 0; i < 2; i++)
        if (now >= wakeup->due[i])
            wakeup->due[i] = 0;
    if (now >= wakeup->slow_due)
        wakeup->slow_due = 0;
    return any;
}

void wakeup_send(const struct wakeup *wakeup)
{
    tgkill(getpid(), wakeup->tid, WAKE_SIGNAL);
}

int wakeup_seize(struct wakeup *wakeup, pid_t tid, long options)
{
    volatile int error = -EAGAIN;

    if (sigsetjmp(wakeup->out, 0) == 0) {
        wakeup->jumps = 1;
        atomic_signal_fence(memory_order_seq_cst);
        /* the timer is set after `jumps`: if it expired before, its signal would not end the wait in ptrace */
        wakeup_set(wakeup, time_now() + PATIENCE_NS, 0);
        error = ptrace(PTRACE_SEIZE, tid, NULL, options) < 0 ? -errno : 0;
    }
    wakeup->jumps = 0;
    wakeup->due[0] = wakeup->due[1] = UINT64_MAX; /* these values make the next wakeup_set set both timers again */
    return error;
}
