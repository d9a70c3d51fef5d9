/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * supervisor: the only code that calls ptrace. It is a program of its own, pprofil-supervise, whose client talks to it
 * through lib/wire. This header is the room's door; no other room includes it. Each file has a header, which says what
 * its functions do. Exceptions: regs-*.c share regs.h; the files of calls/ share calls/calls.h, but for call-memory.c,
 * descriptor.c and the numbers of calls. The functions of this header are in main.c.
 *
 * A thread that is seized stops for more than our interrupts: at every signal that it gets, ignored ones too, at each
 * fork, clone and exec, in each group stop, at SIGCONT, once when it is born, and at both ends of each call that we
 * continue. While a signal is kept back for it, or its mask is changed, it stops at its next call. An exec waits until
 * we have reaped the ends of the other threads. So what makes us slow to answer a stop slows targets down, sampled or
 * not.
 *
 * What can hurt a process, in the order to read it (tracee.h and tracer.h first: they name everything):
 *
 *     tracer.c               the threads that do all this: tracer_step is one round of them. Where a CPU is idle
 *                            tracer.c polls for news, up to 60 us after the last, and 2 ms in all
 *     wakeup.c               how a tracer sleeps. It also calls PTRACE_SEIZE for attach.c and handover.c. That call
 *                            may wait 10 ms for an exec. attach.c waits so up to 101 times for a process, handover.c
 *                            100 times for a thread. Stops are answered between two such waits, not during one
 *     attach.c               seizes threads. That stops none, but one in a group stop tells of that stop once more.
 *                            Where an exec is under way it sleeps 1 ms, up to 20 times, and handover.c 0.1 ms after
 *                            each call that was refused (EPERM)
 *     tick.c                 interrupts those that run; tick-look.c: who; tick-arm.c: when; polling.c: polls up to
 *                            50 us for each stop
 *     wait.c                 tells stops apart (stop.c), and gives each its answer. Where stops come faster than they
 *                            are answered it gives each tracee its turn, for the kernel does not
 *     at-stop.c              reads registers, copies the stack (stack.c), lets run on
 *     repair.c               mends calls that a stop broke: regs-*.c writes their registers. backoff.c leaves a thread
 *                            alone for a while whose call breaks again and again
 *     repair-continue.c      makes the rest of a call that came back short, piece by piece (repair-piece.c). It
 *                            interrupts a sleeping thread when the call's time is over (deadline.c), and when the
 *                            tracer leaves. calls/ decides what is left of a call: call-progress.c writes to the
 *                            target; descriptor.c copies a descriptor of it, waits for a pipe's lock, and takes a
 *                            socket's pending error
 *     held-signal.c          keeps a signal back for a piece of a call, and sends it again
 *     stray-sigpipe.c        takes away a SIGPIPE that only a piece raises; changes the mask of a thread that blocks it
 *     handover.c             lets a thread go and seizes it anew, from another thread of ours; handover-choice.c:
 *                            which thread, and who gets it
 *     births.c               holds a new task until it is known whose it is; lets a child go that is not to be followed
 *     exec.c                 follows what a process executes, or lets it go
 *     preempt.c              takes a thread's CPU, for up to 80 us, before it is looked at
 *     affinity.c             takes a tracer round the CPUs of its tracees where no CPU is idle: they share each
 *     priority.c             gives tracers real-time priority where a CPU is idle, else short slices of CPU time
 *     proc/procfs.c          reads files of /proc. Some of them can be read only when an exec in the same process is
 *                            over, and on old kernels that exec may wait for us: proc/kernel.c. On
 *                            those kernels they are not read
 *     proc/maps.c            the kernel locks the target's mappings while it answers, and may read a file for that.
 *                            proc/objects.c says when; it also opens the list while a tracee stands still
 *     target-memory.c        reads and writes; stack.c and regs-x86_64.c read. The kernel locks the mappings, and
 *                            fetches pages. On old kernels that waits for an exec, too
 *     serve/counts.c         writes histograms into programs that profile themselves
 *     main.c                 supervisor_lock: the stops of births, execs and ends wait for it, and all stops of
 *                            programs that profile themselves. Invariant 4 says what its holder may do meanwhile
 *
 * Nothing else stops a target, changes it or writes to it; target-memory.c is what writes. The rest, in the order of a
 * sample: budget.c says how often, schedule.c draws when, active.c keeps who may be running, and cpu-wait.c tells who
 * waits for a CPU, and need not be interrupted. After the resume, weight.c, wall-time.c and attribution.c say for how
 * much time the sample stands, proc/objects.c which file was mapped there, and emit.c sends it. tracee.c and untraced.c
 * know who there is. cpus-full.c: is a CPU idle? debug-log.c writes what was done, for those who debug the supervisor:
 * before a tracer sleeps, and when 64 KiB have gathered; stops wait meanwhile. proc/ reads /proc, opens files, and
 * forks the processes that open what may hang. main.c, watch.c, commands.c, sampling.c, housekeeping.c and serve/: who
 * asks for all that, and what is done now and then.
 *
 * A tracee's states (tracee.h):
 *
 *     it stops before anybody tells of it --> UNKNOWN --- its parent, or /proc, tells of it ---.
 *                                                                                              |
 *     its parent tells of it ----------> STARTING --- its first stop --.                       |
 *                                                                      v                       |
 *     it is seized ---------------------------------------------> RUNNING <--------------------'
 *                                                                  |  ^ ^
 *                                                             tick |  | '--- its call is over ---- CONTINUING
 *                                                                  v  |                                ^
 *                         a stop: to be handed over --------- INTERRUPTED --- a stop: its call was cut |
 *                         |                                          |    short, or has a time limit --'
 *                         v                                          '--- a stop: sampled, resumed --> RUNNING
 *                     RELEASED --- its tracer, a new one or the same, has seized it --> RUNNING
 *
 *     Other ways:
 *     - Three stops may break a call as that of a tick's interrupt does: that of a signal which the tracee ignores,
 *       that of a SIGCONT, and that of an interrupt which another stop has overtaken. Then RUNNING becomes CONTINUING.
 *     - An UNKNOWN tracee is STARTING for a moment before it is RUNNING. One that was born into a group stop becomes
 *       LISTENING.
 *     - A restarted call may come back short. The stop at its end sets RUNNING, and then CONTINUING again.
 *     - When a thread executes a program, the leader of its process becomes RUNNING, whatever it was.
 *     - A leader whose number another thread took by an exec that nobody saw becomes RELEASED: handover_regain.
 *     - An exec gives the number of the leader to the thread that calls it. If that leader was another tracer's, or
 *       nobody's, the caller's tracer makes a new tracee of that number, which begins as RUNNING: exec_new_leader. If
 *       no tracer sees the stop of the exec, the one that seizes the caller then does so: handover_adopt_leader.
 *     - A RELEASED tracee that cannot be seized is forgotten, and may become an untraced thread. One is RUNNING without
 *       having been seized where we are leaving, or where another tracer has its number by now: it is about to be
 *       dropped.
 *     - From any state but UNKNOWN and RELEASED, a signal that stops the process makes a tracee LISTENING, and SIGCONT
 *       makes it RUNNING.
 *     - Each of them may end, be let go, be ended by an exec, or be forgotten: its process is gone, or its number is
 *       another task's.
 *     What is to become of a tracee is kept apart from its state (tracee.h). handed_to is who gets it when it stops for
 *     an interrupt, outside of any call. dropped is read at its stops, at ticks, and when its tracer
 *     looks into its inbox; lost is read there only.
 *
 * A tick, in time; the tracee stands still between "stop" and "resume". A program that profiles itself is sampled
 * before the resume:
 *
 *     tracer   timer, look at /proc, PTRACE_INTERRUPT ..... registers, stack, mend, resume | attribution, emit
 *     tracee   ------- runs ------------------------- stop ============================== runs --------------
 *
 * Invariants:
 *  1. Every stop is answered as soon as it is seen, for what it is, whatever was waited for, until the tracer has left
 *     (has_left of tracer.h); wait_drain leaves what it sees after 2 ms to its next call. A stop at which registers
 *     are read (at_stop_answer) serves as the sample that was wanted. At other stops the sample waits for the next
 *     one, and a group stop cancels it. There are three exceptions to "for what it is". A task's first stop waits
 *     until somebody has told whose it is. A signal that comes between two pieces of a call may be kept back until the
 *     next piece begins. A SIGPIPE that only a piece has raised is not delivered.
 *  2. From where the stop of an interrupt is seen to its resume, nothing is done but reading registers, copying the
 *     stack and mending a call, and writing the debug log. Mending a call takes up to 30 system calls; to move the
 *     messages of a recvmmsg(2) together may take thousands. Nothing there allocates or takes the lock. There are
 *     these exceptions:
 *     - of a process that may be about to execute a program, the list of mappings is opened first, with the lock, and
 *       its CPU is read: later that might have to wait for the exec;
 *     - a tracee that profiles itself: the lock is taken, its process's clock is read, and its sample is counted first;
 *     - of one that is to be handed over, a byte of memory and /proc/loadavg are read, and it is detached with the
 *       lock. If somebody else has the lock, or the other tracer is awake, it is sampled as usual, and goes at a later
 *       stop.
 *     The stops of births, of execs and of ends are answered with the lock, and may allocate.
 *     A stop is seen late while its tracer does anything else: a tick, the booking of another sample, a seizure, a wait
 *     for the lock; if it is the first tracer, what clients ask for, and housekeeping.
 *  3. Only its own tracer calls ptrace for a tracee, and frees it. Its state, and what a stop needs, is written by
 *     that tracer, without the lock. Others write, with the lock: dropped, lost, wants_activation, accompanied, and
 *     the links of the inbox and of the process. The first tracer also opens and closes files of all tracees, and
 *     writes cpu_ns and wall. When sampling starts, pauses or is cleared, it sets pending_ns, overdue_ns and skipped_ns
 *     of all tracees to 0, and what they have used to what the kernel says, while their tracers may be using it: one
 *     sample of each may be wrong.
 *  4. What the tracers share is written with the lock, but for what is _Atomic. A function that takes a supervisor, a
 *     tracer, a process or a tracee needs it, unless its header says otherwise. Stops that wait.c answers by looking
 *     at nothing but the tracee are answered without it. Who holds it does not wait for a stop, nor call PTRACE_SEIZE,
 *     which may wait 10 ms for an exec. It may answer a stop, start a thread, fork an opener, read /proc, a file's
 *     build-id or a target's memory, write a target's histograms, ask for another priority, move itself off a CPU, and
 *     write the debug log. Reading /proc may wait for an exec, too, for what proc/kernel.c says.
 *  5. A call returns under us what it returns without us, as far as repair.c can, on x86-64. pprofil(1), CAVEATS, says
 *     where it cannot.
 *  6. However we end, the kernel lets all tracees go, and each runs on unless a signal has stopped it. A supervisor
 *     that ends in order first has the files opened that its client asks for (up to 2 s; stops are answered
 *     meanwhile), and then waits for interrupts to end, for signals that are kept back to be delivered, and for calls
 *     to become whole: each tracer up to 0.3 s, then it gives up the rest of each, and waits up to 0.3 s for that
 *     (tracer_leave). A call that was begun anew is left to itself: if it was broken again, it waits for all of its
 *     time once more, and a connect(2) may return EALREADY. The first tracer does so after the others, for which it
 *     waits up to 1 s. A stop of its own tracees that comes later, before the supervisor has exited, is not answered.
 *     If SIGKILL ends us,
 *     - a call that an interrupt has just broken returns EINTR, or what it has moved;
 *     - a signal that is kept back is lost, and one that was sent again comes with another siginfo_t;
 *     - a recvmmsg(2) whose messages are being moved together has shifted data (call-progress.c);
 *     - a call that is being continued returns with the result, and the argument registers, of its piece;
 *     - a recvmmsg(2) that was broken may have left an error in its socket, which the next call returns
 *       (descriptor_clear_error);
 *     - a thread from which a SIGPIPE is being taken gets it, which may kill it, and blocks all other signals if it
 *       had blocked SIGPIPE.
 */
#ifndef PPROFIL_SUPERVISOR_H
#define PPROFIL_SUPERVISOR_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/opener.h"
#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/system.h"
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
    bool wary;       /* act as on a kernel where reading /proc/TID/syscall may wait for an exec: kernel.h; for tests */
    bool restless;   /* hand each thread over at each stop, for tests */
    uint32_t stack_size; /* bytes of stack to be copied at each sample; 0: none */
    bool serve;      /* programs that profile themselves: serve.c */
    bool open;       /* nothing but files, for another process: opener-process.c */
    int debug_fd;    /* what is done is written there: debug-log.h; -1: nowhere */
};

/* The search for CPU time that no active tracee explains: round after round over all processes. */
struct scan {
    uint64_t at;       /* time: the last round began */
    uint64_t piece_at; /* time: its last piece */
    uint64_t cost_ns;  /* CPU time that it took to read the clocks of the processes in that round */
};

struct cpu_load {
    uint64_t read_at;  /* time: the load was read last */
    double mean;       /* tasks that want a CPU, when it was read last, without the tracer that asked */
    uint64_t full_at;  /* time: no CPU was seen idle then */
    bool has_all_cpus; /* all CPUs that are online are ours to use, so the system's load is that of our CPUs */
};

struct housekeeping {
    uint64_t untold_until; /* time until which untold ends are likely */
    uint64_t stats_due;    /* time of the next statistics */
    uint64_t ends_at;      /* time of the last search for untold ends */
    uint64_t all_ends_at;  /* time of the last search that looked at all processes */
    uint64_t rate_told_at; /* time: the client was told of another rate */
    uint64_t full_at;     /* time: whether CPUs are full was looked at */
};

/* Slots of the table of files. Half of them stay free, so that a search is short. */
#define OBJECT_SLOTS 4096
#define OBJECTS_MAX (OBJECT_SLOTS / 2)

/* The files of which the client has, or will get, a descriptor. */
struct objects {
    struct object_key {
        uint64_t device, inode;
        bool asked; /* an opener was asked for it */
    } seen[OBJECT_SLOTS]; /* open addressing; the id is the slot + 1 */
    unsigned count;
    uint32_t next_private_id; /* of objects that are not files */
    uint32_t vdso_ids[2];     /* native, compat */
    struct mounts mounts;
    struct mapping_details details; /* scratch: 4 KiB, not for the stack of every sample */
};

struct watch {
    int term;           /* eventfd: SIGTERM has come; -1: nobody waits for that */
    _Atomic bool ready; /* some descriptor is */
    sem_t served;       /* posted when the first tracer has looked at them */
};

struct serving {
    bool requested;        /* a request has come */
    uint64_t requested_at; /* time of the last */
};

/* All that the tracers share. Only the first tracer uses what is marked so; the rest takes the lock. */
struct supervisor {
    pthread_mutex_t lock; /* recursive: the answers to births and execs hold it, and at_stop_answer takes it */
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
    unsigned opener_requests; /* number of requests that were made */
    unsigned opener_served;   /* number of those that the first tracer has seen */
    struct scan scan;
    struct system_load load;
    struct cpu_load cpu_load;
    struct housekeeping housekeeping;

    _Atomic bool sampling;
    _Atomic bool leaving;
    bool may_poll;  /* there is more than one CPU */
    _Atomic bool cpus_full; /* no CPU is idle */
    unsigned cpu_count; /* that we may use */
    cpu_set_t cpus;

    uint64_t ended_cpu_ns;  /* of processes that have ended */
    int64_t ended_left_ns;  /* serving: the part of that which no sample stands for; may be negative */
    uint64_t started_at;    /* time: sampling began or went on */
    uint64_t born_at;       /* time: a tracee made another task */
    struct wire_stats stats;

    /* the first tracer's */
    uint64_t retry_at; /* time: ask the threads that refused once more */
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
