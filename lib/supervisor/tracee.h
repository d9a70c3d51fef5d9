/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracee: the tables of the threads that are followed (tracees) and of their processes.
 *
 * A tracee belongs to one tracer: the thread that has seized it. Only that thread may call ptrace for the tracee. The
 * tracee is in that tracer's table, and no other thread removes or frees it. A process is shared: its threads may have
 * several tracers. It lives as long as it has tracees.
 *
 * A tracee is active while it uses CPU time. Each tick looks at the active tracees. A tick does not look at the others,
 * except at some in wall mode. They are searched only when the CPU time of their process has grown more than that of
 * its active tracees.
 *
 * The tables and lists are written with the supervisor's lock. A tracee's tracer writes its state, and the fields that
 * are used at a stop, without the lock (supervisor.h, invariant 3). A tracer reads its own table, and the fields of its
 * own tracees, without the lock.
 *
 * "Time" in a comment means CLOCK_MONOTONIC in ns; a field that ends in _ns is a length of time. "Sampling time" is the
 * length of time that a tick represents (schedule.h).
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
    TRACEE_UNKNOWN,     /* stopped before its parent reported it; held until its process is known */
    TRACEE_STARTING,    /* its parent has reported it; its first stop is still to come */
    TRACEE_RUNNING,     /* runs, waits for a CPU or sleeps, as far as we know */
    TRACEE_INTERRUPTED, /* an interrupt was sent, and the tracee has not stopped yet */
    TRACEE_CONTINUING,  /* a call that a stop cut short is being continued: repair.h */
    TRACEE_LISTENING,   /* in a group stop: SIGSTOP, ^Z */
    TRACEE_RELEASED,    /* detached; the tracer that gets it will seize it: handover.c */
};
#define TRACEE_STATES (TRACEE_RELEASED + 1)

/* Returns the name of the state in the debug log, such as "RUNNING". */
const char *tracee_state_name(enum tracee_state state);

struct process;
struct tracer;
struct untraced;

/* The interrupt under way, or the last one. A sample may also be taken at a stop for another reason. */
struct interrupt {
    uint64_t sent_at;     /* time at which the interrupt was sent */
    uint64_t at;          /* time of the sample: sent_at, or the time at which another stop was answered */
    uint64_t hindered_at; /* time from which on the tracer may have kept the tracee off a CPU */
    uint64_t seen_at;     /* time at which the stop was seen */
    uint64_t wait_ns;     /* total run-queue wait of the tracee, read at the tick that sent the interrupt */
    uint64_t run_ns;      /* total CPU time of the tracee, read at the tick that sent the interrupt */
    uint64_t pending_ns;  /* sampling time that the coming sample represents */
    uint64_t overdue_ns;  /* sampling time of later ticks, which found that the tracee had not stopped yet */
    /* sampling time of ticks that did not interrupt the tracee; the next interrupt adds it to pending_ns */
    uint64_t skipped_ns;
    uint64_t late_ns;     /* sampling time that was missed because the tracer came late: weight.late */
};

/* CPU time of a thread, ns. */
struct tracee_time {
    uint64_t used_ns;       /* total CPU time of the thread, as last read */
    uint64_t base_ns;       /* part of used_ns that was used before sampling began, or was last resumed */
    uint64_t attributed_ns; /* part of used_ns that the samples of the thread represent */
    int64_t kept_debt_ns;   /* CPU time without samples that the last baseline_keep_debts saved; may be negative */
    uint64_t samples;       /* number of samples of the thread */
};

/* Data that show whether a tracee uses CPU time: active.c. */
struct tracee_activity {
    bool active;
    uint64_t until;                 /* time at which the tracee becomes inactive unless it uses CPU time */
    uint64_t span;                  /* ns that the tracee stays active without using CPU time */
    struct tracee *previous, *next; /* links of the list tracees->active */
};

/* What ticks have read about a tracee. */
struct tracee_look {
    /* run and wait times of the tracee as the kernel reports them; all 0 if it reports none */
    struct procfs_cpu times;
    uint64_t at;                   /* time at which times was read */
    int cpu;                       /* CPU on which the tracee last ran or waited; -1: not known */
    uint64_t cpu_at;               /* time at which cpu was read */
    struct cpu_wait cpu_wait;      /* state of cpu_wait_look for the CPU `cpu` */
    enum cpu_wait_verdict verdict; /* conclusion from cpu_wait at the last tick */
    bool wants_cpu;                /* the tick under way found that the tracee wants a CPU */
    uint64_t ran_ns;               /* CPU time that the tracee used, ns; a decaying sum */
    uint64_t waited_ns;            /* time that the tracee waited for a CPU, ns; a decaying sum */
};

/* Data that decide whether a tracee enters the kernel so often that its CPU must be taken before an interrupt:
 * preempt.c. */
struct preempt_judgement {
    unsigned presence; /* 0..256: share of recent ticks that found the tracee running, in 1/256 */
    unsigned judged_looks, judged_entries;
    unsigned preempt_looks; /* number of coming samples before which the occupier takes the tracee's CPU */
    bool asleep_before;     /* the tick under way found the tracee asleep just before its CPU was taken */
};
#define PREEMPT_PRESENCE_FIRST 256 /* initial presence: a new thread counts as running */

/* The state of a tracee in wall mode. */
struct tracee_sleep {
    struct wall_time wall;
    uint64_t turns;       /* procfs_cpu.turns when the tracee was last seen asleep */
    bool uninterruptible; /* the tracee was in state D when last seen asleep: proc_pid_stat(5) */
};

/* The handover of a tracee to another tracer: handover.c. */
struct tracee_handover {
    /* tracer to which the tracee goes at its next interrupt outside of any call; NULL: it stays */
    struct tracer *to;
    bool never;           /* no other tracer may seize the tracee, or its program cannot be identified */
    uint64_t released_at; /* time at which the tracee was detached, CLOCK_BOOTTIME ns */
    uint64_t done_at;     /* time at which its present tracer got the tracee from another; 0: none did */
    /* if CPUs are full: time from which on the tracee has been away from its tracer's CPU; 0: it is not */
    uint64_t away_since;
    pid_t last_pid;       /* the kernel's newest process number when the tracee was detached */
    /* procfs_exec_id when the handover was decided; 0: the thread has executed another program since */
    uint64_t exec_id;
};

/* The link of a tracee in its tracer's inbox: tracer_post. */
struct tracee_inbox {
    bool queued;
    bool activate;        /* its tracer must activate it */
    bool may_be_replaced; /* its tracer must check handover_leader_is_replaced */
    struct tracee *next;
};

struct tracee {
    pid_t tid;
    struct process *process;         /* borrowed; NULL while UNKNOWN */
    struct tracer *tracer;           /* borrowed: the tracer that it belongs to */
    _Atomic enum tracee_state state; /* written by its tracer; others may read it */
    bool dropped;                    /* its tracer must free the tracee: an exec has ended it, or its process is gone */
    bool seen_before_parent;         /* the tracee became known before its parent's stop reported it */
    bool born_stopped;               /* if UNKNOWN: its first stop was a group stop */
    bool after_sigcont;              /* its last stop was for a SIGCONT that ended a group stop */
    struct procfs_task files;
    uint64_t born_at;    /* time at which we learned that a fork made the tracee; 0: no fork made it, or unknown */
    uint64_t resumed_at; /* time at which the tracee was resumed from its last stop */

    struct tracee_time time;
    struct tracee_activity activity;
    struct tracee_look look;
    struct interrupt interrupt;
    /* 0 to STOP_CREDIT_MAX; grows each time that polling caught a stop of the tracee; at 0 the tracee's stops are
     * rarely polled for */
    unsigned stop_credit;
    struct preempt_judgement judgement;
    struct repair repair;
    struct tracee_sleep sleep;
    struct tracee_handover handover;
    struct tracee_inbox inbox;
    struct {
        uint64_t check_at; /* number of samples after which the name is read again */
        char text[16];
    } comm;

    struct tracee *hash_next;
    struct tracee *process_prev, *process_next; /* links of the list process->tracees */
};

/* A process's CPU clock: cpu-time.c. */
struct process_clock {
    bool valid;
    clockid_t id;
    uint64_t base_ns;        /* reading of the clock when sampling began, or was last resumed */
    uint64_t paused_ns;      /* CPU time that the process used before base_ns while sampling was on */
    uint64_t known_ns;       /* CPU time since base_ns, as process_cpu read it last */
    uint64_t lately_ns;      /* value that process_cpu_lately returned last */
    uint64_t lately_at;      /* time at which lately_ns was read; 0: never */
    uint64_t lately_cost_ns; /* how long it took to read lately_ns */
};

/* The samples of all threads of a process. */
struct process_samples {
    uint64_t count;         /* number of samples that represent CPU time */
    uint64_t attributed_ns; /* CPU time that the samples of the process represent */
    /* when serving: CPU time of other processes that the samples of this process represent, too; at most one period */
    uint64_t for_others_ns;
    int64_t kept_debt_ns;   /* CPU time without samples that the last baseline_keep_debts saved; may be negative */
};

/* The search for threads of a process that use CPU time: active.c. */
struct process_search {
    uint64_t explained_ns;   /* CPU time of its tracees as last read, including those that have ended */
    uint64_t unexplained_ns; /* CPU time beyond explained_ns at the end of the last full search */
    struct tracee *next;     /* next tracee that the search visits; NULL: no search */
};

struct process {
    pid_t pid;
    bool launching;    /* the client's own child before its exec: nothing that it does counts */
    bool root;         /* the client attached to the process or launched it, and waits for its end */
    bool led;          /* the leader is, or was until its end, one of the tracees of the process */
    bool end_reported; /* the end of the process was reported to the client */
    bool listed;       /* the process is in the table; false once another process may have its number */
    struct process_clock clock;
    struct process_samples sampled;
    struct process_search search;
    struct counts *counts;  /* owned: histograms that the process requested; NULL: none */
    /* initial owed_ns of the next count of the process, before reduction modulo the period of that count:
     * serve/counts.c */
    uint64_t count_owed_ns;
    pid_t memory_tid;       /* thread whose /proc files show the memory: the leader, while the leader lives */
    struct maps maps;
    /* time at which a thread was last detached for a handover, CLOCK_BOOTTIME ns; 0: never */
    uint64_t handed_over_at;
    uint64_t start_time;       /* procfs_start_time when a handover of one of its threads was last decided; 0: never */
    struct untraced *untraced; /* owned: list of its threads that could not be seized */
    uint64_t untraced_ns;      /* CPU time of the untraced threads since the last baseline_take, as last read */

    struct tracee *tracees;
    unsigned tracee_count;
    unsigned released_count;     /* number of its tracees that are RELEASED, and so in no tracer's table */
    struct process *prev, *next; /* links of the list of all processes */
    struct process *hash_next;
};

/* All processes. The supervisor owns them. */
struct processes {
#define PROCESS_BUCKETS 4096u
    struct process *buckets[PROCESS_BUCKETS]; /* hash table by pid */
    struct process *first;
    struct process *searched; /* next process that the search of active.c visits; NULL: no search */
    unsigned count;
    unsigned tracee_count;   /* number of tracees of all tracers */
    unsigned untraced_count; /* number of threads that could not be seized */
    bool wary;               /* a read of their "syscall" files may wait for an exec: proc/system.c */
};

/* The tracees of one tracer. */
struct tracees {
    struct tracer *tracer;
    struct processes *processes;
    struct tracee **buckets; /* hash table by thread id */
    size_t bucket_count;     /* a power of two */
    unsigned count;
    size_t turn; /* number of the bucket at which tracees_in_turn continues, modulo bucket_count */
    struct tracee *active;
    unsigned active_count;
    struct tracee *_Atomic inbox; /* list of tracees that tracer_post has put in; written with the lock */
};

/* Makes an empty table; tracer and processes are borrowed. Returns 0 or -ENOMEM. */
int tracees_init(struct tracees *tracees, struct tracer *tracer, struct processes *processes);
/* Frees the table and all its tracees. A process is freed with its last tracee. */
void tracees_free(struct tracees *tracees);

/* Returns the tracee with this thread id in this table, borrowed; NULL: none. */
struct tracee *tracee_find(const struct tracees *tracees, pid_t tid);

/* Needs no lock; called by the tracer's own thread. Copies the thread ids of tracees, bucket after bucket of the table,
 * until `room` ids are copied or all buckets are done. The next call continues with the next bucket. No id comes twice
 * in one call. If a bucket does not fit into tids, its last ids are left out until a later call comes to that bucket
 * again. Returns the number of ids copied. */
size_t tracees_in_turn(struct tracees *tracees, pid_t tids[], size_t room);

/* Adds a tracee. Its state is STARTING, or UNKNOWN if process is NULL (not known yet). Returns NULL if memory is
 * short. */
struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid);
/* Puts an UNKNOWN tracee into its process; its state becomes STARTING. */
void tracee_adopt(struct tracee *tracee, struct process *process);
/* Takes the tracee out of all lists and frees it. Also frees its process if it has no other tracee. */
void tracee_remove(struct tracees *tracees, struct tracee *tracee);
/* Takes a tracee out of its table. Does not free it. tracee_put_in puts it into another table. */
void tracee_take_out(struct tracees *tracees, struct tracee *tracee);
void tracee_put_in(struct tracees *tracees, struct tracee *tracee);


struct process *process_find(const struct processes *processes, pid_t pid);
/* Adds a process without tracees. Returns NULL if memory is short. */
struct process *process_add(struct processes *processes, pid_t pid);
/* Returns true if the thread is a tracee of the process, and RELEASED. */
bool process_has_released(const struct process *process, pid_t tid);
/* Takes the process out of the table: it has ended, and another process may get its number. */
void process_unlist(struct processes *processes, struct process *process);
/* Frees a process that has no tracees. */
void process_remove(struct processes *processes, struct process *process);

/* Makes the tracee active: ticks look at it from now on. now: the present time. */
void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now);
/* Makes the tracee inactive: ticks do not look at it any more. */
void tracee_deactivate(struct tracees *tracees, struct tracee *tracee);

/* --- threads of followed processes that could not be seized --- */

/* Returns true if the thread is in the list of the process. */
bool untraced_knows(struct process *process, pid_t tid);
/* Adds a thread that is not in the list of the process. known_ns: the part of the thread's CPU time that is booked
 * already, ns. untraced_read books the rest. Returns 0 or -ENOMEM. */
int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns);
/* Removes a thread from the list of the process, if it is there. untraced_clear removes all threads. */
void untraced_remove(struct processes *processes, struct process *process, pid_t tid);
void untraced_clear(struct processes *processes, struct process *process);
/* Reads the CPU time of the threads in the list of the process, and removes threads that have ended. */
void untraced_read(struct processes *processes, struct process *process);

#endif
