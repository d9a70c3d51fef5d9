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
#include <unistd.h>

#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"

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

static int32_t number_of(enum regs_abi abi, int16_t native, int16_t x32, int16_t i386)
{
    return abi == REGS_ABI_NATIVE ? native : abi == REGS_ABI_X32 ? x32 : i386;
}

static const struct call_row *find_row(const struct regs_call *call)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct call_row *row = &rows[i];
        if (call->number == number_of(call->abi, row->native, row->x32, row->i386))
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
#define CONNECT_I386 362
#define ACCEPT4_I386 364

static bool unfold_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unfolded)
{
    /* include/uapi/linux/net.h: SYS_CONNECT to SYS_SENDMMSG, as calls of their own */
    static const struct {
        int16_t number, arguments;
    } calls[] = {[3] = {CONNECT_I386, 3}, [5] = {ACCEPT4_I386, 3}, [9] = {369, 4},
                 [10] = {371, 4},         [11] = {369, 6},         [12] = {371, 6},
                 [16] = {370, 3},         [17] = {372, 3},         [18] = {ACCEPT4_I386, 4},
                 [19] = {337, 5},         [20] = {345, 4}};
    uint64_t which = call->arguments[0];
    uint32_t given[REGS_CALL_ARGUMENTS] = {0};

    if (which >= sizeof calls / sizeof *calls || calls[which].number == 0 ||
        target_memory_read(tid, call->arguments[1], given, (size_t)calls[which].arguments * sizeof *given) != 0)
        return false;
    *unfolded = *call;
    unfolded->number = calls[which].number;
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

enum limit_form {
    LIMIT_NONE,
    LIMIT_MS,         /* milliseconds, as an int; negative: none */
    LIMIT_TIMESPEC,   /* the address of a timespec of 64-bit words; 0: none */
    LIMIT_TIMESPEC32, /* of 32-bit ones */
};

struct limit_row {
    int16_t native, x32, i386;
    enum limit_form form;
    int8_t timeout; /* index of the argument, or NONE */
    int16_t result;
};

static const struct limit_row limits[] = {
    {232, 232, 256, LIMIT_MS, 3, 0},                 /* epoll_wait */
    {281, 281, 319, LIMIT_MS, 3, 0},                 /* epoll_pwait */
    {441, 441, 441, LIMIT_TIMESPEC, 3, 0},           /* epoll_pwait2 */
    {65, 65, NONE, LIMIT_NONE, NONE, -EAGAIN},       /* semop */
    {220, 220, 420, LIMIT_TIMESPEC, 3, -EAGAIN},     /* semtimedop; semtimedop_time64 */
    {128, 523, 421, LIMIT_TIMESPEC, 2, -EAGAIN},     /* rt_sigtimedwait; rt_sigtimedwait_time64 */
    {NONE, NONE, 177, LIMIT_TIMESPEC32, 2, -EAGAIN}, /* rt_sigtimedwait */
    {208, 208, NONE, LIMIT_TIMESPEC, 4, 0},          /* io_getevents */
    {NONE, NONE, 247, LIMIT_TIMESPEC32, 4, 0},       /* io_getevents */
    {333, 333, 416, LIMIT_TIMESPEC, 4, 0},           /* io_pgetevents; io_pgetevents_time64 */
    {NONE, NONE, 385, LIMIT_TIMESPEC32, 4, 0},       /* io_pgetevents */
};

/* ipc(2) of 32-bit programs: include/uapi/linux/ipc.h, SEMOP and SEMTIMEDOP, whose time is its last
 * argument. */
static const struct limit_row *find_ipc_limit(const struct regs_call *call)
{
    static const struct limit_row semop = {NONE, NONE, 117, LIMIT_NONE, NONE, -EAGAIN},
                                  semtimedop = {NONE, NONE, 117, LIMIT_TIMESPEC32, 5, -EAGAIN};
    uint64_t which = call->arguments[0] & 0xffff;

    return which == 1 ? &semop : which == 4 ? &semtimedop : NULL;
}

static const struct limit_row *find_limit(const struct regs_call *call)
{
    if (call->abi == REGS_ABI_I386 && call->number == 117)
        return find_ipc_limit(call);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit_row *row = &limits[i];
        if (call->number == number_of(call->abi, row->native, row->x32, row->i386))
            return row;
    }
    return NULL;
}

/* Reads a time limit at address in memory; 0: there is none. narrow: it has 32-bit words. In programs of
 * 32-bit words the upper half of a 64-bit tv_nsec is padding, which the kernel leaves out:
 * get_timespec64(). Returns false where the limit is not known. */
static bool read_limit(pid_t tid, enum regs_abi abi, uint64_t address, bool narrow, uint64_t *limit_ns)
{
    int64_t wide[2];
    int32_t half[2];

    *limit_ns = CALL_NO_LIMIT;
    if (address == 0)
        return true;
    if (target_memory_read(tid, address, narrow ? (void *)half : wide, narrow ? sizeof half : sizeof wide) != 0)
        return false;
    int64_t seconds = narrow ? half[0] : wide[0], ns = narrow ? half[1] : wide[1];
    if (abi != REGS_ABI_NATIVE)
        ns = (uint32_t)ns;
    if (seconds < 0 || seconds > 1000000000 || ns < 0 || ns > 999999999)
        return false;
    *limit_ns = (uint64_t)seconds * 1000000000 + (uint64_t)ns;
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
    return (flags & registered) == 0 && target_memory_read(tid, call->arguments[4], &more, sizeof more) == 0 &&
           read_limit(tid, call->abi, more.ts, false, limit_ns);
}

/* SO_RCVTIMEO and SO_SNDTIMEO of socket(7): a call on a socket says EINTR only where it has one of them
 * (sock_intr_errno). */
static bool socket_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns,
                         int64_t *result)
{
    bool i386 = call->abi == REGS_ABI_I386;
    struct regs_call unfolded = *call;

    if (i386 && call->number == SOCKETCALL && !unfold_socketcall(tid, call, &unfolded))
        return false;
    int32_t number = unfolded.number;
    bool connects = number == (i386 ? CONNECT_I386 : 42);
    bool accepts = i386 ? number == ACCEPT4_I386 : number == 43 || number == 288;
    struct call_request request = {.kind = connects ? CALL_WRITE : CALL_READ,
                                   .descriptor = (int)unfolded.arguments[0]};
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
    const struct limit_row *row = find_limit(call);

    *limit_ns = CALL_NO_LIMIT;
    *result = -ETIME;
    if (call->number == 426) /* io_uring_enter */
        return ring_limit(tid, call, limit_ns);
    if (row == NULL)
        return socket_limit(pid, tid, call, limit_ns, result);
    *result = row->result;
    if (row->form == LIMIT_NONE)
        return true;
    uint64_t timeout = call->arguments[row->timeout];
    if (row->form != LIMIT_MS)
        return read_limit(tid, call->abi, timeout, row->form == LIMIT_TIMESPEC32, limit_ns);
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

    return request->timeout != 0 && target_memory_read(tid, request->timeout, &left, size) == 0 &&
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
    if (request->kind == CALL_WRITE && S_ISFIFO(file.type))
        request->pipe_page = (unsigned)sysconf(_SC_PAGESIZE);
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
    if (!S_ISFIFO(from.type) || S_ISFIFO(to.type) || to.nonblocking ||
        (request->flags & SPLICE_F_NONBLOCK) != 0)
        return 0;
    uint64_t readable = descriptor_readable(pid, tid, request->source, &from.file);
    if (readable == 0)
        return 0;
    uint64_t left = request->size - (uint64_t)call->result;
    if (left > readable)
        request->enough = (uint64_t)call->result + readable;
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
