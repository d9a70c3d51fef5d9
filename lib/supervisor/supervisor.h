/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * supervisor: the only code that calls ptrace. It is a program of its own,
 * pprofil-supervise, with one loop; its client talks to it through lib/wire. A second thread
 * never touches a target: it only takes a CPU from it for some microseconds (preempt.c).
 *
 * This header is what the files of this room share; no other room includes it.
 */
#ifndef PPROFIL_SUPERVISOR_H
#define PPROFIL_SUPERVISOR_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/mounts.h"
#include "supervisor/proc/opener.h"
#include "supervisor/rate.h"
#include "supervisor/tracee.h"
#include "wire/wire.h"

#define AWAITED_MAX 64 /* threads interrupted in one tick */

struct options {
    double frequency;
    double overhead; /* 0..1 */
    uint64_t seed;
    bool wall;
    bool follow;     /* go on after exec */
    bool inherit;    /* follow forked children */
    bool parse_maps; /* pretend that the kernel has no PROCMAP_QUERY */
    bool wary;       /* and that looks at threads may wait for an exec */
    uint32_t stack_size; /* bytes of stack to be copied at each sample; 0: none */
    bool serve;      /* programs that profile themselves: serve.c */
    bool open;       /* nothing but files, for another process: opener-process.c */
};

/* Which objects the client has, or will get, a descriptor of. */
#define OBJECTS_MAX 4096

struct objects {
    struct object_key {
        uint64_t device, inode;
        bool asked; /* an opener was asked for it */
    } seen[OBJECTS_MAX]; /* open addressing; the id is the slot + 1 */
    unsigned count;
    uint32_t next_private_id; /* of objects that are not files */
    uint32_t vdso_ids[2];     /* native, compat */
};

/* The stack of the thread that is being sampled. */
struct stack {
    size_t limit;           /* bytes to be copied; 0: none */
    unsigned char *bytes;   /* owned; limit of them */
    struct wire_stack head; /* of the last copy */
};

/* Shared by the loop and the keeper: preempt.c. */
struct seat {
    _Atomic uint32_t orders;   /* given to the keeper */
    _Atomic uint32_t arrived;  /* the order for which it holds, or held, its CPU */
    _Atomic uint64_t due;      /* of the last order: time */
    _Atomic int cpu;           /* of the last order */
    _Atomic bool parked;       /* it waits for an order */
    _Atomic bool dismissed;    /* it is to let go though no order follows */
    /* the loop's */
    bool started, refused; /* the keeper */
    bool ordered;          /* an order is to be served */
    bool taken;            /* this tick's CPU was taken from a thread that it looks at */
    int next;              /* CPU for the next tick; -1 none */
    unsigned ways;         /* CPUs from which it was drawn */
    unsigned vain;         /* ticks since a thread was seated */
    unsigned late;         /* ticks since the keeper was there in time */
    uint64_t early_ns;     /* so long before a tick the loop wakes up for it */
};

/* The loop's state: the one global object of the program, passed to all that need it. */
struct supervisor {
    struct options options;
    struct ring *ring; /* NULL: there is no client */
    int socket; /* to the client; serving: that listens */
    int wake, epoll, timer, signals;
    struct tracees tracees;
    struct rate rate;
    struct objects objects;
    struct openers openers;
    struct mounts mounts;
    struct stack stack;
    struct mapping_details details; /* scratch: 4 KiB, not for the stack of every sample */

    bool sampling;
    bool quitting;
    bool client_gone;
    bool may_spin;         /* more than one CPU */
    unsigned running;      /* threads, at the last tick */
    bool crowded;          /* as many as CPUs, or more */
    cpu_set_t cpus;        /* that we may run on */
    uint64_t stepped_at;   /* time: moved to another of them */
    uint32_t most_at_once; /* threads to interrupt in one tick */
    unsigned unknown_count; /* tracees that are held until their parent tells of them */

    unsigned linger_credit; /* drains that were worth polling on for more */
    bool unannounced;    /* stops send no SIGCHLD now */
    bool news;           /* of tracees: SIGCHLD came */
    uint64_t drained_at; /* time: all news was taken */
    uint64_t woke_at;    /* time: out of the last sleep */
    uint64_t stops_since; /* time: the stops being handled are no older */
    uint64_t tick_at;    /* time of the tick under way, or the last */
    bool armed;          /* the timer is set */
    uint64_t due;        /* time: for then; 0: for never */
    bool idle;           /* set for the slow tick: nobody is active */
    uint64_t scanned_at; /* time of the last search for unexplained CPU time */
    uint64_t scan_cost_ns;
    uint64_t stats_at;   /* time of the last statistics */
    uint64_t look_again_at; /* time: ask the threads that refused once more */
    size_t wall_bucket;  /* wall mode: where the round through all threads goes on */

    struct seat seat;

    bool served;        /* a request has come */
    uint64_t served_at; /* time of the last */

    struct repair_deadlines deadlines;

    pid_t awaited[AWAITED_MAX]; /* interrupted in this tick, being polled for */
    unsigned awaited_count;

    uint64_t ended_cpu_ns; /* of processes that have ended */
    uint64_t attributed_ns;       /* CPU time that samples stand for */
    uint64_t sampling_cost_ns;    /* time taken from targets that a lower rate would save */
    uint64_t events_cost_ns;      /* ... and that it would not: births, execs, signals, ends */
    uint64_t left_out_ns;  /* of the stopped time: no longer part of any period */
    uint64_t started_at; /* time: sampling began or went on */
    struct wire_stats stats;
};

struct regs;

uint64_t time_now(void);

/* --- wait.c: every wait status becomes a stop, and every stop an answer ------------ */

/* Handles what has happened to tracees so far; false: nothing had. Where more and more happens, so
 * much as fits into some milliseconds: the news stay. */
bool wait_drain(struct supervisor *supervisor);
/* Asks for news of one tracee; true if there was some (it may be freed then). */
bool wait_poll(struct supervisor *supervisor, struct tracee *tracee);
/* Tells whose they are of tracees whose parent died before it could. */
void wait_resolve_unknown(struct supervisor *supervisor);
/* Lets a stopped tracee run on, delivering signal (0: none); one that is CONTINUING a call, to the next
 * stop of that. */
void wait_resume(struct tracee *tracee, int signal);
/* Lets a stopped tracee go for good, and forgets it. */
void wait_detach(struct supervisor *supervisor, struct tracee *tracee);

/* --- exec.c ------------------------------------------------------------------------- */

/* The stop of an exec, which every thread but its caller has died of. */
void exec_answer(struct supervisor *supervisor, struct tracee *leader);
/* The same, where the former leader was no tracee: its number is that of a thread which was. NULL:
 * it is not known, or there is no memory. */
struct tracee *exec_new_leader(struct supervisor *supervisor, pid_t tid);

/* --- attach.c ----------------------------------------------------------------------- */

/* Once, before the first of these. */
void attach_prepare(void);
struct attach_refusal {
    pid_t tid;      /* of a failure: who refused */
    unsigned count; /* of a success: threads that refused */
};
/* Seizes those threads of a process that may be traced. 0, or -errno where there are none. */
int attach_process(struct supervisor *supervisor, pid_t pid, bool launched,
                   struct attach_refusal *refusal);
/* Asks those that refused once more, where it is time for that. */
void attach_look_again(struct supervisor *supervisor);
/* CPU time used up to now does not count. */
void attach_baseline(struct supervisor *supervisor, struct process *process);

/* --- tick.c ---------------------------------------------------------------------- */

void tick_run(struct supervisor *supervisor);
void sampling_start(struct supervisor *supervisor);
void sampling_pause(struct supervisor *supervisor);
/* Sleeping threads too, or no more. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* All totals begin anew. */
void sampling_clear(struct supervisor *supervisor);
/* Sets the timer for the next tick if there is to be one. */
void tick_arm(struct supervisor *supervisor);

/* --- at-stop.c: a tracee that stands still --------------------------------------------- */

/* A tracee has stopped: samples it if that was wanted, and lets it run on with signal. A call that
 * would not have been broken without us is mended. */
void at_stop_answer(struct supervisor *supervisor, struct tracee *tracee, int signal,
                    enum stop_maker maker);
/* Lets a tracee run on from a stop at which no sample is to be had. */
void at_stop_resume(struct supervisor *supervisor, struct tracee *tracee);
/* The same, with a signal. */
void at_stop_deliver(struct supervisor *supervisor, struct tracee *tracee, int signal);

/* --- repair.c: calls that a stop broke ------------------------------------------------- */

/* Before a tracee runs on with signal (0: none) from a stop: mends what the stop has broken of the call
 * that it is in. True: the call goes on, and the tracee's state is CONTINUING. */
bool repair_stop(struct supervisor *supervisor, struct tracee *tracee, const struct regs *regs,
                 int signal, enum stop_maker maker);
/* A stop of a tracee whose state is CONTINUING. True: it has been answered. False: the call has been
 * given up for what it has done, and the stop is to be answered as any other. */
bool repair_meets_stop(struct supervisor *supervisor, struct tracee *tracee, enum repair_event event,
                       int signal);
/* Returns true if the program must not get this signal, which a call that was continued has raised. To
 * be asked at each stop that a signal makes. */
bool repair_drops_signal(struct tracee *tracee, int signal);
/* Calls whose time is over are ended. Returns for how long nothing is to be done, ms. */
int repair_check_deadlines(struct supervisor *supervisor);
/* Makes the tracee stop, so that its call is given up. */
void repair_give_up(struct tracee *tracee);

/* --- attribution.c: what a sample is worth, and who is told ------------------------------- */

/* Books the sample that was wanted of a tracee, with what it was doing when it stopped. */
void attribution_sample(struct supervisor *supervisor, struct tracee *tracee, const struct regs *regs);
/* Wall mode: a thread was seen asleep. */
void attribution_asleep(struct supervisor *supervisor, struct tracee *tracee,
                   const struct procfs_state *state);

/* --- stack.c: copies of stacks -------------------------------------------------------- */

/* Room for copies of up to limit bytes. 0 or -ENOMEM. */
int stack_init(struct stack *stack, size_t limit);
/* Copies a stopped thread's stack and registers; nothing where the limit is 0. */
void stack_take(struct stack *stack, pid_t tid, const struct regs *regs);
/* Copies the stack of a thread that sleeps, without a stop: nothing of it is kept if the thread
 * did not sleep in the same place all the time. False: none is wanted. */
bool stack_take_asleep(struct stack *stack, struct tracee *tracee,
                       const struct procfs_state *state);

/* --- preempt.c: looks from the target's own CPU ------------------------------------------ */

/* A tick found the tracee running, or asleep. */
void seat_note(struct tracee *tracee, bool running);
/* Is it to be looked at from its own CPU? */
bool seat_wanted(const struct tracee *tracee);
/* A sample of the tracee has been taken, at a stop that our interrupt made. */
void seat_judge(struct tracee *tracee, bool entered);
/* At a tick: waits for the keeper; true if it holds its CPU. */
bool seat_await(struct supervisor *supervisor);
/* Moves those of the running threads that want it to the front that this tick looks at, and
 * returns their number; each look stands for *stands_for times the tick's time. 0: the keeper is
 * late, and all of them are left to the next tick. */
unsigned seat_choose(struct supervisor *supervisor, struct tracee *seated[], unsigned count,
                     bool held, unsigned *stands_for);
/* Lets the CPU go, and orders the keeper for the next tick where that is wanted. Returns when
 * the loop is to wake up for a tick that is due then. */
uint64_t seat_order(struct supervisor *supervisor, uint64_t due);

/* --- active.c: who is looked at -------------------------------------------------------- */

/* Takes those that used no CPU for long off the active list; finds CPU time that nobody on it
 * explains, and who used it. Cheap when called often. */
void active_check(struct supervisor *supervisor, uint64_t now);
/* How often that looks for unexplained CPU time, ns. */
uint64_t active_scan_period(const struct supervisor *supervisor);

/* --- count.c: into a target's own memory --------------------------------------------- */

/* Counts a sample of the tracee by what its process has asked for. */
void count_sample(struct tracee *tracee, const struct wire_sample *sample);
/* What a child starts with that is forked now, to be freed with free; NULL: nothing. */
struct dialect_count *count_inherited(const struct process *parent);
/* Copies from a target's memory. 0 or -errno. */
int count_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies into a target's memory. 0 or -errno. */
int count_write(pid_t tid, uint64_t address, const void *from, size_t size);

/* --- serve.c: programs that profile themselves ----------------------------------------- */

void serve_accept(struct supervisor *supervisor);
/* Reads a connection's request, obeys and answers it, and closes the connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses where nobody counts, and ends where that lasts. */
void serve_look_round(struct supervisor *supervisor);

/* --- emit.c: events onto the ring ---------------------------------------------------- */

/* From now on all goes into another ring, which it takes over; what was lost before is told
 * there. */
void emit_through(struct supervisor *supervisor, struct ring *ring);
void emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name and tells it where it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* The same of a process, whose leader may be no tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
void emit_rate(struct supervisor *supervisor);
void emit_stats(struct supervisor *supervisor);
void emit_wake(const struct supervisor *supervisor);

/* --- objects.c ------------------------------------------------------------------------ */

/* Tells of the mapping around pc if the client does not know it. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Tells of all executable mappings that the client does not know, for callers may be in any. The
 * kernel is asked now and then, and soon where a sample was in a new one. Takes up to some hundred
 * microseconds: never called while a thread waits. */
void objects_emit_executable(struct supervisor *supervisor, struct process *process);

/* --- object-files.c ---------------------------------------------------------------------- */

/* Opens what is wanted, for reading; may hang. Returns the descriptor, which is the caller's, or
 * -errno; -EAGAIN: a JIT has no names yet, but its process lives. */
int object_open(const struct open_request *wanted);
/* Makes a request for the names of code that a process makes at run time. */
void object_jit_request(pid_t pid, struct open_request *wanted);
/* Copies a vDSO, whose addresses the request has, into a file. Returns the descriptor, which is the
 * caller's, or -errno. Only who traces a process may read its memory where Yama's ptrace_scope
 * forbids others to. */
int object_copy_vdso(const struct open_request *wanted);
/* Is this path, as /proc/PID/maps has it, the process's program? */
bool object_is_program(pid_t pid, const char *path);

#endif
