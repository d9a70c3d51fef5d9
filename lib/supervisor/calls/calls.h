/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: knows which system calls a stop can cut short or interrupt, finds out what is left of such a call, and builds
 * the calls that do the rest.
 *
 * If a signal or a tracer's stop is pending, a blocking call that has moved a part of its data returns the size of that
 * part. Most programs then believe that the call has moved everything. call-request.c has a table of these calls, and
 * finds their vectors and messages in memory. call-cut.c decides whether a call was cut short. call-piece.c builds the
 * calls that do the rest (pieces). call-progress.c adds up what they have moved. call-restart.c handles calls that are
 * begun anew, and calls that must be left alone. call-time-limit.c finds how long a call may wait. descriptor.c finds
 * properties of the file of a descriptor.
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
    CALL_COPY,    /* copies from file to file; the kernel advances the file positions by itself */
    CALL_SPLICE,  /* moves from a pipe until the pipe is empty */
    CALL_ENTRIES, /* reads entries of a directory */
    CALL_EVENTS,  /* io_getevents */
    CALL_RING,    /* io_uring_enter */
};

/* What the address argument of a call points to. */
enum call_shape {
    CALL_BYTES,    /* size bytes; also used for calls without an address */
    CALL_VECTOR,   /* size elements of struct iovec */
    CALL_MESSAGE,  /* struct msghdr */
    CALL_MESSAGES, /* size elements of struct mmsghdr */
};

/* Properties of the files of a call, found by call_was_cut. */
struct call_target {
    bool is_socket;     /* the descriptor is a socket: pieces are sendto and recvfrom, unless call_request.filtered */
    bool is_stream;     /* the socket is a byte stream, without messages */
    bool is_local;      /* the socket is of AF_UNIX */
    /* WRITE to a pipe in packet mode, in which each page written is a packet: O_DIRECT of pipe(2) */
    bool packets;
    unsigned pipe_page; /* WRITE to a pipe: size of a page, bytes; else 0 */
    bool peek_advances; /* each MSG_PEEK continues where the last one ended: SO_PEEK_OFF */
    /* MESSAGES: the receive may have ended by itself (urgent data, or a MSG_PEEK on a local socket), so its last
     * message counts as complete */
    bool at_bound;
    /* READ on a local socket: a change of sender, or passed descriptors, may end a receive early, and no flag shows
     * this. So after a short piece another piece is made only if a signal is pending. Set if the socket keeps senders
     * apart. Also set if the process has one thread: no other thread can take that signal */
    bool hides_bounds;
};

/* A decoded system call. */
struct call_request {
    enum call_kind kind;
    enum call_shape shape;
    uint32_t flags;  /* flags of the call: MSG_, SPLICE_F_, IORING_ENTER_ */
    bool narrow;     /* iovec and msghdr of the call have 32-bit words */
    bool filtered;   /* the program has a seccomp(2) filter: pieces must have the call's own number, even for sockets */
    bool no_sigpipe; /* pwritev2 with RWF_NOSIGNAL */
    bool at_offset;  /* an argument of the call is a file position, stored in offset */
    uint64_t offset;
    /* descriptor that is read or written (SPLICE, COPY: written); its file decides whether a short count is complete;
     * -1: none */
    int descriptor;
    int source;                             /* SPLICE, COPY: descriptor that is read; else -1 */
    struct file_identity file, source_file; /* files of the two descriptors when the call was cut short */
    struct call_target target;              /* properties of the file of `descriptor` */
    int8_t size_argument, address_argument; /* indexes of the arguments; -1: none */
    uint64_t address;
    uint64_t size;       /* size or count argument of the call: bytes, elements, events or submissions */
    uint64_t enough;     /* number of bytes after which the call is complete, even if size is larger */
    uint64_t events_min; /* EVENTS, RING: number of events that the call waits for */
    uint64_t timeout;    /* recvmmsg(2): address of the call's time limit; 0: no limit */
    bool narrow_time;    /* the time limit at timeout has 32-bit words */
};

/* Returns true if a stop can cut this call short, and fills *request in. tid: thread whose memory contains the
 * arguments of a socketcall(2). */
bool call_decode(pid_t tid, const struct regs_call *call, struct call_request *request);

/* Returns true if the call is a copy_file_range. */
bool call_is_copy_file_range(const struct regs_call *call);

/* Returns true if the call was interrupted (EINTR; EAGAIN of BPF_PROG_LOAD), has done nothing yet, and may be begun
 * anew. If call->lacks_first, any bpf(2) counts as a BPF_PROG_LOAD. */
bool call_is_interrupted(const struct regs_call *call);
/* Returns true if the call loses no work when it returns EINTR: called again, it continues where it was. */
bool call_undoes_nothing(const struct regs_call *call);
/* Returns true if the result is an -ERESTART... code: the kernel itself begins the call anew. Some codes become EINTR
 * if a signal handler runs first. See include/linux/errno.h. */
bool call_is_restarted_by_kernel(int64_t result);
/* -ERESTARTNOHAND of include/linux/errno.h: the kernel begins the call anew, or returns EINTR if a handler runs */
#define CALL_RESTARTNOHAND (-514)
/* the limit_ns that call_time_limit sets for a call without a time limit */
#define CALL_NO_LIMIT UINT64_MAX

/* Sets *limit_ns to the time limit of an interrupted call, ns or CALL_NO_LIMIT. Sets *result to what the call returns
 * when that time is over. Returns false if the limit is not known. */
bool call_time_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns,
                     int64_t *result);

/* Returns true if the time limit of the socket (SO_RCVTIMEO, SO_SNDTIMEO) begins anew with each part of the call. A
 * part is a message of recvmmsg(2) or sendmmsg(2), or a buffer that unix_stream_sendmsg fills. */
bool call_limit_is_of_part(pid_t pid, pid_t tid, const struct regs_call *call);

/* How far a call has come, its pieces included. */
struct call_progress {
    uint64_t done; /* amount done, in the units of the return value: bytes, messages or events */
    uint64_t part; /* MESSAGES: bytes moved of the message after the first `done` ones; 0 if none */
};

/* Returns true if each piece must begin at the first byte again. This is so for a MSG_PEEK, which takes no data away,
 * unless SO_PEEK_OFF is set. */
bool call_peek_restarts(const struct call_request *request);

/* Builds in *piece a call that does the rest after progress, or a part of that rest. Returns how much the piece should
 * move, in the units of its result; 0: nothing is left; -errno: no such call can be built. */
int64_t call_next_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                    const struct call_progress *progress, struct regs_call *piece);
/* Adds to *progress what a piece has moved. moved: result of the piece. Returns 0 or -errno. */
int call_add_piece(pid_t tid, const struct call_request *request, uint64_t moved,
                   struct call_progress *progress);
/* Sets *progress for a call that was cut short and has returned call->result. The last message may be incomplete. May
 * write to the target's memory, even before it returns an error: it moves back bytes that recvmmsg(2) has put into the
 * next message. Returns 0 or -errno: -EOPNOTSUPP if the rest cannot be received, or an error of target_memory_read or
 * target_memory_write. */
int call_first_progress(pid_t tid, const struct regs_call *call, struct call_request *request,
                        struct call_progress *progress);

/* Returns 1 if the call, which returned less than it was asked for, was cut short by a stop or a signal. Returns 0 if
 * the call was not cut short: it never waits, or its file returned less by itself. Returns -errno if this cannot be
 * decided: -ETIME if the call may have ended by its time limit. Sets *limit_ns to the time limit of the whole wait; 0:
 * no limit, or a limit for each part. Sets file, source_file and target of the request. May lower request->enough. */
int call_was_cut(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request,
                 uint64_t *limit_ns);

/*
 * backoff: leaves a thread alone if several stops in a row break its call.
 *
 * Some calls take long, look for signals, and undo all their work if one is pending: fallocate on tmpfs before Linux
 * 6.11, the verifier of BPF programs, mm_take_all_locks. If such a call takes longer than the time between two stops,
 * and begins anew after each stop, it never ends. So the thread is resumed to the call's entry stop and then to its
 * exit stop (PTRACE_SYSCALL), and no tick interrupts it before that.
 *
 * The call may also be one that undoes nothing and never ends. So a tick may interrupt the call after BACKOFF_HOLD_NS.
 * If that breaks the call again, the next tick may interrupt it after twice that time, and so on.
 */
#define BACKOFF_HOLD_NS 1000000000u

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* number of times in a row that a stop broke the call with this syscall, pc and sp */
    enum {
        BACKOFF_NONE,
        BACKOFF_BEFORE_CALL, /* the thread has not reached the call's entry stop yet */
        BACKOFF_IN_CALL,     /* the thread has not reached the call's exit stop yet */
    } phase;
    /* how long ticks leave the thread alone, ns; 0: ticks have not left the thread alone in this call before */
    uint64_t hold_ns;
    uint64_t until;   /* IN_CALL: time up to which no tick interrupts the thread, CLOCK_MONOTONIC ns */
};

/* Notes that a stop of ours has broken a call. syscall: number of the call; pc: the address after its instruction; sp:
 * the stack pointer. Returns true if the thread must be left alone when the call begins anew: backoff_begin. */
bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp);
/* Notes that a stop of ours has broken no call of the thread. Forgets the call that was noted before. */
void backoff_reset(struct backoff *backoff);
/* Begins to leave the thread alone. To be called before the thread is resumed by PTRACE_SYSCALL to begin the noted call
 * anew. */
void backoff_begin(struct backoff *backoff);
/* Returns true if the thread has not reached the entry stop or the exit stop of the call yet. */
bool backoff_follows(const struct backoff *backoff);
/* Returns true if ticks leave the thread alone at time now. */
bool backoff_holds(const struct backoff *backoff, uint64_t now);
/* To be called at time now, when the thread is at the entry or exit stop of the call. interrupted: a tick has
 * interrupted the thread. Returns true at the exit stop, where backoff_follows becomes false. */
bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now);
/* Ends the waiting for the stops of the call: another stop has broken the call, or the thread will not enter it. */
void backoff_end(struct backoff *backoff);

#endif
