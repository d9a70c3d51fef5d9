/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracee: the tables of the threads that are followed (tracees) and of their processes.
 *
 * A tracee belongs to one tracer: the thread that has seized it. Only that thread may call ptrace for the tracee. The
 * tracee is in that tracer's table, and no other thread removes or frees it. A process is shared: its threads may have
 * several tracers. It lives as long as it has tracees.
 *
 * A tracee is active while it uses CPU time. Each tick looks at the active tracees; in wall mode it also looks at some
 * of the others. The inactive tracees of a process are searched only when the CPU time of the process has grown more
 * than that of its active tracees.
 *
 * The tables and lists are written with the supervisor's lock. The state of a tracee, and the fields that are used at
 * its stops, are an exception: the tracee's tracer writes them without the lock (supervisor.h, invariant 3). A tracer
 * reads its own table, and the fields of its own tracees, without the lock.
 *
 * In this file a "time at which" something happens is a time of CLOCK_MONOTONIC, in ns. A field whose name ends in _ns
 * is a length of time. "Sampling time" is the length of time that a tick represents (schedule.h).
 */
#ifndef PPROFIL_TRACEE_H
#define PPROFIL_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "supervisor/accounting.h"
#include "supervisor/go-stacks.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/repair.h"
#include "supervisor/usage-settle.h"
#include "supervisor/wire-ids.h"

enum tracee_state {
    TRACEE_UNKNOWN,     /* new; stopped before its parent reported it; kept stopped until we know its process */
    TRACEE_STARTING,    /* new; its parent has reported it, and its first stop is still to come */
    TRACEE_RUNNING,     /* as far as we know, the tracee runs, waits for a CPU or sleeps */
    TRACEE_INTERRUPTED, /* we have sent an interrupt, and the tracee has not stopped yet */
    TRACEE_CONTINUING,  /* the tracee continues a system call that a stop has cut short: repair.h */
    TRACEE_LISTENING,   /* stopped together with its process, for example by SIGSTOP: "group-stop" in ptrace(2) */
    TRACEE_RELEASED,    /* the old tracer has detached it, and the new tracer has not seized it yet: handover.c */
};
#define TRACEE_STATES (TRACEE_RELEASED + 1)

/* Returns the name of the state in the debug log, such as "RUNNING". */
const char *tracee_state_name(enum tracee_state state);

struct process;
struct python_runtime;
struct python_thread;
struct tracer;
struct untraced;

/* The interrupt that was last sent to the tracee, and the sample that it asks for. This sample may be taken at a stop
 * that has another cause, such as a signal. */
struct interrupt {
    uint64_t sent_at;     /* time at which the interrupt was sent */
    /* time of the sample: sent_at, or the time of the stop if the stop has another cause than the interrupt */
    uint64_t at;
    uint64_t hindered_at; /* since this time, the tracer itself may have kept the tracee off a CPU */
    bool had_cpu;         /* the tracee certainly had a CPU at the tick that sent the interrupt */
    uint64_t seen_at;     /* time at which the tracer saw that the tracee had stopped */
    uint64_t wait_ns;     /* total run-queue wait of the tracee at the tick that last interrupted or sampled it */
    uint64_t run_ns;      /* total CPU time of the tracee at that tick */
    uint64_t pending_ns;  /* sampling time that the next sample of the tracee will represent */
    uint64_t overdue_ns;  /* sampling time of ticks that must not interrupt the tracee: tick_has_to_stop */
    /* sampling time of ticks that left the tracee to a later tick; the next interrupt adds it to pending_ns */
    uint64_t skipped_ns;
    uint64_t late_ns;     /* sampling time of ticks that were missed or came too late: `late` of struct weight */
};

/* CPU time of a thread, ns. */
struct tracee_time {
    uint64_t used_ns;       /* total CPU time of the thread, as last read */
    /* part of used_ns that does not count: it was used before sampling was last begun, resumed or cleared */
    uint64_t base_ns;
    uint64_t attributed_ns; /* sum of the CPU times that the samples of the thread represent */
    /* while sampling of the process pauses: CPU time of the thread before the pause, minus the CPU time that its
     * samples represent. May be negative. Set by baseline_keep_debts */
    int64_t kept_debt_ns;
    uint64_t samples;       /* number of samples of the thread that represent CPU time */
};

/* Data that show whether a tracee uses CPU time: active.c. */
struct tracee_activity {
    bool active;
    uint64_t until;                 /* at this time the tracee becomes inactive, unless it has used CPU time */
    uint64_t span;                  /* how long the tracee stays active without using CPU time, ns */
    struct tracee *previous, *next; /* links of the list tracees->active */
};

/* Whether a tracee had the CPU that the tracer took for a tick: tick-taken.c */
enum cpu_taken {
    CPU_TAKEN_UNKNOWN,
    CPU_TAKEN_NO,
    CPU_TAKEN_YES,
};

/* What the ticks have found out about a tracee. */
struct tracee_look {
    /* run and wait times of the tracee, as the kernel reports them; all 0 if the kernel reports none */
    struct procfs_cpu times;
    uint64_t at;                   /* time at which `times` was read */
    int cpu;                       /* CPU on which the tracee last ran or waited; -1: not known */
    uint64_t cpu_at;               /* time at which `cpu` was read */
    struct procfs_last_run last_run; /* when the tracee was last on a CPU; read only while no CPU is idle */
    enum cpu_taken taken;            /* whether the tracer has taken its CPU from the tracee at the last tick */
    bool runnable;                   /* the last tick found that the tracee runs or waits for a CPU */
    bool wanted;                     /* the present tick may sample the tracee */
    /* CPU time of the tracee, and time for which it waited for a CPU, ns. Older parts count less and less: FADING of
     * tick-look.c */
    uint64_t ran_ns;
    uint64_t waited_ns;
};

/* A thread that often enters the kernel must be interrupted in a special way: a thread of ours, the occupier, first
 * takes its CPU (preempt.c). These data decide whether a tracee is such a thread. */
struct preempt_judgement {
    unsigned presence; /* share of the recent ticks that found the tracee running, in 1/256: 0 to 256 */
    unsigned judged_looks, judged_entries;
    unsigned preempt_looks; /* before each of the next preempt_looks samples, the occupier takes the tracee's CPU */
    bool asleep_before;     /* at the present tick, the tracee slept just before the occupier took its CPU */
};
#define PREEMPT_PRESENCE_FIRST 256 /* value of `presence` for a new thread: it counts as always running */

/* The state of a tracee in wall mode. */
struct tracee_sleep {
    struct wall_time wall;
    _Atomic uint64_t stopped_ns; /* for how long ticks have stopped the tracee; without what `wall` has left out */
    uint64_t turns;       /* value of procfs_cpu.turns when the tracee was last seen asleep */
    char letter;          /* letter of the tracee's state when it was last seen asleep: proc_pid_stat(5) */
    bool code_fault;      /* when the tracee was last seen asleep, it waited for the page of its pc */
    struct wire_sleep_id kernel_stack; /* the tracee's stack in the kernel: kernel-stacks.h */
    struct wire_sleep_id wait;         /* what it waits for: blocked.h */
    uint64_t stack_turns;   /* value of procfs_cpu.turns in the present sleep; 0: not known */
    unsigned stack_samples; /* number of samples that were taken of this sleep */
    bool stack_is_sent;     /* the client has the stack of this sleep */
    int long_epoll;       /* a descriptor of epoll(7) that watches very many files, plus 1; 0: none is known */
};

/* The handover of a tracee to another tracer: handover.c. */
struct tracee_handover {
    /* The tracer to which the tracee is handed over, as soon as an interrupt finds it outside of any system call. NULL:
     * the tracee stays with its tracer */
    struct tracer *to;
    bool never;           /* our other tracers are not permitted to seize it, or its program cannot be identified */
    uint64_t released_at; /* time at which the tracee was last detached for a handover, CLOCK_BOOTTIME in ns */
    uint64_t done_at;     /* time at which the last handover of the tracee was complete; 0: there was none */
    /* while no CPU is idle: since this time, the tracee has been on another CPU than its tracer; 0: on the same CPU */
    uint64_t away_since;
    pid_t last_pid;       /* the newest process number that the kernel had assigned when the tracee was detached */
    /* Identifies the program that the thread executes: the result of procfs_exec_id when the handover was decided. 0:
     * the thread has executed another program since */
    uint64_t exec_id;
};

/* The link of a tracee in the inbox of its tracer (tracer_post), and what the tracer must do when it reads the
 * inbox. */
struct tracee_inbox {
    bool queued;
    bool activate;        /* the tracer must make the tracee active */
    bool may_be_replaced; /* the tracer must call handover_regain */
    struct tracee *next;
};

struct tracee {
    pid_t tid;
    struct process *process;         /* borrowed; NULL while the state is UNKNOWN */
    struct tracer *tracer;           /* borrowed: the tracer to which the tracee belongs */
    _Atomic enum tracee_state state; /* written by the tracee's tracer; other threads may read it */
    /* the tracee's tracer must free the tracee, because an exec has ended it or its process is gone */
    bool dropped;
    bool seen_before_parent;         /* the tracee became known before its parent's stop reported it */
    bool born_stopped;               /* while the state is UNKNOWN: the tracee's first stop was a group stop */
    bool after_sigcont;              /* the tracee's last stop came because a SIGCONT had ended a group stop */
    struct procfs_task files;
    uint64_t born_at;    /* time at which we learned that a fork made the tracee; 0: no fork made it, or not known */
    uint64_t resumed_at; /* time at which we resumed the tracee after its last stop */
    uint64_t library_stack_end; /* as in struct stack_layout, and as last read */

    struct tracee_time time;
    struct tracee_activity activity;
    struct tracee_look look;
    struct interrupt interrupt;
    /* From 0 to STOP_CREDIT_MAX of wait.c. Raised each time that the tracer polls for a stop of the tracee and sees it,
     * lowered each time that it sees none. At 0, the tracer rarely polls for stops of the tracee */
    unsigned stop_credit;
    struct preempt_judgement judgement;
    struct repair repair;
    struct tracee_sleep sleep;
    struct tracee_handover handover;
    struct tracee_inbox inbox;
    struct go_thread go;          /* what is known about the stacks of Go, if the process has Go code */
    struct python_thread *python; /* owned; what is known about the thread's Python stack; NULL: nothing */
    struct {
        struct thread_usage base; /* what the thread had used before it was followed */
        uint64_t stops;           /* how often we have stopped it since then; each is a voluntary context switch */
        bool counted;             /* process->usage has what the thread has used */
    } usage;
    struct {
        uint64_t samples;  /* number of samples of the thread, asleep or not */
        uint64_t check_at; /* when `samples` is this high, the thread's name is read again */
        char text[16];
    } comm;

    struct tracee *hash_next;
    struct tracee *process_prev, *process_next; /* links of the list process->tracees */
};

/* The clock that shows the CPU time of a process: cpu-time.c. */
struct process_clock {
    bool valid;
    clockid_t id;
    uint64_t base_ns;        /* what the clock showed when sampling was last begun, resumed or cleared */
    uint64_t paused_ns;      /* CPU time that the process used in earlier periods of sampling */
    uint64_t known_ns;       /* CPU time since the clock showed base_ns, as process_cpu read it last */
    uint64_t lately_ns;      /* the value that process_cpu_lately returned last */
    uint64_t lately_at;      /* time at which lately_ns was read; 0: never */
    uint64_t lately_cost_ns; /* how long it took to read lately_ns */
};

/* The samples of all threads of a process. */
struct process_samples {
    uint64_t count;         /* number of samples that represent CPU time */
    uint64_t attributed_ns; /* sum of the CPU times of this process that the samples represent */
    /* for a program that profiles itself: CPU time of other processes that the samples of this process also represent;
     * at most one period */
    uint64_t for_others_ns;
    /* while sampling of the process pauses: CPU time of the process before the pause, minus the CPU time that its
     * samples represent. May be negative. Set by baseline_keep_debts */
    int64_t kept_debt_ns;
};

/* The search for threads of a process that use CPU time: active.c. */
struct process_search {
    uint64_t explained_ns;   /* CPU time of the process's tracees as last read, including tracees that have ended */
    /* by how much the CPU time of the process exceeded explained_ns at the end of the last full search */
    uint64_t unexplained_ns;
    struct tracee *next;     /* the tracee that the search visits next; NULL: no search is under way */
};

struct process {
    pid_t pid;
    /* the client has forked the process to launch a program; nothing counts until the process executes that program */
    bool launching;
    bool root;         /* the client attached to the process or launched it, and waits for its end */
    bool led;          /* the leader (the first thread) is a tracee, or was a tracee when it ended */
    bool end_reported; /* the end of the process was reported to the client */
    bool listed;       /* the process is in the table; false as soon as another process may have its number */
    uint64_t program_at; /* time at which the process was added, or last executed a program */
    struct process_clock clock;
    struct process_samples sampled;
    struct process_search search;
    struct counts *counts;  /* owned: histograms that the process requested; NULL: none */
    /* When the process requests its next histogram, this value, modulo the period of the histogram, becomes the CPU
     * time that the histogram has not counted yet (owed_ns): serve/counts.c */
    uint64_t count_owed_ns;
    pid_t memory_tid;       /* the thread whose /proc files are read to find the mappings: the leader, while it lives */
    struct maps maps;
    /* time at which a thread of the process was last detached for a handover, CLOCK_BOOTTIME in ns; 0: never */
    uint64_t handed_over_at;
    /* procfs_start_time of the process, read when a handover of one of its threads was last decided; 0: never */
    uint64_t start_time;
    _Atomic bool has_go;                   /* the process executes Go code */
    struct python_runtime *_Atomic python; /* owned: its Python interpreter; NULL: none is known */
    struct python_runtime *former_pythons; /* owned: list of the interpreters of its former programs */
    struct untraced *untraced; /* owned: list of the threads of the process that could not be seized */
    uint64_t untraced_ns;      /* CPU time that these threads have used since the last baseline_take, as last read */
    struct process_usage usage; /* only with options.usage */

    struct tracee *tracees;
    unsigned tracee_count;
    unsigned released_count;     /* how many tracees of the process are RELEASED; they are in no tracer's table */
    struct process *prev, *next; /* links of the list of all processes */
    struct process *hash_next;
};

/* All processes. The supervisor owns them. */
struct processes {
#define PROCESS_BUCKETS 4096u
    struct process *buckets[PROCESS_BUCKETS]; /* hash table by pid */
    struct process *first;
    struct process *searched; /* the process that the search of active.c visits next; NULL: no search is under way */
    unsigned count;
    unsigned tracee_count;   /* number of tracees of all tracers together */
    unsigned untraced_count; /* number of threads of all processes that could not be seized */
    bool wary;               /* reading /proc/TID/syscall of a thread may have to wait for an exec: proc/system.c */
};

/* The tracees of one tracer. */
struct tracees {
    struct tracer *tracer;
    struct processes *processes;
    struct tracee **buckets; /* hash table by thread id */
    size_t bucket_count;     /* a power of two */
    unsigned count;
    size_t turn; /* index of the bucket with which tracees_in_turn continues, modulo bucket_count */
    struct tracee *active;
    unsigned active_count;
    struct tracee *_Atomic inbox; /* list of the tracees that tracer_post has put in; written with the lock */
};

/* Makes an empty table. `tracer` and `processes` are borrowed. Returns 0 or -ENOMEM. */
int tracees_init(struct tracees *tracees, struct tracer *tracer, struct processes *processes);
/* Frees the table and all its tracees. A process is freed with its last tracee. */
void tracees_free(struct tracees *tracees);

/* Returns the tracee with this thread id in this table, borrowed; NULL: none. */
struct tracee *tracee_find(const struct tracees *tracees, pid_t tid);

/* Called by the tracer's own thread; needs no lock. Copies the thread ids of tracees to `tids`, bucket after bucket of
 * the table, until `room` ids are copied or all buckets are done. The next call continues with the next bucket. No id
 * comes twice in one call. If a bucket does not fit into `tids`, its last ids are left out until a later call comes to
 * that bucket again. Returns how many ids were copied. */
size_t tracees_in_turn(struct tracees *tracees, pid_t tids[], size_t room);

/* Adds a tracee. `process` may be NULL if the process is not known yet; then the tracee's state is UNKNOWN, otherwise
 * STARTING. Returns NULL if memory is short. */
struct tracee *tracee_add(struct tracees *tracees, struct process *process, pid_t tid);
/* Adds an UNKNOWN tracee to its process, which has become known. The tracee's state becomes STARTING. */
void tracee_adopt(struct tracee *tracee, struct process *process);
/* Takes the tracee out of all lists and frees it. Also frees its process if that has no other tracee. */
void tracee_remove(struct tracees *tracees, struct tracee *tracee);
/* Takes a tracee out of its table. Does not free it. tracee_put_in puts it into another table. */
void tracee_take_out(struct tracees *tracees, struct tracee *tracee);
void tracee_put_in(struct tracees *tracees, struct tracee *tracee);

struct process *process_find(const struct processes *processes, pid_t pid);
/* Adds a process without tracees. Returns NULL if memory is short. */
struct process *process_add(struct processes *processes, pid_t pid);
/* Returns true if the thread is a tracee of the process, and its state is RELEASED. */
bool process_has_released(const struct process *process, pid_t tid);
/* Takes the process out of the table: it has ended, and another process may get its number. */
void process_unlist(struct processes *processes, struct process *process);
/* Frees a process that has no tracees. */
void process_remove(struct processes *processes, struct process *process);

/* The tracee's elapsed time counts from now on. */
static inline void tracee_begin_wall(struct tracee *tracee, uint64_t now)
{
    tracee->sleep.wall.at = now;
    tracee->sleep.stopped_ns = 0;
}

/* Notes where the stack ends that the C library has made for the thread: at the thread control block. The main thread
 * is left out. The kernel has made its stack, and some libraries put its control block on that stack (dietlibc). */
static inline void tracee_note_stack_end(struct tracee *tracee, const struct regs *regs)
{
    if (tracee->tid != tracee->process->pid)
        tracee->library_stack_end = regs->thread_pointer;
}

/* Makes the tracee active: from now on, ticks look at it. Parameter now: the present time. */
void tracee_activate(struct tracees *tracees, struct tracee *tracee, uint64_t now);
/* Makes the tracee inactive: ticks no longer look at it. */
void tracee_deactivate(struct tracees *tracees, struct tracee *tracee);

/* --- threads of followed processes that could not be seized --- */

/* Returns true if the thread is in process->untraced, the list of the threads that could not be seized. */
bool untraced_knows(struct process *process, pid_t tid);
/* Adds a thread to process->untraced, which must not contain it yet. known_ns: the part of the thread's CPU time that
 * must not be added to process->untraced_ns, ns. untraced_read adds the rest. Returns 0 or -ENOMEM. */
int untraced_add(struct processes *processes, struct process *process, pid_t tid, uint64_t known_ns);
/* Removes a thread from process->untraced, if it is there. untraced_clear removes all threads from this list. */
void untraced_remove(struct processes *processes, struct process *process, pid_t tid);
void untraced_clear(struct processes *processes, struct process *process);
/* Reads the CPU times of the threads that could not be seized (process->untraced), and adds to process->untraced_ns the
 * CPU time that they have used since the last call. Removes threads that have ended from this list. */
void untraced_read(struct processes *processes, struct process *process);

#endif
