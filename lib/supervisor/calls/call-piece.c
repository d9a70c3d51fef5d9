/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is left of a call that was cut short, as calls of its own. Where a vector was cut within an
 * element, the rest of that element is a plain call, and the elements behind it are a call like the
 * first. What is written to the target's memory is what the whole call would have written: the msg_len of a
 * message that sendmmsg or recvmmsg left half done, and bytes that recvmmsg has put into the message behind the one
 * that they belong to.
 */
#include "config.h"

#include <errno.h>
#include <sys/socket.h>

#include "supervisor/calls/calls.h"
#include "supervisor/regs.h"
#include "supervisor/supervisor.h"
#include "supervisor/target-memory.h"

#define ELEMENTS_AT_ONCE 32u
#define ELEMENTS_MAX 1024u /* UIO_MAXIOV */

/* Structures of 32-bit words: include/net/compat.h. */
struct layout {
    unsigned word;
    unsigned message_vector, message_count, message_control; /* in struct msghdr */
    unsigned message_length;                                 /* in struct mmsghdr */
    unsigned message_size;                                   /* of that */
};

static const struct layout wide_layout = {8, 16, 24, 32, 56, 64};
static const struct layout narrow_layout = {4, 8, 12, 16, 28, 32};

static const struct layout *layout_of(const struct call_request *request)
{
    return request->narrow ? &narrow_layout : &wide_layout;
}

static int read_word(pid_t tid, const struct call_request *request, uint64_t address, uint64_t *word)
{
    *word = 0; /* little endian */
    return target_memory_read(tid, address, word, layout_of(request)->word);
}

static uint64_t message_address(const struct call_request *request, uint64_t message)
{
    return request->address + message * layout_of(request)->message_size;
}

/* --- vectors ---------------------------------------------------------------------------- */

struct vector {
    uint64_t address, count;
};

/* Where some bytes from the beginning of a vector are. */
struct position {
    uint64_t element; /* the vector's count: behind its end */
    uint64_t within;  /* bytes into that */
    uint64_t base, length; /* of that element */
    uint64_t fitting;      /* elements from there on whose ends are no more than room bytes away, ... */
    uint64_t fitting_bytes; /* ... and what they have together */
};

static uint64_t element_word(const struct call_request *request, const void *elements, unsigned index)
{
    return request->narrow ? ((const uint32_t *)elements)[index] : ((const uint64_t *)elements)[index];
}

/* 0 or -errno. */
static int find_position(pid_t tid, const struct call_request *request, const struct vector *vector,
                         uint64_t done, uint64_t room, struct position *position)
{
    uint64_t elements[2 * ELEMENTS_AT_ONCE], distance = 0;
    size_t size = 2 * layout_of(request)->word;

    if (vector->count > ELEMENTS_MAX)
        return -EINVAL;
    *position = (struct position){.element = vector->count};
    for (uint64_t i = 0; i < vector->count; i++) {
        unsigned at = (unsigned)(i % ELEMENTS_AT_ONCE);
        uint64_t left = vector->count - i;
        uint64_t some = left < ELEMENTS_AT_ONCE ? left : ELEMENTS_AT_ONCE;
        if (at == 0 && target_memory_read(tid, vector->address + i * size, elements, some * size) != 0)
            return -EFAULT;
        uint64_t length = element_word(request, elements, 2 * at + 1);
        if (position->element == vector->count && done >= length) {
            done -= length;
            continue;
        }
        if (position->element == vector->count)
            *position = (struct position){.element = i, .within = done, .length = length,
                                          .base = element_word(request, elements, 2 * at)};
        distance += length - (i == position->element ? done : 0);
        if (distance <= room) {
            position->fitting++;
            position->fitting_bytes = distance;
        }
    }
    return 0;
}

/* The vector of the message at address; *control: where its ancillary data is to be. 0 or -errno. */
static int read_message(pid_t tid, const struct call_request *request, uint64_t address,
                        struct vector *vector, uint64_t *control)
{
    const struct layout *layout = layout_of(request);
    int error = read_word(tid, request, address + layout->message_vector, &vector->address);

    if (error == 0)
        error = read_word(tid, request, address + layout->message_count, &vector->count);
    return error == 0 ? read_word(tid, request, address + layout->message_control, control) : error;
}

/* --- pieces --------------------------------------------------------------------------- */

/* A plain call on size bytes at address: read, write, pread64 or pwrite64; recvfrom or sendto of a
 * socket: a peer that goes away raises no SIGPIPE after a part has been sent (unix_stream_sendmsg,
 * tcp_sendmsg_locked), and MSG_NOSIGNAL keeps it so. */
static void make_plain(const struct regs_call *call, const struct call_request *request,
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
    if (request->is_socket && !request->filtered) {
        uint32_t flags = request->flags & ~(uint32_t)MSG_FASTOPEN;
        piece->arguments[3] = write ? flags | MSG_NOSIGNAL : flags;
        piece->number = i386    ? (write ? 369 : 371)
                        : write ? 44
                                : (call->abi == REGS_ABI_X32 ? 517 : 45);
    } else if (request->at_offset) {
        piece->arguments[3] = i386 ? (uint32_t)offset : offset;
        piece->arguments[4] = i386 ? offset >> 32 : 0;
        piece->number = i386 ? (write ? 181 : 180) : (write ? 18 : 17);
    } else {
        piece->number = i386 ? (write ? 4 : 3) : (write ? 1 : 0);
    }
}

static int64_t bytes_piece(const struct regs_call *call, const struct call_request *request, uint64_t done,
                       struct regs_call *piece)
{
    uint64_t size = request->size < request->enough ? request->size : request->enough;

    if (done >= size)
        return 0;
    /* MSG_PEEK: nothing was consumed, so the rest is looked at from the beginning */
    uint64_t from = request->kind == CALL_READ && (request->flags & MSG_PEEK) != 0 ? 0 : done;
    if (request->kind == CALL_READ || request->kind == CALL_WRITE) {
        make_plain(call, request, request->address + from, size - from, from, piece);
        return (int64_t)(size - from);
    }
    *piece = *call;
    piece->arguments[request->size_argument] = size - done;
    if (request->address_argument >= 0)
        piece->arguments[request->address_argument] = request->address + done;
    return (int64_t)(size - done);
}

/* The rest of a socket's vector would raise SIGPIPE: see make_plain. */
static bool may_stay_vector(const struct call_request *request)
{
    return request->shape == CALL_VECTOR && (!request->is_socket || request->filtered);
}

/* The same call on count elements of the vector, from first on. */
static void make_vector(const struct regs_call *call, const struct call_request *request,
                        const struct vector *vector, uint64_t first, uint64_t count, uint64_t done,
                        struct regs_call *piece)
{
    bool i386 = call->abi == REGS_ABI_I386;
    uint64_t offset = request->offset + done;

    *piece = *call;
    piece->arguments[1] = vector->address + first * 2 * layout_of(request)->word;
    piece->arguments[2] = count;
    if (request->at_offset) {
        piece->arguments[3] = i386 ? (uint32_t)offset : offset;
        piece->arguments[4] = i386 ? offset >> 32 : call->arguments[4];
    }
}

/* How many bytes the next piece of a vector may have. anon_pipe_write (fs/pipe.c) leaves a page of a pipe
 * partly filled where a call ends, and a later call adds to that page only what fits into it. The pipe
 * would hold less than in the whole call, so a piece that begins in such a page ends with it. A call is
 * cut short where the pipe is full, at the end of a page. */
static uint64_t piece_room(const struct regs_call *call, const struct call_request *request,
                           uint64_t done)
{
    uint64_t left = request->enough - done;
    uint64_t filled =
        request->pipe_page > 0 ? (done - (uint64_t)call->result) % request->pipe_page : 0;

    if (filled == 0)
        return left;
    uint64_t page_left = request->pipe_page - filled;
    return page_left < left ? page_left : left;
}

static int64_t vector_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                        const struct vector *vector, uint64_t done, struct regs_call *piece)
{
    struct position position;
    uint64_t room = done < request->enough ? piece_room(call, request, done) : 0;
    int error = find_position(tid, request, vector, done, room, &position);

    if (error != 0)
        return error;
    if (position.element >= vector->count || room == 0)
        return 0;
    if (position.within == 0 && position.fitting > 1 && may_stay_vector(request)) {
        make_vector(call, request, vector, position.element, position.fitting, done, piece);
        return (int64_t)position.fitting_bytes;
    }
    uint64_t size = position.length - position.within;
    size = size < room ? size : room;
    make_plain(call, request, position.base + position.within, size, done, piece);
    return (int64_t)size;
}

static int64_t message_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                         uint64_t address, uint64_t done, struct regs_call *piece)
{
    struct vector vector;
    uint64_t control;
    int error = read_message(tid, request, address, &vector, &control);

    if (error != 0)
        return error;
    /* a plain call would lose what came with the rest, or receive what is not of this message */
    if (request->kind == CALL_READ && (control != 0 || (request->flags & MSG_PEEK) != 0))
        return -EOPNOTSUPP;
    return vector_piece(tid, call, request, &vector, done, piece);
}

static int64_t messages_piece(pid_t tid, const struct regs_call *call, const struct call_request *request,
                          const struct call_progress *progress, struct regs_call *piece)
{
    uint64_t address = message_address(request, progress->done);

    if (progress->part > 0) {
        int64_t made = message_piece(tid, call, request, address, progress->part, piece);
        if (made != 0)
            return made;
    }
    if (progress->done >= request->size)
        return 0;
    *piece = *call;
    if (call->abi == REGS_ABI_I386 && call->number == 102) { /* socketcall */
        piece->number = request->kind == CALL_WRITE ? 345 : 337;
        return -EOPNOTSUPP;
    }
    piece->arguments[1] = address;
    piece->arguments[2] = request->size - progress->done;
    if (request->kind == CALL_WRITE)
        piece->arguments[3] |= MSG_NOSIGNAL;
    return (int64_t)piece->arguments[2];
}

/* io_getevents(2): events of 32 bytes, of which some are enough; io_uring_enter(2): all is submitted,
 * and what is left is the wait. */
static int64_t wait_piece(const struct regs_call *call, const struct call_request *request, uint64_t done,
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
    const struct vector vector = {request->address, request->size};

    if (request->kind == CALL_EVENTS || request->kind == CALL_RING)
        return wait_piece(call, request, progress->done, piece);
    switch (request->shape) {
    case CALL_BYTES:
        return bytes_piece(call, request, progress->done, piece);
    case CALL_VECTOR:
        return vector_piece(tid, call, request, &vector, progress->done, piece);
    case CALL_MESSAGE:
        return message_piece(tid, call, request, request->address, progress->done, piece);
    case CALL_MESSAGES:
        return messages_piece(tid, call, request, progress, piece);
    }
    return -EINVAL;
}

/* --- progress ---------------------------------------------------------------------------- */

/* A byte in a vector of messages. */
struct place_in_messages {
    uint64_t message, within; /* bytes of that one */
};

static int read_length(pid_t tid, const struct call_request *request, uint64_t message, uint32_t *length)
{
    return target_memory_read(tid, message_address(request, message) + layout_of(request)->message_length,
                      length, sizeof *length);
}

static int write_length(pid_t tid, const struct call_request *request, uint64_t message, uint32_t length)
{
    return target_memory_write(tid, message_address(request, message) + layout_of(request)->message_length,
                       &length, sizeof length);
}

/* Finds the address of a place, and sets *size to the bytes from there to the end of its element of the
 * message's vector. *size is 0 at the end of the message. Returns 0 or -errno. */
static int piece_find_memory(pid_t tid, const struct call_request *request,
                             const struct place_in_messages *place, uint64_t *address, uint64_t *size)
{
    struct vector vector;
    struct position position;
    uint64_t control;
    int error = read_message(tid, request, message_address(request, place->message), &vector, &control);

    if (error == 0)
        error = find_position(tid, request, &vector, place->within, 0, &position);
    if (error == 0) {
        *address = position.base + position.within;
        *size = position.length - position.within;
    }
    return error;
}

/* Moves bytes that are in later messages to where there is room; *to comes behind them. */
static int move_bytes(pid_t tid, const struct call_request *request, struct place_in_messages from,
                      uint64_t bytes, struct place_in_messages *to)
{
    unsigned char buffer[4096];

    while (bytes > 0) {
        uint64_t source, target, there, here;
        int error = piece_find_memory(tid, request, &from, &source, &there);
        if (error == 0)
            error = piece_find_memory(tid, request, to, &target, &here);
        if (error != 0)
            return error;
        if (here == 0) {
            *to = (struct place_in_messages){.message = to->message + 1};
            continue;
        }
        uint64_t some = bytes < here ? bytes : here;
        some = some < there ? some : there;
        some = some < sizeof buffer ? some : sizeof buffer;
        if (some == 0)
            return -EINVAL;
        error = target_memory_read(tid, source, buffer, some);
        if (error == 0)
            error = target_memory_write(tid, target, buffer, some);
        if (error != 0)
            return error;
        from.within += some;
        to->within += some;
        bytes -= some;
    }
    return 0;
}

/* A stream's bytes that came after a message that was cut short are in the next one's place. They are
 * moved to where they would be if it had not been cut: the call itself was to write there. Of all
 * messages that are done, only the last is a part then. */
static int compact_messages(pid_t tid, const struct call_request *request, struct call_progress *progress)
{
    struct place_in_messages end = {0};
    uint32_t length;
    int error = 0;

    for (uint64_t i = 0; error == 0 && i < progress->done; i++) {
        error = read_length(tid, request, i, &length);
        if (error == 0)
            error = move_bytes(tid, request, (struct place_in_messages){.message = i}, length, &end);
    }
    for (uint64_t i = 0; error == 0 && i < end.message; i++) {
        struct place_in_messages whole = {.message = i};
        uint64_t address, size;
        do {
            error = piece_find_memory(tid, request, &whole, &address, &size);
            whole.within += error == 0 ? size : 0;
        } while (error == 0 && size > 0);
        if (error == 0)
            error = write_length(tid, request, i, (uint32_t)whole.within);
    }
    if (error == 0)
        error = write_length(tid, request, end.message, (uint32_t)end.within);
    progress->done = end.message + 1;
    return error;
}

/* The last message that counts as done may have been moved in part. Then it is the one under way. */
static int piece_look_at_last(pid_t tid, const struct call_request *request,
                              struct call_progress *progress)
{
    struct place_in_messages end = {.message = progress->done - 1};
    uint64_t address, size = 0;
    uint32_t length = 0;
    int error = read_length(tid, request, end.message, &length);

    end.within = length;
    if (error == 0)
        error = piece_find_memory(tid, request, &end, &address, &size);
    if (error == 0 && size > 0 && length > 0) {
        progress->done--;
        progress->part = length;
    }
    return error;
}

static bool may_end_within_message(const struct call_request *request)
{
    return request->shape == CALL_MESSAGES && request->is_stream &&
           (request->kind == CALL_WRITE || (request->flags & MSG_WAITALL) != 0);
}

int call_first_progress(pid_t tid, const struct regs_call *call, struct call_request *request,
                        struct call_progress *progress)
{
    int error = 0;

    *progress = (struct call_progress){.done = (uint64_t)call->result};
    if (!may_end_within_message(request))
        return 0;
    if (request->kind == CALL_READ && progress->done > 1)
        error = compact_messages(tid, request, progress);
    return error == 0 ? piece_look_at_last(tid, request, progress) : error;
}

int call_add_piece(pid_t tid, const struct call_request *request, uint64_t moved,
                   struct call_progress *progress)
{
    if (request->kind == CALL_RING)
        return 0;
    if (request->kind == CALL_READ && (request->flags & MSG_PEEK) != 0) {
        if (moved <= progress->done)
            return -ENODATA; /* a peek takes nothing away: at the end it returns the same for ever */
        progress->done = moved;
        return 0;
    }
    if (progress->part == 0) {
        progress->done += moved;
        bool may_be_part = may_end_within_message(request) && moved > 0;
        return may_be_part ? piece_look_at_last(tid, request, progress) : 0;
    }
    int error = write_length(tid, request, progress->done, (uint32_t)(progress->part + moved));
    progress->done++;
    progress->part = 0;
    return error == 0 ? piece_look_at_last(tid, request, progress) : error;
}
