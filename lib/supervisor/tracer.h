/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracer: a thread of the supervisor that traces.
 *
 * The kernel lets only the thread that seized a tracee call ptrace for it, and the threads and children of that tracee
 * belong to the same thread. So each tracer has its own tracees, timers and ticks. The first tracer is the supervisor's
 * first thread. Everything belongs to it at first, and it also reads commands. Where CPUs are full there is a tracer
 * for each CPU, up to TRACERS_MAX, and threads are handed over to it: handover-choice.c says why.
 *
 * tracer-thread.c starts and ends tracers, tracer-step.c is one round of a tracer.
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
#define RECHECKS_MAX 128u /* more threads than a tracer is given: handover-choice.c */
#define ENDED_EARLY_MAX 64u

struct debug_log;
struct supervisor;

/* On which CPU a tracer runs: tracer-cpus.c. */
struct affinity {
    int cpu;           /* the CPU on which the tick under way found the tracer */
    int bound_cpu;     /* the only CPU that the tracer may run on; -1: it may run on all */
    int home_cpu;      /* where CPUs are full: threads of this CPU are handed over to the tracer; -1: none are */
    cpu_set_t cpus;    /* where CPUs are full: the tracer visits these in turn */
    uint64_t leave_at; /* time at which it goes to the next of them */
    int avoided_cpu;   /* it took long to get to this CPU, so it is left out until avoided_until */
    uint64_t avoided_until;
    uint64_t moved_at; /* time at which the tracer last left a CPU that a tracee may need */
};

/* Taking a thread's CPU before it is interrupted: preempt.c. */
struct preempt {
    /* shared by the tracer and its occupier thread */
    _Atomic uint32_t orders;  /* number of orders that were given */
    _Atomic uint32_t arrived; /* the order for which the occupier has taken its CPU */
    _Atomic uint64_t due;     /* time of the last order */
    _Atomic int cpu;          /* CPU of the last order */
    _Atomic bool waits;       /* the occupier waits for an order */
    _Atomic bool cancelled;   /* the occupier is to give up its CPU though no order follows */
    /* the tracer's own */
    bool started, refused; /* the occupier's thread: it was started; the kernel refused it */
    bool ordered;          /* an order is to be served */
    bool has_room;         /* the tracer keeps off the CPU of the last order; a change of its affinity ends that */
    bool taken;            /* this tick's CPU was taken from a thread that the tick looks at */
    int next;              /* CPU for the next tick; -1: none */
    unsigned cpu_choices;  /* number of CPUs from which the last one was drawn */
    unsigned missed_ticks; /* ticks in a row that found nobody on the CPU that was taken */
    unsigned late_ticks;   /* ticks in a row for which the occupier came late */
    uint64_t early_ns;     /* how long before such a tick the tracer wakes up */
};

/* The tracees whose calls end at a deadline: repair-piece.c. */
struct deadlines {
    struct {
        pid_t tid;
        uint64_t time;
    } waiting[DEADLINES_MAX];
    unsigned count;
};

/* What happened at stops, not yet added to the supervisor's totals. */
struct stop_totals {
    uint64_t stopped_ns;
    uint32_t restarted, continued, cut_short; /* numbers of calls: repair.h */
    unsigned billed;                          /* number of stops that came only because of sampling */
    unsigned samples; /* number of samples of threads that were on a CPU, at stops of any kind */
    uint64_t cost_ns; /* what these stops, and the ticks before them, took from targets */
};

/* News of tracees: what waitid(2) tells. All are times but poll_credit. */
struct tracer_news {
    uint64_t caught_up_at;   /* no tracee had news then, or each had had its turn */
    uint64_t none_at;        /* no tracee had news then, for the last time */
    uint64_t oldest_stop_at; /* the stops that are answered now are no older than this */
    unsigned poll_credit;    /* polls for more news that found some */
};

/* What the tracer's CPU time has cost targets, where no CPU is idle. */
struct tracer_billing {
    bool active;                /* no CPU was idle when this step began: what the tracer runs is billed */
    uint64_t up_to_ns;          /* CPU time of the tracer up to which it is billed; 0: not known */
    uint64_t booked_stopped_ns; /* stop_totals.stopped_ns up to which it is in the supervisor's totals */
};

/* What is known of new tasks before both the task and its parent have stopped: new-tasks.c. */
struct tracer_new_tasks {
    unsigned unknown_count; /* tracees that are held until their parent tells of them */
    struct ended_early {
        pid_t tid;
        uint64_t at;                /* time */
    } ended_early[ENDED_EARLY_MAX]; /* tasks that ended before their parents told of them */
    unsigned ended_early_next;      /* the oldest of these */
    pid_t recheck[RECHECKS_MAX];    /* tracees for which new_task_find_missed is to be called again */
    unsigned recheck_count;
};

struct tracer {
    struct supervisor *supervisor;
    unsigned number;             /* 0: the first */
    _Atomic bool ready;          /* it can be given tracees */
    _Atomic bool asleep;         /* it would take a tracee at once */
    _Atomic bool has_left;       /* its tracees may be let go */
    struct debug_log *debug_log; /* owned; NULL: there is none */
    struct procfs_task files;    /* the tracer's own */
    struct tracees tracees;
    unsigned expected; /* number of tracees that are to be handed over to it */

    struct wakeup wakeup;
    struct {
        uint64_t began_at, ended_at; /* times of the last sleep */
    } sleep;
    struct tracer_news news;
    struct schedule schedule;
    struct tick tick;
    struct preempt preempt;
    struct affinity affinity;
    bool asked_for_idle; /* it last asked for the priority that suits an idle CPU: tracer-cpus.c */
    long preemptions;    /* how often the scheduler had preempted it at the last tracer_was_preempted */
    uint64_t waited_ns;  /* where no CPU is idle: its run-queue wait when the last interrupts were sent */
    struct stack stack;  /* the stack that was copied last */
    struct deadlines deadlines;
    struct stop_totals totals;
    struct tracer_billing billing;
    struct tracer_new_tasks new_tasks;
};

/* Makes the calling thread the first tracer, which the supervisor owns. To be called before there are other tracers,
 * without the lock. Returns 0, -ENOMEM, or what wakeup_init returns. */
int tracer_init_first(struct supervisor *supervisor);
/* Starts the thread of another tracer, which can be given tracees once it is ready. Returns the tracer, which the
 * supervisor owns. Returns NULL if there are TRACERS_MAX, if a start has failed less than 1 s ago, if timers have run
 * out, or if there is no memory or no thread to be had. */
struct tracer *tracer_start(struct supervisor *supervisor);

/* Without the lock, by the tracer's own thread. Sleeps until a tracee has news, the inbox is written to, a tick is due,
 * or time `until` (0: never) has come. Then answers what there is. May return sooner. */
void tracer_step(struct tracer *tracer, uint64_t until);

/* Puts a tracee into its tracer's inbox, and wakes that tracer up. With the lock. */
void tracer_post(struct tracee *tracee);

/* Needs no lock; by the tracer's own thread. Has new_task_find_missed called once more for tracee tid, after its next
 * stop. Does nothing if RECHECKS_MAX tracees wait for that already. */
void tracer_note_recheck(struct tracer *tracer, pid_t tid);


/* Without the lock, by the tracer's own thread. Waits up to 0.3 s for the interrupts and continued calls of its tracees
 * to end. Then gives up the calls that take longer and need us, waits up to 0.3 s again, and sets has_left. */
void tracer_leave(struct tracer *tracer);

#endif
