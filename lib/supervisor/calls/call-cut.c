/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides whether a call that returned less than it was asked for was cut short by a stop or a signal. If the call
 * never waits, or if its file had no more to give or take, it was not cut short. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/kernel-release.h"
#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/calls/descriptor.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

/* how much of a call's time limit must be left to show that the limit did not end the call, ns */
#define CUT_TIME_LEFT_MIN_NS 10000000

/* Returns true if a read of /dev/random may return less by itself, without a signal. Before commit 90ea1c6436d2
 * ("random: remove the blocking pool") a read returned only what the blocking pool contained. The 5.4 series has had
 * that commit, too, since 2022. But it is treated like older kernels: a read that returned less is not continued. */
static bool cut_random_may_run_dry(void)
{
    return kernel_release_is_before(5, 6);
}

/* Returns true for a device whose driver looks for signals after each page of a read or write. These are the devices of
 * drivers/char/mem.c and random.c, and hwrng, misc device 183. /dev/kmsg (1, 11) is not one of them: each read returns
 * one record. */
static bool cut_is_memory_device(const struct descriptor *file)
{
    dev_t device = file->device;

    if (!S_ISCHR(file->type) || device == makedev(1, 11))
        return false;
    if (device == makedev(1, 8))
        return !cut_random_may_run_dry();
    return major(device) == 1 || device == makedev(10, 183);
}

/* Returns 1 if a write was cut short, else 0. A blocking send on a socket can send only a part if the socket transfers
 * a stream of bytes, or if the call is sendmmsg(2). Any other send sends all or nothing. */
static int cut_write(const struct call_request *request, const struct descriptor *file)
{
    if (S_ISSOCK(file->type))
        return (file->stream || file->opaque || request->shape == CALL_MESSAGES) &&
               !(request->flags & (MSG_DONTWAIT | MSG_ZEROCOPY));
    return S_ISFIFO(file->type) || file->terminal || cut_is_memory_device(file);
}

/* Returns true if a receive may have ended by itself before it had all the data that it was asked for. It does so if
 * urgent data is next. On a local socket there are two further reasons (unix_stream_read_generic in
 * net/unix/af_unix.c): MSG_PEEK does not wait for more data; and MSG_CTRUNC shows that the sender has passed
 * descriptors for which the program had no room. */
static bool cut_is_at_bound(pid_t tid, const struct call_request *request, const struct descriptor *file)
{
    uint32_t told = 0;

    if (request->shape == CALL_MESSAGE && call_read_flags(tid, request, request->address, &told) != 0)
        return true;
    return file->at_mark || (file->local && ((told & MSG_CTRUNC) | (request->flags & MSG_PEEK)) != 0);
}

/* Decides whether a recvmmsg(2) was cut short. Returns the result of call_was_cut. After each message, the kernel
 * writes the remaining time to the target's memory, and ends the call if no time remains. The pieces (the calls that
 * receive the rest) begin with that remaining time, so the time since the last message is not counted. */
static int cut_messages(pid_t tid, struct call_request *request, const struct descriptor *file)
{
    struct timespec left = {0};
    int32_t narrow[2] = {0};

    if (!S_ISSOCK(file->type) || (request->flags & (MSG_DONTWAIT | MSG_WAITFORONE)) != 0)
        return 0;
    request->target.at_bound =
        file->stream && (request->flags & MSG_WAITALL) != 0 && cut_is_at_bound(tid, request, file);
    if (request->timeout == 0)
        return 1;
    int error = request->narrow_time ? target_memory_read(tid, request->timeout, narrow, sizeof narrow)
                                     : target_memory_read(tid, request->timeout, &left, sizeof left);
    if (error != 0)
        return error;
    if (request->narrow_time)
        left = (struct timespec){.tv_sec = narrow[0], .tv_nsec = narrow[1]};
    if (left.tv_sec == 0 && left.tv_nsec == 0)
        return 0;
    return left.tv_sec > 0 || left.tv_nsec >= CUT_TIME_LEFT_MIN_NS ? 1 : -ETIME;
}

static int cut_read(pid_t tid, struct call_request *request, const struct descriptor *file, uint64_t done)
{
    if (cut_is_memory_device(file))
        return 1;
    if (request->shape == CALL_MESSAGES)
        return cut_messages(tid, request, file);
    /* the options of the socket are not known, so we do not know whether the receive ended by itself */
    if (file->opaque && S_ISSOCK(file->type))
        return (request->flags & MSG_WAITALL) != 0 ? -EPERM : 0;
    bool waits_for_all = S_ISSOCK(file->type) && file->stream && (request->flags & MSG_WAITALL) != 0;
    if (waits_for_all)
        return !(request->flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB)) && !cut_is_at_bound(tid, request, file);
    /* any other read waits only until there are read_min bytes; then it returns the data that is there */
    if (file->read_min <= done || (request->flags & MSG_DONTWAIT) != 0 || file->nonblocking ||
        (S_ISSOCK(file->type) && cut_is_at_bound(tid, request, file)))
        return 0;
    request->enough = file->read_min;
    return 1;
}

/* Returns how long the whole call on a socket may wait, ns; 0: no limit. There is no limit for the whole call if the
 * time limit of the socket applies to each part of the call separately: to each message, or to each buffer that
 * unix_stream_sendmsg fills. */
static uint64_t cut_transfer_limit(const struct call_request *request, const struct descriptor *file)
{
    if (request->shape == CALL_MESSAGES || (request->kind == CALL_WRITE && file->local))
        return 0;
    return request->kind == CALL_READ ? file->receive_limit_ns : file->send_limit_ns;
}

static int cut_transfer(pid_t pid, pid_t tid, const struct regs_call *call,
                            struct call_request *request, uint64_t *limit_ns)
{
    struct descriptor file;
    int error = descriptor_look(pid, tid, request->descriptor, &file);

    if (error != 0)
        return error;
    /* a write to a terminal can be cut short after each chunk of data, even if the terminal has room for the rest:
     * iterate_tty_write */
    if (file.nonblocking && !cut_is_memory_device(&file) && !(file.terminal && request->kind == CALL_WRITE))
        return 0;
    request->file = file.file;
    request->target.is_socket = S_ISSOCK(file.type);
    request->target.is_stream = file.stream;
    request->target.is_local = file.local;
    request->target.peek_advances = file.peek_advances;
    if (request->kind == CALL_READ && file.local)
        request->target.hides_bounds = file.passes_credentials || procfs_status_number(tid, "Threads:") == 1;
    if (request->kind == CALL_WRITE && S_ISFIFO(file.type)) {
        request->target.pipe_page = (unsigned)sysconf(_SC_PAGESIZE);
        request->target.packets = file.packets;
    }
    *limit_ns = cut_transfer_limit(request, &file);
    if (request->kind == CALL_WRITE)
        return cut_write(request, &file);
    return cut_read(tid, request, &file, (uint64_t)call->result);
}

static int cut_splice(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request)
{
    struct descriptor from, to;
    int error = descriptor_look(pid, tid, request->source, &from);

    if (error == 0)
        error = descriptor_look(pid, tid, request->descriptor, &to);
    if (error != 0)
        return error;
    request->file = to.file;
    request->source_file = from.file;
    request->target.is_socket = S_ISSOCK(to.type);
    if (!S_ISFIFO(from.type) || S_ISFIFO(to.type) || to.nonblocking || (request->flags & SPLICE_F_NONBLOCK) != 0)
        return 0;
    uint64_t readable = descriptor_readable(pid, tid, request->source, &from.file);
    if (readable == 0)
        return 0;
    uint64_t left = request->size - (uint64_t)call->result;
    if (left > readable)
        request->enough = (uint64_t)call->result + readable;
    return 1;
}

/* Reads one of the two file positions of a copy_file_range(2). If the argument `pointer` of that call is not 0, the
 * position is in the target's memory at that address; otherwise it is the position of descriptor `fd`. */
static int cut_position(pid_t pid, pid_t tid, int fd, uint64_t pointer, uint64_t *position)
{
    return pointer != 0 ? target_memory_read(tid, pointer, position, sizeof *position)
                        : descriptor_position(pid, tid, fd, position);
}

/* Decides whether a copy_file_range(2) was cut short. Returns the result of call_was_cut. When such a call begins, the
 * kernel shortens it: it reads only up to the end of the source, and writes only up to RLIMIT_FSIZE
 * (generic_copy_file_checks in fs/read_write.c). A piece (a further call for the rest) must not go beyond these limits:
 * it would copy too much, or raise SIGXFSZ. If source and target are the same file, the call may have made its own
 * source longer. Then a piece must read only up to the former end of the file. If the file now ends where the call has
 * stopped writing, its former end is taken to be where the call began to write. */
static int cut_range(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request)
{
    uint64_t done = (uint64_t)call->result, from, to, end, limit;
    int error = cut_position(pid, tid, request->source, call->arguments[1], &from);

    if (error == 0)
        error = cut_position(pid, tid, request->descriptor, call->arguments[3], &to);
    if (error == 0)
        error = descriptor_size(pid, tid, request->source, &end);
    if (error == 0)
        error = procfs_file_size_limit(tid, &limit);
    if (error != 0)
        return error;
    bool extends_itself = request->source_file.inode == request->file.inode &&
                          request->source_file.volume == request->file.volume;
    if (extends_itself && end == to)
        end = to - done;
    uint64_t readable = end > from ? end - from : 0, writable = limit > to ? limit - to : 0;
    request->enough = done + (readable < writable ? readable : writable);
    return request->enough > done;
}

static int cut_copy(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request)
{
    struct descriptor to;
    int error = descriptor_look(pid, tid, request->descriptor, &to);

    if (error == 0)
        error = descriptor_file(pid, tid, request->source, &request->source_file);
    if (error != 0)
        return error;
    request->file = to.file;
    request->target.is_socket = S_ISSOCK(to.type);
    if (call_is_copy_file_range(call))
        return cut_range(pid, tid, call, request);
    return !S_ISFIFO(to.type) && !to.nonblocking;
}

static uint64_t cut_wait_limit(pid_t pid, pid_t tid, const struct regs_call *call)
{
    uint64_t limit;
    int64_t result;

    return call_time_limit(pid, tid, call, &limit, &result) && limit != CALL_NO_LIMIT ? limit : 0;
}

int call_was_cut(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request, uint64_t *limit_ns)
{
    *limit_ns = 0;
    switch (request->kind) {
    case CALL_WRITE:
    case CALL_READ:
        return cut_transfer(pid, tid, call, request, limit_ns);
    case CALL_COPY:
        return cut_copy(pid, tid, call, request);
    case CALL_SPLICE:
        return cut_splice(pid, tid, call, request);
    case CALL_EVENTS:
        *limit_ns = cut_wait_limit(pid, tid, call);
        return (uint64_t)call->result < request->events_min;
    case CALL_RING:
        *limit_ns = cut_wait_limit(pid, tid, call);
        return (request->flags & IORING_ENTER_GETEVENTS) != 0 && request->events_min > 0 &&
               (uint64_t)call->result == request->size;
    case CALL_RANDOM:
        return (call->arguments[2] & GRND_RANDOM) == 0 || !cut_random_may_run_dry();
    case CALL_ENTRIES:
        break;
    }
    return 1;
}
