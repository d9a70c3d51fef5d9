/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A call that was cut short is continued by pieces, further calls that do the rest. This file computes how much is
 * done.
 *
 * Also makes the target's memory look as after one whole call. If sendmmsg or recvmmsg has moved only a part of a
 * message, writes the final msg_len of that message when the rest is moved. If recvmmsg has put bytes of a message into
 * the next message, moves them.
 */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "supervisor/calls/calls-internal.h"
#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"
#include "supervisor/target-memory.h"

/* The position of a byte in a vector of messages. */
struct message_position {
    uint64_t message, within; /* index of the message, and offset of the byte in it */
};

static int progress_read_length(pid_t tid, const struct call_request *request, uint64_t message, uint32_t *length)
{
    return target_memory_read(tid, call_message_address(request, message) + call_layout(request)->message_length,
                              length, sizeof *length);
}

static int progress_write_length(pid_t tid, const struct call_request *request, uint64_t message, uint32_t length)
{
    return target_memory_write(tid, call_message_address(request, message) + call_layout(request)->message_length,
                               &length, sizeof length);
}

/* Finds the byte at position `place` in the target's memory. Sets *address to its address, and *size to how many bytes
 * there are from it to the end of the vector element that contains it. At the end of the message, sets *size to 0.
 * Returns 0 or -errno. */
static int progress_find_memory(pid_t tid, const struct call_request *request,
                             const struct message_position *place, uint64_t *address, uint64_t *size)
{
    struct call_vector vector;
    struct call_position position;
    uint64_t control;
    int error = call_read_message(tid, request, call_message_address(request, place->message), &vector, &control);

    if (error == 0)
        error = call_find_position(tid, request, &vector, place->within, 0, &position);
    if (error == 0) {
        *address = position.base + position.within;
        *size = position.length - position.within;
    }
    return error;
}

/* Moves `bytes` bytes from position `from` to position *to, and advances *to past them. *to is at or before `from`. If
 * both are the same, writes nothing: the bytes are in their place already, and another thread may be using them.
 * Returns 0 or -errno. */
static int progress_move_bytes(pid_t tid, const struct call_request *request, struct message_position from,
                               uint64_t bytes, struct message_position *to)
{
    unsigned char buffer[4096];

    while (bytes > 0) {
        uint64_t source, target, there, here;
        int error = progress_find_memory(tid, request, &from, &source, &there);
        if (error == 0)
            error = progress_find_memory(tid, request, to, &target, &here);
        if (error != 0)
            return error;
        if (here == 0) {
            *to = (struct message_position){.message = to->message + 1};
            continue;
        }
        uint64_t some = bytes < here ? bytes : here;
        some = some < there ? some : there;
        if (some == 0)
            return -EINVAL;
        if (source != target) {
            some = some < sizeof buffer ? some : sizeof buffer;
            error = target_memory_read(tid, source, buffer, some);
            if (error == 0)
                error = target_memory_write(tid, target, buffer, some);
        }
        if (error != 0)
            return error;
        from.within += some;
        to->within += some;
        bytes -= some;
    }
    return 0;
}

/* Completes messages that were received incompletely from a stream. If a message was cut short, the next bytes of the
 * stream are in the next message. This function moves them to where one whole call would have put them: into the memory
 * of the incomplete message. Afterwards only the last of the received messages may be incomplete. Returns 0 or
 * -errno. */
static int progress_compact(pid_t tid, const struct call_request *request, struct call_progress *progress)
{
    struct message_position end = {0};
    uint32_t length;
    int error = 0;

    for (uint64_t i = 0; error == 0 && i < progress->done; i++) {
        error = progress_read_length(tid, request, i, &length);
        if (error == 0)
            error = progress_move_bytes(tid, request, (struct message_position){.message = i}, length, &end);
    }
    for (uint64_t i = 0; error == 0 && i < end.message; i++) {
        struct message_position whole = {.message = i};
        uint64_t address, size;
        do {
            error = progress_find_memory(tid, request, &whole, &address, &size);
            whole.within += error == 0 ? size : 0;
        } while (error == 0 && size > 0);
        if (error == 0)
            error = progress_write_length(tid, request, i, (uint32_t)whole.within);
    }
    if (error == 0)
        error = progress_write_length(tid, request, end.message, (uint32_t)end.within);
    if (error == 0)
        progress->done = end.message + 1;
    return error;
}

/* Returns 0 if progress_compact may move bytes between the first `messages` messages, and the rest may be received by a
 * plain call such as recvfrom. Returns -EOPNOTSUPP if one of the messages has room for ancillary data, which would be
 * lost. Returns another -errno if the messages cannot be read. */
static int progress_may_compact(pid_t tid, const struct call_request *request, uint64_t messages)
{
    struct call_vector vector;
    uint64_t control = 0;
    int error = 0;

    for (uint64_t i = 0; error == 0 && control == 0 && i < messages; i++)
        error = call_read_message(tid, request, call_message_address(request, i), &vector, &control);
    return error == 0 && control != 0 ? -EOPNOTSUPP : error;
}

/* If the last of the progress->done messages is incomplete, lowers progress->done by 1, and sets progress->part to the
 * number of bytes of that message that are moved. Returns 0 or -errno. */
static int progress_look_at_last(pid_t tid, const struct call_request *request, struct call_progress *progress)
{
    struct message_position end = {.message = progress->done - 1};
    uint64_t address, size = 0;
    uint32_t length = 0;
    int error = progress_read_length(tid, request, end.message, &length);

    end.within = length;
    if (error == 0)
        error = progress_find_memory(tid, request, &end, &address, &size);
    if (error == 0 && size > 0 && length > 0) {
        progress->done--;
        progress->part = length;
    }
    return error;
}

/* Returns true if the call may have moved only a part of its last message. A send does this only on a stream: it sends
 * a datagram as a whole or not at all. But for a send, this function does not check whether the socket is a stream. */
static bool progress_may_end_within_message(const struct call_request *request)
{
    return request->shape == CALL_MESSAGES &&
           (request->kind == CALL_WRITE || (request->target.is_stream && (request->flags & MSG_WAITALL) != 0));
}

int call_first_progress(pid_t tid, const struct regs_call *call, struct call_request *request,
                        struct call_progress *progress)
{
    int error = 0;

    *progress = (struct call_progress){.done = (uint64_t)call->result};
    if (request->shape == CALL_MESSAGES && request->kind == CALL_READ && (request->flags & MSG_PEEK) != 0)
        /* with MSG_PEEK the kernel puts the same bytes into each message, so the rest cannot be received */
        return progress->done < request->size ? -EOPNOTSUPP : 0;
    if (!progress_may_end_within_message(request))
        return 0;
    if (request->kind == CALL_READ && progress->done > 1) {
        uint32_t last = 0;
        error = progress_read_length(tid, request, progress->done - 1, &last);
        if (error == 0 && last == 0)
            return 0; /* the last message is empty, because the stream has ended, so there is no rest */
        error = progress_may_compact(tid, request, progress->done);
        if (error == 0)
            error = progress_compact(tid, request, progress);
    }
    return error == 0 ? progress_look_at_last(tid, request, progress) : error;
}

int call_add_piece(pid_t tid, const struct call_request *request, uint64_t moved, struct call_progress *progress)
{
    if (request->kind == CALL_RING)
        return 0;
    if (call_peek_restarts(request)) {
        if (moved <= progress->done)
            /* no new data; a peek leaves the data in the socket, so further peeks would return the same bytes */
            return -ENODATA;
        progress->done = moved;
        return 0;
    }
    if (progress->part == 0) {
        progress->done += moved;
        bool may_be_part = progress_may_end_within_message(request) && moved > 0;
        return may_be_part ? progress_look_at_last(tid, request, progress) : 0;
    }
    int error = progress_write_length(tid, request, progress->done, (uint32_t)(progress->part + moved));
    progress->done++;
    progress->part = 0;
    return error == 0 ? progress_look_at_last(tid, request, progress) : error;
}
