/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: what system calls move, and how one that a stop cut short goes on.
 *
 * A blocking call that has moved something when a signal, or a tracer's stop, is pending returns what it has moved so
 * far. Most programs take that for the whole. call-request.c has a table of the calls that do so, and finds their
 * vectors and messages in memory; call-cut.c tells whether one was cut short; call-piece.c makes the calls that do the
 * rest; call-progress.c counts what they have moved. call-restart.c has the calls that are begun anew, and keeps those
 * apart that should be left alone. descriptor.c tells which file a descriptor stands for.
 */
#ifndef PPROFIL_CALLS_H
#define PPROFIL_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/calls/descriptor.h"
#include "supervisor/regs.h"

enum call_kind {
    CALL_WRITE,
    CALL_READ,
    CALL_RANDOM,  /* getrandom */
    CALL_COPY,    /* from a file to a file, by the kernel, which moves their positions on by itself */
    CALL_SPLICE,  /* from a pipe, as long as something is in it */
    CALL_ENTRIES, /* reads entries of a directory */
    CALL_EVENTS,  /* io_getevents */
    CALL_RING,    /* io_uring_enter */
};

/* What the address argument of a call points to. */
enum call_shape {
    CALL_BYTES,    /* size bytes; or the kernel does not look at an address */
    CALL_VECTOR,   /* size elements of struct iovec */
    CALL_MESSAGE,  /* struct msghdr */
    CALL_MESSAGES, /* size elements of struct mmsghdr */
};

/* What call_was_cut finds out about the files of a call. */
struct call_target {
    bool is_socket;     /* the descriptor is a socket: pieces are sends and receives, unless the request is filtered */
    bool is_stream;     /* that socket does not keep messages apart */
    bool is_local;      /* that socket is of AF_UNIX */
    bool packets;       /* WRITE to a pipe: each page that is written is a packet: O_DIRECT of pipe(2) */
    unsigned pipe_page; /* WRITE to a pipe: the bytes of one of its pages; else 0 */
    bool peek_advances; /* a MSG_PEEK goes on where the last one ended: SO_PEEK_OFF */
    /* MESSAGES: the receive ended by itself (urgent data, or a MSG_PEEK on a local socket), so the message that came
     * last is whole */
    bool at_bound;
    /* READ on a local socket: what ends the receive early (another sender, descriptors) cannot be seen, so after a
     * short piece another one is made only if a signal waits. Set if the socket tells senders apart, or if the process
     * has one thread */
    bool hides_bounds;
};

/* What a call was asked for. */
struct call_request {
    enum call_kind kind;
    enum call_shape shape;
    uint32_t flags;  /* flags of the call: MSG_, SPLICE_F_, IORING_ENTER_ */
    bool narrow;     /* its iovec and msghdr have 32-bit words */
    bool filtered;   /* a seccomp(2) filter: pieces must have the call's own number, on a socket, too */
    bool no_sigpipe; /* pwritev2 with RWF_NOSIGNAL */
    bool at_offset;  /* it is given a position in the file: offset */
    uint64_t offset;
    int descriptor;                         /* the descriptor that a short count depends on; -1: none */
    int source;                             /* SPLICE, COPY: the descriptor that is read; else -1 */
    struct file_identity file, source_file; /* the files of these descriptors when the call was cut short */
    struct call_target target;              /* what is known of the file of descriptor */
    int8_t size_argument, address_argument; /* indexes of the arguments; -1: none */
    uint64_t address;
    uint64_t size;       /* bytes, elements or events */
    uint64_t enough;     /* bytes that are the whole call, even where it was asked for more */
    uint64_t events_min; /* EVENTS, RING: the number of events that it waits for */
    uint64_t timeout;    /* recvmmsg(2): the address of its time limit; 0: there is none */
    bool narrow_time;    /* that time limit has 32-bit words */
};

/* Returns true if a stop can cut this call short, and fills *request in. tid: the thread whose memory has the arguments
 * of a socketcall. */
bool call_decode(pid_t tid, const struct regs_call *call, struct call_request *request);

/* Returns true if the call is a copy_file_range. */
bool call_is_copy_file_range(const struct regs_call *call);

/* Returns true if the call was interrupted (EINTR; EAGAIN of BPF_PROG_LOAD), has done nothing yet, and may be begun
 * anew. Where call lacks its first argument, each bpf(2) is taken for a BPF_PROG_LOAD. */
bool call_is_interrupted(const struct regs_call *call);
/* Returns true if the call returns EINTR at each interrupt, and goes on where it was when it is made again. */
bool call_undoes_nothing(const struct regs_call *call);
/* Returns true if the kernel itself begins a call with this result anew, unless a handler runs first:
 * include/linux/errno.h. */
bool call_is_restarted_by_kernel(int64_t result);
/* include/linux/errno.h: the kernel begins the call anew, or returns EINTR if a handler runs */
#define CALL_RESTARTNOHAND (-514)
/* call_time_limit: the call has no time limit */
#define CALL_NO_LIMIT UINT64_MAX

/* Finds out how long an interrupted call was to wait, ns or CALL_NO_LIMIT, and the result that it returns after that.
 * Returns false if that is not known. */
bool call_time_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns,
                     int64_t *result);

/* Returns true if the time limit of the socket (SO_RCVTIMEO, SO_SNDTIMEO) begins anew with each part of the call: with
 * each message of recvmmsg(2) and sendmmsg(2), and with each buffer that unix_stream_sendmsg fills. */
bool call_limit_is_of_part(pid_t pid, pid_t tid, const struct regs_call *call);

/* How far a call has come. */
struct call_progress {
    uint64_t done; /* in the units of the return value: bytes, messages or events */
    uint64_t part; /* MESSAGES: bytes of the message under way */
};

/* Returns true if a MSG_PEEK of the rest begins at the beginning again, for it has taken nothing away. */
bool call_peek_restarts(const struct call_request *request);

/* Makes the call that does what is left after progress, or a piece of it. Returns how much that is to move, in the
 * units of its result; 0: nothing is left; -errno: it cannot be made. */
int64_t call_next_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                    const struct call_progress *progress, struct regs_call *piece);
/* Adds what a piece has returned, which is not negative. Returns 0 or -errno. */
int call_add_piece(pid_t tid, const struct call_request *request, uint64_t moved,
                   struct call_progress *progress);
/* Sets *progress to how far the call has come that returned call->result; the last of its messages may be a part. May
 * write to the target's memory, also before it returns an error: bytes that recvmmsg(2) put into the next message are
 * moved back. Returns 0 or -errno: -EOPNOTSUPP if the rest cannot be received, or what target_memory_read and
 * target_memory_write return. */
int call_first_progress(pid_t tid, const struct regs_call *call, struct call_request *request,
                        struct call_progress *progress);

/* Tells whether the call, which returned less than it was asked for, has been cut short. A call that never waits, or a
 * file that gives less by itself, has not. Returns 1, 0, or -errno where that cannot be told: -ETIME where the call may
 * have ended by its time limit. Sets *limit_ns to the time limit of all its waiting; 0: there is none, or one of each
 * part. Sets file, source_file and target of the request; may lower request->enough. */
int call_was_cut(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request,
                 uint64_t *limit_ns);

/*
 * Leaving a thread alone whose call is broken by one stop after the other.
 *
 * Some calls take long, look for signals, and undo all that they have done if there is one: fallocate on tmpfs before
 * Linux 6.11, the verifier of BPF programs, mm_take_all_locks. If such a call takes longer than the time between two
 * stops, and is begun anew after each, it never ends. So the thread goes on to the call's entry stop and exit stop
 * (PTRACE_SYSCALL), and no tick interrupts it before that.
 *
 * A call that undoes nothing may take for ever. So a tick may interrupt it after BACKOFF_HOLD_NS, and if that breaks it
 * again, after twice as long as before.
 */
#define BACKOFF_HOLD_NS 1000000000u

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* how often in a row a call at this place was broken */
    enum {
        BACKOFF_NONE,
        BACKOFF_BEFORE_CALL, /* the call's entry stop is awaited */
        BACKOFF_IN_CALL,     /* its exit stop is awaited */
    } phase;
    uint64_t hold_ns; /* how long ticks leave it alone; 0: it was not left alone at this place yet */
    uint64_t until;   /* IN_CALL: time before which no tick interrupts it */
};

/* Notes that a stop of ours has broken a call: its number, the address behind its instruction, and its stack pointer.
 * Returns true if the thread is to be left alone when that call begins anew: backoff_begin. */
bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp);
/* Notes that a stop of ours has broken no call. */
void backoff_reset(struct backoff *backoff);
/* To be called when the call that was noted begins anew as soon as the thread is resumed, with PTRACE_SYSCALL. */
void backoff_begin(struct backoff *backoff);
/* Returns true if the entry or exit stop of a call is awaited. */
bool backoff_follows(const struct backoff *backoff);
/* Returns true if ticks leave the thread alone at time now. */
bool backoff_holds(const struct backoff *backoff, uint64_t now);
/* To be called when the thread, whose call is followed, stands at the entry or at the exit of a call, at time now.
 * interrupted: a tick has interrupted it. Returns true at the exit, which is not awaited any more. */
bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now);
/* Ends that: the call is broken by another stop, or will not be entered. */
void backoff_end(struct backoff *backoff);

#endif
