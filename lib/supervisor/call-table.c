/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of x86-64 Linux that look for pending signals after they have moved something, and keep
 * what they moved. Found by reading the callers of signal_pending() in Linux 6.1 and 6.12.
 *
 * Not here, for nothing but a fatal signal cuts them short, or because they return what is there
 * anyway: tee and vmsplice (splice.c: one filling of the pipe), process_vm_readv and process_vm_writev
 * (process_vm_access.c and gup.c: fatal signals only), epoll_wait, poll, signalfd and inotify,
 * reads and writes of regular files (filemap.c: fatal signals only), msgrcv, mq_receive, semop
 * (all or nothing), process_madvise (madvise.c: fatal signals only). What an ioctl keeps is the
 * driver's secret: none is continued.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>

#include "supervisor/calls.h"
#include "supervisor/supervisor.h"

#define NONE (-1)
#define TRANSFER_MAX 0x7ffff000u /* MAX_RW_COUNT of include/linux/fs.h: a call moves no more bytes */

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl (x32: those from 512 on) and syscall_32.tbl. */
struct call_row {
    int16_t native, x32, i386;
    enum call_kind kind;
    enum call_shape shape;
    /* indexes of the arguments, or NONE */
    int8_t descriptor, address, size, offset, flags, source, events_min;
};

static const struct call_row rows[] = {
    /* native, x32, i386       kind          shape          fd    addr  size  offs  flags src   min */
    {0, 0, 3,                  CALL_READ,    CALL_BYTES,    0,    1,    2,    NONE, NONE, NONE, NONE}, /* read */
    {1, 1, 4,                  CALL_WRITE,   CALL_BYTES,    0,    1,    2,    NONE, NONE, NONE, NONE}, /* write */
    {17, 17, 180,              CALL_READ,    CALL_BYTES,    0,    1,    2,    3,    NONE, NONE, NONE}, /* pread64 */
    {18, 18, 181,              CALL_WRITE,   CALL_BYTES,    0,    1,    2,    3,    NONE, NONE, NONE}, /* pwrite64 */
    {19, 515, 145,             CALL_READ,    CALL_VECTOR,   0,    1,    2,    NONE, NONE, NONE, NONE}, /* readv */
    {20, 516, 146,             CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    NONE, NONE, NONE, NONE}, /* writev */
    {295, 534, 333,            CALL_READ,    CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE}, /* preadv */
    {296, 535, 334,            CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE}, /* pwritev */
    {327, 546, 378,            CALL_READ,    CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE}, /* preadv2 */
    {328, 547, 379,            CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE}, /* pwritev2 */
    {44, 44, 369,              CALL_WRITE,   CALL_BYTES,    0,    1,    2,    NONE, 3,    NONE, NONE}, /* sendto */
    {45, 517, 371,             CALL_READ,    CALL_BYTES,    0,    1,    2,    NONE, 3,    NONE, NONE}, /* recvfrom */
    {46, 518, 370,             CALL_WRITE,   CALL_MESSAGE,  0,    1,    NONE, NONE, 2,    NONE, NONE}, /* sendmsg */
    {47, 519, 372,             CALL_READ,    CALL_MESSAGE,  0,    1,    NONE, NONE, 2,    NONE, NONE}, /* recvmsg */
    {307, 538, 345,            CALL_WRITE,   CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE}, /* sendmmsg */
    {299, 537, 337,            CALL_READ,    CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE}, /* recvmmsg */
    {NONE, NONE, 417,          CALL_READ,    CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE}, /* recvmmsg_time64 */
    {318, 318, 355,            CALL_RANDOM,  CALL_BYTES,    NONE, 0,    1,    NONE, NONE, NONE, NONE}, /* getrandom */
    {40, 40, 187,              CALL_COPY,    CALL_BYTES,    0,    NONE, 3,    NONE, NONE, NONE, NONE}, /* sendfile */
    {NONE, NONE, 239,          CALL_COPY,    CALL_BYTES,    0,    NONE, 3,    NONE, NONE, NONE, NONE}, /* sendfile64 */
    {326, 326, 377,            CALL_COPY,    CALL_BYTES,    2,    NONE, 4,    NONE, NONE, NONE, NONE}, /* copy_file_range */
    {275, 275, 313,            CALL_SPLICE,  CALL_BYTES,    2,    NONE, 4,    NONE, 5,    0,    NONE}, /* splice */
    {78, 78, 141,              CALL_ENTRIES, CALL_BYTES,    NONE, 1,    2,    NONE, NONE, NONE, NONE}, /* getdents */
    {217, 217, 220,            CALL_ENTRIES, CALL_BYTES,    NONE, 1,    2,    NONE, NONE, NONE, NONE}, /* getdents64 */
    {208, 208, 247,            CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1}, /* io_getevents */
    {333, 333, 385,            CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1}, /* io_pgetevents */
    {NONE, NONE, 416,          CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1}, /* io_pgetevents_time64 */
    {426, 426, 426,            CALL_RING,    CALL_BYTES,    NONE, NONE, 1,    NONE, 3,    NONE, 2}, /* io_uring_enter */
};

static const struct call_row *find_row(const struct regs_call *call)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct call_row *row = &rows[i];
        int16_t number = call->abi == REGS_ABI_NATIVE ? row->native
                         : call->abi == REGS_ABI_X32  ? row->x32
                                                      : row->i386;
        if (number == call->number)
            return row;
    }
    return NULL;
}

static uint64_t argument(const struct regs_call *call, int8_t index)
{
    return index == NONE ? 0 : call->arguments[index];
}

/* socketcall(2) of 32-bit programs has the arguments of the call that it stands for in memory. */
#define SOCKETCALL 102

static bool unfold_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unfolded)
{
    /* include/uapi/linux/net.h: SYS_SEND to SYS_SENDMMSG, as calls of their own */
    static const int16_t numbers[] = {[9] = 369,  [10] = 371, [11] = 369, [12] = 371,
                                      [16] = 370, [17] = 372, [19] = 337, [20] = 345};
    uint64_t which = call->arguments[0];
    uint32_t given[REGS_CALL_ARGUMENTS] = {0};
    size_t count = which == 11 || which == 12 ? 6 : which == 19 ? 5 : which == 16 || which == 17 ? 3 : 4;

    if (which >= sizeof numbers / sizeof *numbers || numbers[which] == 0 ||
        count_read(tid, call->arguments[1], given, count * sizeof *given) != 0)
        return false;
    *unfolded = *call;
    unfolded->number = numbers[which];
    for (size_t i = 0; i < REGS_CALL_ARGUMENTS; i++)
        unfolded->arguments[i] = given[i];
    return true;
}

/* preadv2 and pwritev2 with RWF_NOWAIT */
static bool never_waits(const struct regs_call *call)
{
    bool native = call->abi == REGS_ABI_NATIVE, x32 = call->abi == REGS_ABI_X32;
    int32_t first = native ? 327 : x32 ? 546 : 378;
    uint64_t flags = call->arguments[x32 ? 4 : 5];

    return (call->number == first || call->number == first + 1) && (flags & RWF_NOWAIT) != 0;
}

bool call_decode(pid_t tid, const struct regs_call *call, struct call_request *request)
{
    bool i386 = call->abi == REGS_ABI_I386;
    struct regs_call unfolded = *call;

    if (i386 && call->number == SOCKETCALL && !unfold_socketcall(tid, call, &unfolded))
        return false;
    const struct call_row *row = find_row(&unfolded);
    if (row == NULL || never_waits(&unfolded))
        return false;
    *request = (struct call_request){
        .kind = row->kind,
        .shape = row->shape,
        .narrow_time = i386 && unfolded.number == 337,
        .narrow = i386 || (call->abi == REGS_ABI_X32 && row->x32 != row->native),
        .at_offset = row->offset != NONE,
        .descriptor = row->descriptor == NONE ? -1 : (int)argument(&unfolded, row->descriptor),
        .source = row->source == NONE ? -1 : (int)argument(&unfolded, row->source),
        .address = argument(&unfolded, row->address),
        .size = argument(&unfolded, row->size),
        .enough = TRANSFER_MAX,
        .events_min = argument(&unfolded, row->events_min),
        .timeout = row->shape == CALL_MESSAGES && row->kind == CALL_READ ? unfolded.arguments[4] : 0,
        .offset = argument(&unfolded, row->offset),
        .flags = (uint32_t)argument(&unfolded, row->flags),
        .address_argument = row->address,
        .size_argument = row->size,
    };
    /* the two halves of a position */
    if (i386 && request->at_offset)
        request->offset |= unfolded.arguments[4] << 32;
    /* preadv2(2): a position of -1 is the file's own */
    if (request->at_offset && request->offset == UINT64_MAX)
        request->at_offset = false;
    return true;
}

/* --- calls that say EINTR ------------------------------------------------------------- */

/* close(2) has given the descriptor back when it says EINTR, and restart_syscall(2) has lost what it
 * would restart. An ioctl of USB's has moved data already: devio.c, do_proc_bulk and do_proc_control.
 * Every other call that says EINTR has done nothing yet, but that time has passed. */
static bool may_begin_anew(const struct regs_call *call)
{
    bool i386 = call->abi == REGS_ABI_I386;
    int32_t close = i386 ? 6 : 3, restart = i386 ? 0 : 219, ioctl = i386 ? 54 : 16;
    int32_t x32_ioctl = 514;

    if (call->number == ioctl || (call->abi == REGS_ABI_X32 && call->number == x32_ioctl)) {
        uint32_t type = call->arguments[1] >> 8 & 0xff, number = call->arguments[1] & 0xff;
        return type != 'U' || (number != 0 && number != 2); /* USBDEVFS_CONTROL, _BULK */
    }
    return call->number != close && call->number != restart;
}

/* The verifier of BPF programs gives up at a signal and says EAGAIN: kernel/bpf/verifier.c, do_check. */
static bool is_bpf_load(const struct regs_call *call)
{
    int32_t bpf = call->abi == REGS_ABI_I386 ? 357 : 321;

    return call->number == bpf && call->arguments[0] == 5; /* BPF_PROG_LOAD */
}

bool call_is_interrupted(const struct regs_call *call)
{
    if (call->result == -EAGAIN)
        return is_bpf_load(call);
    return call->result == -EINTR && may_begin_anew(call);
}

struct limit_row {
    int16_t number;
    int8_t timeout;
    bool in_memory; /* struct timespec; else milliseconds */
    int16_t result;
};

/* epoll_wait(2), semtimedop(2), sigtimedwait(2), io_getevents(2): native ones */
static const struct limit_row limits[] = {
    {232, 3, false, 0},      /* epoll_wait */
    {281, 3, false, 0},      /* epoll_pwait */
    {441, 3, true, 0},       /* epoll_pwait2 */
    {220, 3, true, -EAGAIN}, /* semtimedop */
    {128, 2, true, -EAGAIN}, /* rt_sigtimedwait */
    {208, 4, true, 0},       /* io_getevents */
    {333, 4, true, 0},       /* io_pgetevents */
};

/* A time limit at address in memory; 0: there is none. False: it is not known. */
static bool read_limit(pid_t tid, uint64_t address, uint64_t *limit_ns)
{
    struct timespec time;

    *limit_ns = CALL_NO_LIMIT;
    if (address == 0)
        return true;
    if (count_read(tid, address, &time, sizeof time) != 0 || time.tv_sec < 0 || time.tv_sec > 1000000000)
        return false;
    *limit_ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

/* io_uring_enter(2), all ABIs. An absolute time stays what it is when the call begins anew. */
static bool ring_limit(pid_t tid, const struct regs_call *call, uint64_t *limit_ns)
{
    const uint64_t absolute = 1u << 5, registered = 1u << 6; /* IORING_ENTER_ABS_TIMER, _EXT_ARG_REG */
    struct io_uring_getevents_arg more;
    uint64_t flags = call->arguments[3];

    *limit_ns = CALL_NO_LIMIT;
    if ((flags & IORING_ENTER_EXT_ARG) == 0 || (flags & absolute) != 0)
        return true;
    return (flags & registered) == 0 && count_read(tid, call->arguments[4], &more, sizeof more) == 0 &&
           read_limit(tid, more.ts, limit_ns);
}

/* SO_RCVTIMEO and SO_SNDTIMEO of socket(7): a call on a socket says EINTR only where it has one of them
 * (sock_intr_errno). */
static bool socket_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns,
                         int64_t *result)
{
    bool native = call->abi == REGS_ABI_NATIVE;
    bool connects = native && call->number == 42;
    bool accepts = native && (call->number == 43 || call->number == 288);
    struct call_request request = {.kind = connects ? CALL_WRITE : CALL_READ,
                                   .descriptor = (int)call->arguments[0]};
    struct descriptor file;

    if (!connects && !accepts && !call_decode(tid, call, &request))
        return false;
    if ((request.kind != CALL_READ && request.kind != CALL_WRITE) ||
        descriptor_look(pid, tid, request.descriptor, &file) != 0 || !S_ISSOCK(file.type))
        return false;
    *limit_ns = request.kind == CALL_READ ? file.receive_limit_ns : file.send_limit_ns;
    *result = connects ? -EINPROGRESS : -EAGAIN;
    return *limit_ns > 0;
}

bool call_time_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns,
                     int64_t *result)
{
    const struct limit_row *row = limits, *end = limits + sizeof limits / sizeof *limits;
    bool native = call->abi == REGS_ABI_NATIVE;

    *limit_ns = CALL_NO_LIMIT;
    *result = -ETIME;
    if (call->number == 426) /* io_uring_enter */
        return ring_limit(tid, call, limit_ns);
    if (native && call->number == 65) /* semop */
        return true;
    while (row < end && row->number != call->number)
        row++;
    if (!native || row == end)
        return socket_limit(pid, tid, call, limit_ns, result);
    uint64_t timeout = call->arguments[row->timeout];
    *result = row->result;
    if (row->in_memory)
        return read_limit(tid, timeout, limit_ns);
    if ((int32_t)timeout >= 0)
        *limit_ns = (uint64_t)(uint32_t)timeout * 1000000;
    return true;
}

/* --- was it cut short? ------------------------------------------------------------------ */

/* drivers/char/mem.c and random.c look for signals after each page; misc device 183 is hwrng. Of
 * /dev/kmsg each read is one record. */
static bool is_memory_device(const struct descriptor *file)
{
    dev_t device = file->device;

    return S_ISCHR(file->type) &&
           ((major(device) == 1 && device != makedev(1, 11)) || device == makedev(10, 183));
}

static int write_was_cut(const struct call_request *request, const struct descriptor *file)
{
    if (S_ISSOCK(file->type))
        return (file->stream || request->shape == CALL_MESSAGES) &&
               !(request->flags & (MSG_DONTWAIT | MSG_ZEROCOPY));
    return S_ISFIFO(file->type) || file->terminal || is_memory_device(file);
}

/* recvmmsg(2) looks at its time limit after each message, and leaves there what is left of it. */
static bool is_time_over(pid_t tid, const struct call_request *request)
{
    struct timespec left = {0};
    size_t size = request->narrow_time ? 8 : sizeof left;

    return request->timeout != 0 && count_read(tid, request->timeout, &left, size) == 0 &&
           left.tv_sec == 0 && left.tv_nsec == 0;
}

static int read_was_cut(pid_t tid, struct call_request *request, const struct descriptor *file,
                        uint64_t done)
{
    if (is_memory_device(file))
        return 1;
    if (request->shape == CALL_MESSAGES)
        return S_ISSOCK(file->type) && !(request->flags & (MSG_DONTWAIT | MSG_WAITFORONE)) &&
               !is_time_over(tid, request);
    if (S_ISSOCK(file->type) && file->stream && (request->flags & MSG_WAITALL) != 0)
        return !(request->flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB));
    /* other reads return what is there; they wait for their minimum only */
    if (file->read_min <= done || (request->flags & MSG_DONTWAIT) != 0)
        return 0;
    request->enough = file->read_min;
    return 1;
}

/* Each message has all the time of a socket's, and so has each buffer that unix_stream_sendmsg fills. */
static uint64_t transfer_limit(const struct call_request *request, const struct descriptor *file)
{
    if (request->shape == CALL_MESSAGES || (request->kind == CALL_WRITE && file->local))
        return 0;
    return request->kind == CALL_READ ? file->receive_limit_ns : file->send_limit_ns;
}

static int transfer_was_cut(pid_t pid, pid_t tid, const struct regs_call *call,
                            struct call_request *request, uint64_t *limit_ns)
{
    struct descriptor file;
    int error = descriptor_look(pid, tid, request->descriptor, &file);

    if (error != 0)
        return error;
    if (file.nonblocking && !is_memory_device(&file))
        return 0;
    request->file = file.file;
    request->is_socket = S_ISSOCK(file.type);
    request->is_stream = file.stream;
    *limit_ns = transfer_limit(request, &file);
    if (request->kind == CALL_WRITE)
        return write_was_cut(request, &file);
    return read_was_cut(tid, request, &file, (uint64_t)call->result);
}

static int splice_was_cut(pid_t pid, pid_t tid, const struct regs_call *call,
                          struct call_request *request)
{
    struct descriptor from, to;
    int error = descriptor_look(pid, tid, request->source, &from);

    if (error == 0)
        error = descriptor_look(pid, tid, request->descriptor, &to);
    if (error != 0)
        return error;
    request->file = to.file;
    if (!S_ISFIFO(from.type) || S_ISFIFO(to.type) || to.nonblocking || from.readable == 0 ||
        (request->flags & SPLICE_F_NONBLOCK) != 0)
        return 0;
    uint64_t left = request->size - (uint64_t)call->result;
    if (left > from.readable)
        request->enough = (uint64_t)call->result + from.readable;
    return 1;
}

static int copy_was_cut(pid_t pid, pid_t tid, struct call_request *request)
{
    struct descriptor to;
    int error = descriptor_look(pid, tid, request->descriptor, &to);

    if (error != 0)
        return error;
    request->file = to.file;
    return !S_ISFIFO(to.type) && !to.nonblocking;
}

static uint64_t wait_limit(pid_t pid, pid_t tid, const struct regs_call *call)
{
    uint64_t limit;
    int64_t result;

    return call_time_limit(pid, tid, call, &limit, &result) && limit != CALL_NO_LIMIT ? limit : 0;
}

int call_was_cut(pid_t pid, pid_t tid, const struct regs_call *call, struct call_request *request,
                 uint64_t *limit_ns)
{
    *limit_ns = 0;
    switch (request->kind) {
    case CALL_WRITE:
    case CALL_READ:
        return transfer_was_cut(pid, tid, call, request, limit_ns);
    case CALL_COPY:
        return copy_was_cut(pid, tid, request);
    case CALL_SPLICE:
        return splice_was_cut(pid, tid, call, request);
    case CALL_EVENTS:
        *limit_ns = wait_limit(pid, tid, call);
        return (uint64_t)call->result < request->events_min;
    case CALL_RING:
        *limit_ns = wait_limit(pid, tid, call);
        return (request->flags & IORING_ENTER_GETEVENTS) != 0 && request->events_min > 0 &&
               (uint64_t)call->result == request->size;
    case CALL_RANDOM:
    case CALL_ENTRIES:
        break;
    }
    return 1;
}
