/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * supervisor: the only code that calls ptrace. It is a program of its own, pprofil-supervise; its client talks to it
 * through lib/wire. No other room includes its headers.
 *
 * Three headers hold the state: this one what all tracers share, tracer.h what one tracer has, tracee.h the threads and
 * processes that are followed. Their functions are in main.c, tracer-*.c and tracee-table.c. The other headers declare
 * functions. Some of them serve several files: follow.h (attach.c, new-tasks.c, exec.c, handover.c, handover-choice.c,
 * tracee-end.c), repair.h (repair-*.c), tick.h (tick-*.c), sampling.h (sampling.c, housekeeping.c) and calls/calls.h
 * (calls/call-*.c).
 *
 * Can it hurt a process? A thread that is seized stops for more than our interrupts: at every signal that it gets,
 * ignored ones too, at each fork, clone and exec, in each group stop, at SIGCONT, once when it is born, and at both
 * ends of each call that we continue. While a signal is kept back for it, or its mask is changed, it stops at its next
 * call. An exec waits until we have reaped the ends of the other threads. So whatever makes us slow to answer a stop
 * slows targets down, sampled or not.
 *
 * Read these files first, in this order; they are the path of a stop and of a sample:
 *
 *     tracee.h, tracer.h     name everything
 *     tracer-step.c          one round of a tracer: sleep, answer stops, tick. Where a CPU is idle it polls for more
 *                            news, up to 60 us after the last, and 2 ms in all
 *     tick-run.c             a tick interrupts the threads that run; tick-look.c chooses them, tick-arm.c sets the time
 *     wait.c                 gives each stop its answer (stop.c tells stops apart). Where stops come faster than they
 *                            are answered it gives each tracee its turn, for the kernel does not. It polls up to 50 us
 *                            for the stops of a tick
 *     at-stop.c              reads registers (regs-*.c), copies the stack (target-memory.c), resumes
 *     repair-stop.c          repairs a call that a stop broke: begins it anew, or begins to continue it
 *     repair-continue.c      makes the rest of a call that came back short, piece by piece (repair-piece.c)
 *     attach.c               seizes threads
 *     exec.c, handover.c     follow what a process executes; give a thread to another of our tracers
 *
 * All that stops a target, changes it, writes to it or delays it:
 *
 *     attach.c               PTRACE_SEIZE stops no thread, but one in a group stop reports that stop once more. Where
 *                            an exec is under way attach.c sleeps 1 ms, up to 20 times, and handover.c 0.1 ms after
 *                            each call that was refused (EPERM)
 *     wakeup.c               calls PTRACE_SEIZE for attach.c and handover.c. That call may wait 10 ms for an exec.
 *                            attach.c waits so up to 101 times for a process, handover.c 100 times for a thread. Stops
 *                            are answered between two such waits, not during one
 *     tick-run.c             PTRACE_INTERRUPT; at-stop.c reads and copies while the thread stands still
 *     preempt.c              takes a thread's CPU, for up to 80 us, before the thread is looked at
 *     tracer-cpus.c          takes a tracer to the CPUs of its tracees where no CPU is idle: they share each CPU. Gives
 *                            tracers real-time priority where a CPU is idle, else short slices of CPU time
 *     repair-*.c             regs-*.c writes registers. repair-piece.c interrupts a sleeping thread when its call's
 *                            time is over, and when the tracer leaves. repair-signal.c keeps a signal back for a piece
 *                            of a call, and sends it again; it takes away a SIGPIPE that only a piece has raised, for
 *                            which it changes the mask of a thread that blocks SIGPIPE
 *     calls/                 says what is left of a call. call-progress.c writes to the target; descriptor.c copies a
 *                            descriptor of it, waits for a pipe's lock, and takes a socket's pending error
 *     handover.c             detaches a thread; another of our threads seizes it. handover-choice.c: which one, by whom
 *     new-tasks.c            holds a new task until its process is known; detaches a child that is not to be followed
 *     exec.c                 detaches a process whose new program is not to be followed
 *     proc/procfs.c          reads files of /proc. Some of them can be read only when an exec in the same process is
 *                            over, and on old kernels that exec may wait for us: proc/system.c. On those kernels they
 *                            are not read
 *     proc/maps.c            the kernel locks the target's mappings while it answers, and may read a file for that.
 *                            proc/objects.c says when; it also opens the list while a tracee stands still
 *     target-memory.c        reads and writes memory. Nothing else does, but for the few words of code that regs-*.c
 *                            read. The kernel locks the mappings, and fetches pages. On old kernels that waits for an
 *                            exec, too
 *     serve/counts.c         writes histograms into programs that profile themselves
 *     debug-log.c            writes its lines, if it is asked to, before a tracer sleeps and when 64 KiB have gathered;
 *                            stops wait meanwhile
 *     main.c                 supervisor_lock: the stops of new tasks, execs and ends wait for it, and all stops of
 *                            programs that profile themselves. Invariant 4 says what its holder may do meanwhile
 *
 * The rest only looks and counts. budget.c says how often to sample, schedule.c draws when, active.c keeps the threads
 * that may be running. accounting.c and attribution.c say for how much time a sample stands, proc/objects.c which file
 * was mapped there, and emit.c sends it. tracee-table.c and cpu-time.c keep threads, processes and their clocks.
 * commands.c, sampling.c, housekeeping.c and serve/serve.c say who asks for all that, and what is done now and then.
 * The rest of proc/ reads /proc, opens files, and forks the processes that open what may hang.
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
 *     - A RELEASED tracee that cannot be seized is forgotten, and may become an untraced thread. A tracee may become
 *       RUNNING without having been seized: where we are leaving, or where another tracer has its number by now. It is
 *       about to be dropped then.
 *     - From any state but UNKNOWN and RELEASED, a signal that stops the process makes a tracee LISTENING, and SIGCONT
 *       makes it RUNNING.
 *     - Each of them may end, be detached, be ended by an exec, or be forgotten because its process is gone or its
 *       number is another task's.
 *     What is to become of a tracee is kept apart from its state. handover.to is who gets it when it stops for an
 *     interrupt outside of any call. dropped is read at its stops, at ticks, and when its tracer reads its inbox;
 *     inbox.may_be_replaced is read there only.
 *
 * A tick, in time; the tracee stands still between "stop" and "resume". A program that profiles itself is sampled
 * before the resume:
 *
 *     tracer   timer, look at /proc, PTRACE_INTERRUPT ..... registers, stack, repair, resume | attribution, emit
 *     tracee   ------- runs ------------------------- stop ================================ runs --------------
 *
 * Invariants:
 *  1. Every stop is answered as soon as it is seen, for what it is, whatever was waited for, until the tracer has left
 *     (has_left of tracer.h). wait_drain leaves what it sees after 2 ms to its next call. A stop at which registers are
 *     read (at_stop_answer) serves as the sample that was wanted. At other stops the sample waits for the next one, and
 *     a group stop cancels it. There are three exceptions to "for what it is". A task's first stop waits until somebody
 *     has told whose it is. A signal that comes between two pieces of a call may be kept back until the next piece
 *     begins. A SIGPIPE that only a piece has raised is not delivered.
 *  2. From where the stop of an interrupt is seen to its resume, nothing is done but reading registers, copying the
 *     stack, repairing a call and writing the debug log. To repair a call takes up to 30 system calls; to move the
 *     messages of a recvmmsg(2) together may take thousands. Nothing there allocates or takes the lock, with these
 *     exceptions:
 *     - if the process may be about to execute a program, the list of its mappings is opened first, with the lock, and
 *       its CPU is read: later that might have to wait for the exec;
 *     - if the tracee profiles itself, the lock is taken, its process's clock is read, and its sample is counted first;
 *     - if the tracee is to be handed over, a byte of memory and /proc/loadavg are read, and it is detached with the
 *       lock. If somebody else has the lock, or the other tracer is awake, it is sampled as usual, and goes at a later
 *       stop.
 *     The stops of new tasks, of execs and of ends are answered with the lock, and may allocate.
 *     A stop is seen late while its tracer does anything else: a tick, the attribution of another sample, a seizure, a
 *     wait for the lock; in the first tracer also what clients ask for, and housekeeping.
 *  3. Only its own tracer calls ptrace for a tracee, and frees it. Its state, and what a stop needs, is written by that
 *     tracer, without the lock. Others write, with the lock: dropped, inbox, files.multithreaded, and the links of the
 *     process. The first tracer also opens and closes files of all tracees, and writes time and sleep.wall. When
 *     sampling starts, pauses or is cleared, it sets pending_ns, overdue_ns and skipped_ns of all tracees to 0, and
 *     what they have used to what the kernel says, while their tracers may be using it: one sample of each may be
 *     wrong.
 *  4. What the tracers share is written with the lock, but for what is _Atomic. A function that takes a supervisor, a
 *     tracer, a process or a tracee needs it, unless its header says otherwise. Stops that wait.c answers by looking at
 *     nothing but the tracee are answered without it. Who holds it does not wait for a stop, nor call PTRACE_SEIZE,
 *     which may wait 10 ms for an exec. It may answer a stop, start a thread, fork an opener, read /proc, a file's
 *     build-id or a target's memory, write a target's histograms, ask for another priority, move itself off a CPU, and
 *     write the debug log. To read /proc may also wait for an exec: proc/system.c says why.
 *  5. A call returns under us what it returns without us, as far as repair-*.c can, on x86-64. pprofil(1), CAVEATS,
 *     says where it cannot.
 *  6. However we end, the kernel detaches all tracees, and each runs on unless a signal has stopped it. A supervisor
 *     that ends in order first has the files opened that its client asks for (up to 2 s; stops are answered meanwhile).
 *     It then waits for interrupts to end, for signals that are kept back to be delivered, and for calls to become
 *     whole: each tracer up to 0.3 s, then it gives up the rest of each, and waits up to 0.3 s for that (tracer_leave).
 *     A call that was begun anew is left to itself: if it was broken again, it waits for all of its time once more, and
 *     a connect(2) may return EALREADY. The first tracer does so after the others, for which it waits up to 1 s. A stop
 *     of its own tracees that comes later, before the supervisor has exited, is not answered. If SIGKILL ends us,
 *     - a call that an interrupt has just broken returns EINTR, or what it has moved;
 *     - a signal that is kept back is lost, and one that was sent again comes with another siginfo_t;
 *     - a recvmmsg(2) whose messages are being moved together has shifted data (call-progress.c);
 *     - a call that is being continued returns with the result, and the argument registers, of its piece;
 *     - a recvmmsg(2) that was broken may have left an error in its socket, which the next call returns
 *       (descriptor_clear_error);
 *     - a thread from which a SIGPIPE is being taken gets it, which may kill it, and blocks all other signals if it had
 *       blocked SIGPIPE.
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
#include "supervisor/proc/opener.h"
#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs-text.h"
#include "supervisor/proc/system.h"
#include "supervisor/tracer.h"
#include "wire/wire.h"

struct options {
    double frequency;    /* samples in a second of a thread's CPU time */
    double overhead;     /* share of their time that targets may lose, 0..1 */
    uint64_t seed;       /* seed of the random numbers; 0: taken from the clock */
    bool wall;           /* sample sleeping threads, too */
    bool follow;         /* go on after an exec */
    bool inherit;        /* follow forked children */
    bool parse_maps;     /* act as on a kernel without PROCMAP_QUERY */
    bool wary;           /* for tests: act as where reading /proc/TID/syscall may wait for an exec: proc/system.c */
    bool restless;       /* for tests: hand each thread over at each stop */
    bool serve;          /* serve programs that profile themselves: serve/serve.c */
    bool open;           /* only open files, for another process: opener_serve */
    uint32_t stack_size; /* bytes of stack to be copied at each sample; 0: none */
    int debug_fd;        /* the debug log goes there: debug-log.h; -1: there is none */
};

/* The search for CPU time that no active tracee explains, in rounds over all processes: active.c. */
struct search {
    uint64_t at;       /* time at which the last round began */
    uint64_t piece_at; /* time of its last piece */
    uint64_t cost_ns;  /* CPU time that the last round needed to read the clocks of the processes */
};

/* The CPUs that we may use. */
struct cpus {
    cpu_set_t set;
    unsigned count;    /* how many CPUs' time we may use */
    bool may_poll;     /* there is more than one CPU */
    _Atomic bool full; /* no CPU is idle */
    struct cpu_load {
        uint64_t read_at;  /* time at which the load was read last */
        double mean;       /* tasks that want a CPU, at that time, without the tracer that asked */
        uint64_t full_at;  /* time at which no CPU was seen idle */
        bool has_all_cpus; /* we may use all CPUs that are online, so the system's load is the load of our CPUs */
    } load;
};

/* When what is done now and then was done last: housekeeping.c. */
struct housekeeping {
    uint64_t unreported_until; /* time until which unreported ends are likely */
    uint64_t stats_due;        /* time of the next statistics */
    uint64_t ends_at;          /* time of the last search for unreported ends */
    uint64_t all_ends_at;      /* time of the last such search that looked at all processes */
    uint64_t rate_reported_at; /* time at which the client was told of another rate */
    uint64_t full_at;          /* time at which it was last noted whether CPUs are full */
};

/* Slots of the table of files. Half of them stay free, so that a search is short. */
#define OBJECT_SLOTS 4096
#define OBJECTS_MAX (OBJECT_SLOTS / 2)

/* The files of which the client has, or will get, a descriptor: proc/objects.c. */
struct objects {
    struct object_key {
        uint64_t device, inode;
        bool asked;       /* an opener was asked for it */
    } seen[OBJECT_SLOTS]; /* open addressing; the id of a file is its slot + 1 */
    unsigned count;
    uint32_t next_private_id; /* for objects that are not files */
    uint32_t vdso_ids[2];     /* native, compat */
    struct mounts mounts;
    struct mapping_details details; /* scratch, 4 KiB: too large for the stack of every sample */
};

/* Who asks for what: commands.c. The first tracer's. */
struct client {
    int socket; /* socket to the client; when serving: the socket that listens */
    int epoll;
    bool quitting; /* the supervisor is to end */
    bool gone;     /* the client has closed its socket */
    struct watcher {
        int term;           /* eventfd, written when SIGTERM has come; -1: nobody waits for SIGTERM */
        _Atomic bool ready; /* some descriptor is */
        sem_t served;       /* posted when the first tracer has looked at the descriptors */
    } watcher;
};

/* What all tracers share. It is used with the lock, but for what only the first tracer uses. */
struct supervisor {
    pthread_mutex_t lock; /* recursive: the answers to new tasks and execs hold it, and at_stop_answer takes it */
    struct options options;
    _Atomic bool sampling;
    _Atomic bool leaving;
    struct tracer *tracers[TRACERS_MAX];
    unsigned tracer_count;
    unsigned starting;       /* number of tracers that are not ready yet */
    uint64_t start_again_at; /* time before which no tracer can be started */
    struct processes processes;
    struct budget budget;
    struct cpus cpus;
    struct system_load load;
    struct search search;
    struct objects objects;
    struct openers openers;
    struct ring *ring; /* NULL: there is no client */
    int wake;          /* eventfd that wakes the client */

    struct wire_stats stats;
    uint64_t started_at; /* time at which sampling began or went on */
    uint64_t born_at;    /* time at which a tracee last made another task */
    struct {
        uint64_t cpu_ns; /* CPU time of processes that have ended */
        int64_t left_ns; /* serving: the part of it that no sample stands for; may be negative */
    } ended;

    /* only the first tracer's */
    struct housekeeping housekeeping;
    struct client client;
    uint64_t retry_at; /* time at which the threads that refused are asked once more */
    struct {
        bool requested;        /* a request has come */
        uint64_t requested_at; /* time of the last request */
    } serving;
};

void supervisor_lock(struct supervisor *supervisor);
void supervisor_unlock(struct supervisor *supervisor);
/* Takes the lock if it is free. Returns false if it is not. */
bool supervisor_try_lock(struct supervisor *supervisor);
/* Returns the tracee of that number, of any tracer; NULL: there is none. */
struct tracee *supervisor_find(const struct supervisor *supervisor, pid_t tid);

#endif
