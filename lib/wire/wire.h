/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire: what the supervisor and its client say to each other.
 *
 * Events flow one way, from the supervisor to the client, through a ring in
 * shared memory; commands and file descriptors go through a socket. The same
 * events can be recorded to a file and replayed, so that everything right of
 * the ring is tested without ptrace.
 *
 * Every event starts with a wire_header. Sizes are multiples of 8, records are
 * 8-byte aligned, numbers are in the byte order of the machine. All times are
 * CLOCK_MONOTONIC nanoseconds.
 */
#ifndef PPROFIL_WIRE_H
#define PPROFIL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The version of all that is said here; it goes up with every change of an event, a message or
 * the supervisor's arguments. Only sides of the same version talk: a ring carries its maker's,
 * the supervisor's hello (its first DONE) the supervisor's, as its value. struct wire_message
 * may grow only together with a hello of the old size.
 */
#define WIRE_VERSION 10u

enum wire_type {
    WIRE_SAMPLE = 1, /* wire_sample */
    WIRE_MAP,        /* wire_map: comes before the first sample inside it */
    WIRE_EXEC,       /* wire_task: pid runs a new image; tid is the caller's former id */
    WIRE_FORK,       /* wire_fork: a process that was not there before */
    WIRE_THREAD,     /* wire_task: a thread that was not there before */
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

#define WIRE_EVENT_MAX 8192u  /* bytes; no event is larger, but a sample with a stack */
#define WIRE_BUILD_ID_MAX 64u /* bytes */

enum wire_sample_flags {
    WIRE_SAMPLE_SLEEPING = 1u << 0, /* wall mode: read from /proc, never stopped */
    WIRE_SAMPLE_COMPAT = 1u << 1,   /* the 32-bit ABI of this machine */
    WIRE_SAMPLE_STACK = 1u << 2,    /* a wire_stack follows in the same event */
    WIRE_SAMPLE_WAITING = 1u << 3,  /* wall mode: wall_ns is a wait for a CPU; there is no pc */
    WIRE_SAMPLE_UNINTERRUPTIBLE = 1u << 4, /* with SLEEPING: state D of proc_pid_stat(5) */
};

#define WIRE_NO_SYSCALL (-1)  /* user code */
#define WIRE_PAGE_FAULT (-2)  /* asleep in the kernel, but in no system call */

struct wire_sample {
    struct wire_header header;
    uint64_t time;
    uint32_t pid, tid;
    uint64_t pc, sp;
    uint64_t cpu_ns;  /* CPU time that this sample stands for */
    uint64_t wall_ns; /* wall mode: elapsed time that it stands for; else 0 */
    int32_t syscall;  /* system call that the thread was in, or WIRE_NO_SYSCALL, ... */
    uint32_t flags;   /* enum wire_sample_flags */
};

#define WIRE_STACK_REGS 33u          /* in DWARF's numbering; enough for AArch64 */
#define WIRE_STACK_MIN 1024u       /* bytes of stack that may be asked for */
#define WIRE_STACK_MAX (1u << 20)

/* What a thread's stack held while it was stopped, from its stack pointer up; of a thread in a
 * signal handler on an alternate stack, then what the interrupted one held. */
struct wire_stack {
    uint64_t start;       /* address of the first byte */
    uint64_t below_start; /* the same of the interrupted stack */
    uint32_t size;        /* bytes; 0 where it could not be read */
    uint32_t below_size;  /* bytes, which follow those; 0: there is no other stack */
    uint64_t known;  /* bit i: regs[i] is known; pc and sp, which the sample has, always are */
    uint64_t regs[WIRE_STACK_REGS]; /* System V ABI of each machine, "DWARF Register Number" */
}; /* and then the bytes, padded to the record's size */

/* With WIRE_SAMPLE_STACK: what follows the sample; else NULL. */
const struct wire_stack *wire_sample_stack(const struct wire_sample *sample);
const unsigned char *wire_stack_bytes(const struct wire_stack *stack);

#define WIRE_SAMPLE_MAX (sizeof(struct wire_sample) + sizeof(struct wire_stack) + WIRE_STACK_MAX)

enum wire_map_kind {
    WIRE_MAP_FILE = 1, /* a mapped file: name is its path as the kernel prints it */
    WIRE_MAP_VDSO,     /* the kernel's own object: object is a copy of it */
    WIRE_MAP_ANON,     /* no file behind it: JIT code, trampolines */
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
    uint32_t pid, tid; /* pid == tid: the whole process has ended, or was left */
    uint64_t cpu_ns;   /* whole process: CPU time it used while we followed it */
    int32_t status;    /* as wait(2) gives it; -1 where it was left alive */
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
    double rate_hz; /* in force from now on */
};

/* Totals since sampling began; each event replaces the one before. */
struct wire_stats {
    struct wire_header header;
    uint64_t time;
    uint64_t elapsed_ns;    /* sampling time, pauses excluded */
    uint64_t ticks;         /* looks taken */
    uint64_t samples;       /* samples sent */
    uint64_t stopped_ns;    /* sum over threads of the time we held them stopped */
    uint64_t target_cpu_ns; /* all processes, ended ones too, while we followed them */
    uint64_t supervisor_cpu_ns;
    uint64_t throttled_ns; /* elapsed time spent below the rate asked */
    uint64_t full_ns;      /* elapsed time in which no CPU was idle */
    uint64_t sample_cost_ns; /* CPU time that a sample takes from its target, of late */
    uint64_t overhead_ppm;   /* that targets may lose to samples, in millionths of their CPU time */
    uint32_t threads;      /* alive now */
    uint32_t processes;    /* alive now */
    uint32_t repaired;     /* system calls restarted that would have failed with EINTR */
    uint32_t continued;    /* system calls continued that would have come back short */
    uint32_t cut_short;    /* that could not be continued, and came back short */
    uint32_t untraced;     /* threads of followed processes that could not be seized */
};

/* Is this a whole, known event that fits into available bytes? Everything that reads
 * events from outside calls this first; after it the fields may be used as they are. */
bool wire_event_valid(const struct wire_header *event, size_t available);

/* --- the ring: one producer, one consumer, records never split --------------------- */

struct ring; /* each side has its own, on the same memory */

/* Creates a ring of at least size bytes in a new memfd. The caller closes *fd when the
 * other side has it. Returns 0 or -errno. */
int ring_create(size_t size, struct ring **ring, int *fd);

/* Maps a ring made by ring_create in another process; fd may be closed afterwards.
 * -EINVAL: it is no ring; -EPROTO: its maker speaks another WIRE_VERSION. */
int ring_open(int fd, struct ring **ring);
void ring_close(struct ring *ring);
size_t ring_size(const struct ring *ring); /* bytes of events that it holds */

/* Producer: room for size bytes (a multiple of 8), or NULL where the consumer is behind;
 * it is counted then, and ring_lost returns the count once. Never waits. */
void *ring_reserve(struct ring *ring, size_t size);
/* The same for an event that the consumer waits for: a small part of the ring is kept for such. */
void *ring_reserve_last(struct ring *ring, size_t size);
void ring_commit(struct ring *ring);
uint64_t ring_lost(struct ring *ring);
bool ring_half_full(const struct ring *ring);

/* Consumer: the oldest event, or NULL; it stays until ring_consume. A record that is not
 * valid ends the stream: NULL, and ring_broken is true from then on. */
const struct wire_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring);
bool ring_broken(const struct ring *ring);

/* --- the socket: commands down, answers and descriptors up ------------------------- */

enum wire_op {
    WIRE_OP_ATTACH = 1, /* pid; flags: enum wire_attach_flags */
    WIRE_OP_START,      /* begin or resume sampling */
    WIRE_OP_STOP,       /* pause sampling; targets stay followed */
    WIRE_OP_FLUSH,      /* send statistics now */
    WIRE_OP_CLEAR,      /* statistics begin anew; sampling must be stopped */
    WIRE_OP_RATE,       /* value: millihertz; a ring may come with it, for all events after it */
    WIRE_OP_WALL,       /* value: 1: sample sleeping threads too; 0: no more */
    WIRE_OP_QUIT,       /* let everything go, say the last statistics, end */
    WIRE_OP_DONE,       /* up: the answer to any of these; error, pid */
    WIRE_OP_OBJECT,     /* up: value is an object id; its descriptor comes with it, or an error */
};

enum wire_attach_flags {
    WIRE_ATTACH_LAUNCHED = 1u << 0, /* our own child: nothing counts before its exec */
};

struct wire_message {
    uint32_t op;    /* enum wire_op */
    int32_t error;  /* DONE, OBJECT: 0 or an errno */
    int32_t pid;    /* ATTACH, DONE: process; DONE with an error: the task that refused */
    uint32_t flags; /* ATTACH: enum wire_attach_flags; its DONE: threads that refused, while
                       others of the process did not */
    uint64_t value;
};

/* Both ends of a SOCK_SEQPACKET pair, close-on-exec. 0 or -errno. */
int wire_socket_pair(int fds[2]);

/* Sends one message, with descriptor fd unless it is -1. 0 or -errno (-EAGAIN: full). */
int wire_send(int socket, const struct wire_message *message, int fd);

/* Receives one message; *fd is the descriptor that came with it (the caller closes it), or
 * -1. Returns 0, -EAGAIN where there is none, -EPIPE where the other side is gone, -EPROTO
 * on anything that is not a message. */
int wire_receive(int socket, struct wire_message *message, int *fd);

/* --- profil(2) of a process's own ---------------------------------------------------- */

/*
 * A process that profiles itself (lib/compat) shares no ring with its supervisor, which counts
 * into the process's memory. It keeps no descriptor either, lest it closes it or counts on its
 * number: it connects to an abstract address for each request. The supervisor says hello first
 * (an answer with its pid and WIRE_VERSION), then one request and its answer are exchanged. Addresses in a
 * request are of the process that sent it.
 */
enum wire_profil_op {
    WIRE_PROFIL_COUNT = 1, /* replaces whatever was asked for before */
    WIRE_PROFIL_PCS,       /* pcsample: replaces; the answer's value is its return value */
    WIRE_PROFIL_STOP,
};

/* Whose samples a request is about. */
enum wire_profil_scope {
    WIRE_PROFIL_ALL_THREADS = 0,
    WIRE_PROFIL_OWN_THREAD, /* the caller's only: Solaris before 2.6 */
    /* All, or the caller's only where another thread has begun a count of the other dialect: Tru64, whose two forms
     * of profil may be in use by separate threads. STOP: what the caller has begun; else everything. */
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
    uint64_t told;     /* COUNT: address of a uint64_t: ticks that found their counter full are added there */
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

/* A listening socket on a new abstract address, which name gets. A descriptor or -errno. */
int wire_profil_listen(char name[WIRE_PROFIL_NAME]);
/* Connects to it and waits for the hello. listener: who made the socket; the address may have
 * passed to others since. A descriptor, and *supervisor, or -errno; -EPROTO: it speaks another
 * WIRE_VERSION. */
int wire_profil_connect(const char name[WIRE_PROFIL_NAME], pid_t listener, pid_t *supervisor);
/* Sends a request and waits for the answer. 0 or -errno; -EPIPE: the supervisor is gone. */
int wire_profil_ask(int fd, const struct wire_profil *request,
                    struct wire_profil_answer *answer);

/* --- recordings -------------------------------------------------------------------- */

struct wire_recording;

/* Creates (truncates) a recording. 0 or -errno. */
int wire_record_create(const char *path, struct wire_recording **recording);
/* Appends one event; errors are kept and told by wire_record_close. */
void wire_record_event(struct wire_recording *recording, const struct wire_header *event);
int wire_record_close(struct wire_recording *recording);

/* Opens a recording; -EPROTO where the file is none. */
int wire_replay_open(const char *path, struct wire_recording **recording);
/* The next event, valid until the next call; NULL at the end. A cut or invalid tail ends
 * the replay like the end, with *error set to -EPROTO. */
const struct wire_header *wire_replay_next(struct wire_recording *recording, int *error);
void wire_replay_close(struct wire_recording *recording);

#endif
