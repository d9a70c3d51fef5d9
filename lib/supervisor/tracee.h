/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracee: the threads that are followed, and the processes that they make up.
 *
 * A tracee belongs to one tracer: the thread that has seized it, which alone may call ptrace for it. It is
 * in that tracer's table, and nobody else removes or frees it. A process is shared: its threads may have
 * several tracers. It lives as long as it has tracees.
 *
 * A tracee is active while it uses CPU. Each tick looks at the active ones. The others are looked at only
 * when their process has used CPU time that the active ones do not explain.
 *
 * The tables and lists are written with the supervisor's lock. A tracee's state, and what a stop needs, is written by
 * its tracer without the lock (supervisor.h, invariant 3). A tracer reads its own table, and the fields of its own
 * tracees, without the lock.
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
    TRACEE_UNKNOWN,     /* stopped before its parent told of it; held until then */
    TRACEE_STARTING,    /* told of, its first stop is still to come */
    TRACEE_RUNNING,     /* as far as we are concerned; asleep perhaps */
    TRACEE_INTERRUPTED, /* told to stop, has not yet */
    TRACEE_CONTINUING,  /* a call that we cut short goes on: repair.c */
    TRACEE_LISTENING,   /* in a group stop: SIGSTOP, ^Z */
    TRACEE_RELEASED,    /* without a tracer, and to be seized by another one: handover.c */
};
#define TRACEE_STATES (TRACEE_RELEASED + 1)

/* Returns what the debug log calls it: "RUNNING". */
const char *tracee_state_name(enum tracee_state state);

struct process;
struct tracer;
struct untraced;

/* The interrupt under way, or the last one. A tracee that stops for another reason may be sampled then, too. */
struct interrupt {
    uint64_t sent_at;     /* time */
    uint64_t at;          /* time that the sample is for: sent_at, or when a stop that serves as one was answered */
    uint64_t hindered_at; /* time since which the tracee may have had to wait for us */
    uint64_t seen_at;     /* time: the stop was seen */
    uint64_t wait_ns;     /* run-queue wait of the tracee's life, read at the tick that interrupted it */
    uint64_t run_ns;      /* CPU time of its life, read at that tick */
    uint64_t pending_ns;  /* sampling time that the coming sample stands for */
    uint64_t overdue_ns;  /* sampling time of later ticks, which found that it had not stopped yet */
    uint64_t skipped_ns;  /* sampling time of ticks that left it alone; the next interrupt adds it to pending_ns */
    uint64_t late_ns;     /* sampling time that was missed because the tracer came late: weight.late */
};

/* Is a tracee found in the kernel so often that its CPU is to be taken before it is interrupted? */
struct preempt_judgement {
    unsigned presence;      /* 0..256: part of the recent ticks that found it running */
    unsigned judged_looks, judged_entries;
    unsigned preempt_looks; /* ticks still to come at which its CPU is taken */
    bool asleep_before;     /* just before the CPU was taken */
};
/* A new thread is taken for one that runs. */
#define PREEMPT_PRESENCE_FIRST 256

struct tracee {
    pid_t tid;
    struct process *process; /* borrowed; NULL while UNKNOWN */
    struct tracer *tracer;   /* borrowed: whose it is */
    _Atomic enum tracee_state state; /* its tracer's; others may read it */
    bool dropped;        /* its tracer is to free it: an exec has ended it, or its process is gone */
    bool early; /* known before its parent told of it */
    bool born_stopped; /* UNKNOWN: its process was in a group stop */
    bool after_sigcont;    /* it has just been continued from a group stop */
    struct procfs_task files;

    /* CPU time, ns */
    uint64_t cpu_ns;        /* of its life, as last read */
    uint64_t cpu_base;      /* of its life, used when it was not sampled */
    uint64_t attributed_ns; /* handed out to samples */
    int64_t kept_debt;      /* baseline_keep_debts: what was used and not handed out then */

    /* active.c */
    bool active;
    uint64_t active_until; /* time */
    uint64_t active_span;  /* ns that it stays active without using CPU */

    uint64_t born_at;    /* time: we were told of the fork that made it, or found it after that; 0: neither */
    uint64_t resumed_at; /* time: from its last stop */

    struct interrupt interrupt;
    struct procfs_cpu looked; /* what the kernel told last of its waits; all 0 if nothing */
    uint64_t looked_at;       /* time of looked */
    uint64_t cpu_at;          /* time: its CPU was read */
    int cpu; /* that it runs on or waits for, as read last; -1: not read yet */
    struct cpu_wait cpu_wait; /* what is known of its waits for that */
    enum cpu_wait_verdict verdict; /* of the last look at them */
    bool wants_cpu;           /* the tick under way found it so */
    uint64_t ran_ns;          /* CPU time of late, fading away */
    uint64_t waited_ns;       /* wait for a CPU of late, fading away */
    unsigned stop_credit;     /* interrupts whose stops are worth polling for */
    struct repair repair;

    struct preempt_judgement judgement;
    struct wall_time wall; /* wall mode */
    uint64_t slept_turns;  /* procfs_cpu.turns when it was seen asleep last */
    bool uninterruptible;  /* when slept_turns was read it slept in state D: proc_pid_stat(5) */
    uint64_t samples;
    uint64_t comm_check; /* sample count at which its name is read again */
    char comm[16];

    /* handover.c */
    struct tracer *handed_to; /* it is to go there when an interrupt next stops it outside of any call; NULL: nowhere */
    bool stays;               /* it can never go: no other thread of ours may seize it */
    uint64_t released_at;     /* CLOCK_BOOTTIME: it was let go */
    uint64_t handed_at;       /* time: it came to its tracer */
    uint64_t away_since;      /* time: it has been on another tracer's CPU since; 0: it is not */
    pid_t last_pid;           /* the kernel's newest when it was let go */
    uint64_t image;           /* what it executed when it was to be handed over */

    /* its tracer's inbox: tracer.h */
    bool in_inbox, wants_activation;
    bool lost; /* handover_leader_is_replaced */
    struct tracee *inbox_next;

    struct tracee *hash_next;
    struct tracee *process_prev, *process_next; /* in process->tracees */
    struct tracee *active_prev, *active_next;         /* in tracees->active */
};

struct process {
    pid_t pid;
    bool launching;   /* our own child before its exec: nothing counts */
    bool root;      /* attached to, not inherited: the client waits for its end */
    bool clock_valid;
    clockid_t clock;
    uint64_t clock_base;      /* CPU ns used when it was not sampled */
    uint64_t paused_cpu_ns;   /* used while sampled, before the last pause */
    uint64_t attributed_ns;   /* handed out to samples of its threads */
    uint64_t samples;         /* of its threads, that stand for CPU time */
    uint64_t for_others_ns;   /* serving: time of other processes that its samples stand for, a period at the most */
    int64_t kept_debt;        /* baseline_keep_debts: what was used and not handed out then */
    uint64_t known_cpu_ns;    /* process_cpu, as last read */
    uint64_t lately_ns;       /* process_cpu_lately: the last answer */
    uint64_t lately_at;       /* time of lately_ns; 0: there is none */
    uint64_t lately_cost_ns;  /* how long it took to read lately_ns */
    uint64_t explained_ns;    /* CPU ns that its tracees, dead ones too, account for */
    uint64_t unexplained_ns;  /* CPU ns that the last full scan left unexplained */
    struct tracee *scan;      /* where a scan under way goes on, or NULL */
    struct counts *counts; /* owned: what it has asked for itself; NULL: nothing */
    uint64_t count_owed_ns; /* CPU time of the last of them that has made no tick yet */
    pid_t memory_tid; /* the thread whose /proc shows its memory: the leader, while it lives */
    struct maps maps;
    struct tracee *tracees;
    unsigned tracee_count;
    unsigned released_count; /* of these: RELEASED, and in no tracer's table */
    uint64_t handed_over_at;   /* CLOCK_BOOTTIME: a thread of it was RELEASED last; 0: none was */
    uint64_t began;            /* procfs_began, when a thread of it was to be handed over last; 0: none was */
    bool led;                  /* its leader is one of its tracees, or was until it ended */
    struct untraced *untraced; /* owned: its threads that could not be seized */
    uint64_t untraced_ns;      /* CPU time of those, since it is sampled, as last read */
    struct process *prev, *next; /* in the list of all */
    struct process *hash_next;
    bool end_told; /* the client knows of its end */
    bool listed; /* it is in the table of all; another process may have its number else */
};

/* All processes. The supervisor owns them. */
struct processes {
#define PROCESS_BUCKETS 4096u
    struct process *buckets[PROCESS_BUCKETS]; /* by number */
    struct process *first;
    struct process *searched; /* where the search under way goes on, or NULL: active.c */
    unsigned count;
    unsigned tracee_count;   /* of all tracers */
    unsigned untraced_count; /* threads that could not be seized */
    bool wary; /* looks at their threads may wait for an exec: kernel.h */
};

/* The tracees of one tracer. */
struct tracees {
    struct tracer *tracer;
    struct processes *processes;
    struct tracee **buckets; /* by thread id */
    size_t bucket_count;     /* a power of two */
    unsigned count;
    size_t turn; /* bucket whose turn is next: tracees_in_turn */
    struct tracee *active;
    unsigned active_count;
    struct tracee *_Atomic inbox; /* that their tracer is to look at; written with the lock */
};

/* An empty table; tracer and processes are borrowed. 0 or -ENOMEM. */
int tracees_init(struct tracees *tracees, struct tracer *tracer, struct processes *processes);
/* Frees the table and all tracees in it, and processes with their last tracee. */
void tracees_free(struct tracees *tracees);

/* Returns a tracee of this table, borrowed; NULL: there is none. */
struct tracee *tracee_find(const struct tracees *tracees, pid_t tid);

/* Reads the numbers of the tracees whose turn is next, one round at the most. One that comes or goes between two calls
 * may be left out of a round, or come twice. Returns how many were read, 0 to room. Needs no lock; by the tracer's own
 * thread. */
size_t tracees_in_turn(struct tracees *tracees, pid_t tids[], size_t room);

/* A new tracee of process (NULL: not known yet), state STARTING (UNKNOWN). NULL: no memory. */
struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid);
/* Tells an UNKNOWN tracee whose it is. */
void tracee_adopt(struct tracee *tracee, struct process *process);
/* Takes the tracee out of all lists and frees it; its process too when it was the last. */
void tracee_remove(struct tracees *tracees, struct tracee *tracee);
/* Moves it from one table to another. */
void tracee_take_out(struct tracees *tracees, struct tracee *tracee);
void tracee_put_in(struct tracees *tracees, struct tracee *tracee);

/* Tells its tracees that they are not alone, as soon as that is so. */
void process_note_company(struct process *process);

struct process *process_find(const struct processes *processes, pid_t pid);
/* A new process without tracees. NULL: no memory. */
struct process *process_add(struct processes *processes, pid_t pid);
/* Is this thread one of its tracees that are RELEASED? */
bool process_has_released(const struct process *process, pid_t tid);
/* Another process has its number now: it is found no longer. */
void process_unlist(struct processes *processes, struct process *process);
/* Frees one that has no tracees. */
void process_remove(struct processes *processes, struct process *process);


void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now);
void tracee_deactivate(struct tracees *tracees, struct tracee *tracee);

/* --- threads of followed processes that could not be seized --- */

bool untraced_knows(struct process *process, pid_t tid);
/* Books one that is not known, with the CPU time of its life but for known_ns, ns, which is booked already. 0 or
 * -ENOMEM. */
int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns);
/* Forgets one, where it is known; or all of a process. */
void untraced_remove(struct processes *processes, struct process *process, pid_t tid);
void untraced_clear(struct processes *processes, struct process *process);
/* Reads what CPU time they have used, and forgets those that have ended. */
void untraced_read(struct processes *processes, struct process *process);

#endif
