/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire: the protocol between the supervisor and its client.
 *
 * Events go from the supervisor to the client, through a ring in shared memory. Commands, answers and file descriptors
 * go through a socket. Events can be recorded to a file and replayed, so that the code that reads events can be tested
 * without ptrace.
 *
 * Numbers have the byte order of the machine. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef PPROFIL_WIRE_H
#define PPROFIL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire-event.h"

/*
 * The version of this protocol. It goes up with every change of an event, a message or the supervisor's arguments. Both
 * sides must have the same version. A ring contains the version of its creator. The supervisor's first message, the
 * hello, is a WIRE_OP_DONE whose field value contains the supervisor's version. A client of another version must be
 * able to read it. So it always has the same size, WIRE_HELLO_SIZE.
 */
#define WIRE_VERSION 16u

/* --- the ring: it has one producer and one consumer, and never splits an event ------- */

struct ring; /* each side has its own struct ring; both map the same memory */

/* Creates a ring of at least `size` bytes in a new memfd. Stores the descriptor of the memfd in *fd. The caller closes
 * *fd when the other side has received it. Returns 0 or a negative errno. */
int ring_create(size_t size, struct ring **ring, int *fd);

/* Maps a ring that another process has made with ring_create. The caller may then close fd. Returns 0 or a negative
 * errno; -EINVAL: fd is not a ring; -EPROTO: the ring has another WIRE_VERSION. */
int ring_open(int fd, struct ring **ring);
void ring_close(struct ring *ring);
size_t ring_size(const struct ring *ring); /* returns the number of bytes of events that fit into the ring */

/* Producer: returns room for an event of `size` bytes, a multiple of 8; NULL: the ring is full. Never waits. */
void *ring_reserve(struct ring *ring, size_t size);
/* Does what ring_reserve does, for an event that the consumer waits for. ring_reserve always leaves 1/64 of the ring
 * free, and only this function uses that part. So there is room for such an event even if other events are lost. */
void *ring_reserve_last(struct ring *ring, size_t size);
/* Hands the reserved event to the consumer. */
void ring_commit(struct ring *ring);
/* Returns how many times the ring had no room for an event since the last call of ring_lost. */
uint64_t ring_lost(struct ring *ring);
bool ring_half_full(const struct ring *ring);

/* Consumer: returns the oldest event, which is valid until ring_consume is called; NULL: there is no event. An invalid
 * event ends the stream: after it ring_peek returns only NULL, and ring_broken returns true. */
const struct wire_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring);
bool ring_broken(const struct ring *ring);

/* --- the socket: commands to the supervisor, answers and descriptors from it --------- */

enum wire_op {
    WIRE_OP_ATTACH = 1, /* attach to the process `pid`; the field flags has bits of enum wire_attach_flags */
    WIRE_OP_START,      /* begin or resume sampling */
    WIRE_OP_STOP,       /* pause sampling; targets stay followed */
    WIRE_OP_FLUSH,      /* send the statistics now */
    WIRE_OP_CLEAR,      /* reset the statistics; sampling must be stopped */
    /* set the sampling rate to `value` millihertz. The descriptor of a new ring may come with the message. Then all
     * later events go through the new ring */
    WIRE_OP_RATE,
    WIRE_OP_WALL, /* if `value` is 1, begin wall mode, which also samples sleeping threads; if it is 0, end wall mode */
    WIRE_OP_QUIT,       /* detach from all targets, send the last statistics, and end */
    /* The program of process `pid` has a Python interpreter of version `flags` (PY_VERSION_HEX); `value` is the address
     * of its variable _PyRuntime; the fields object, offset and distance are set. From now on, samples of this process,
     * and of all that map the file later, contain Python frames. The supervisor does not answer. But if the interpreter
     * turns out to be another one, it sends this message back, with an error */
    WIRE_OP_PYTHON,
    /* The process `pid` has mapped a file with Go code; the field object is set. From now on, samples of this process,
     * and of all that map the file later, contain both stacks of a thread that has switched its stack. The supervisor
     * does not answer */
    WIRE_OP_GO,
    WIRE_OP_DONE,       /* sent by the supervisor, to answer any command; the fields error and pid are set */
    /* sent by the supervisor: brings the descriptor of the object with the id `value`. If there is no descriptor, the
     * field error says why */
    WIRE_OP_OBJECT,
};

enum wire_attach_flags {
    WIRE_ATTACH_LAUNCHED = 1u << 0, /* the process is the client's own child. The time before its exec is not counted */
};

struct wire_message {
    uint32_t op;    /* enum wire_op */
    int32_t error;  /* in WIRE_OP_DONE and WIRE_OP_OBJECT: 0, or a positive errno */
    /* in WIRE_OP_ATTACH and WIRE_OP_DONE: id of the process. In a WIRE_OP_DONE with an error: id of the task that could
     * not be traced */
    int32_t pid;
    /* in WIRE_OP_ATTACH: bits of enum wire_attach_flags. In the WIRE_OP_DONE that answers it: how many threads of the
     * process could not be traced, if other threads of the process could. In WIRE_OP_PYTHON: a version */
    uint32_t flags;
    uint64_t value;
    /* the rest is not sent with WIRE_OP_DONE, and is then received as 0 */
    uint32_t object;   /* id of a file, as in wire_map.object; 0: none */
    uint32_t unused;
    uint64_t offset;   /* an offset in that file, at which its code is mapped, bytes */
    uint64_t distance; /* `value` minus the address at which that offset is mapped; may wrap around */
};

#define WIRE_HELLO_SIZE offsetof(struct wire_message, object) /* bytes of a WIRE_OP_DONE */

/* Creates a pair of connected SOCK_SEQPACKET sockets, close-on-exec. Returns 0 or a negative errno. */
int wire_socket_pair(int fds[2]);

/* Sends one message, together with the descriptor fd unless fd is -1. Never waits. Returns 0 or a negative errno;
 * -EAGAIN: the socket is full. */
int wire_send(int socket, const struct wire_message *message, int fd);

/* Receives one message. Stores in *fd the descriptor that came with the message, which the caller closes; -1: none
 * came. Never waits. Returns 0 or a negative errno; -EAGAIN: there is no message; -EPIPE: the other side has closed the
 * socket; -EPROTO: the data is not a message. */
int wire_receive(int socket, struct wire_message *message, int *fd);

/* --- processes that profile themselves with profil(2) -------------------------------- */

/*
 * A process that profiles itself (lib/compat) shares no ring with its supervisor. The supervisor counts directly in the
 * memory of the process. lib/compat also keeps no descriptor open, because the program might close it, or rely on which
 * numbers are free. So for each request the program makes a new connection to an abstract address (unix(7)). First the
 * supervisor sends a hello, an answer with its pid and WIRE_VERSION. Then the program sends a request, and the
 * supervisor sends the answer. Addresses in a request are addresses in the process that sent it.
 */
enum wire_profil_op {
    WIRE_PROFIL_COUNT = 1, /* begin to count; this ends the counting of an earlier request */
    WIRE_PROFIL_PCS, /* begin to store pcs, as pcsample does; the answer contains the value that pcsample returns */
    WIRE_PROFIL_STOP,      /* end counting */
};

/* The threads for which a request begins or ends the counting. */
enum wire_profil_scope {
    WIRE_PROFIL_ALL_THREADS = 0,
    WIRE_PROFIL_OWN_THREAD, /* only the calling thread, as in Solaris before 2.6 */
    /* for Tru64, where one thread may use the plain form of profil while another thread uses the extended form.
     * WIRE_PROFIL_COUNT begins to count all threads. But if another thread already counts with the other form, only the
     * calling thread is counted. WIRE_PROFIL_STOP ends the counting that the calling thread has begun. If this thread
     * has begun none, all counting ends */
    WIRE_PROFIL_OWN_FORM,
};

#define WIRE_PROFIL_REGIONS_MAX 65536u

struct wire_profil_region { /* like struct dialect_region, but with the address of the buffer */
    uint64_t buffer, size;
    uint64_t offset, low, high;
    uint64_t scale;
};

struct wire_profil {
    uint32_t op; /* enum wire_profil_op */
    uint32_t counter_size;
    char dialect[16];   /* name of the dialect, NUL-terminated */
    uint64_t period_ns; /* CPU time of a tick; 0: the tick of the dialect */
    uint64_t regions;   /* WIRE_PROFIL_COUNT: address of an array of struct wire_profil_region */
    uint64_t region_count;
    /* WIRE_PROFIL_COUNT: address of the overflow bin, a 4-byte counter for pcs in no region; 0: none */
    uint64_t overflow;
    uint64_t array;    /* WIRE_PROFIL_PCS: address of the array in which the pcs are stored */
    int64_t room;      /* WIRE_PROFIL_PCS: number of elements of this array, as the program gave it */
    /* WIRE_PROFIL_COUNT: address of a uint64_t, to which the supervisor adds the number of ticks that found their
     * counter full; 0: none */
    uint64_t told;
    int32_t pid, tid;  /* ids of the calling process and thread, as numbered in their own PID namespace */
    uint32_t scope;    /* WIRE_PROFIL_COUNT and WIRE_PROFIL_STOP: enum wire_profil_scope */
    uint32_t reserved;
};

struct wire_profil_answer {
    int32_t error; /* 0 or a positive errno */
    int32_t pid;   /* pid of the supervisor */
    int64_t value;
};

/* size of an abstract socket address that the kernel has chosen, bytes: unix(7), autobind */
#define WIRE_PROFIL_NAME 6u

/* Listens on a new abstract address, and stores the address in `name`. Returns a descriptor or a negative errno. */
int wire_profil_listen(char name[WIRE_PROFIL_NAME]);
/* Connects to the supervisor that serves the address `name`, and waits for its first message, the hello. Stores the pid
 * of the supervisor in *supervisor. listener: the process that has called wire_profil_listen, and has passed the
 * listening socket to the supervisor. Returns a descriptor or a negative errno; -ECONNREFUSED: the address has no
 * listening socket, or another process than `listener` has made it; -EPROTO: the supervisor has another
 * WIRE_VERSION. */
int wire_profil_connect(const char name[WIRE_PROFIL_NAME], pid_t listener, pid_t *supervisor);
/* Sends a request, and waits for the answer. Returns 0 or a negative errno; -EPIPE: the supervisor has ended. */
int wire_profil_ask(int fd, const struct wire_profil *request, struct wire_profil_answer *answer);

/* --- recordings -------------------------------------------------------------------- */

struct wire_recording;

/* Creates a recording. If the file already exists, empties it first. Returns 0 or a negative errno. */
int wire_record_create(const char *path, struct wire_recording **recording);
/* Appends one event to a recording. If this fails, wire_record_close returns the error later. */
void wire_record_event(struct wire_recording *recording, const struct wire_header *event);
int wire_record_close(struct wire_recording *recording);

/* Opens a recording. Returns 0 or a negative errno; -EPROTO: the file is not a recording. */
int wire_replay_open(const char *path, struct wire_recording **recording);
/* Returns the next event, which is valid until the next call; NULL: the recording has ended. Stores in *error 0, or
 * -EPROTO if the recording is cut short or has an invalid event. */
const struct wire_header *wire_replay_next(struct wire_recording *recording, int *error);
void wire_replay_close(struct wire_recording *recording);

#endif
