/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the pieces of a call that was cut short: the calls that do the rest. If a call on a vector was cut short
 * within an element, a plain call, such as read or write, moves the rest of that element. Then a call like the original
 * one moves the following elements. This file does not write to the target's memory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"

/* Builds a plain call that moves `size` bytes at `address`: read, write, pread64 or pwrite64; for a socket, recvfrom or
 * sendto. A sendto gets MSG_NOSIGNAL, because the original call would raise no SIGPIPE either: a call that has sent a
 * part raises none when its peer goes away (unix_stream_sendmsg, tcp_sendmsg_locked). */
static void call_make_plain(const struct regs_call *call, const struct call_request *request,
                            uint64_t address, uint64_t size, uint64_t done, struct regs_call *piece)
{
    bool i386 = call->abi == REGS_ABI_I386, write = request->kind == CALL_WRITE;
    uint64_t offset = request->offset + done;

    *piece = *call;
    for (unsigned i = 3; i < REGS_CALL_ARGUMENTS; i++)
        piece->arguments[i] = 0;
    piece->arguments[0] = (uint64_t)(uint32_t)request->descriptor;
    piece->arguments[1] = address;
    piece->arguments[2] = size;
    if (request->target.is_socket && !request->filtered) {
        uint32_t flags = request->flags & ~(uint32_t)MSG_FASTOPEN;
        piece->arguments[3] = write ? flags | MSG_NOSIGNAL : flags;
        piece->number = write ? call_number(call->abi, SYS_sendto, 44, 369)
                              : call_number(call->abi, SYS_recvfrom, 517, 371);
    } else if (request->at_offset) {
        piece->arguments[3] = i386 ? (uint32_t)offset : offset;
        piece->arguments[4] = i386 ? offset >> 32 : 0;
        piece->number = write ? call_number(call->abi, SYS_pwrite64, 18, 181)
                              : call_number(call->abi, SYS_pread64, 17, 180);
    } else {
        piece->number = write ? call_number(call->abi, SYS_write, 1, 4) : call_number(call->abi, SYS_read, 0, 3);
    }
}

bool call_peek_restarts(const struct call_request *request)
{
    return request->kind == CALL_READ && (request->flags & MSG_PEEK) != 0 && !request->target.peek_advances;
}

static int64_t call_bytes_piece(const struct regs_call *call, const struct call_request *request, uint64_t done,
                                struct regs_call *piece)
{
    uint64_t size = request->size < request->enough ? request->size : request->enough;

    if (done >= size)
        return 0;
    uint64_t from = call_peek_restarts(request) ? 0 : done;
    if (request->kind == CALL_READ || request->kind == CALL_WRITE) {
        call_make_plain(call, request, request->address + from, size - from, from, piece);
        return (int64_t)(size - from);
    }
    *piece = *call;
    piece->arguments[request->size_argument] = size - done;
    if (request->address_argument >= 0)
        piece->arguments[request->address_argument] = request->address + done;
    /* the original call would not wait for more data in the pipe, either, when it has moved some */
    if (request->kind == CALL_SPLICE)
        piece->arguments[5] |= SPLICE_F_NONBLOCK;
    return (int64_t)(size - done);
}

/* Returns true if the rest may be done by a call on a vector, such as writev. For a socket it may not, because only
 * plain calls such as sendto have the flag MSG_NOSIGNAL (call_make_plain). */
static bool call_may_stay_vector(const struct call_request *request)
{
    return request->shape == CALL_VECTOR && (!request->target.is_socket || request->filtered);
}

/* Builds a call like the original one, but for `count` elements of the vector, from element `first` on. */
static void call_make_vector(const struct regs_call *call, const struct call_request *request,
                             const struct call_vector *vector, uint64_t first, uint64_t count, uint64_t done,
                             struct regs_call *piece)
{
    bool i386 = call->abi == REGS_ABI_I386;
    uint64_t offset = request->offset + done;

    *piece = *call;
    piece->arguments[1] = vector->address + first * 2 * call_layout(request)->word;
    piece->arguments[2] = count;
    if (request->at_offset) {
        piece->arguments[3] = i386 ? (uint32_t)offset : offset;
        piece->arguments[4] = i386 ? offset >> 32 : call->arguments[4];
    }
}

/* Returns the largest number of bytes that the next piece of a call on a vector may move. If a write ends within a page
 * of a pipe, the next write uses the rest of that page only if the size of the next write, modulo the page size, fits
 * there (anon_pipe_write in fs/pipe.c). So two pieces might put less into the pipe than one write. To prevent this, a
 * piece that begins within a page ends at the end of that page. The first piece begins with a new page, because the
 * program's call was cut short when all pages of the pipe were full. */
static uint64_t call_piece_room(const struct regs_call *call, const struct call_request *request, uint64_t done)
{
    uint64_t left = request->enough - done;
    unsigned page = request->target.pipe_page;
    uint64_t filled = page > 0 && !request->target.packets ? (done - (uint64_t)call->result) % page : 0;

    if (filled == 0)
        return left;
    uint64_t page_left = page - filled;
    return page_left < left ? page_left : left;
}

static int64_t call_vector_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                                 const struct call_vector *vector, uint64_t done, struct regs_call *piece)
{
    struct call_position position;
    uint64_t room = done < request->enough ? call_piece_room(call, request, done) : 0;
    int error = call_find_position(tid, request, vector, done, room, &position);

    if (error != 0)
        return error;
    if (position.element >= vector->count || room == 0)
        return 0;
    if (position.within == 0 && position.fitting > 1 && call_may_stay_vector(request)) {
        call_make_vector(call, request, vector, position.element, position.fitting, done, piece);
        return (int64_t)position.fitting_bytes;
    }
    uint64_t size = position.length - position.within;
    size = size < room ? size : room;
    /* a packet that begins in this element of the vector and continues in the next one would be split into two packets
     * by two pieces */
    if (request->target.packets && (done + size) % request->target.pipe_page != 0 &&
        position.element + 1 < vector->count)
        return -EOPNOTSUPP;
    call_make_plain(call, request, position.base + position.within, size, done, piece);
    return (int64_t)size;
}

static int64_t call_message_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                                  uint64_t address, uint64_t done, struct regs_call *piece)
{
    struct call_vector vector;
    uint64_t control;
    int error = call_read_message(tid, request, address, &vector, &control);

    if (error != 0)
        return error;
    /* a plain call would lose the ancillary data of the rest, and with MSG_PEEK it would receive the wrong bytes */
    if (request->kind == CALL_READ && (control != 0 || (request->flags & MSG_PEEK) != 0))
        return -EOPNOTSUPP;
    return call_vector_piece(tid, call, request, &vector, done, piece);
}

static int64_t call_messages_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                                   const struct call_progress *progress, struct regs_call *piece)
{
    uint64_t address = call_message_address(request, progress->done);

    if (progress->part > 0) {
        int64_t made = call_message_piece(tid, call, request, address, progress->part, piece);
        if (made != 0)
            return made;
    }
    if (progress->done >= request->size)
        return 0;
    *piece = *call;
    if (call->abi == REGS_ABI_I386 && call->number == 102) { /* socketcall(2) */
        piece->number = request->kind == CALL_WRITE ? 345 : 337;
        return -EOPNOTSUPP;
    }
    piece->arguments[1] = address;
    piece->arguments[2] = request->size - progress->done;
    if (request->kind == CALL_WRITE)
        piece->arguments[3] |= MSG_NOSIGNAL;
    return (int64_t)piece->arguments[2];
}

/* Builds a call that waits for the missing events. An io_getevents(2) waits for the rest of the events_min events; an
 * event has 32 bytes. An io_uring_enter(2) has submitted everything already, so the piece only waits. */
static int64_t call_wait_piece(const struct regs_call *call, const struct call_request *request, uint64_t done,
                               struct regs_call *piece)
{
    *piece = *call;
    if (request->kind == CALL_RING) {
        piece->arguments[1] = 0;
        return 1;
    }
    if (done >= request->events_min)
        return 0;
    piece->arguments[1] = request->events_min - done;
    piece->arguments[2] = request->size - done;
    piece->arguments[3] = request->address + done * 32;
    return (int64_t)piece->arguments[2];
}

int64_t call_next_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                        const struct call_progress *progress, struct regs_call *piece)
{
    const struct call_vector vector = {request->address, request->size};

    if (request->kind == CALL_EVENTS || request->kind == CALL_RING)
        return call_wait_piece(call, request, progress->done, piece);
    switch (request->shape) {
    case CALL_BYTES:
        return call_bytes_piece(call, request, progress->done, piece);
    case CALL_VECTOR:
        return call_vector_piece(tid, call, request, &vector, progress->done, piece);
    case CALL_MESSAGE:
        return call_message_piece(tid, call, request, request->address, progress->done, piece);
    case CALL_MESSAGES:
        return call_messages_piece(tid, call, request, progress, piece);
    }
    return -EINVAL;
}
