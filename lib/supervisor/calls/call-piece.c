/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the pieces of a call that was cut short: the calls that do the rest. If a call on a vector was cut within an
 * element, a plain call moves the rest of that element. A call like the original one moves the elements after it. This
 * file does not write to the target's memory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"

/* Builds a plain call on size bytes at address: read, write, pread64 or pwrite64; for a socket, recvfrom or sendto.
 * MSG_NOSIGNAL is set because a call that has sent a part raises no SIGPIPE when its peer goes away
 * (unix_stream_sendmsg, tcp_sendmsg_locked). */
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
    if (request->kind == CALL_SPLICE) /* the original call, too, would not wait for the pipe once it has moved data */
        piece->arguments[5] |= SPLICE_F_NONBLOCK;
    return (int64_t)(size - done);
}

/* Returns true if a vector call may do the rest of a vector. For a socket, a plain call must do it, because only a
 * plain call can have MSG_NOSIGNAL: call_make_plain. */
static bool call_may_stay_vector(const struct call_request *request)
{
    return request->shape == CALL_VECTOR && (!request->target.is_socket || request->filtered);
}

/* Builds a call like the original one for count elements of the vector, from element `first` on. */
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

/* Returns the largest number of bytes for the next piece of a vector. If a write ends within a page of a pipe,
 * anon_pipe_write (fs/pipe.c) leaves that page partly filled. A later write adds to that page only its size modulo
 * the page size, and only if that fits. Then the pipe could hold less than after one whole call. So a piece that
 * begins within a page ends with that page. The original call was cut at the end of a page, because the pipe was
 * full there. */
static uint64_t call_piece_room(const struct regs_call *call, const struct call_request *request,
                                uint64_t done)
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
    /* if a packet continues in the next element, two pieces would make two packets of it */
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

/* Builds the rest of a wait. A piece of io_getevents(2) waits for the rest of events_min events; an event has 32 bytes.
 * In io_uring_enter(2) everything is submitted, so only the wait is left. */
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
