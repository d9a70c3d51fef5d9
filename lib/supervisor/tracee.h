/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracee: the threads that are followed, and the processes that they make up.
 *
 * A tracee belongs to one tracer: the thread that has seized it. Only that thread may call ptrace for the tracee. The
 * tracee is in that tracer's table, and nobody else removes or frees it. A process is shared: its threads may have
 * several tracers. It lives as long as it has tracees.
 *
 * A tracee is active while it uses CPU time. Each tick looks at the active ones. The others are looked at only when
 * their process has used CPU time that the active ones do not explain.
 *
 * The tables and lists are written with the supervisor's lock. A tracee's state, and what a stop needs, is written by
 * its tracer without the lock (supervisor.h, invariant 3). A tracer reads its own table, and the fields of its own
 * tracees, without the lock.
 *
 * "Time" in a comment means CLOCK_MONOTONIC in ns; a field that ends in _ns is a length of time.
 */
#ifndef PPROFIL_TRACEE_H
#define PPROFIL_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "supervisor/accounting.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/repair.h"

enum tracee_state {
    TRACEE_UNKNOWN,     /* it has stopped before its parent told of it, and is held until then */
    TRACEE_STARTING,    /* its parent has told of it; its first stop is still to come */
    TRACEE_RUNNING,     /* as far as we know; it may be asleep */
    TRACEE_INTERRUPTED, /* an interrupt was sent, and it has not stopped yet */
    TRACEE_CONTINUING,  /* a call that we cut short goes on: repair.h */
    TRACEE_LISTENING,   /* it is in a group stop: SIGSTOP, ^Z */
    TRACEE_RELEASED,    /* it has no tracer, and is to be seized by another one: handover.c */
};
#define TRACEE_STATES (TRACEE_RELEASED + 1)

/* Returns the name of the state in the debug log: "RUNNING". */
const char *tracee_state_name(enum tracee_state state);

struct process;
struct tracer;
struct untraced;

/* The interrupt under way, or the last one. A tracee that stops for another reason may be sampled then, too. */
struct interrupt {
    uint64_t sent_at;     /* time */
    uint64_t at;          /* time of the sample: sent_at, or the time at which another stop was answered */
    uint64_t hindered_at; /* time since which the tracee may have had to wait for us */
    uint64_t seen_at;     /* time at which the stop was seen */
    uint64_t wait_ns;     /* run-queue wait of the tracee's life, read at the tick that sent the interrupt */
    uint64_t run_ns;      /* CPU time of the tracee's life, read at that tick */
    uint64_t pending_ns;  /* sampling time that the coming sample stands for */
    uint64_t overdue_ns;  /* sampling time of later ticks, at which the tracee had not stopped yet */
    uint64_t skipped_ns;  /* sampling time of ticks that left it alone; the next interrupt adds it to pending_ns */
    uint64_t late_ns;     /* sampling time that was missed because the tracer came late: struct weight, late */
};

/* CPU time of a thread, ns. */
struct tracee_time {
    uint64_t used_ns;       /* CPU time of its life, as last read */
    uint64_t base_ns;       /* the part of it that was used while it was not sampled */
    uint64_t attributed_ns; /* the part of it that its samples stand for */
    int64_t kept_debt_ns;   /* baseline_keep_debts: used but not attributed at that time */
    uint64_t samples;       /* number of its samples */
};

/* Whether a tracee uses CPU time: active.c. */
struct tracee_activity {
    bool active;
    uint64_t until;                 /* time until which it stays active without using CPU time */
    uint64_t span;                  /* ns that it stays active without using CPU time */
    struct tracee *previous, *next; /* in tracees->active */
};

/* What the last looks at a tracee have found. */
struct tracee_look {
    struct procfs_cpu times;       /* what the kernel says of its waits; all 0 if it says nothing */
    uint64_t at;                   /* time of that */
    int cpu;                       /* the CPU that it runs on or waits for, as read last; -1: not read yet */
    uint64_t cpu_at;               /* time at which cpu was read */
    struct cpu_wait cpu_wait;      /* what is known of its waits for that CPU */
    enum cpu_wait_verdict verdict; /* result of the last look at these waits */
    bool wants_cpu;                /* the tick under way found that it wants a CPU */
    uint64_t ran_ns;               /* recent CPU time; old time fades */
    uint64_t waited_ns;            /* recent wait for a CPU; old time fades */
};

/* Whether a tracee is found in the kernel so often that its CPU is to be taken before it is interrupted: preempt.c. */
struct preempt_judgement {
    unsigned presence; /* 0..256: the part of the recent ticks that found the tracee running */
    unsigned judged_looks, judged_entries;
    unsigned preempt_looks; /* coming ticks at which its CPU is taken */
    bool asleep_before;     /* it slept just before its CPU was taken */
};
#define PREEMPT_PRESENCE_FIRST 256 /* a new thread counts as one that runs */

/* What wall mode keeps. */
struct tracee_sleep {
    struct wall_time wall;
    uint64_t turns;       /* procfs_cpu.turns when it was last seen asleep */
    bool uninterruptible; /* it slept in state D then: proc_pid_stat(5) */
};

/* A thread that goes to another tracer: handover.c. */
struct tracee_handover {
    struct tracer *to;    /* gets the tracee when an interrupt next stops it outside of any call; NULL: nobody does */
    bool never;           /* no other thread of ours may seize it */
    uint64_t released_at; /* CLOCK_BOOTTIME, ns: it was detached */
    uint64_t done_at;     /* time at which it came to its tracer */
    uint64_t away_since;  /* time since which it has been on another tracer's CPU; 0: it is not */
    pid_t last_pid;       /* the kernel's newest number when the tracee was detached */
    uint64_t exec_id;     /* procfs_exec_id when the handover was decided; 0: the program is another one for certain */
};

/* Its place in its tracer's inbox: tracer_post. */
struct tracee_inbox {
    bool queued;
    bool activate;        /* the tracer is to activate it */
    bool may_be_replaced; /* the tracer is to ask handover_leader_is_replaced */
    struct tracee *next;
};

struct tracee {
    pid_t tid;
    struct process *process;         /* borrowed; NULL while UNKNOWN */
    struct tracer *tracer;           /* borrowed: the tracer that it belongs to */
    _Atomic enum tracee_state state; /* written by its tracer; others may read it */
    bool dropped;                    /* its tracer is to free it: an exec has ended it, or its process is gone */
    bool seen_before_parent;         /* we knew it before its parent's stop told of it */
    bool born_stopped;               /* UNKNOWN: its process was in a group stop */
    bool after_sigcont;              /* it has just been continued from a group stop */
    struct procfs_task files;
    uint64_t born_at;    /* time at which we learned of the fork that made its process; 0: of none */
    uint64_t resumed_at; /* time at which it was resumed from its last stop */

    struct tracee_time time;
    struct tracee_activity activity;
    struct tracee_look look;
    struct interrupt interrupt;
    unsigned stop_credit; /* interrupts whose stops are worth polling for */
    struct preempt_judgement judgement;
    struct repair repair;
    struct tracee_sleep sleep;
    struct tracee_handover handover;
    struct tracee_inbox inbox;
    struct {
        uint64_t check_at; /* number of samples at which the name is read again */
        char text[16];
    } comm;

    struct tracee *hash_next;
    struct tracee *process_prev, *process_next; /* in process->tracees */
};

/* A process's CPU clock: cpu-time.c. */
struct process_clock {
    bool valid;
    clockid_t id;
    uint64_t base_ns;        /* CPU time used while it was not sampled */
    uint64_t paused_ns;      /* CPU time used while it was sampled, before the last pause */
    uint64_t known_ns;       /* what process_cpu returned last */
    uint64_t lately_ns;      /* what process_cpu_lately returned last */
    uint64_t lately_at;      /* time of lately_ns; 0: there is none */
    uint64_t lately_cost_ns; /* how long it took to read lately_ns */
};

/* The samples of all threads of a process. */
struct process_samples {
    uint64_t count;         /* number of samples that stand for CPU time */
    uint64_t attributed_ns; /* CPU time that they stand for */
    uint64_t for_others_ns; /* serving: time of other processes that they stand for, at most one period */
    int64_t kept_debt_ns;   /* baseline_keep_debts: used but not attributed at that time */
};

/* The search for threads of a process that use CPU time: active.c. */
struct process_search {
    uint64_t explained_ns;   /* CPU time that its tracees, dead ones too, account for */
    uint64_t unexplained_ns; /* CPU time that the last full search left unexplained */
    struct tracee *next;     /* where a search under way goes on, or NULL */
};

struct process {
    pid_t pid;
    bool launching;    /* our own child before its exec: nothing counts */
    bool root;         /* attached to, not inherited: the client waits for its end */
    bool led;          /* its leader is one of its tracees, or was until it ended */
    bool end_reported; /* the client knows of its end */
    bool listed;       /* process_find finds it; false once another process may have its number */
    struct process_clock clock;
    struct process_samples sampled;
    struct process_search search;
    struct counts *counts;  /* owned: the histograms that it asked for; NULL: none */
    uint64_t count_owed_ns; /* CPU time of the last of these that has made no tick yet */
    pid_t memory_tid;       /* the thread whose /proc shows the memory: the leader, while it lives */
    struct maps maps;
    uint64_t handed_over_at;   /* CLOCK_BOOTTIME, ns: one of its threads was last detached for a handover; 0: never */
    uint64_t start_time;       /* procfs_start_time when a handover was last decided for one of its threads; 0: never */
    struct untraced *untraced; /* owned: its threads that could not be seized */
    uint64_t untraced_ns;      /* CPU time of those since it is sampled, as last read */

    struct tracee *tracees;
    unsigned tracee_count;
    unsigned released_count;     /* of these: RELEASED, and in no tracer's table */
    struct process *prev, *next; /* in the list of all */
    struct process *hash_next;
};

/* All processes. The supervisor owns them. */
struct processes {
#define PROCESS_BUCKETS 4096u
    struct process *buckets[PROCESS_BUCKETS]; /* by number */
    struct process *first;
    struct process *searched; /* where a search under way goes on, or NULL: active.c */
    unsigned count;
    unsigned tracee_count;   /* number of tracees of all tracers */
    unsigned untraced_count; /* number of threads that could not be seized */
    bool wary;               /* to look at their threads may wait for an exec: proc/system.c */
};

/* The tracees of one tracer. */
struct tracees {
    struct tracer *tracer;
    struct processes *processes;
    struct tracee **buckets; /* by thread id */
    size_t bucket_count;     /* a power of two */
    unsigned count;
    size_t turn; /* the bucket whose turn is next: tracees_in_turn */
    struct tracee *active;
    unsigned active_count;
    struct tracee *_Atomic inbox; /* tracees that their tracer is to look at; written with the lock */
};

/* Makes an empty table; tracer and processes are borrowed. Returns 0 or -ENOMEM. */
int tracees_init(struct tracees *tracees, struct tracer *tracer, struct processes *processes);
/* Frees the table and all tracees in it, and processes with their last tracee. */
void tracees_free(struct tracees *tracees);

/* Returns a tracee of this table, borrowed; NULL: there is none. */
struct tracee *tracee_find(const struct tracees *tracees, pid_t tid);

/* Needs no lock; by the tracer's own thread. Copies the numbers of the tracees whose turn is next, one round at most. A
 * tracee that comes or goes between two calls may be left out of a round, or come twice. Returns how many were copied,
 * 0 to room. */
size_t tracees_in_turn(struct tracees *tracees, pid_t tids[], size_t room);

/* Adds a tracee. process: NULL: not known yet; the state is UNKNOWN then, else STARTING. Returns NULL without
 * memory. */
struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid);
/* Puts an UNKNOWN tracee into its process; its state becomes STARTING. */
void tracee_adopt(struct tracee *tracee, struct process *process);
/* Takes the tracee out of all lists and frees it, and its process, too, if it was the last. */
void tracee_remove(struct tracees *tracees, struct tracee *tracee);
/* Take the tracee out of a table, and put it into another one. */
void tracee_take_out(struct tracees *tracees, struct tracee *tracee);
void tracee_put_in(struct tracees *tracees, struct tracee *tracee);


struct process *process_find(const struct processes *processes, pid_t pid);
/* Adds a process without tracees. Returns NULL without memory. */
struct process *process_add(struct processes *processes, pid_t pid);
/* Returns true if the thread is one of its tracees and RELEASED. */
bool process_has_released(const struct process *process, pid_t tid);
/* Takes the process out of the table, for another process has its number now. */
void process_unlist(struct processes *processes, struct process *process);
/* Frees a process that has no tracees. */
void process_remove(struct processes *processes, struct process *process);

/* Has ticks look at the tracee. now: time. */
void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now);
/* Has ticks look at it no longer. */
void tracee_deactivate(struct tracees *tracees, struct tracee *tracee);

/* --- threads of followed processes that could not be seized --- */

/* Returns true if the thread is known as one that could not be seized. */
bool untraced_knows(struct process *process, pid_t tid);
/* Adds a thread that could not be seized and is not known yet. known_ns: the part of its CPU time that is booked
 * already, ns; the rest of its life is booked by untraced_read. Returns 0 or -ENOMEM. */
int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns);
/* Forget one thread, if it is known, or all of a process. */
void untraced_remove(struct processes *processes, struct process *process, pid_t tid);
void untraced_clear(struct processes *processes, struct process *process);
/* Reads the CPU time of these threads of the process, and forgets those that have ended. */
void untraced_read(struct processes *processes, struct process *process);

#endif
