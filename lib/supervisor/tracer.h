/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracer: a thread of the supervisor that traces.
 *
 * The kernel lets only the thread that seized a tracee call ptrace for it, and what that tracee makes
 * belongs to the same thread. So each tracer has tracees, timers, and ticks of its own. The first tracer is
 * the supervisor's first thread, to which everything belongs at first; it also reads commands. Where CPUs are
 * full there is a tracer for each CPU, up to TRACERS_MAX; threads are handed over to it: handover-choice.c says why.
 */
#ifndef PPROFIL_TRACER_H
#define PPROFIL_TRACER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>


#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/target-memory.h"
#include "supervisor/tick.h"
#include "supervisor/tracee.h"
#include "supervisor/wakeup.h"

#define TRACERS_MAX 32
#define BIRTH_LOOKS_MAX 128u /* more threads than a tracer is given: handover-choice.c */
#define ENDED_EARLY_MAX 64u

struct debug_log;
struct supervisor;

struct affinity {
    int cpu;           /* on which the tracer runs, as the tick under way found it */
    int bound_cpu;     /* that it has bound itself to; -1: to none */
    int home_cpu;      /* where CPUs are full, threads of that CPU are handed to it; -1: of none */
    cpu_set_t cpus;    /* where CPUs are full, it goes round these */
    uint64_t leave_at; /* time: it goes to the next of them */
    int shunned_cpu;   /* left out until shunned_until, time: the way there took long */
    uint64_t shunned_until;
    uint64_t moved_at; /* time: the tracer left a CPU that a tracee may need */
};

/* Shared by a tracer and its occupier thread. */
struct preempt {
    _Atomic uint32_t orders;   /* given to the occupier */
    _Atomic uint32_t arrived;  /* the order for which it holds, or held, its CPU */
    _Atomic uint64_t due;      /* of the last order: time */
    _Atomic int cpu;           /* of the last order */
    _Atomic bool waits;        /* the occupier waits for an order */
    _Atomic bool cancelled;    /* it is to let go though no order follows */
    /* the tracer's */
    bool started, refused; /* the occupier */
    bool ordered;          /* an order is to be served */
    bool has_room; /* the tracer keeps off the CPU of the last order: affinity.c takes that back */
    bool taken;            /* this tick's CPU was taken from a thread that it looks at */
    int next;              /* CPU for the next tick; -1: none */
    unsigned cpu_choices;  /* CPUs from which it was drawn */
    unsigned missed_ticks; /* in a row that looked at nobody on its CPU */
    unsigned late_ticks;   /* in a row for which the occupier came late */
    uint64_t early_ns;     /* so long before a tick the tracer wakes up for it */
};

#define DEADLINES_MAX 64

/* The tracees whose calls end at a deadline. */
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
    uint32_t restarted, continued, cut_short; /* calls: repair.c */
    unsigned billed;     /* stops that came only because of sampling */
    unsigned samples;    /* samples of threads that were on a CPU, at stops of any kind */
    uint64_t cost_ns;    /* what the stops, and the ticks before them, took from targets */
};

struct tracer {
    struct supervisor *supervisor;
    unsigned number; /* 0: the first */
    _Atomic bool ready;    /* it can be given tracees */
    _Atomic bool asleep;   /* it would take a tracee at once */
    _Atomic bool has_left; /* its tracees may be let go */
    struct wakeup wakeup;
    struct tracees tracees;
    struct schedule schedule;
    struct tick tick;
    struct affinity affinity;
    struct stack stack;     /* of the tracee that was copied last */
    struct preempt preempt;
    struct deadlines deadlines;
    struct stop_totals totals;
    struct debug_log *debug_log; /* owned; NULL: there is none */

    uint64_t slept_at;    /* time: the last sleep began */
    uint64_t woke_at;     /* time: the end of the last sleep */
    long preemptions;     /* tracer_was_preempted: how often it had been when it asked last */
    uint64_t caught_up_at; /* time: no tracee had news, or each had its turn */
    uint64_t no_news_at;   /* time: no tracee had news, for the last time */
    uint64_t oldest_stop_at; /* time: the stops that are answered now are no older */
    uint64_t booked_stopped_ns;
    struct procfs_task files; /* its own */
    uint64_t waited_ns;       /* where no CPU is idle: what it had waited for CPUs when the last interrupts were sent */
    bool bills;         /* no CPU was idle when this step began: what it runs is billed */
    uint64_t billed_up_to_ns; /* CPU time of the tracer up to which it is billed; 0: not known */
    bool asked_for_idle; /* it has asked for the priority that it is to have where a CPU is idle */
    unsigned drain_credit; /* drains that were worth polling on for more news */
    unsigned unknown_count; /* tracees held until their parent tells of them */
    unsigned expected;    /* tracees that are to be handed over to it */
    struct ended_early {
        pid_t tid;
        uint64_t at; /* time */
    } ended_early[ENDED_EARLY_MAX]; /* tasks that have ended before their parents told of them: births.c */
    unsigned ended_early_next;
    pid_t birth_looks[BIRTH_LOOKS_MAX]; /* tracees whose births are to be looked for again */
    unsigned birth_look_count;
};

/* The calling thread becomes the first tracer, which the supervisor owns. Called before there are other tracers,
 * without the lock. 0, -ENOMEM, or what wakeup_init returns. */
int tracer_init_first(struct supervisor *supervisor);
/* Starts the thread of another tracer, which can be given tracees once it is ready. Returns the tracer, which the
 * supervisor owns; NULL if there are TRACERS_MAX, if a start has failed less than 1 s ago, if timers have run out, or
 * if there is no memory or no thread to be had. */
struct tracer *tracer_start(struct supervisor *supervisor);
/* Frees a tracer whose thread was never started, with its tracees, stack and log. */
void tracer_free(struct tracer *tracer);

/* Without the lock, by the tracer's own thread. Sleeps until a tracee has news, the inbox is written to, a tick is
 * due, or time until (0: for ever) has come, and answers what there is. May return sooner. */
void tracer_step(struct tracer *tracer, uint64_t until);

/* Puts a tracee into its tracer's inbox, and wakes that up. With the lock. */
void tracer_post(struct tracee *tracee);

/* Needs no lock; by the tracer's own thread. Has births_look called once more for tracee tid, after its next stop.
 * Does nothing if BIRTH_LOOKS_MAX tracees wait for that already. */
void tracer_note_birth_look(struct tracer *tracer, pid_t tid);

/* Adds a tracer's totals to the supervisor's. With the lock. */
void tracer_book(struct tracer *tracer);

/* Without the lock, by the tracer's own thread. Waits up to 0.3 s for the interrupts and continued calls of its
 * tracees to end, gives up the calls that take longer and need us, waits up to 0.3 s again, and sets has_left. */
void tracer_leave(struct tracer *tracer);

#endif
