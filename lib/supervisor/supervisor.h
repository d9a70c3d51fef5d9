/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * supervisor: the program pprofil-supervise, which traces and samples threads. No other program of pprofil calls
 * ptrace, except tests. A client talks to the supervisor through lib/wire. No other folder of lib includes the headers
 * of lib/supervisor.
 *
 * Three headers define the state. This one has what all tracers share, tracer.h has the state of one tracer, and
 * tracee.h has the threads and processes that are followed. Their functions are in supervisor.c, tracer-*.c and
 * tracee-table.c. The other headers mostly declare functions. Some of them belong to several files: follow.h (attach.c,
 * new-tasks.c, exec.c, handover*.c, tracee-end.c), stop.h (stop.c, at-stop.c, wait.c), repair.h (repair-*.c), tick.h
 * (tick-*.c, active.c), sampling.h (sampling.c, housekeeping.c) and calls/calls.h (calls/call-*.c).
 *
 * Can the supervisor hurt a process? (A call, in this comment, is a system call.) A thread that we have seized stops
 * not only at our interrupts. It also stops at every signal that it gets, even an ignored one, at each fork, clone and
 * exec, when its process is stopped (as by Ctrl-Z: a group stop), at SIGCONT, and once when it is born. If we continue
 * a call that we have broken, the thread stops at the beginning and at the end of each further call that this takes. If
 * we keep a signal back for a while (hold it), or have changed the thread's signal mask, the thread stops at its next
 * call, too. An exec waits until we have reaped the other threads of the process. So whatever delays our answer to a
 * stop slows targets down, whether they are sampled or not.
 *
 * Read these files first, in this order. They show what happens at a stop and to a sample:
 *
 *     tracee.h, tracer.h     define the structures
 *     tracer-step.c          one round of a tracer: sleep, answer stops, tick. After stops, the tracer polls for more
 *                            if a CPU is idle: up to 60 us after the last stop, and up to 2 ms in all
 *     tick-run.c             at a tick, interrupts threads that tick-look.c chooses. tick-arm.c sets the times of
 *                            ticks. tick-taken.c finds out which thread had a CPU, if no CPU is idle
 *     wait.c                 answers each stop, which stop.c decodes. If stops come faster than they are answered,
 *                            wait.c takes the tracees in turn, because the kernel does not. It polls up to 50 us for
 *                            the stops of a tick
 *     at-stop.c              reads registers (regs-*.c), copies the stack (target-memory.c), resumes. The threads of
 *                            Go programs have several stacks (go-stacks.c)
 *     repair-stop.c          repairs a call that a stop broke: begins the call anew, or begins to continue it
 *     repair-continue.c      continues a call that has done only a part: further calls, the pieces, do the rest
 *                            (repair-piece.c)
 *     attach.c               seizes threads
 *     exec.c                 answers the stop of an exec
 *     handover.c             gives a thread to another of our tracers, which takes it in handover-take.c
 *
 * These files stop a target, change it, write to it or delay it:
 *
 *     attach.c               PTRACE_SEIZE stops no thread, but a thread in a group stop reports that stop once more.
 *                            While an exec is under way, attach.c sleeps 1 ms, up to 20 times. handover-take.c sleeps
 *                            0.1 ms after each PTRACE_SEIZE that fails with EPERM
 *     wakeup.c               calls PTRACE_SEIZE for attach.c and handover-take.c. One call may wait 10 ms for an exec.
 *                            For each process, attach.c makes up to 101 calls that wait. For each thread,
 *                            handover-take.c makes up to 100. Stops are answered between two calls, not during one
 *     tick-run.c             sends PTRACE_INTERRUPT
 *     at-stop.c              reads registers and copies the stack while the thread is stopped
 *     preempt.c              takes a thread's CPU, for up to 80 us, before a tick interrupts the thread
 *     tracer-affinity.c      while no CPU is idle, moves a tracer from one CPU of its tracees to the next
 *     tracer-priority.c      gives tracers real-time priority; if no CPU is idle and ticks come often, only if other
 *                            programs want the CPUs, and otherwise short slices of CPU time
 *     repair-*.c             write registers (regs-*.c). repair-piece.c interrupts a sleeping thread when the time
 *                            limit of its call is over, and when the tracer leaves. repair-signal.c holds a signal that
 *                            comes between two pieces of a call, and sends it again. It also removes a SIGPIPE that
 *                            only a piece has raised. To do so, it changes the signal mask of a thread that blocks
 *                            SIGPIPE
 *     calls/                 finds out which part of a call is still to be done. call-progress.c writes to the target.
 *                            descriptor.c copies a descriptor of the target, waits for a pipe's lock, and takes a
 *                            socket's pending error
 *     handover.c             detaches a thread. Another tracer seizes the thread (handover-take.c). handover-choice.c
 *                            chooses the thread and that tracer
 *     new-tasks.c            holds a new task until its process is known. Detaches a child that is not to be followed
 *     exec.c                 detaches a process if its new program is not to be followed
 *     proc/procfs.c          reads files of /proc. A read of some of them waits for an exec in the same process. On old
 *                            kernels that exec may wait for us (proc/system.c). If the process has several threads,
 *                            these files are not read on such kernels
 *     usage.c                only with options.usage: reads /proc/PID/io and /proc/PID/stat of a process that is
 *                            attached to, or is left. These reads may wait for an exec. When a task has ended, reads
 *                            up to five files before the task is reaped
 *     kernel-stacks.c        reads /proc/TID/stack, with the rules that proc/procfs.c has for /proc/TID/syscall
 *     proc/maps.c            asks the kernel for mappings. The kernel locks the target's mappings while it answers, and
 *                            may read a file. proc/objects.c decides when to ask. It also opens the list of mappings
 *                            while a tracee is stopped
 *     target-memory.c        reads and writes the memory of targets. Other files do not, except regs-*.c, which read a
 *                            few words of code. The kernel locks the target's mappings, and loads pages. Old kernels
 *                            also wait for an exec
 *     serve/counts.c         writes histograms into programs that profile themselves
 *     debug-log.c            if there is a log, writes its lines before a tracer sleeps and when 64 KiB have gathered.
 *                            Stops wait meanwhile
 *     supervisor.c           supervisor_lock: the stops of new tasks, execs and ends wait for the lock. So do all stops
 *                            of programs that profile themselves. Invariant 4 lists what the holder of the lock may do
 *
 * The other files only read and count. budget.c decides how often to sample, and schedule.c draws the times. active.c
 * keeps the list of threads that may be running. accounting.c and attribution*.c compute the time that a sample
 * represents. proc/objects.c finds the mapped file, kernel-stacks.c reads the kernel stacks of sleeping threads, and
 * emit.c sends the sample. tracee-table.c and cpu-time.c keep threads, processes and their clocks. usage.c and
 * usage-settle.c find out what a process has used, by files of /proc that can be read until the process is reaped.
 * commands.c and serve/serve.c receive requests. sampling.c starts and pauses sampling, and housekeeping.c does
 * periodic work. The rest of proc/ reads /proc and opens files. It forks processes to open files, because opening a
 * file may hang.
 *
 * The states of a tracee (enum tracee_state). A new task is announced when its parent's stop, or /proc, shows to which
 * process it belongs:
 *
 *     it stops before it is announced ------> UNKNOWN --- it is announced ---------------------.
 *                                                                                              |
 *     it is announced -----------------> STARTING --- its first stop --.                       |
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
 *     - Besides the stop of a tick's interrupt, three other stops may break a call: the stop of a signal that the
 *       tracee ignores, the stop of a SIGCONT, and the late stop of an interrupt that another stop has overtaken. Then
 *       RUNNING becomes CONTINUING.
 *     - An UNKNOWN tracee is STARTING for a moment before it becomes RUNNING. If the tracee was born into a group stop,
 *       it becomes LISTENING instead.
 *     - A call that was begun anew may do only a part of its work. Then the stop at the end of the call makes the
 *       tracee RUNNING, and immediately CONTINUING again.
 *     - When a thread executes a program, the leader of its process becomes RUNNING from any state.
 *     - If another thread took the leader's number by an exec that no tracer saw, the leader becomes RELEASED:
 *       handover_regain.
 *     - An exec gives the number of the leader to the thread that calls execve(2). If the former leader belonged to
 *       another tracer, or to none, the caller's tracer makes a new tracee with that number. The new tracee begins as
 *       RUNNING: exec_new_leader. If no tracer sees the stop of the exec, the tracer that seizes the caller afterwards
 *       makes the new tracee: handover_adopt_leader.
 *     - A RELEASED tracee that cannot be seized is forgotten, and its thread may become an untraced thread. A RELEASED
 *       tracee becomes RUNNING without having been seized if we are leaving. It also becomes RUNNING if another of our
 *       tracers has seized the thread with its number. It will then soon be dropped.
 *     - From any state but UNKNOWN and RELEASED, a signal that stops the process makes a tracee LISTENING, and SIGCONT
 *       makes it RUNNING.
 *     - A tracee in any state may end, be detached, or be ended by an exec. It may also be forgotten because its
 *       process is gone, or because another task has its number.
 *     Some fields say what will happen to a tracee, independently of its state. handover.to is the tracer that gets the
 *     tracee when the tracee stops for an interrupt outside of any call. dropped is read at the tracee's stops, at
 *     ticks, and when its tracer reads the inbox. inbox.may_be_replaced is read only when its tracer reads the inbox.
 *
 * The course of a tick; time runs to the right. The tracee is stopped between "stop" and "resume". If it is a program
 * that profiles itself, attribution comes before the resume:
 *
 *     tracer   timer, look at /proc, PTRACE_INTERRUPT ..... registers, stack, repair, resume | attribution, emit
 *     tracee   ------- runs ------------------------- stop ================================ runs --------------
 *
 * Invariants:
 *  1. Every stop is answered according to its kind as soon as it is seen, even if the tracer awaits another stop.
 *     This holds until the tracer has left (has_left of tracer.h). wait_drain returns after 2 ms, and leaves further
 *     stops to its next call. If a sample is wanted, the next stop at which registers are read (at_stop_answer) yields
 *     the sample. An earlier group stop cancels the sample. Three stops are not answered according to their kind. A
 *     task's first stop waits until the task's process is known. A signal that comes between two pieces of a call may
 *     be held until the next piece begins. A SIGPIPE that only a piece has raised is not delivered.
 *  2. Between seeing the stop of an interrupt and the resume, the tracer only reads registers, copies the stack, reads
 *     structures of the Go runtime (up to six system calls) or the frames of a Python interpreter, repairs a call and
 *     writes the debug log. Reading Python frames usually takes one to three system calls, and at most some hundred.
 *     Repairing a call takes up to 30 system calls. Closing the gaps between the messages of a recvmmsg(2) may take
 *     thousands. None of this allocates or takes the lock. Exceptions:
 *     - if the process may be about to execute a program, the list of its mappings is opened with the lock, and the
 *       number of the tracee's CPU is read. After the resume, both steps might have to wait for the exec;
 *     - if the tracee profiles itself, the lock is taken, its process's clock is read, and its sample is counted;
 *     - if the tracee is to be handed over, a byte of its memory and /proc/loadavg are read, and it is detached with
 *       the lock. If another thread holds the lock, or the tracer that gets the tracee is awake, the tracee is sampled
 *       as usual, and handed over at a later stop.
 *     The stops of new tasks, of execs and of ends are answered with the lock, and may allocate. A stop is seen late if
 *     its tracer is busy: with a tick, with the attribution of another sample, with a seizure, or with waiting for the
 *     lock. The first tracer may also be busy with the requests of clients, or with housekeeping.
 *  3. Only the tracer of a tracee calls ptrace for it and frees it. That tracer writes, without the lock, the tracee's
 *     state and the fields that are used at a stop. Other tracers may write only the following fields, and need the
 *     lock for it: dropped, inbox, files.multithreaded, and the links of process->tracees. But the first tracer also
 *     opens and closes files of all tracees, and writes time and sleep.wall. When sampling starts, pauses or is
 *     cleared, it sets pending_ns, overdue_ns, skipped_ns and late_ns of all tracees to 0, and their CPU times to the
 *     kernel's figures. Their tracers may be using these fields just then, so one sample of each tracee may be wrong.
 *  4. Data that the tracers share is written with the lock, except _Atomic fields. A function that gets a supervisor, a
 *     tracer, a process or a tracee needs the lock, unless the comment in its header says otherwise. wait.c answers
 *     some stops without the lock: those for which it needs nothing but the tracee. The holder of the lock does not
 *     wait for a stop, and does not call PTRACE_SEIZE, which may wait 10 ms for an exec. It may answer a stop, start a
 *     thread, fork an opener, read /proc, a file's build-id or a target's memory, write a target's histograms, ask for
 *     another priority, move itself off a CPU, and write the debug log. A read of /proc may also wait for an exec:
 *     proc/system.c explains why.
 *  5. On x86-64, calls of targets return what they would return without us, as far as repair-*.c can achieve it.
 *     pprofil(1), CAVEATS, lists the exceptions.
 *  6. When the supervisor ends, in any way, the kernel detaches all tracees, and each runs on unless a signal has
 *     stopped it. A supervisor that ends in order first waits for the files that its client is to get, up to 2 s, and
 *     answers stops meanwhile. Then each tracer leaves its targets (tracer_leave). For up to 0.3 s it waits for the
 *     stops of interrupts, for the delivery of held signals, and for the end of calls that are being repaired. Then it
 *     gives up the calls that are left, and waits up to 0.3 s until they have ended. A call that was begun anew is not
 *     given up. But if it was broken once more, its time limit begins again, and a connect(2) may return EALREADY. The
 *     first tracer leaves after the others, for which it waits up to 1 s. If one of its own tracees stops after that
 *     wait and before the supervisor has exited, this stop is not answered. If SIGKILL ends the supervisor,
 *     - a call that an interrupt has just broken returns EINTR, or the amount that it has moved;
 *     - a held signal is lost, and a signal that was sent again has another siginfo_t;
 *     - a recvmmsg(2) leaves misplaced data while the gaps between its messages are closed (call-progress.c);
 *     - a call that is being continued returns with the result and the argument registers of its current piece;
 *     - a recvmmsg(2) that was broken may leave an error in its socket, which the next call on that socket returns
 *       (descriptor_clear_error);
 *     - a thread gets the SIGPIPE that is just being taken from it. This may kill the thread. If the thread had blocked
 *       SIGPIPE, it keeps the changed signal mask, which blocks all signals but SIGPIPE.
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
#include "supervisor/wire-ids.h"
#include "wire/wire.h"

struct options {
    double frequency;    /* samples in a second of a thread's CPU time */
    double overhead;     /* targets may lose this share of their CPU time to sampling; more than 0 */
    uint64_t seed;       /* seed of the random numbers; 0: taken from the clock */
    bool wall;           /* wall mode: sample sleeping threads, too */
    bool follow;         /* after an exec, continue to follow the process */
    bool inherit;        /* follow forked children */
    bool parse_maps;     /* behave as on a kernel without PROCMAP_QUERY */
    /* for tests: behave as if reading /proc/TID/syscall might have to wait for an exec (proc/system.c), and as if there
     * were no /proc/TID/sched (tick-taken.c) */
    bool wary;
    bool restless;       /* for tests: hand running threads over as often as possible */
    bool kernel;         /* wall mode: read the kernel stacks of sleeping threads */
    bool usage;          /* report what each process has used: usage.h */
    bool serve;          /* serve programs that profile themselves: serve/serve.c */
    bool open;           /* do nothing but open files, for another process that asks for them: opener_serve */
    uint32_t stack_size; /* bytes of the stack to copy at each sample; 0: none */
    int debug_fd;        /* descriptor for the debug log: debug-log.h; -1: no log */
};

/* The search for tracees that have begun to use CPU time: active.c. A round of the search visits all processes. It is
 * done in pieces, at most one in each call of active_search. */
struct search {
    uint64_t at;       /* time at which the last round began */
    uint64_t piece_at; /* time at which the last piece of a round began */
    uint64_t cost_ns;  /* CPU time that reading the clocks of the processes took in the last round */
};

/* The CPUs that the supervisor may use. */
struct cpus {
    cpu_set_t set;
    unsigned count;    /* number of these CPUs, or less if the control group has a quota: system_cpu_count */
    bool may_poll;     /* `count` is more than 1, so targets have a CPU even while a tracer polls */
    _Atomic bool full; /* no CPU is idle */
    struct cpu_load {
        uint64_t read_at;  /* time at which the system's load was last read */
        /* Running mean of the load: the number of tasks that run or wait for a CPU. Does not include the tracer that
         * reads the load, nor the occupier (preempt.h) of that tracer */
        double mean;
        uint64_t full_at;  /* the last time at which no CPU was idle */
        /* when cpus_full_by_others last read the load, and whether it could be read */
        uint64_t counted_at;
        bool counted;
        bool has_all_cpus; /* `count` is the number of CPUs online, so the system's load is the load of our CPUs */
    } load;
};

/* When which periodic work was last done, or is due: housekeeping.c. */
struct housekeeping {
    /* until this time, a process may end without a stop that we see (an unreported end) */
    uint64_t unreported_until;
    uint64_t stats_due;        /* the next time at which statistics are sent */
    uint64_t ends_at;          /* last time at which processes were searched for unreported ends */
    /* last time at which all processes were searched, not only those that may have an unreported end */
    uint64_t all_ends_at;
    uint64_t rate_reported_at; /* last time at which a changed rate was reported to the client */
    uint64_t full_at;          /* last time at which housekeeping_count_full was called */
};

/* Number of slots of the table of files. Half of them stay free, so that searches are short. */
#define OBJECT_SLOTS 4096
#define OBJECTS_MAX (OBJECT_SLOTS / 2)

/* The files whose descriptors the client has or will get: proc/objects.c. */
struct objects {
    struct object_key {
        uint64_t device, inode;
        bool asked;       /* we have asked an opener, a process that opens files for us, for a descriptor of the file */
        bool has_go;      /* the file has Go code */
        /* The file has a Python interpreter, whose variable _PyRuntime is at this distance from the mapping of this
         * offset. version 0: it has none, as far as is known */
        struct python_place {
            uint32_t version;
            uint64_t offset, distance;
        } python;
    } seen[OBJECT_SLOTS]; /* hash table with open addressing; the id of a file is its index in this array, plus 1 */
    unsigned count;
    uint32_t next_private_id; /* id of the next object that is not a file, minus PRIVATE_IDS of proc/objects.c */
    uint32_t vdso_ids[2];     /* native, compat */
    struct mounts mounts;
    struct mapping_details details; /* scratch space, because 4 KiB are too large for a stack frame */
};

/* The kernel stacks that the client knows: kernel-stacks.c. */
struct kernel_stacks {
    struct wire_ids ids;
    char text[8000]; /* scratch space, because it is too large for a stack frame */
};

/* What a thread waits for: blocked/blocked.h. The fields of struct wire_wait have the same names. */
struct blocked {
    uint32_t kind, holder;
    bool changes; /* what the thread waits for may be another thing later in the same sleep, such as another holder */
    uint64_t address;
    int64_t number;
    uint32_t file_count;
    uint32_t size; /* bytes of `files` */
    char files[WIRE_WAIT_FILES_MAX * WIRE_WAIT_FILE_SIZE];
};

/* What the client knows that threads wait for. */
struct waits {
    struct wire_ids ids;
    struct blocked found; /* scratch space, because it is too large for a stack frame */
    char text[4096];      /* scratch space for files of /proc */
};

/* The connection to the client: commands.c. Only the first tracer uses it. Exception: `watcher` is shared with the
 * thread that watches descriptors. */
struct client {
    int socket; /* socket to the client; with options.serve: the socket on which programs connect */
    int epoll;
    bool quitting; /* the supervisor must end */
    bool gone;     /* the client has closed its socket */
    struct watcher {
        int term;           /* eventfd that is written when SIGTERM comes; -1: no thread waits for SIGTERM */
        _Atomic bool ready; /* one of the watched descriptors can be read */
        sem_t served;       /* posted when the first tracer has handled the readable descriptors */
    } watcher;
};

/* The state that all tracers share. It is used with the lock, except _Atomic fields and fields that only the first
 * tracer uses. */
struct supervisor {
    /* The lock is recursive: at_stop_answer takes it, and at the stops of new tasks and of execs its caller already
     * holds it */
    pthread_mutex_t lock;
    struct options options;
    _Atomic bool sampling;
    _Atomic bool leaving;
    struct tracer *tracers[TRACERS_MAX];
    unsigned tracer_count;
    void *(*run_tracer)(void *tracer); /* the function that the threads of all tracers except the first run */
    unsigned starting;       /* number of tracers whose threads are still starting */
    uint64_t start_again_at; /* until this time, no further tracer can be started */
    struct processes processes;
    struct budget budget;
    struct cpus cpus;
    struct system_load load;
    struct search search;
    struct objects objects;
    struct openers openers;
    struct kernel_stacks kernel_stacks;
    struct waits waits;
    struct ring *ring; /* NULL: there is no client */
    int wake;          /* eventfd that wakes the client */

    struct wire_stats stats;
    uint64_t started_at; /* time at which sampling was last started, resumed or cleared */
    uint64_t born_at;    /* last time at which a tracee made a task */
    struct {
        uint64_t cpu_ns; /* CPU time of all processes that have ended */
        /* for programs that profile themselves: CPU time of ended processes that samples still have to
         * represent; negative if the samples so far represent more than the CPU time */
        int64_t left_ns;
    } ended;

    /* only the first tracer uses these fields: */
    struct housekeeping housekeeping;
    struct client client;
    uint64_t retry_at; /* time at which attach.c next tries to seize the threads that could not be seized before */
    struct {
        bool requested;        /* there has been a request */
        uint64_t requested_at; /* time of the last request */
    } serving;
};

/* To be called before the first call of supervisor_lock. */
void supervisor_init_lock(struct supervisor *supervisor);
void supervisor_lock(struct supervisor *supervisor);
void supervisor_unlock(struct supervisor *supervisor);
/* Takes the lock if it is free, and returns true. Otherwise returns false. */
bool supervisor_try_lock(struct supervisor *supervisor);
/* Returns the tracee with this thread id, from the tables of all tracers; NULL: there is none. */
struct tracee *supervisor_find(const struct supervisor *supervisor, pid_t tid);
/* Returns true if one of our tracers traces the thread. */
bool supervisor_traces(const struct supervisor *supervisor, pid_t tid);

#endif
