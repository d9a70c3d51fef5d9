/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * supervisor: the only code that calls ptrace. It is a program of its own, pprofil-supervise, whose client
 * talks to it through lib/wire. This header is the room's door; no other room includes it.
 *
 * What can hurt a process, in the order to read it:
 *
 *     attach.c      seizes threads: none of them stops
 *     tick.c        interrupts those that run; tick-arm.c: when
 *     wait.c        tells stops apart (stop.c), and gives each its answer
 *     at-stop.c     reads registers, copies the stack, lets run on
 *     repair.c      calls that a stop broke: calls/, regs-*.c, held-signal.c
 *     births.c, exec.c    what tracees make and become
 *     handover.c    lets a thread go and seizes it anew, from another thread of ours
 *     serve/count.c writes counters into a program that has asked for it
 *
 * Nothing else touches a target. tracer.c, wakeup.c: the threads that do this. schedule.c, budget.c,
 * attribution.c, active.c: when, how often, for how much CPU time, of whom. polling.c, affinity.c, crowd.c,
 * preempt.c: on which CPU, awake or asleep. emit.c: to the client. debug-log.c: what was done, for who debugs
 * us. proc/ reads /proc and opens files. commands.c, serve/, main.c: who asks for all that.
 *
 * A tracee's states (tracee.h):
 *
 *     UNKNOWN --- its parent tells of it --.
 *                                          v
 *     born ----> STARTING -- first stop --> RUNNING <------------------------------ CONTINUING
 *                                          |  ^  |                                    ^    (its call ends)
 *                                     tick |  |  '--- its call was cut short, at a stop'
 *                                          v  | stop: sampled, resumed
 *                                      INTERRUPTED --- to be handed over --> RELEASED --> RUNNING
 *     any: SIGSTOP --> LISTENING -- SIGCONT --> RUNNING
 *
 * A tick, in time; the tracee stands still between "stop" and "resume":
 *
 *     tracer   timer, look at /proc, PTRACE_INTERRUPT ..... registers, stack, resume | attribution, emit
 *     tracee   ------- runs ------------------------- stop ======================== runs -------------
 *
 * Invariants:
 *  1. Every stop is answered as soon as it is seen, for what it is, whatever was waited for.
 *  2. Between a stop of an interrupt and its resume nothing is done but reading registers, copying the stack
 *     and mending a call. Nothing there allocates, waits, or takes the lock. There are two exceptions.
 *     Programs that profile themselves are counted for while they stand still. A tracee that is handed over
 *     stands still until it is detached; it stays if somebody has the lock.
 *  3. A tracee is touched by its own tracer only.
 *  4. Shared state is written with the lock. Nobody sleeps, polls or calls PTRACE_SEIZE for another's sake
 *     while holding it.
 *  5. A call returns under us what it returns without us.
 *  6. However we end, the kernel lets all tracees go, and none of them stands still.
 */
#ifndef PPROFIL_SUPERVISOR_H
#define PPROFIL_SUPERVISOR_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/active.h"
#include "supervisor/budget.h"
#include "supervisor/clock.h"
#include "supervisor/proc/mounts.h"
#include "supervisor/proc/objects.h"
#include "supervisor/proc/opener.h"
#include "supervisor/proc/system.h"
#include "supervisor/serve/serve.h"
#include "supervisor/tracer.h"
#include "supervisor/watch.h"
#include "wire/wire.h"

struct options {
    double frequency;
    double overhead; /* 0..1 */
    uint64_t seed;
    bool wall;
    bool follow;     /* go on after exec */
    bool inherit;    /* follow forked children */
    bool parse_maps; /* pretend that the kernel has no PROCMAP_QUERY */
    bool wary;       /* and that looks at threads may wait for an exec */
    bool restless;   /* hand each thread over at each stop, for tests */
    uint32_t stack_size; /* bytes of stack to be copied at each sample; 0: none */
    bool serve;      /* programs that profile themselves: serve.c */
    bool open;       /* nothing but files, for another process: opener-process.c */
    int debug_fd;    /* what is done is written there: debug-log.h; -1: nowhere */
};

/* All that the tracers share. Only the first tracer uses what is marked so; the rest takes the lock. */
struct supervisor {
    pthread_mutex_t lock; /* recursive: a stop is answered within the answer of another */
    struct options options;
    struct ring *ring; /* NULL: there is no client */
    int wake;          /* eventfd: wakes the client */
    struct tracer *tracers[TRACERS_MAX];
    unsigned tracer_count;
    unsigned starting;       /* tracers that are not ready yet */
    uint64_t start_again_at; /* time: before that no thread can be started */
    struct processes processes;
    struct budget budget;
    struct objects objects;
    struct openers openers;
    unsigned opener_requests, opener_served; /* so many were made, and seen by the first tracer */
    struct mounts mounts;
    struct mapping_details details; /* scratch: 4 KiB, not for the stack of every sample */
    struct scan scan;
    struct system_load load;
    uint64_t load_at;  /* time: it was read last */
    double load_mean;  /* tasks that want a CPU, of late, without the tracer that asks */
    bool has_all_cpus; /* the load counts no CPUs that we may not use */

    bool sampling;
    _Atomic bool leaving;
    bool may_poll;  /* there is more than one CPU */
    bool crowded;   /* no CPU is idle */
    unsigned cpu_count; /* that we, and so our targets, may use */
    cpu_set_t cpus;

    uint64_t ended_cpu_ns;  /* of processes that have ended */
    uint64_t started_at;    /* time: sampling began or went on */
    uint64_t stats_due;     /* time of the next statistics */
    uint64_t ends_at;       /* time: ends that nobody told of were looked for */
    uint64_t look_again_at; /* time: ask the threads that refused once more */
    struct wire_stats stats;

    /* the first tracer's */
    int socket; /* to the client; serving: that listens */
    int epoll;
    struct watch watch;
    bool quitting;
    bool client_gone;
    struct serving serving;
};

void supervisor_lock(struct supervisor *supervisor);
void supervisor_unlock(struct supervisor *supervisor);
/* Takes the lock if it is free. */
bool supervisor_try_lock(struct supervisor *supervisor);
/* Finds a tracee of any tracer. */
struct tracee *supervisor_find(const struct supervisor *supervisor, pid_t tid);

#endif
