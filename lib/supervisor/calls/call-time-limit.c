/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the time limit of a call in its arguments or in the options of its socket. If a call with a time limit is begun
 * anew after a stop, it must wait only for the remaining time. */
#include "config.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/calls/descriptor.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

#define NONE CALL_NONE
#ifndef SYS_epoll_wait
#define SYS_epoll_wait CALL_NONE /* AArch64 does not have this call */
#endif

enum limit_form {
    LIMIT_NONE,
    LIMIT_MS,         /* milliseconds, as an int; negative: no limit */
    LIMIT_TIMESPEC,   /* address of a timespec with 64-bit words; address 0: no limit */
    LIMIT_TIMESPEC32, /* address of a timespec with 32-bit words; address 0: no limit */
};

struct limit_row {
    int32_t native;
    int16_t x32, i386; /* numbers of the same call in the other ABIs of x86-64 */
    enum limit_form form;
    int8_t timeout; /* which argument contains the time limit, counted from 0; or NONE */
    int16_t result;
};

static const struct limit_row limits[] = {
    {SYS_epoll_wait, 232, 256, LIMIT_MS, 3, 0},
    {SYS_epoll_pwait, 281, 319, LIMIT_MS, 3, 0},
    {441, 441, 441, LIMIT_TIMESPEC, 3, 0}, /* epoll_pwait2 */
    {SYS_semop, 65, NONE, LIMIT_NONE, NONE, -EAGAIN},
    {SYS_semtimedop, 220, 420, LIMIT_TIMESPEC, 3, -EAGAIN},      /* i386: semtimedop_time64 */
    {SYS_rt_sigtimedwait, 523, 421, LIMIT_TIMESPEC, 2, -EAGAIN}, /* i386: rt_sigtimedwait_time64 */
    {NONE, NONE, 177, LIMIT_TIMESPEC32, 2, -EAGAIN},             /* rt_sigtimedwait */
    {SYS_io_getevents, 208, NONE, LIMIT_TIMESPEC, 4, 0},
    {NONE, NONE, 247, LIMIT_TIMESPEC32, 4, 0},           /* io_getevents */
    {SYS_io_pgetevents, 333, 416, LIMIT_TIMESPEC, 4, 0}, /* i386: io_pgetevents_time64 */
    {NONE, NONE, 385, LIMIT_TIMESPEC32, 4, 0},           /* io_pgetevents */
};

/* Returns the row of the table for a call of ipc(2) of a 32-bit program; NULL: there is none. Only SEMOP and SEMTIMEDOP
 * of include/uapi/linux/ipc.h have a row. The time limit of SEMTIMEDOP is its last argument. */
static const struct limit_row *limit_find_ipc(const struct regs_call *call)
{
    static const struct limit_row semop = {NONE, NONE, 117, LIMIT_NONE, NONE, -EAGAIN},
                                  semtimedop = {NONE, NONE, 117, LIMIT_TIMESPEC32, 5, -EAGAIN};
    uint64_t which = call->arguments[0] & 0xffff;

    return which == 1 ? &semop : which == 4 ? &semtimedop : NULL;
}

static const struct limit_row *limit_find(const struct regs_call *call)
{
    if (call->abi == REGS_ABI_I386 && call->number == 117)
        return limit_find_ipc(call);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit_row *row = &limits[i];
        if (call->number == call_number(call->abi, row->native, row->x32, row->i386))
            return row;
    }
    return NULL;
}

/* Reads a time limit from the target's memory at `address`; address 0: there is no limit. narrow: the time limit has
 * 32-bit words. In an ABI with 32-bit words, the upper half of a 64-bit tv_nsec is padding, which the kernel ignores:
 * get_timespec64(). Returns false if the limit cannot be read or is invalid. */
static bool limit_read(pid_t tid, enum regs_abi abi, uint64_t address, bool narrow, uint64_t *limit_ns)
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

/* Reads the time limit of an io_uring_enter(2), in any ABI. An absolute time counts as no limit, because it stays
 * correct when the call begins anew. Returns false if the limit is not known. */
static bool limit_of_ring(pid_t tid, const struct regs_call *call, uint64_t *limit_ns)
{
    const uint64_t absolute = 1u << 5, registered = 1u << 6; /* IORING_ENTER_ABS_TIMER, _EXT_ARG_REG */
    struct io_uring_getevents_arg more;
    uint64_t flags = call->arguments[3];

    *limit_ns = CALL_NO_LIMIT;
    if ((flags & IORING_ENTER_EXT_ARG) == 0 || (flags & absolute) != 0)
        return true;
    return (flags & registered) == 0 && target_memory_read(tid, call->arguments[4], &more, sizeof more) == 0 &&
           limit_read(tid, call->abi, more.ts, false, limit_ns);
}

/* Reads the time limit of a call on a socket: SO_RCVTIMEO or SO_SNDTIMEO of socket(7). Returns false if there is none:
 * without such a limit, a call on a socket does not return EINTR (sock_intr_errno). */
static bool limit_of_socket(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns, int64_t *result)
{
    struct regs_call unpacked;

    if (!call_unpack_socketcall(tid, call, &unpacked))
        return false;
    int32_t number = unpacked.number;
    bool connects = number == call_number(call->abi, SYS_connect, 42, CALL_CONNECT_I386);
    bool accepts = number == call_number(call->abi, SYS_accept4, 288, CALL_ACCEPT4_I386) ||
                   number == call_number(call->abi, SYS_accept, 43, NONE);
    struct call_request request = {.kind = connects ? CALL_WRITE : CALL_READ,
                                   .descriptor = (int)unpacked.arguments[0]};
    struct descriptor file;

    if (!connects && !accepts && !call_decode(tid, call, &request))
        return false;
    if ((request.kind != CALL_READ && request.kind != CALL_WRITE) ||
        descriptor_look(pid, tid, request.descriptor, &file) != 0 || !S_ISSOCK(file.type))
        return false;
    *limit_ns = request.kind == CALL_READ ? file.receive_limit_ns : file.send_limit_ns;
    *result = connects && !file.local ? -EINPROGRESS : -EAGAIN;
    return *limit_ns > 0;
}

bool call_time_limit(pid_t pid, pid_t tid, const struct regs_call *call, uint64_t *limit_ns, int64_t *result)
{
    const struct limit_row *row = limit_find(call);

    *limit_ns = CALL_NO_LIMIT;
    *result = -ETIME;
    if (call->number == 426) /* io_uring_enter */
        return limit_of_ring(tid, call, limit_ns);
    if (row == NULL)
        return limit_of_socket(pid, tid, call, limit_ns, result);
    *result = row->result;
    if (row->form == LIMIT_NONE)
        return true;
    uint64_t timeout = call->arguments[row->timeout];
    if (row->form != LIMIT_MS)
        return limit_read(tid, call->abi, timeout, row->form == LIMIT_TIMESPEC32, limit_ns);
    if ((int32_t)timeout >= 0)
        *limit_ns = (uint64_t)(uint32_t)timeout * 1000000;
    return true;
}

bool call_limit_is_of_part(pid_t pid, pid_t tid, const struct regs_call *call)
{
    struct call_request request;
    struct descriptor file;

    if (!call_decode(tid, call, &request))
        return false;
    return request.shape == CALL_MESSAGES ||
           (request.kind == CALL_WRITE && descriptor_look(pid, tid, request.descriptor, &file) == 0 && file.local);
}
