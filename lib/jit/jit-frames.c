/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the frame descriptions that a JIT compiler has written into a jitdump, for the code at an address. A record of
 * frame descriptions comes before the record of the code that they belong to
 * (tools/perf/Documentation/jitdump-specification.txt in the kernel).
 *
 * The compiler adds records while we profile, so the file is read on at each look-up that needs it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "jit/jit.h"

#define PIECES_MAX (1u << 20) /* code with frame descriptions; later code has none */

/* Code at addresses [start, end). Its .eh_frame is at offset `at` of the file, and has `size` bytes. */
struct frames_piece {
    uint64_t start, end;
    uint64_t at;
    uint32_t size;
};

struct jit_frames {
    int fd;        /* owned */
    uint64_t next; /* offset of the first record that was not read yet */
    uint16_t machine;
    struct frames_piece *pieces; /* owned; sorted; do not overlap */
    uint32_t count;
    struct frames_piece following; /* frame descriptions of the next code; size 0: none */
};

struct jit_frames *jit_frames_open(int fd, const struct jit_owner *owner)
{
    struct jitdump_header header;
    size_t size;

    if (!jitdump_is(fd) || !jit_file_is_trusted(fd, owner, &size) || !jitdump_begin(fd, &header))
        return NULL;
    struct jit_frames *frames = calloc(1, sizeof *frames);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (frames == NULL || own < 0) {
        free(frames);
        if (own >= 0)
            close(own);
        return NULL;
    }
    frames->fd = own;
    frames->next = header.size;
    frames->machine = (uint16_t)header.machine;
    return frames;
}

void jit_frames_close(struct jit_frames *frames)
{
    if (frames == NULL)
        return;
    close(frames->fd);
    free(frames->pieces);
    free(frames);
}

uint16_t jit_frames_machine(const struct jit_frames *frames)
{
    return frames->machine;
}

/* --- pieces of code ----------------------------------------------------------------------------- */

/* Returns the index of the first piece that ends above `address`. */
static uint32_t frames_find(const struct jit_frames *frames, uint64_t address)
{
    uint32_t low = 0, high = frames->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (frames->pieces[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Removes all pieces that overlap [start, end): their code does not exist any more. */
static void frames_remove(struct jit_frames *frames, uint64_t start, uint64_t end)
{
    uint32_t first = frames_find(frames, start), last = first;

    if (first == frames->count)
        return;
    while (last < frames->count && frames->pieces[last].start < end)
        last++;
    memmove(frames->pieces + first, frames->pieces + last, (frames->count - last) * sizeof *frames->pieces);
    frames->count -= last - first;
}

static bool frames_add(struct jit_frames *frames, const struct frames_piece *piece)
{
    if (piece->size == 0 || frames->count >= PIECES_MAX)
        return true;
    if (array_grow(&frames->pieces, frames->count, sizeof *frames->pieces) != 0)
        return false;
    uint32_t slot = frames_find(frames, piece->start);
    memmove(frames->pieces + slot + 1, frames->pieces + slot, (frames->count - slot) * sizeof *frames->pieces);
    frames->pieces[slot] = *piece;
    frames->count++;
    return true;
}

/* --- records ------------------------------------------------------------------------------------- */

/* at: offset of the record's content in the file, which has `size` bytes. */
static void frames_take_descriptions(struct jit_frames *frames, uint64_t at, uint64_t size)
{
    struct jitdump_unwinding_info info;

    frames->following.size = 0;
    if (size < sizeof info || !jitdump_read_at(frames->fd, at, &info, sizeof info) ||
        info.size > size - sizeof info || info.header_size > info.size ||
        info.size - info.header_size > JIT_FRAMES_SIZE_MAX)
        return;
    frames->following.at = at + sizeof info;
    frames->following.size = (uint32_t)(info.size - info.header_size);
}

static bool frames_take_load(struct jit_frames *frames, uint64_t at, uint64_t size)
{
    struct frames_piece piece = frames->following;
    struct jitdump_load load;

    frames->following.size = 0;
    if (size < sizeof load || !jitdump_read_at(frames->fd, at, &load, sizeof load) || load.size == 0 ||
        load.size > UINT64_MAX - load.address)
        return true;
    piece.start = load.address;
    piece.end = load.address + load.size;
    frames_remove(frames, piece.start, piece.end);
    return frames_add(frames, &piece);
}

static bool frames_take_move(struct jit_frames *frames, uint64_t at, uint64_t size)
{
    struct jitdump_move move;

    if (size < sizeof move || !jitdump_read_at(frames->fd, at, &move, sizeof move) || move.size == 0 ||
        move.size > UINT64_MAX - move.to)
        return true;
    uint32_t slot = frames_find(frames, move.from);
    struct frames_piece piece = {.size = 0};
    if (slot < frames->count && frames->pieces[slot].start == move.from)
        piece = frames->pieces[slot];
    frames_remove(frames, move.from, move.from + 1);
    piece.start = move.to;
    piece.end = move.to + move.size;
    frames_remove(frames, piece.start, piece.end);
    return frames_add(frames, &piece);
}

static bool frames_take_record(struct jit_frames *frames, const struct jitdump_record *record)
{
    uint64_t at = frames->next + sizeof *record, size = record->size - sizeof *record;

    switch (record->id) {
    case JITDUMP_UNWINDING_INFO:
        frames_take_descriptions(frames, at, size);
        return true;
    case JITDUMP_LOAD:
        return frames_take_load(frames, at, size);
    case JITDUMP_MOVE:
        return frames_take_move(frames, at, size);
    }
    return true;
}

int jit_frames_read_on(struct jit_frames *frames)
{
    struct jitdump_record record;
    struct stat status;
    int changed = 0;

    if (fstat(frames->fd, &status) < 0)
        return 0;
    while (jitdump_next(frames->fd, frames->next, (uint64_t)status.st_size, &record)) {
        if (!frames_take_record(frames, &record))
            return -ENOMEM;
        changed = 1;
        frames->next += record.size;
    }
    return changed;
}

size_t jit_frames_find(const struct jit_frames *frames, uint64_t address, uint64_t *start, void *bytes)
{
    uint32_t slot = frames_find(frames, address);

    if (slot == frames->count || frames->pieces[slot].start > address)
        return 0;
    const struct frames_piece *piece = &frames->pieces[slot];
    *start = piece->start;
    return jitdump_read_at(frames->fd, piece->at, bytes, piece->size) ? piece->size : 0;
}
