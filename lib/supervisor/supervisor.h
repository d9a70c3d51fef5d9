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
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/budget.h"
#include "supervisor/clock.h"
#include "supervisor/proc/mounts.h"
#include "supervisor/proc/opener.h"
#include "supervisor/proc/system.h"
#include "supervisor/stop.h"
#include "supervisor/tracer.h"
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

/* The search for CPU time that no active tracee explains: active.c. */
struct scan {
    uint64_t at;      /* time of the last */
    uint64_t cost_ns; /* that it took */
    unsigned open;    /* processes whose threads are being searched */
};

/* Programs that profile themselves: serve/serve.c. */
struct serving {
    bool requested;        /* a request has come */
    uint64_t requested_at; /* time of the last */
};

/* The thread that waits for descriptors: watch.c. */
struct watch {
    int signals;        /* signalfd; -1: none */
    _Atomic bool ready; /* some descriptor is */
    sem_t served;       /* posted when the first tracer has looked at them */
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

/* Every function below is called with the lock, where nothing else is said. */

/* --- wait.c: every wait status becomes a stop, and every stop an answer ------------ */

/* Without the lock. Answers what has happened to tracees so far, for up to WAIT_DRAIN_MAX_NS. Returns false
 * if nothing had. */
bool wait_drain(struct tracer *tracer);
/* Without the lock. Answers what waitid(2) has told. */
void wait_answer_news(struct tracer *tracer, const siginfo_t *news);
/* Without the lock. Answers the stop of one tracee. Returns true if there was one; the tracee may be freed
 * then. */
bool wait_poll(struct tracer *tracer, struct tracee *tracee);
/* Lets a stopped tracee run on, with a signal (0: none). One that is CONTINUING a call runs to the next
 * stop of that. Needs no lock. */
void wait_resume(struct tracee *tracee, int signal);
/* Lets a stopped tracee go for good, and forgets it. */
void wait_detach(struct tracer *tracer, struct tracee *tracee);

/* Forgets a tracee. The end of a process that goes with it is told. */
void wait_forget(struct tracer *tracer, struct tracee *tracee);
/* A tracee has ended. cpu_ns: of its process, if that ends with it. */
void wait_answer_end(struct tracer *tracer, struct tracee *tracee, uint64_t cpu_ns, int status);
/* Tells of a process's end, once: without that its client would wait for ever. Its last tracee tells of it,
 * or goes without. */
void wait_tell_end(struct supervisor *supervisor, struct process *process, uint64_t cpu_ns, int status);
/* What a tracee's process has used, if it ends with it. To be asked before the tracee is reaped. */
uint64_t wait_last_cpu(const struct supervisor *supervisor, struct tracee *tracee);

/* --- births.c ------------------------------------------------------------------------ */

/* A tracee's first stop, once it is known whose it is. kind: INTERRUPT or GROUP. */
void births_start(struct tracer *tracer, struct tracee *tracee, enum stop_kind kind);
/* A tracee stopped to tell that it has made a thread or a process. */
void births_answer(struct tracer *tracer, struct tracee *parent, enum stop_kind kind);
/* A thread that is not known has stopped: it is held until its parent tells of it. */
void births_hold(struct tracer *tracer, pid_t tid, const struct stop *stop);
/* A process has ended without telling. */
void births_forget_process(struct tracer *tracer, struct process *process);
/* Finds out whose they are of those that are held, for their parent may have died before it could tell. */
void births_resolve(struct tracer *tracer);
/* Seizes what the tracee has made while it had no tracer, as far as the kernel's newest process number says
 * that there may be such. Without the lock. */
void births_look(struct tracer *tracer, struct tracee *tracee);

/* --- exec.c ------------------------------------------------------------------------- */

/* The stop of an exec, which every thread but its caller has died of. */
void exec_answer(struct tracer *tracer, struct tracee *leader);
/* The same, where the former leader was no tracee of this tracer: its number is that of a thread which was.
 * NULL: it is not known, or there is no memory. */
struct tracee *exec_new_leader(struct tracer *tracer, pid_t tid);
/* A tracee has executed something while it had no tracer. */
void exec_missed(struct tracer *tracer, struct tracee *tracee);
/* Without --follow a process is let go when it executes another program. It stands still. */
void exec_let_go(struct tracer *tracer, struct tracee *leader);

/* --- attach.c ----------------------------------------------------------------------- */

struct attach_refusal {
    pid_t tid;      /* of a failure: who refused */
    unsigned count; /* of a success: threads that refused */
};
/* Without the lock. Seizes those threads of a process that may be traced. 0, or -errno where there are
 * none. */
int attach_process(struct tracer *tracer, pid_t pid, bool launched, struct attach_refusal *refusal);
/* Without the lock. Asks those that refused once more, where it is time for that. */
void attach_look_again(struct tracer *tracer);
/* Without the lock. Seizes the threads of a process that has tracees, or is new and has none, but that are
 * none yet. */
void attach_rest(struct tracer *tracer, pid_t pid);
/* Without the lock. Seizes one thread. 0 or -errno; -EAGAIN: an exec under way has kept it from us. */
int attach_seize(struct tracer *tracer, pid_t tid);
/* Returns true if any of our threads traces it. Needs no lock. */
bool attach_is_ours(const struct supervisor *supervisor, pid_t tid);
/* CPU time used up to now does not count. */
void attach_baseline(struct supervisor *supervisor, struct process *process);

/* --- handover.c ---------------------------------------------------------------------- */

/* At a tick: chooses a running tracee that another tracer had better have. running: those that the tick
 * found, count of them. */
void handover_choose(struct tracer *tracer, struct tracee *const running[], unsigned count);
/* The tracee is to stay. */
void handover_withdraw(struct tracee *tracee);
/* Without the lock. At a stop of our interrupt: lets the tracee go to the tracer that was chosen. Returns
 * false if it has to stay. */
bool handover_release(struct tracer *tracer, struct tracee *tracee);
/* Without the lock. Seizes a tracee that another tracer has let go for this one. */
void handover_take(struct tracer *tracer, struct tracee *tracee);

/* --- tick.c ---------------------------------------------------------------------- */

/* Gives up the lock while it polls. */
void tick_run(struct tracer *tracer);

/* --- tick-arm.c: when the next tick is --------------------------------------------- */

/* Sets the next tick if there is to be one. */
void tick_arm(struct tracer *tracer);
/* Sets it after a tick. */
void tick_arm_next(struct tracer *tracer);
/* A tracee has been handed over in a pause: the others need ticks. */
void tick_arm_after_pause(struct tracer *tracer);
/* A tracee that was interrupted has stopped, and runs again. */
void tick_note_stop(struct tracer *tracer, struct tracee *tracee);
/* Ends the stratum under way here. Returns what no tick covers yet: the time since the end of the last. */
uint64_t tick_end_pause(struct tracer *tracer, uint64_t now);
/* Returns true if a stop of the tracee is to come. */
bool tick_has_to_stop(const struct tracee *tracee);

/* --- polling.c, affinity.c, crowd.c ------------------------------------------------- */

/* Without the lock. Polls for the stops of this tick. A thread whose stop does not come is asleep by now, deep
 * in the kernel, or waiting for the very CPU that we poll on: then we leave it that CPU. */
void polling_await(struct tracer *tracer);
/* Where CPUs are full the tracer goes to the CPU of a tracee that it is about to interrupt (NULL: of none). The
 * two then take turns there: to wake each other up across CPUs takes twice as long. It looks for that CPU now
 * and then; before each interrupt if the tracee enters the kernel often. */
void affinity_follow(struct tracer *tracer, struct tracee *tracee);
/* The scheduler may wake us on the CPU of a running tracee though another is idle (where CPUs share no cache it
 * does not even look), and leave us there for long. */
void affinity_move_away(struct tracer *tracer);
/* At a tick: are all CPUs in use? By targets, or by others, who are in the load as well as we. */
void crowd_look(struct tracer *tracer);

/* --- watch.c: descriptors. Without the lock ------------------------------------------- */

/* 0 or -errno. */
int watch_open(struct supervisor *supervisor);
/* Starts the watcher, once the first tracer is there. 0 or -errno. */
int watch_start(struct supervisor *supervisor);
/* The first tracer's: serves the descriptors that are ready. */
void watch_serve(struct supervisor *supervisor);

/* --- housekeeping.c ------------------------------------------------------------------ */

/* The first tracer's: what is to be done now and then for all. Returns when it is to be done again. */
uint64_t housekeeping_run(struct tracer *tracer);

/* --- sampling.c --------------------------------------------------------------------- */

void sampling_start(struct supervisor *supervisor);
void sampling_pause(struct supervisor *supervisor);
/* Sleeping threads too, or no more. */
void sampling_set_wall(struct supervisor *supervisor, bool wall);
/* All totals begin anew. */
void sampling_clear(struct supervisor *supervisor);
/* Another rate. */
void sampling_set_rate(struct supervisor *supervisor, double hz);

/* --- at-stop.c: a tracee that stands still --------------------------------------------- */

/* These need no lock. A tracee has stopped: samples it if that was wanted, and lets it run on with signal.
 * A call that would not have been broken without us is mended. */
void at_stop_answer(struct tracer *tracer, struct tracee *tracee, int signal, enum stop_maker maker);
/* Lets a tracee run on from a stop at which no sample is to be had. */
void at_stop_resume(struct tracer *tracer, struct tracee *tracee);
/* The same, with a signal. */
void at_stop_deliver(struct tracer *tracer, struct tracee *tracee, int signal);

/* --- repair.c: calls that a stop broke. These need no lock. ------------------------------- */

/* Before a tracee runs on with signal (0: none) from a stop: mends what the stop has broken of the call
 * that it is in. True: the call goes on, and the tracee's state is CONTINUING. */
bool repair_stop(struct tracer *tracer, struct tracee *tracee, const struct regs *regs, int signal,
                 enum stop_maker maker);
/* A stop of a tracee whose state is CONTINUING. True: it has been answered. False: the call has been
 * given up for what it has done, and the stop is to be answered as any other. */
bool repair_meets_stop(struct tracer *tracer, struct tracee *tracee, enum repair_event event, int signal);
/* Returns true if the program must not get this signal, which a call that was continued has raised. To
 * be asked at each stop that a signal makes. */
bool repair_drops_signal(struct tracee *tracee, int signal);
/* Calls whose time is over are ended. Returns the time at which the next is to be; 0: none. */
uint64_t repair_check_deadlines(struct tracer *tracer);
/* Makes the tracee stop, so that its call is given up. */
void repair_give_up(struct tracee *tracee);

/* --- attribution.c: what a sample is worth, and who is told ------------------------------- */

/* Books the sample that was wanted of a tracee, with what it was doing when it stopped. */
void attribution_sample(struct tracer *tracer, struct tracee *tracee, const struct regs *regs);
/* Wall mode: a thread was seen asleep. */
void attribution_asleep(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state);

/* --- active.c: who is looked at -------------------------------------------------------- */

/* Takes those that used no CPU for long off the tracer's list of the active. */
void active_drop_idle(struct tracer *tracer, uint64_t now);
/* The first tracer's: finds CPU time that no active tracee explains, and who used it. Cheap when called
 * often. */
void active_search(struct tracer *tracer, uint64_t now);
/* How often that looks at the clocks of all processes, ns. */
uint64_t active_search_period(const struct supervisor *supervisor);
/* The tracee uses CPU time: its tracer, which may be another one, is to look at it. */
void active_note(struct tracer *tracer, struct tracee *tracee, uint64_t now);

/* --- serve/count.c: into a target's own memory ------------------------------------------- */

/* Counts a sample of the tracee by what its process has asked for. */
void count_sample(struct tracee *tracee, const struct wire_sample *sample);
/* What a child starts with that is forked now, to be freed with free; NULL: nothing. */
struct dialect_count *count_inherited(const struct process *parent);
/* Copies from a target's memory. 0 or -errno. Needs no lock. */
int count_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies into a target's memory. 0 or -errno. Needs no lock. */
int count_write(pid_t tid, uint64_t address, const void *from, size_t size);

/* --- serve/serve.c: programs that profile themselves. The first tracer's, without the lock. ------ */

void serve_accept(struct supervisor *supervisor);
/* Reads a connection's request, obeys and answers it, and closes the connection. */
void serve_request(struct supervisor *supervisor, int fd);
/* Pauses where nobody counts, and ends where that lasts. */
void serve_look_round(struct supervisor *supervisor);

/* --- commands.c: the first tracer's, without the lock ------------------------------------------ */

/* Reads what the client asks for, and does it. */
void commands_read(struct supervisor *supervisor);
/* Answers a command. */
void commands_answer(const struct supervisor *supervisor, const struct wire_message *command, int error,
                     const struct attach_refusal *refusal);

/* --- emit.c: events onto the ring ---------------------------------------------------- */

/* From now on all goes into another ring, which it takes over; what was lost before is told
 * there. */
void emit_through(struct supervisor *supervisor, struct ring *ring);
void emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack);
void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent);
void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid);
/* Reads the thread's name and emits it where it has changed. */
void emit_comm(struct supervisor *supervisor, struct tracee *tracee);
/* The same of a process, whose leader may be no tracee. */
void emit_process_comm(struct supervisor *supervisor, pid_t pid);
void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status);
void emit_rate(struct supervisor *supervisor);
void emit_stats(struct supervisor *supervisor);
void emit_wake(const struct supervisor *supervisor);

/* --- proc/objects.c ----------------------------------------------------------------------- */

/* Emits the mapping around pc if the client does not know it. */
void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc);
/* Emits all executable mappings that the client does not know, for callers may be in any. The
 * kernel is asked now and then, and soon where a sample was in a new one. Takes up to some hundred
 * microseconds: never called while a thread waits. */
void objects_emit_executable(struct supervisor *supervisor, struct process *process);

/* --- proc/object-files.c -------------------------------------------------------------------- */

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
