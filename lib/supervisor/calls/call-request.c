/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decodes the system calls that a stop can cut short, which are in a table. These are the calls of Linux that look for
 * pending signals after they have moved a part of their data, and then return the size of that part. They were found by
 * reading the callers of signal_pending() in Linux 6.1 and 6.12.
 *
 * Other calls are not in the table, for one of four reasons:
 *
 *     - only a fatal signal cuts the call short: process_vm_readv and process_vm_writev (process_vm_access.c, gup.c),
 *       reads and writes of regular files (filemap.c), process_madvise (madvise.c);
 *     - the call returns only the available data, even without a signal: tee and vmsplice (at most what fits into the
 *       pipe: splice.c), epoll_wait, poll, signalfd, inotify;
 *     - the call does all or nothing: msgrcv, mq_receive, semop;
 *     - a driver decides what is done when a signal ends the call: ioctl.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

#define NONE CALL_NONE
#ifndef SYS_getdents
#define SYS_getdents CALL_NONE /* AArch64 does not have this call */
#endif
#define MESSAGES_MAX 1024u /* UIO_MAXIOV of the kernel */
#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x100 /* defined since Linux 6.18 */
#endif
#define ELEMENTS_AT_ONCE 32u
#define ELEMENTS_MAX 1024u /* UIO_MAXIOV of the kernel */

/* A row of the table: the numbers of a call, and the meaning of its arguments. `native` is the number of the call in
 * the ABI of 64-bit programs on this machine. `x32` and `i386` are its numbers in the other ABIs of x86-64:
 * arch/x86/entry/syscalls/syscall_64.tbl (x32-only numbers begin at 512) and syscall_32.tbl. */
struct call_row {
    int32_t native;
    int16_t x32, i386;
    enum call_kind kind;
    enum call_shape shape;
    /* numbers of the arguments with these meanings, counted from 0; or NONE */
    int8_t descriptor, address, size, offset, flags, source, events_min;
};

static const struct call_row rows[] = {
    /* native              x32   i386  kind          shape          fd    addr  size  offs  flags src   min */
    {SYS_read,             0,    3,    CALL_READ,    CALL_BYTES,    0,    1,    2,    NONE, NONE, NONE, NONE},
    {SYS_write,            1,    4,    CALL_WRITE,   CALL_BYTES,    0,    1,    2,    NONE, NONE, NONE, NONE},
    {SYS_pread64,          17,   180,  CALL_READ,    CALL_BYTES,    0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_pwrite64,         18,   181,  CALL_WRITE,   CALL_BYTES,    0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_readv,            515,  145,  CALL_READ,    CALL_VECTOR,   0,    1,    2,    NONE, NONE, NONE, NONE},
    {SYS_writev,           516,  146,  CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    NONE, NONE, NONE, NONE},
    {SYS_preadv,           534,  333,  CALL_READ,    CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_pwritev,          535,  334,  CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_preadv2,          546,  378,  CALL_READ,    CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_pwritev2,         547,  379,  CALL_WRITE,   CALL_VECTOR,   0,    1,    2,    3,    NONE, NONE, NONE},
    {SYS_sendto,           44,   369,  CALL_WRITE,   CALL_BYTES,    0,    1,    2,    NONE, 3,    NONE, NONE},
    {SYS_recvfrom,         517,  371,  CALL_READ,    CALL_BYTES,    0,    1,    2,    NONE, 3,    NONE, NONE},
    {SYS_sendmsg,          518,  370,  CALL_WRITE,   CALL_MESSAGE,  0,    1,    NONE, NONE, 2,    NONE, NONE},
    {SYS_recvmsg,          519,  372,  CALL_READ,    CALL_MESSAGE,  0,    1,    NONE, NONE, 2,    NONE, NONE},
    {SYS_sendmmsg,         538,  345,  CALL_WRITE,   CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE},
    {SYS_recvmmsg,         537,  337,  CALL_READ,    CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE},
    /* recvmmsg_time64 */
    {NONE,                 NONE, 417,  CALL_READ,    CALL_MESSAGES, 0,    1,    2,    NONE, 3,    NONE, NONE},
    {SYS_getrandom,        318,  355,  CALL_RANDOM,  CALL_BYTES,    NONE, 0,    1,    NONE, NONE, NONE, NONE},
    {SYS_sendfile,         40,   187,  CALL_COPY,    CALL_BYTES,    0,    NONE, 3,    NONE, NONE, 1,    NONE},
    /* sendfile64 */
    {NONE,                 NONE, 239,  CALL_COPY,    CALL_BYTES,    0,    NONE, 3,    NONE, NONE, 1,    NONE},
    {SYS_copy_file_range,  326,  377,  CALL_COPY,    CALL_BYTES,    2,    NONE, 4,    NONE, NONE, 0,    NONE},
    {SYS_splice,           275,  313,  CALL_SPLICE,  CALL_BYTES,    2,    NONE, 4,    NONE, 5,    0,    NONE},
    {SYS_getdents,         78,   141,  CALL_ENTRIES, CALL_BYTES,    NONE, 1,    2,    NONE, NONE, NONE, NONE},
    {SYS_getdents64,       217,  220,  CALL_ENTRIES, CALL_BYTES,    NONE, 1,    2,    NONE, NONE, NONE, NONE},
    {SYS_io_getevents,     208,  247,  CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1},
    {SYS_io_pgetevents,    333,  385,  CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1},
    /* io_pgetevents_time64 */
    {NONE,                 NONE, 416,  CALL_EVENTS,  CALL_BYTES,    NONE, 3,    2,    NONE, NONE, NONE, 1},
    {SYS_io_uring_enter,   426,  426,  CALL_RING,    CALL_BYTES,    NONE, NONE, 1,    NONE, 3,    NONE, 2},
};

int32_t call_number(enum regs_abi abi, int32_t native, int16_t x32, int16_t i386)
{
    return abi == REGS_ABI_NATIVE ? native : abi == REGS_ABI_X32 ? x32 : i386;
}

static const struct call_row *request_find_row(const struct regs_call *call)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct call_row *row = &rows[i];
        if (call->number == call_number(call->abi, row->native, row->x32, row->i386))
            return row;
    }
    return NULL;
}

static uint64_t request_argument(const struct regs_call *call, int8_t index)
{
    return index == NONE ? 0 : call->arguments[index];
}

/* The number of socketcall(2) of 32-bit programs. It makes one of several calls, whose arguments are in memory. */
#define SOCKETCALL 102

static bool request_unpack_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unpacked)
{
    /* Index: SYS_CONNECT to SYS_SENDMMSG of include/uapi/linux/net.h. Value: the number of the direct system call that
     * does the same, and how many arguments it has. */
    static const struct {
        int16_t number, arguments;
    } calls[] = {[3] = {CALL_CONNECT_I386, 3}, [5] = {CALL_ACCEPT4_I386, 3}, [9] = {369, 4},
                 [10] = {371, 4},         [11] = {369, 6},         [12] = {371, 6},
                 [16] = {370, 3},         [17] = {372, 3},         [18] = {CALL_ACCEPT4_I386, 4},
                 [19] = {337, 5},         [20] = {345, 4}};
    uint64_t which = call->arguments[0];
    uint32_t given[REGS_CALL_ARGUMENTS] = {0};

    if (which >= sizeof calls / sizeof *calls || calls[which].number == 0 ||
        target_memory_read(tid, call->arguments[1], given, (size_t)calls[which].arguments * sizeof *given) != 0)
        return false;
    *unpacked = *call;
    unpacked->number = calls[which].number;
    for (size_t i = 0; i < REGS_CALL_ARGUMENTS; i++)
        unpacked->arguments[i] = given[i];
    return true;
}

bool call_unpack_socketcall(pid_t tid, const struct regs_call *call, struct regs_call *unpacked)
{
    *unpacked = *call;
    return call->abi != REGS_ABI_I386 || call->number != SOCKETCALL || request_unpack_socketcall(tid, call, unpacked);
}

/* Returns the flags (RWF_...) of a preadv2 or pwritev2; 0 for other calls. */
static uint64_t request_flags_of_transfer(const struct regs_call *call)
{
    bool transfers = call->number == call_number(call->abi, SYS_preadv2, 546, 378) ||
                     call->number == call_number(call->abi, SYS_pwritev2, 547, 379);

    return transfers ? call->arguments[call->abi == REGS_ABI_X32 ? 4 : 5] : 0;
}

/* Returns how many bytes one call moves at most: MAX_RW_COUNT of include/linux/fs.h. */
static uint64_t request_transfer_max(void)
{
    return INT_MAX & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

bool call_decode(pid_t tid, const struct regs_call *call, struct call_request *request)
{
    bool i386 = call->abi == REGS_ABI_I386;
    struct regs_call unpacked;

    if (!call_unpack_socketcall(tid, call, &unpacked))
        return false;
    const struct call_row *row = request_find_row(&unpacked);
    if (row == NULL || (request_flags_of_transfer(&unpacked) & RWF_NOWAIT) != 0)
        return false;
    *request = (struct call_request){
        .kind = row->kind,
        .shape = row->shape,
        .narrow = i386 || (call->abi == REGS_ABI_X32 && row->x32 != row->native),
        .at_offset = row->offset != NONE,
        .descriptor = row->descriptor == NONE ? -1 : (int)request_argument(&unpacked, row->descriptor),
        .source = row->source == NONE ? -1 : (int)request_argument(&unpacked, row->source),
        .address = request_argument(&unpacked, row->address),
        .size = request_argument(&unpacked, row->size),
        .enough = request_transfer_max(),
        .events_min = request_argument(&unpacked, row->events_min),
        .timeout = row->shape == CALL_MESSAGES && row->kind == CALL_READ ? unpacked.arguments[4] : 0,
        .narrow_time = i386 && unpacked.number == 337,
        .no_sigpipe = (request_flags_of_transfer(&unpacked) & RWF_NOSIGNAL) != 0,
        .offset = request_argument(&unpacked, row->offset),
        .flags = (uint32_t)request_argument(&unpacked, row->flags),
        .address_argument = row->address,
        .size_argument = row->size,
    };
    /* in the i386 ABI, two arguments contain the halves of the file position */
    if (i386 && request->at_offset)
        request->offset |= unpacked.arguments[4] << 32;
    /* sendmmsg(2) sends at most MESSAGES_MAX messages, and returns their number */
    if (request->shape == CALL_MESSAGES && request->kind == CALL_WRITE && request->size > MESSAGES_MAX)
        request->size = MESSAGES_MAX;
    /* in preadv2(2), position -1 means the position of the file itself */
    if (request->at_offset && request->offset == UINT64_MAX)
        request->at_offset = false;
    return true;
}

bool call_is_copy_file_range(const struct regs_call *call)
{
    return call->number == call_number(call->abi, SYS_copy_file_range, 326, 377);
}

/* --- vectors and messages in the target's memory --------------------------------------------- */

/* The layouts with 64-bit and with 32-bit words: include/net/compat.h. For the fields, see struct call_layout. */
static const struct call_layout wide_layout = {8, 16, 24, 32, 48, 56, 64};
static const struct call_layout narrow_layout = {4, 8, 12, 16, 24, 28, 32};

const struct call_layout *call_layout(const struct call_request *request)
{
    return request->narrow ? &narrow_layout : &wide_layout;
}

static int call_read_word(pid_t tid, const struct call_request *request, uint64_t address, uint64_t *word)
{
    /* if the word has 32 bits, reading it sets the lower half of *word, because the machine is little-endian */
    *word = 0;
    return target_memory_read(tid, address, word, call_layout(request)->word);
}

uint64_t call_message_address(const struct call_request *request, uint64_t message)
{
    return request->address + message * call_layout(request)->message_size;
}

static uint64_t call_element_word(const struct call_request *request, const void *elements, unsigned index)
{
    return request->narrow ? ((const uint32_t *)elements)[index] : ((const uint64_t *)elements)[index];
}

int call_find_position(pid_t tid, const struct call_request *request, const struct call_vector *vector,
                         uint64_t done, uint64_t room, struct call_position *position)
{
    uint64_t elements[2 * ELEMENTS_AT_ONCE], distance = 0;
    size_t size = 2 * call_layout(request)->word;

    if (vector->count > ELEMENTS_MAX)
        return -EINVAL;
    *position = (struct call_position){.element = vector->count};
    for (uint64_t i = 0; i < vector->count; i++) {
        unsigned at = (unsigned)(i % ELEMENTS_AT_ONCE);
        uint64_t left = vector->count - i;
        uint64_t some = left < ELEMENTS_AT_ONCE ? left : ELEMENTS_AT_ONCE;
        if (at == 0 && target_memory_read(tid, vector->address + i * size, elements, some * size) != 0)
            return -EFAULT;
        uint64_t length = call_element_word(request, elements, 2 * at + 1);
        if (position->element == vector->count && done >= length) {
            done -= length;
            continue;
        }
        if (position->element == vector->count)
            *position = (struct call_position){.element = i, .within = done, .length = length,
                                          .base = call_element_word(request, elements, 2 * at)};
        distance += length - (i == position->element ? done : 0);
        if (distance <= room) {
            position->fitting++;
            position->fitting_bytes = distance;
        }
    }
    return 0;
}

int call_read_message(pid_t tid, const struct call_request *request, uint64_t address,
                        struct call_vector *vector, uint64_t *control)
{
    const struct call_layout *layout = call_layout(request);
    int error = call_read_word(tid, request, address + layout->message_vector, &vector->address);

    if (error == 0)
        error = call_read_word(tid, request, address + layout->message_count, &vector->count);
    return error == 0 ? call_read_word(tid, request, address + layout->message_control, control) : error;
}

int call_read_flags(pid_t tid, const struct call_request *request, uint64_t address, uint32_t *flags)
{
    return target_memory_read(tid, address + call_layout(request)->message_flags, flags, sizeof *flags);
}
