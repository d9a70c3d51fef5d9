/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracer: a thread of the supervisor that traces.
 *
 * The kernel lets only the thread that seized a tracee call ptrace for it. The threads and children of that tracee get
 * the same tracer. So each tracer has its own tracees, timers and ticks. The first tracer is the supervisor's main
 * thread. It also reads commands, and at first all tracees belong to it. While CPUs are full (no CPU is idle), there is
 * a tracer for each CPU, up to TRACERS_MAX. Tracees are handed over to these tracers: handover-choice.c explains why.
 *
 * supervisor.c keeps the list of tracers. tracer-thread.c runs the thread of a tracer, and tracer-step.c does one round
 * of its work.
 */
#ifndef PPROFIL_TRACER_H
#define PPROFIL_TRACER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"
#include "supervisor/tracee.h"
#include "supervisor/wakeup.h"

#define TRACERS_MAX 32
#define DEADLINES_MAX 64
#define RECHECKS_MAX 128u /* length of new_tasks.recheck; a handover to a tracer whose list is full adds nothing */
#define ENDED_EARLY_MAX 64u

struct debug_log;
struct python_reader;
struct supervisor;

/* The CPUs on which a tracer runs: tracer-affinity.c. */
struct affinity {
    int cpu;           /* the CPU on which the present tick found the tracer */
    int bound_cpu;     /* the only CPU on which the tracer may run; -1: it may run on all CPUs */
    int home_cpu;      /* while no CPU is idle: threads that run on this CPU are handed over to the tracer; -1: none */
    cpu_set_t cpus;    /* while no CPU is idle: the tracer visits these CPUs in turn */
    uint64_t leave_at; /* time at which the tracer moves on to the next of these CPUs */
    /* until avoided_until, the tracer does not visit this CPU, because a move to it took long; -1: none */
    int avoided_cpu;
    uint64_t avoided_until;
    uint64_t moved_at; /* time at which the tracer last left a CPU because a tracee might need that CPU */
};

/* The state of the occupier: a thread that takes a thread's CPU before the tracer interrupts that thread (preempt.c).
 * An order tells the occupier when to take which CPU. The orders are numbered 1, 2, 3 and so on. */
struct preempt {
    /* the tracer and its occupier share these fields: */
    _Atomic uint32_t orders;  /* number of the last order that the tracer has given */
    _Atomic uint32_t arrived; /* number of the last order that the occupier has carried out */
    _Atomic uint64_t due;     /* the last order: the time at which the occupier must take the CPU */
    _Atomic int cpu;          /* the last order: which CPU the occupier must take */
    _Atomic bool waits;       /* the occupier sleeps until it gets another order */
    _Atomic bool cancelled;   /* the occupier must give up its CPU now; there is no further order */
    /* only the tracer uses these fields: */
    bool started, refused; /* started: we have tried to start the occupier's thread; refused: the start failed */
    bool ordered;          /* the occupier has an order for the next tick */
    bool has_room;         /* the tracer may run on all CPUs except the CPU of the last order */
    bool taken;            /* the occupier took the CPU of a thread that the last tick interrupted */
    int next;              /* the CPU that the occupier must take for the next tick; -1: none */
    unsigned cpu_choices;  /* `next` was chosen at random among this many CPUs */
    unsigned missed_ticks; /* how many ticks in a row found on the occupier's CPU no thread that needs the occupier */
    unsigned late_ticks;   /* how many times in a row the occupier came too late for a tick */
    uint64_t early_ns;     /* if the occupier has an order for a tick, the tracer wakes up this long before it, ns */
};

/* The tracees that are in a system call which we must end at a given time: repair-piece.c. */
struct deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[DEADLINES_MAX];
    unsigned count;
};

/* What stops have caused since these figures were last added to the supervisor's totals. Exception: stopped_ns counts
 * from the beginning of the tracer. */
struct stop_totals {
    uint64_t stopped_ns;
    /* how many system calls were begun anew, were continued, or returned too early: repair.h */
    uint32_t restarted, continued, cut_short;
    unsigned billed;  /* how many stops came only because of sampling: these are billed */
    unsigned samples; /* how many samples found a thread on a CPU */
    uint64_t cost_ns; /* CPU time that targets lost by billed stops, and by the ticks that led to stops, ns */
};

/* What waitid(2) has lately reported about news, that is, about stops and ends of tracees. */
struct tracer_news {
    /* the last time at which no tracee had news, or at which wait.c finished asking tracees for news one by one */
    uint64_t caught_up_at;
    uint64_t none_at;        /* the last time at which no tracee had news */
    uint64_t oldest_stop_at; /* the stops that the tracer is answering have not come before this time */
    /* From 0 to DRAIN_CREDIT_MAX. Raised when a poll for more news has found some, lowered when it has found none. At
     * 0, the tracer rarely polls */
    unsigned poll_credit;
};

/* While no CPU is idle, the tracer's CPU time is taken from targets. So the part of it that serves sampling is billed,
 * that is, added to the cost of sampling. */
struct tracer_billing {
    bool active;                /* when the present step began, no CPU was idle, so the tracer's CPU time is billed */
    /* the tracer's CPU time when it was last read; 0: not known. Earlier CPU time is billed already, or need not be
     * billed */
    uint64_t up_to_ns;
    uint64_t booked_stopped_ns; /* the part of stop_totals.stopped_ns that the supervisor's totals include */
};

/* A new task is reported by two stops: its parent's and its own. This struct contains tasks for which one of these
 * stops was seen, but not the other (new-tasks.c), and tracees that may have made tasks for which neither stop was seen
 * (handover-take.c). */
struct tracer_new_tasks {
    unsigned unknown_count; /* number of UNKNOWN tracees: these stay stopped until their process is known */
    struct ended_early {
        pid_t tid;
        uint64_t at;                /* time at which the task ended */
    } ended_early[ENDED_EARLY_MAX]; /* tasks that ended before their parents reported them */
    unsigned ended_early_next;      /* index of the element that is overwritten next, modulo ENDED_EARLY_MAX */
    pid_t recheck[RECHECKS_MAX];    /* thread ids of tracees whose new tasks handover_search_again must look for */
    unsigned recheck_count;
};

struct tracer {
    struct supervisor *supervisor;
    unsigned number;             /* 0: the first */
    _Atomic bool ready;          /* tracees may be given to the tracer */
    _Atomic bool asleep;         /* the tracer is not busy: it sleeps, and wakes up if it is given a tracee */
    _Atomic bool has_left;       /* the tracer does nothing more for its tracees, so the supervisor may exit */
    struct debug_log *debug_log; /* owned; NULL: no log is written */
    struct procfs_task files;    /* /proc files of the tracer's own thread */
    struct tracees tracees;
    /* number of tracees that were chosen to be handed over to the tracer, and have not arrived yet */
    unsigned expected;

    struct wakeup wakeup;
    struct {
        uint64_t began_at, ended_at; /* when the last sleep began, and when it ended */
        uint64_t late_ns;            /* how long after its timer that sleep ended, ns; 0: not late, or no timer */
        /* While no CPU is idle: when the tracer got its CPU, at the end of that sleep. If it kept its CPU, this is the
         * time at which it got it before. 0: not known, because a CPU was idle */
        uint64_t cpu_at;
    } sleep;
    struct tracer_news news;
    struct schedule schedule;
    struct tick tick;
    struct preempt preempt;
    struct affinity affinity;
    /* the tracer asked last for real-time priority, not for a short time slice: tracer-priority.c */
    bool asked_for_realtime;
    struct {
        uint64_t at, cpu_ns; /* the time, and the tracer's CPU time; `at` is 0 if a CPU was idle since then */
        uint64_t call_ns;    /* the shortest time that the system call took which reads the CPU time; 0: not known */
    } clock;                 /* as tracer_read_clock has last read them */
    /* while no CPU is idle: the tracer's own run-queue wait, read at the end of the last tick, ns */
    uint64_t waited_ns;
    struct stack stack;  /* the stack that was last copied */
    struct {
        struct python_reader *reader; /* owned; NULL: no tracee has executed Python yet */
        struct python_thread *spare;  /* owned; for the next tracee that needs one; NULL: none */
    } python;
    struct deadlines deadlines;
    struct stop_totals totals;
    struct tracer_billing billing;
    struct tracer_new_tasks new_tasks;
};

/* --- supervisor.c --- */

/* Makes the calling thread the first tracer. The supervisor owns that tracer. To be called before there are other
 * tracers, without the lock. run: the function that the threads of the other tracers run (tracer_run). Returns 0,
 * -ENOMEM, or what wakeup_init returns. */
int tracers_init(struct supervisor *supervisor, void *(*run)(void *tracer));
/* Makes another tracer, and starts its thread. The new tracer may be given tracees as soon as it is ready. Returns the
 * tracer, which the supervisor owns. Returns NULL if no tracer can be started: there are TRACERS_MAX already, a start
 * has failed less than 1 s ago, timers have run out, or memory or the thread cannot be allocated. */
struct tracer *tracer_start(struct supervisor *supervisor);

/* Puts a tracee into its tracer's inbox, and wakes that tracer up. The caller holds the lock. */
void tracer_post(struct tracee *tracee);

/* --- tracer-step.c --- */

/* Called without the lock, by the tracer's own thread. Sleeps until a tracee stops or ends, the inbox is written to, a
 * tick is due, or time `until` has come (0: there is no such time). The sleep may also end sooner. Then answers the
 * stops and ends, reads the inbox, and runs a tick if one is due. */
void tracer_step(struct tracer *tracer, uint64_t until);

/* --- tracer-thread.c --- */

/* The function that the thread of each tracer except the first runs. Traces until the supervisor leaves its targets.
 * Returns NULL. */
void *tracer_run(void *tracer);
/* Called without the lock, by the tracer's own thread, when the supervisor leaves its targets. Waits up to 0.3 s until
 * the tracees have stopped for the interrupts that were sent to them, and system calls that are being continued have
 * ended. Then gives up the system calls that would return a wrong result without us. Waits up to 0.3 s until these have
 * ended, and sets has_left. */
void tracer_leave(struct tracer *tracer);

#endif
