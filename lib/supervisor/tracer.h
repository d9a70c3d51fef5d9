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
#define RECHECKS_MAX 128u /* larger than the number of tracees that are handed over to one tracer: handover-choice.c */
#define ENDED_EARLY_MAX 64u

struct debug_log;
struct supervisor;

/* The CPUs on which a tracer runs: tracer-cpus.c. */
struct affinity {
    int cpu;           /* the CPU on which the tick under way found the tracer */
    int bound_cpu;     /* the only CPU that the tracer may run on; -1: it may run on all */
    int home_cpu;      /* if CPUs are full: the CPU whose threads are handed over to the tracer; -1: none */
    cpu_set_t cpus;    /* if CPUs are full: the tracer visits these CPUs in turn */
    uint64_t leave_at; /* time at which the tracer moves to the next CPU of cpus */
    int avoided_cpu;   /* CPU that is skipped until avoided_until, because a move to it took long; -1: none */
    uint64_t avoided_until;
    uint64_t moved_at; /* time at which the tracer last left a CPU that a tracee may need */
};

/* The state of the occupier, which takes a thread's CPU before the thread is interrupted: preempt.c. An order makes the
 * occupier take a CPU at a given time. */
struct preempt {
    /* the fields below are shared by the tracer and its occupier: */
    _Atomic uint32_t orders;  /* number of orders given so far */
    _Atomic uint32_t arrived; /* number of the last order that the occupier has carried out */
    _Atomic uint64_t due;     /* time at which the last order is due */
    _Atomic int cpu;          /* CPU that the last order is for */
    _Atomic bool waits;       /* the occupier waits for an order */
    _Atomic bool cancelled;   /* the occupier must give up its CPU, and no order follows */
    /* the fields below are used by the tracer only: */
    bool started, refused; /* started: the start of the occupier's thread was tried; refused: it failed */
    bool ordered;          /* the occupier has an order */
    bool has_room;         /* the tracer's affinity excludes the CPU of the last order */
    bool taken;            /* the occupier took its CPU from a thread that this tick interrupts */
    int next;              /* CPU to be taken at the next tick; -1: none */
    unsigned cpu_choices;  /* number of CPUs among which the last CPU was drawn */
    unsigned missed_ticks; /* ticks in a row that found no thread of preempt_wanted on the CPU that was taken */
    unsigned late_ticks;   /* number of ticks in a row for which the occupier came late */
    uint64_t early_ns;     /* time by which the tracer wakes up before a tick with an order, ns */
};

/* The tracees whose calls must be ended at a deadline: repair-piece.c. */
struct deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[DEADLINES_MAX];
    unsigned count;
};

/* Figures of stops that are not yet added to the supervisor's totals. Exception: stopped_ns is the total since the
 * tracer began. */
struct stop_totals {
    uint64_t stopped_ns;
    /* numbers of calls that were begun anew, continued, or left cut short: repair.h */
    uint32_t restarted, continued, cut_short;
    unsigned billed;                          /* number of stops that came only because of sampling */
    unsigned samples; /* number of samples of threads that were on a CPU */
    uint64_t cost_ns; /* CPU time that billed stops, and the ticks before them, took from targets, ns */
};

/* What waitid(2) has reported about stops and ends of tracees (news). */
struct tracer_news {
    /* last time at which no tracee had news, or at which wait.c had asked tracees for news in turn */
    uint64_t caught_up_at;
    uint64_t none_at;        /* last time at which no tracee had news */
    uint64_t oldest_stop_at; /* the stops that are being answered came no earlier than this time */
    /* 0 to DRAIN_CREDIT_MAX: grows with each poll that found news; 0: the tracer rarely polls */
    unsigned poll_credit;
};

/* The CPU time of the tracer that is billed to sampling while no CPU is idle. */
struct tracer_billing {
    bool active;                /* no CPU was idle when this step began, so the tracer's CPU time is billed */
    uint64_t up_to_ns;          /* CPU time of the tracer when it was last billed; 0: not known */
    uint64_t booked_stopped_ns; /* value of stop_totals.stopped_ns when it was last added to the supervisor's totals */
};

/* Tasks of which only one of two stops (the parent's and their own) was seen: new-tasks.c. Also tracees whose new tasks
 * may have been missed: handover-take.c. */
struct tracer_new_tasks {
    unsigned unknown_count; /* number of UNKNOWN tracees, which are held until their process is known */
    struct ended_early {
        pid_t tid;
        uint64_t at;                /* time at which the task ended */
    } ended_early[ENDED_EARLY_MAX]; /* tasks that ended before their parents reported them */
    unsigned ended_early_next;      /* number of the next element to be written, modulo ENDED_EARLY_MAX */
    pid_t recheck[RECHECKS_MAX];    /* thread ids of tracees for which handover_search_again searches */
    unsigned recheck_count;
};

struct tracer {
    struct supervisor *supervisor;
    unsigned number;             /* 0: the first */
    _Atomic bool ready;          /* the tracer can be given tracees */
    _Atomic bool asleep;         /* the tracer sleeps, and would seize a tracee at once */
    _Atomic bool has_left;       /* the tracer has finished with its tracees: the supervisor may exit */
    struct debug_log *debug_log; /* owned; NULL: there is none */
    struct procfs_task files;    /* /proc files about the tracer's own thread */
    struct tracees tracees;
    unsigned expected; /* number of tracees that are to be handed over to the tracer */

    struct wakeup wakeup;
    struct {
        uint64_t began_at, ended_at; /* times of the last sleep */
    } sleep;
    struct tracer_news news;
    struct schedule schedule;
    struct tick tick;
    struct preempt preempt;
    struct affinity affinity;
    bool asked_for_idle; /* priority_ask last asked for the priority for times when a CPU is idle: tracer-cpus.c */
    /* number of times that the scheduler had preempted the tracer at the last call of tracer_was_preempted */
    long preemptions;
    uint64_t waited_ns;  /* if no CPU is idle: the tracer's own run-queue wait when it last sent interrupts, ns */
    struct stack stack;  /* the stack that was copied last */
    struct deadlines deadlines;
    struct stop_totals totals;
    struct tracer_billing billing;
    struct tracer_new_tasks new_tasks;
};

/* --- supervisor.c --- */

/* Makes the calling thread the first tracer, which the supervisor owns. To be called before there are other tracers,
 * without the lock. run: the body of the threads of the other tracers (tracer_run). Returns 0, -ENOMEM, or what
 * wakeup_init returns. */
int tracers_init(struct supervisor *supervisor, void *(*run)(void *tracer));
/* Starts the thread of another tracer, which can be given tracees once it is ready. Returns the tracer, which the
 * supervisor owns. Returns NULL if no tracer can be started: there are TRACERS_MAX already, a start has failed less
 * than 1 s ago, timers have run out, or memory or the thread cannot be allocated. */
struct tracer *tracer_start(struct supervisor *supervisor);

/* Puts a tracee into its tracer's inbox, and wakes that tracer up. The caller holds the lock. */
void tracer_post(struct tracee *tracee);

/* --- tracer-step.c --- */

/* Called without the lock, by the tracer's own thread. Sleeps until a tracee has news, the inbox is written to, a tick
 * is due, or time `until` (0: never) has come. Then answers news, reads the inbox, and runs a tick that is due. May
 * return sooner. */
void tracer_step(struct tracer *tracer, uint64_t until);

/* --- tracer-thread.c --- */

/* The body of the thread of every tracer but the first. Traces until the supervisor leaves. Returns NULL. */
void *tracer_run(void *tracer);
/* Called without the lock, by the tracer's own thread. Waits up to 0.3 s for the interrupts and continued calls of its
 * tracees to end. Then gives up the calls that have not ended and would return a wrong result without us. Waits up to
 * 0.3 s again, and sets has_left. */
void tracer_leave(struct tracer *tracer);

#endif
