/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: knows which system calls a stop can cut short or interrupt, finds out what is left of such a call, and builds
 * the calls that do the rest.
 *
 * A blocking call may have moved only a part of its data when a signal comes, or when a tracer stops the thread. Then
 * the call returns the size of that part, and most programs believe that everything was moved. call-request.c has a
 * table of the calls that behave like this, and finds their vectors and messages in memory. call-cut.c decides whether
 * a call was cut short. call-piece.c builds the calls that do the rest (the pieces). call-progress.c adds up what the
 * pieces have moved. call-restart.c decides which calls are begun anew; if stops have broken a call several times, it
 * keeps ticks away from the next attempt. call-time-limit.c finds out how long a call may wait. descriptor.c finds out
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
    CALL_COPY,    /* copies from one file to another; the kernel advances the file positions */
    CALL_SPLICE,  /* moves data out of a pipe until the pipe is empty */
    CALL_ENTRIES, /* reads entries of a directory */
    CALL_EVENTS,  /* io_getevents */
    CALL_RING,    /* io_uring_enter */
};

/* What the address argument of a call points to. `size` is the field of struct call_request. */
enum call_shape {
    CALL_BYTES,    /* `size` bytes; also used for calls without an address argument */
    CALL_VECTOR,   /* `size` elements of type struct iovec */
    CALL_MESSAGE,  /* struct msghdr */
    CALL_MESSAGES, /* `size` elements of type struct mmsghdr */
};

/* Properties of the files of a call, found by call_was_cut. */
struct call_target {
    /* the descriptor is a socket, so pieces are calls of sendto and recvfrom, unless call_request.filtered is true */
    bool is_socket;
    bool is_stream;     /* the socket transfers a stream of bytes, not messages */
    bool is_local;      /* the socket is of AF_UNIX */
    /* CALL_WRITE: the file is a pipe in packet mode, in which each page that is written is a packet (O_DIRECT of
     * pipe(2)) */
    bool packets;
    unsigned pipe_page; /* CALL_WRITE to a pipe: size of a page, bytes; otherwise 0 */
    bool peek_advances; /* with MSG_PEEK, a receive begins where the former one ended (SO_PEEK_OFF) */
    /* CALL_MESSAGES: the last message counts as complete, because something other than a signal may have ended it
     * (urgent data, or MSG_PEEK on a local socket) */
    bool at_bound;
    /* CALL_READ on a local socket: the kernel may end a receive early because the sender changes, or has passed
     * descriptors. No flag shows this. So if this field is true, and a piece receives less than it was asked for,
     * another piece follows only if a signal is pending. The field is true in two cases: the socket keeps the data of
     * different senders apart; or the process has only one thread, so no other thread can take the pending signal */
    bool hides_bounds;
};

/* A decoded system call. */
struct call_request {
    enum call_kind kind;
    enum call_shape shape;
    uint32_t flags;  /* flags argument of the call: MSG_..., SPLICE_F_... or IORING_ENTER_... */
    bool narrow;     /* the words in the call's struct iovec or msghdr have 32 bits */
    /* the program has a seccomp(2) filter, so pieces must use the system call number of the original call, even for
     * sockets */
    bool filtered;
    bool no_sigpipe; /* the call is a pwritev2 with RWF_NOSIGNAL, so it raises no SIGPIPE */
    bool at_offset;  /* an argument of the call is a file position; the next field, `offset`, contains it */
    uint64_t offset;
    /* descriptor that is read or written; if there are two (CALL_SPLICE, CALL_COPY), the one that is written; -1: none.
     * The properties of its file decide whether the call was cut short */
    int descriptor;
    int source;                             /* CALL_SPLICE and CALL_COPY: descriptor that is read; other calls: -1 */
    /* the files to which `descriptor` and `source` referred when the call was cut short */
    struct file_identity file, source_file;
    struct call_target target;              /* properties of the file of `descriptor` */
    /* index of the argument that contains `size`, and of the argument that contains `address`; -1: none */
    int8_t size_argument, address_argument;
    uint64_t address;
    /* what the program has asked for: number of bytes, elements, events or submissions */
    uint64_t size;
    uint64_t enough;     /* the call is complete after this many bytes, even if `size` is larger */
    uint64_t events_min; /* CALL_EVENTS and CALL_RING: how many events the call waits for */
    uint64_t timeout;    /* recvmmsg(2): address of the call's time limit; 0: no limit */
    bool narrow_time;    /* the time limit at address `timeout` has 32-bit words */
};

/* If a stop can cut this call short, fills *request in and returns true. tid: thread that made the call; the arguments
 * of a socketcall(2) are read from its memory. */
bool call_decode(pid_t tid, const struct regs_call *call, struct call_request *request);

/* Returns true if the call is a copy_file_range. */
bool call_is_copy_file_range(const struct regs_call *call);

/* Returns true if the call was interrupted, has done nothing, and may be begun anew. The result of such a call is
 * EINTR, or EAGAIN if it is a BPF_PROG_LOAD. If the first argument is not known (call->lacks_first), every bpf(2)
 * counts as a BPF_PROG_LOAD. */
bool call_is_interrupted(const struct regs_call *call);
/* Returns true if an interruption by EINTR loses no work of the call: the next call continues where this one ended. */
bool call_undoes_nothing(const struct regs_call *call);
/* Returns true if `result` is one of the -ERESTART... codes (include/linux/errno.h): the kernel itself begins the call
 * anew. But for some of these codes the call returns EINTR if a signal handler runs first. */
bool call_is_restarted_by_kernel(int64_t result);
/* -ERESTARTNOHAND of include/linux/errno.h: the kernel begins the call anew; but if a signal handler runs first, the
 * call returns EINTR */
#define CALL_RESTARTNOHAND (-514)
/* value of *limit_ns of call_time_limit if the call has no time limit */
#define CALL_NO_LIMIT UINT64_MAX

/* Sets *limit_ns to how long an interrupted call may wait, ns, or to CALL_NO_LIMIT. Sets *result to what the call
 * returns if it has waited that long. Returns false if the limit is not known. */
bool call_time_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns, int64_t *result);

/* Returns true if the time limit of the socket (SO_RCVTIMEO, SO_SNDTIMEO) applies to each part of the call separately.
 * A part is one message of recvmmsg(2) or sendmmsg(2), or one kernel buffer of a send on a local stream socket
 * (unix_stream_sendmsg). */
bool call_limit_is_of_part(pid_t pid, pid_t tid, const struct regs_call *call);

/* How much of a call was done by the call itself and by its pieces, the calls that do the rest. */
struct call_progress {
    uint64_t done; /* how much is done, in the unit of the call's return value: bytes, messages or events */
    /* CALL_MESSAGES: how many bytes of the next message (the one after the first `done` messages) are already moved */
    uint64_t part;
};

/* Returns true if each piece must receive all data again, from the first byte on. This is so for a receive with
 * MSG_PEEK, which leaves the data in the socket, unless SO_PEEK_OFF is set. */
bool call_peek_restarts(const struct call_request *request);

/* Sets *piece to a call that does the rest of `call`, or a part of the rest. The rest is what *progress does not
 * contain. Returns how much the piece should move, in the units of its result; 0: nothing is left to do; -errno: no
 * such call can be built. */
int64_t call_next_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                        const struct call_progress *progress, struct regs_call *piece);
/* Adds to *progress what a piece has moved. moved: result of the piece. Returns 0 or -errno. */
int call_add_piece(pid_t tid, const struct call_request *request, uint64_t moved, struct call_progress *progress);
/* Sets *progress to what a call that was cut short has done. The result of the call, call->result, may count an
 * incomplete message; progress->done does not. If recvmmsg(2) has put bytes of an incomplete message into the next one,
 * moves them back in the target's memory, in some cases even if an error is returned. Returns 0 or -errno: -EOPNOTSUPP
 * if the rest cannot be received, or an error of target_memory_read or target_memory_write. */
int call_first_progress(pid_t tid, const struct regs_call *call, struct call_request *request,
                        struct call_progress *progress);

/* Decides whether a call that returned less than it was asked for was cut short by a stop or a signal. Returns 1 if it
 * was. Returns 0 if not: the call never waits, or its file had no more to give or take. Returns -errno if this cannot
 * be decided, for example -ETIME if the time limit of the call may have ended it. Sets *limit_ns to how long the whole
 * call may wait, ns; 0: it has no limit, or each part of it has a limit of its own (call_limit_is_of_part). Sets file,
 * source_file and target of *request, and may lower request->enough. */
int call_was_cut(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request, uint64_t *limit_ns);

/*
 * backoff: if several stops in a row break the same call of a thread, keeps ticks from interrupting the thread in this
 * call for a while.
 *
 * Some calls take long, look for signals, and undo all their work if a signal is pending: fallocate on tmpfs before
 * Linux 6.11, the verifier of BPF programs, mm_take_all_locks. If such a call takes longer than the time between two
 * stops, and begins anew after each stop, it never ends. So the thread is resumed by PTRACE_SYSCALL, first to the entry
 * stop and then to the exit stop of the call, and no tick interrupts it before the exit stop.
 *
 * But some calls lose no work when they are interrupted, and may never end. So ticks may interrupt the thread again
 * when the call has run for BACKOFF_HOLD_NS. If a tick then breaks the call, the next attempt may run for twice that
 * time, and so on.
 */
#define BACKOFF_HOLD_NS 1000000000u

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* number of stops in a row that have broken the call with this number, pc and sp */
    enum {
        BACKOFF_NONE,
        BACKOFF_BEFORE_CALL, /* the thread has not reached the call's entry stop yet */
        BACKOFF_IN_CALL,     /* the thread has not reached the call's exit stop yet */
    } phase;
    /* ticks must not interrupt the thread in this call for this time, ns; 0: ticks were never held off in this call */
    uint64_t hold_ns;
    uint64_t until;   /* BACKOFF_IN_CALL: no tick must interrupt the thread before this time, CLOCK_MONOTONIC ns */
};

/* Records that a stop of ours has broken a call. syscall: number of the call; pc: address after its instruction; sp:
 * stack pointer. Returns true if stops have broken the same call so often that ticks must not interrupt the thread in
 * the next attempt. Then backoff_begin must be called. */
bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp);
/* Records that a stop of ours has broken no call of the thread. Forgets the call that was recorded last. */
void backoff_reset(struct backoff *backoff);
/* From now on, ticks must not interrupt the thread (backoff_holds). To be called when the call that was passed to
 * backoff_note is to begin anew, before the thread is resumed by PTRACE_SYSCALL. */
void backoff_begin(struct backoff *backoff);
/* Returns true if backoff_begin was called, and the thread has not reached the exit stop of the call yet. */
bool backoff_follows(const struct backoff *backoff);
/* Returns true if ticks must not interrupt the thread at time `now`. */
bool backoff_holds(const struct backoff *backoff, uint64_t now);
/* To be called at the entry stop and at the exit stop of the call. now: present time. interrupted: a tick has
 * interrupted the thread during the call. At the exit stop, returns true and makes backoff_follows return false. */
bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now);
/* To be called if the entry stop or exit stop of the call will not come, because another stop has broken the call, or
 * because the thread will not make it. */
void backoff_end(struct backoff *backoff);

#endif
