/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire: the protocol between the supervisor and its client.
 *
 * Events flow one way, from the supervisor to the client, through a ring in shared memory. Commands and file
 * descriptors go through a socket. Events can be recorded to a file and replayed, so that everything behind the ring is
 * tested without ptrace.
 *
 * Every event starts with a wire_header. Sizes are multiples of 8, records are aligned to 8 bytes, and numbers have the
 * byte order of the machine. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef PPROFIL_WIRE_H
#define PPROFIL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The version of this protocol. It goes up with every change of an event, a message or the supervisor's arguments. Both
 * sides must have the same version: a ring carries that of its creator, and the supervisor's hello (its first DONE) has
 * the supervisor's as its value. If struct wire_message ever grows, the hello must keep its size.
 */
#define WIRE_VERSION 10u

enum wire_type {
    WIRE_SAMPLE = 1, /* wire_sample */
    WIRE_MAP,        /* wire_map: comes before the first sample inside it */
    WIRE_EXEC,       /* wire_task: pid runs a new image; tid is the caller's former id */
    WIRE_FORK,       /* wire_fork: a new process */
    WIRE_THREAD,     /* wire_task: a new thread */
    WIRE_COMM,       /* wire_comm */
    WIRE_EXIT,       /* wire_exit */
    WIRE_LOST,       /* wire_lost: events dropped because the ring was full */
    WIRE_THROTTLE,   /* wire_throttle: the rate has changed */
    WIRE_STATS,      /* wire_stats: about once a second, and last of all */
};

struct wire_header {
    uint32_t type; /* enum wire_type */
    uint32_t size; /* bytes, this header included; a multiple of 8 */
};

#define WIRE_EVENT_MAX 8192u  /* bytes of any event but a sample with a stack */
#define WIRE_BUILD_ID_MAX 64u /* bytes */

enum wire_sample_flags {
    WIRE_SAMPLE_SLEEPING = 1u << 0, /* wall mode: read from /proc, never stopped */
    WIRE_SAMPLE_COMPAT = 1u << 1,   /* the 32-bit ABI of this machine */
    WIRE_SAMPLE_STACK = 1u << 2,    /* a wire_stack follows in the same event */
    WIRE_SAMPLE_WAITING = 1u << 3,  /* wall mode: wall_ns was spent waiting for a CPU; no pc */
    WIRE_SAMPLE_UNINTERRUPTIBLE = 1u << 4, /* with SLEEPING: state D of proc_pid_stat(5) */
};

#define WIRE_NO_SYSCALL (-1)  /* user code */
#define WIRE_PAGE_FAULT (-2)  /* asleep in the kernel, in no system call */

struct wire_sample {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
    uint64_t pc, sp;
    uint64_t cpu_ns;  /* CPU time that this sample stands for */
    uint64_t wall_ns; /* wall mode: elapsed time that it stands for; else 0 */
    int32_t syscall;  /* the system call that the thread is in, WIRE_NO_SYSCALL or WIRE_PAGE_FAULT */
    uint32_t flags;   /* enum wire_sample_flags */
};

#define WIRE_STACK_REGS 33u          /* in DWARF's numbering: AArch64 has the most */
#define WIRE_STACK_MIN 1024u       /* bytes of stack that a client may ask for */
#define WIRE_STACK_MAX (1u << 20)

/* A copy of a stopped thread's stack, from its stack pointer up. If the thread is in a signal handler on an alternate
 * stack, a copy of the stack that the signal interrupted follows. */
struct wire_stack {
    uint64_t start;       /* address of the first byte */
    uint64_t below_start; /* the same for the interrupted stack */
    uint32_t size;        /* bytes; 0: the stack could not be read */
    uint32_t below_size;  /* bytes of the interrupted stack, which follow; 0: there is none */
    uint64_t known;  /* bit i: regs[i] is known. pc and sp are in the sample. */
    uint64_t regs[WIRE_STACK_REGS]; /* System V ABI of each machine, "DWARF Register Number" */
}; /* the bytes follow, padded to the record's size */

/* Returns the stack that follows a sample with WIRE_SAMPLE_STACK; NULL: the sample has none. */
const struct wire_stack *wire_sample_stack(const struct wire_sample *sample);
const unsigned char *wire_stack_bytes(const struct wire_stack *stack);

#define WIRE_SAMPLE_MAX (sizeof(struct wire_sample) + sizeof(struct wire_stack) + WIRE_STACK_MAX)

enum wire_map_kind {
    WIRE_MAP_FILE = 1, /* a mapped file: name is its path as the kernel prints it */
    WIRE_MAP_VDSO,     /* the kernel's vDSO: object is a copy of it */
    WIRE_MAP_ANON,     /* memory without a file: JIT code, trampolines */
};

enum wire_map_flags {
    WIRE_MAP_PROGRAM = 1u << 0, /* the file that the process executes */
};

struct wire_map {
    struct wire_header header;
    uint64_t time;
    uint32_t pid;
    uint32_t object;     /* id of the descriptor that follows on the socket; 0: none */
    uint64_t start, end; /* addresses [start, end) */
    uint64_t offset;     /* of start in the file, bytes */
    uint32_t dev_major, dev_minor;
    uint64_t inode;
    uint32_t kind; /* enum wire_map_kind */
    uint32_t flags; /* enum wire_map_flags */
    uint32_t reserved;
    uint32_t build_id_size;
    uint8_t build_id[WIRE_BUILD_ID_MAX];
    char name[]; /* NUL-terminated, padded to the record's size */
};

struct wire_task {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
};

struct wire_fork {
    struct wire_header header;
    uint64_t time;
    uint32_t pid;
    uint32_t ppid; /* 0: launched or attached to by us */
};

struct wire_comm {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
    char comm[16]; /* NUL-terminated */
};

struct wire_exit {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid; /* pid == tid: the whole process has ended, or was detached from */
    uint64_t cpu_ns;   /* of a whole process: CPU time that it used while it was followed */
    int32_t status;    /* as wait(2) gives it; -1: detached alive */
    uint32_t reserved;
};

struct wire_lost {
    struct wire_header header;
    uint64_t time;
    uint64_t events; /* dropped since the last such event */
};

struct wire_throttle {
    struct wire_header header;
    uint64_t time;
    double asked_hz;
    double rate_hz; /* from now on */
};

/* Totals since sampling began; each event replaces the one before. */
struct wire_stats {
    struct wire_header header;
    uint64_t time;
    uint64_t elapsed_ns;    /* sampling time, pauses excluded */
    uint64_t ticks;         /* how often the supervisor looked at its targets */
    uint64_t samples;       /* samples sent */
    uint64_t stopped_ns;    /* sum over threads of the time for which they were held stopped */
    uint64_t target_cpu_ns; /* of all processes while they were followed, ended ones too */
    uint64_t supervisor_cpu_ns;
    uint64_t throttled_ns; /* elapsed time in which the rate was below the one asked for */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a recent sample took from its target */
    uint64_t overhead_ppm;   /* limit of what targets lose to samples, in millionths of their CPU time */
    uint32_t threads;      /* alive now */
    uint32_t processes;    /* alive now */
    uint32_t repaired;     /* system calls restarted that would have failed with EINTR */
    uint32_t continued;    /* system calls continued that would have returned early, with a part of their work done */
    uint32_t cut_short;    /* system calls that returned early and could not be continued */
    uint32_t untraced;     /* threads of followed processes that could not be seized */
};

/* Is this a whole event of a known type that fits into available bytes? Whoever reads events from outside calls this
 * first, and may then rely on their sizes, counts and ends of strings. */
bool wire_event_valid(const struct wire_header *event, size_t available);

/* --- the ring: one producer, one consumer, records never split --------------------- */

struct ring; /* each side has its own struct, and both map the same memory */

/* Creates a ring of at least size bytes in a new memfd. The caller closes *fd once the other side has it. Returns 0 or
 * -errno. */
int ring_create(size_t size, struct ring **ring, int *fd);

/* Maps a ring made by ring_create in another process; fd may be closed afterwards.
 * Returns 0 or -errno; -EINVAL: it is not a ring; -EPROTO: it has another WIRE_VERSION. */
int ring_open(int fd, struct ring **ring);
void ring_close(struct ring *ring);
size_t ring_size(const struct ring *ring); /* bytes of events that fit into it */

/* Producer: returns room for size bytes (a multiple of 8), or NULL if the ring is full. Never waits. */
void *ring_reserve(struct ring *ring, size_t size);
/* The same for an event that the consumer waits for. A small part of the ring is kept free for these. */
void *ring_reserve_last(struct ring *ring, size_t size);
/* Hands the reserved event to the consumer. */
void ring_commit(struct ring *ring);
/* Returns how often a reservation has failed since the last call. */
uint64_t ring_lost(struct ring *ring);
bool ring_half_full(const struct ring *ring);

/* Consumer: returns the oldest event, which stays valid until ring_consume, or NULL. An invalid record ends the stream:
 * from then on ring_peek returns NULL and ring_broken true. */
const struct wire_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring);
bool ring_broken(const struct ring *ring);

/* --- the socket: commands down, answers and descriptors up ------------------------- */

enum wire_op {
    WIRE_OP_ATTACH = 1, /* pid; flags: enum wire_attach_flags */
    WIRE_OP_START,      /* begin or resume sampling */
    WIRE_OP_STOP,       /* pause sampling; targets stay followed */
    WIRE_OP_FLUSH,      /* send statistics now */
    WIRE_OP_CLEAR,      /* reset statistics; sampling must be stopped */
    WIRE_OP_RATE,       /* value: millihertz. The descriptor of a new ring may come with it, for all later events. */
    WIRE_OP_WALL,       /* value: 1: sample sleeping threads too; 0: stop that */
    WIRE_OP_QUIT,       /* detach from all targets, send the last statistics, end */
    WIRE_OP_DONE,       /* up: the answer to any of these; error, pid */
    WIRE_OP_OBJECT,     /* up: value is an object id; its descriptor comes with it, or error is set */
};

enum wire_attach_flags {
    WIRE_ATTACH_LAUNCHED = 1u << 0, /* the client's own child: nothing counts before its exec */
};

struct wire_message {
    uint32_t op;    /* enum wire_op */
    int32_t error;  /* DONE, OBJECT: 0 or an errno */
    int32_t pid;    /* ATTACH, DONE: process; DONE with an error: the task that could not be traced */
    uint32_t flags; /* ATTACH: enum wire_attach_flags; its DONE: how many threads of the process could not be
                       traced, while others could */
    uint64_t value;
};

/* Makes both ends of a SOCK_SEQPACKET pair, close-on-exec. Returns 0 or -errno. */
int wire_socket_pair(int fds[2]);

/* Sends one message, with descriptor fd unless that is -1. Never waits. Returns 0 or -errno; -EAGAIN: the socket is
 * full. */
int wire_send(int socket, const struct wire_message *message, int fd);

/* Receives one message. *fd is the descriptor that came with it, which the caller closes, or -1. Never waits. Returns 0
 * or -errno; -EAGAIN: there is no message; -EPIPE: the other side is gone; -EPROTO: what came is not a message. */
int wire_receive(int socket, struct wire_message *message, int *fd);

/* --- profil(2) of a process's own ---------------------------------------------------- */

/*
 * A process that profiles itself (lib/compat) shares no ring with its supervisor, which counts into the process's
 * memory. The library keeps no descriptor open either: the program might close it, or rely on which numbers are free.
 * Each request is a new connection to an abstract address. The supervisor sends a hello (an answer with its pid and
 * WIRE_VERSION), then the program a request, then the supervisor the answer. Addresses in a request are those of the
 * process that sent it.
 */
enum wire_profil_op {
    WIRE_PROFIL_COUNT = 1, /* begins counting, and ends what an earlier request began */
    WIRE_PROFIL_PCS,       /* the same for pcsample; the answer's value is what pcsample returns */
    WIRE_PROFIL_STOP,
};

/* Whose samples a request is about. */
enum wire_profil_scope {
    WIRE_PROFIL_ALL_THREADS = 0,
    WIRE_PROFIL_OWN_THREAD, /* the caller's only: Solaris before 2.6 */
    /* Tru64, where different threads may use the two forms of profil at the same time. COUNT: all threads, but only
     * the caller if another thread counts by the other form. STOP: what the caller has begun, or else everything. */
    WIRE_PROFIL_OWN_FORM,
};

#define WIRE_PROFIL_REGIONS_MAX 65536u

struct wire_profil_region { /* as in struct dialect_region */
    uint64_t buffer, size;
    uint64_t offset, low, high;
    uint64_t scale;
};

struct wire_profil {
    uint32_t op; /* enum wire_profil_op */
    uint32_t counter_size;
    char dialect[16];   /* name, NUL-terminated */
    uint64_t period_ns; /* 0: the dialect's */
    uint64_t regions;   /* COUNT: address of struct wire_profil_region[] */
    uint64_t region_count;
    uint64_t overflow; /* COUNT: address of the 4-byte bin; 0: none */
    uint64_t array;    /* PCS: address */
    int64_t room;      /* PCS: elements, as given */
    uint64_t told;     /* COUNT: address of a uint64_t, to which ticks that found their counter full are added */
    int32_t pid, tid;  /* the caller's, as its own PID namespace has them */
    uint32_t scope;    /* COUNT, STOP: enum wire_profil_scope */
    uint32_t reserved;
};

struct wire_profil_answer {
    int32_t error; /* 0 or an errno */
    int32_t pid;   /* the supervisor's */
    int64_t value;
};

#define WIRE_PROFIL_NAME 6u /* bytes of an autobound abstract address: unix(7) */

/* Listens on a new abstract address, and writes it to name. Returns a descriptor or -errno. */
int wire_profil_listen(char name[WIRE_PROFIL_NAME]);
/* Connects to such an address and waits for the hello. listener: the process that made the socket; another process may
 * have the address by now. Returns a descriptor, and the supervisor's pid in *supervisor, or -errno; -ECONNREFUSED: it
 * is another process; -EPROTO: it has another WIRE_VERSION. */
int wire_profil_connect(const char name[WIRE_PROFIL_NAME], pid_t listener, pid_t *supervisor);
/* Sends a request and waits for the answer. Returns 0 or -errno; -EPIPE: the supervisor is gone. */
int wire_profil_ask(int fd, const struct wire_profil *request,
                    struct wire_profil_answer *answer);

/* --- recordings -------------------------------------------------------------------- */

struct wire_recording;

/* Creates a recording, or empties the file that is there. Returns 0 or -errno. */
int wire_record_create(const char *path, struct wire_recording **recording);
/* Appends one event. wire_record_close returns the first error. */
void wire_record_event(struct wire_recording *recording, const struct wire_header *event);
int wire_record_close(struct wire_recording *recording);

/* Opens a recording. Returns 0 or -errno; -EPROTO: the file is not a recording. */
int wire_replay_open(const char *path, struct wire_recording **recording);
/* Returns the next event, which is valid until the next call, or NULL at the end. *error is 0, or -EPROTO where the
 * recording is cut short or has an invalid event. */
const struct wire_header *wire_replay_next(struct wire_recording *recording, int *error);
void wire_replay_close(struct wire_recording *recording);

#endif
