/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the frames of a thread. They form a list, from the innermost frame to the outermost. To follow a list, each
 * element must be read before the address of the next one is known, and a system call for each frame would keep the
 * thread stopped for too long. But most frames of a thread are the same at the next sample. So one system call reads
 * the thread state, and all frames and code objects of the last sample. Then the list is followed in these copies, and
 * only frames that are new are read one by one. From 3.11 on, frames lie side by side in memory. So together with a new
 * frame, the memory before it is read, which usually has its callers.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/python/python-internal.h"
#include "supervisor/target-memory.h"

#define SEARCH_AT_STOP 16u /* so many thread states are looked at while the thread is stopped */
/* So many frames are read one by one while the thread is stopped. Only versions before 3.11 need many */
#define SINGLES_MAX 256u
#define PAGE 4096u   /* no machine has smaller pages */
#define GAP_MAX 512u /* frames whose addresses differ by so many bytes are read together */
#define STATE_BYTES_MAX 256u

struct python_reader *python_reader_new(uint32_t number)
{
    struct python_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL)
        return NULL;
    reader->number = number;
    python_reader_settle(reader, false);
    if (reader->known == NULL) {
        free(reader);
        return NULL;
    }
    return reader;
}

void python_reader_free(struct python_reader *reader)
{
    if (reader != NULL)
        free(reader->known);
    free(reader);
}

const struct wire_python *python_reader_frames(const struct python_reader *reader)
{
    return reader->taken.head.count > 0 ? &reader->taken.head : NULL;
}

void python_reader_drop(struct python_reader *reader)
{
    reader->taken.head.count = 0;
}

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* --- the thread state ---------------------------------------------------------------------------- */

struct state_copy {
    uint64_t address;
    unsigned id_piece, frame_piece; /* numbers of pieces in the reader's list */
    uint64_t id, frame;
};

/* Puts the thread state into the list of pieces. */
static void state_add(struct gather *gather, const struct python_layout *layout, const struct python_thread *thread,
                      uint64_t address, struct state_copy *copy)
{
    *copy = (struct state_copy){.address = address};
    copy->id_piece = gather_add(gather, address + thread->id_field, &copy->id, sizeof copy->id);
    copy->frame_piece = gather_add(gather, address + layout->state_frame, &copy->frame, sizeof copy->frame);
}

/* Returns true if the thread state was read, and is still that of the thread. */
static bool state_is_valid(const struct gather *gather, const struct python_thread *thread,
                           const struct state_copy *copy)
{
    return gather->done[copy->id_piece] && gather->done[copy->frame_piece] && copy->id == thread->id;
}

/* Copies of the heads of the lists in which a new state of the thread would be. */
struct heads_copy {
    unsigned piece;       /* number of the first piece in the reader's list; the others follow */
    uint64_t interpreter; /* the newest interpreter state */
    unsigned count;
    uint64_t states[PYTHON_INTERPRETERS_MAX]; /* the newest thread state of each interpreter */
};

/* Puts the heads into the list of pieces. If there is only one interpreter, new states in it are other threads'. */
static void heads_add(struct gather *gather, const struct python_runtime *runtime, const struct python_thread *thread,
                      struct heads_copy *copy)
{
    const struct python_layout *layout = &runtime->layout;

    copy->count = thread->searched_count > 1 ? thread->searched_count : 0;
    copy->piece = gather_add(gather, runtime->address + layout->runtime_interpreters, &copy->interpreter,
                             sizeof copy->interpreter);
    for (unsigned i = 0; i < copy->count; i++)
        gather_add(gather, thread->searched[i].interpreter + layout->interpreter_states, &copy->states[i],
                   sizeof copy->states[i]);
}

/* Returns true if the lists have the heads that the last search has met. */
static bool heads_are_valid(const struct gather *gather, const struct python_thread *thread,
                            const struct heads_copy *copy)
{
    bool valid = gather->done[copy->piece] && copy->interpreter == thread->searched[0].interpreter;

    for (unsigned i = 0; i < copy->count; i++)
        valid = valid && gather->done[copy->piece + 1 + i] && copy->states[i] == thread->searched[i].newest_state;
    return valid;
}

/* --- frames -------------------------------------------------------------------------------------- */

struct frame_walk {
    struct python_reader *reader;
    const struct python_layout *layout;
    const struct python_thread *thread;
    pid_t tid;
    uint32_t hint;        /* the walk has passed this number of frames of the last sample */
    uint32_t group_start; /* number of the first walked frame whose native frame is not known yet */
    uint64_t cframe;      /* address of the present _PyCFrame; 0: none */
};

/* Finds a frame among those of the last sample. Returns its number; thread->frame_count: it is not one of them, or
 * could not be read. */
static uint32_t walk_find_cached(struct frame_walk *walk, uint64_t address)
{
    const struct python_thread *thread = walk->thread;

    for (uint32_t i = walk->hint; i < thread->frame_count; i++)
        if (thread->frames[i] == address && walk->reader->frame_at[i] != NULL) {
            walk->hint = i + 1;
            return i;
        }
    return thread->frame_count;
}

static bool walk_is_in_block(const struct python_reader *reader, uint64_t address, uint32_t size)
{
    return address >= reader->block_start && size <= reader->block_size &&
           address - reader->block_start <= reader->block_size - size;
}

/* Reads a frame, and if `before` is set, also the memory before it: the page of the frame, and BLOCK_PAGES_BEFORE pages
 * before that one, as far as they are mapped. Returns false if the frame cannot be read. */
static bool walk_read_block(const struct frame_walk *walk, uint64_t start, bool before)
{
    struct python_reader *reader = walk->reader;
    uint64_t low = before ? start & ~(uint64_t)(PAGE - 1) : start;
    size_t size = (size_t)(start - low) + walk->layout->frame_size;
    uint8_t *at = reader->block + BLOCK_PAGES_BEFORE * PAGE;
    struct iovec here[1 + BLOCK_PAGES_BEFORE] = {{at, size}}, there[1 + BLOCK_PAGES_BEFORE] = {{(void *)low, size}};
    unsigned count = 1;

    for (; before && count <= BLOCK_PAGES_BEFORE && low >= count * PAGE; count++) {
        here[count] = (struct iovec){at - count * PAGE, PAGE};
        there[count] = (struct iovec){(void *)(low - count * PAGE), PAGE};
    }
    ssize_t got = target_memory_read_pieces(walk->tid, here, there, count);
    reader->block_size = 0;
    if (got < (ssize_t)size)
        return false;
    uint32_t pages = (uint32_t)((size_t)got - size) / PAGE * PAGE;
    reader->block_first = at - pages;
    reader->block_start = low - pages;
    reader->block_size = (uint32_t)size + pages;
    return true;
}

/* Reads a frame that was not in the last sample. Returns its bytes, from frame_low on; NULL: it cannot be read. */
static const uint8_t *walk_read_frame(const struct frame_walk *walk, uint64_t address)
{
    struct python_reader *reader = walk->reader;
    const struct python_layout *layout = walk->layout;
    uint64_t start = address + layout->frame_low;

    if (!walk_is_in_block(reader, start, layout->frame_size)) {
        if (reader->singles_left == 0) {
            reader->truncated = true;
            return NULL;
        }
        reader->singles_left--;
        if (!walk_read_block(walk, start, layout->frame_owner != 0))
            return NULL;
    }
    return reader->block_first + (start - reader->block_start);
}

/* The native frame of all walked frames since the last such call is the one with this address. */
static void walk_end_group(struct frame_walk *walk, uint64_t stack)
{
    struct python_reader *reader = walk->reader;

    for (; walk->group_start < reader->walked_count; walk->group_start++)
        reader->walked[walk->group_start].stack = stack;
}

/* 3.11: the frame is the outermost one of its native frame, which also has the present _PyCFrame. Finds the next
 * _PyCFrame. A _PyCFrame never changes its successor, so if it was there at the last sample, nothing is read. cached:
 * the number that the frame had in the last sample, or thread->frame_count. */
static void walk_leave_cframe(struct frame_walk *walk, uint32_t cached)
{
    const struct python_thread *thread = walk->thread;
    struct python_reader *reader = walk->reader;
    uint64_t cframe = walk->cframe;

    walk_end_group(walk, cframe);
    walk->cframe = 0;
    if (cframe != 0 && cached + 1 < thread->frame_count && thread->stacks[cached] == cframe) {
        walk->cframe = thread->stacks[cached + 1];
    } else if (cframe != 0 && reader->singles_left > 0) {
        reader->singles_left--;
        if (target_memory_read(walk->tid, cframe + walk->layout->cframe_previous, &walk->cframe, sizeof walk->cframe) !=
            0)
            walk->cframe = 0;
    }
}

/* Returns a field of a frame. bytes: the frame's memory, from frame_low on. field: one of the frame_ fields of the
 * layout. */
static const uint8_t *frame_field(const struct python_layout *layout, const uint8_t *bytes, uint32_t field)
{
    return bytes + (field - layout->frame_low);
}

/* Decodes a frame, and adds it to the walked frames. bytes: the frame's memory, from frame_low on. cached: the number
 * that the frame had in the last sample, or thread->frame_count. Returns the address of the caller's frame. */
static uint64_t walk_add_frame(struct frame_walk *walk, uint64_t address, const uint8_t *bytes, uint32_t cached)
{
    struct python_reader *reader = walk->reader;
    const struct python_layout *layout = walk->layout;
    struct read_frame *frame = &reader->walked[reader->walked_count++];
    uint8_t owner = layout->frame_owner != 0 ? *frame_field(layout, bytes, layout->frame_owner) : 0;

    *frame = (struct read_frame){.address = address};
    if (layout->instruction_unit == 0) {
        frame->instruction = word_at(frame_field(layout, bytes, layout->frame_instruction));
    } else {
        int32_t index;
        memcpy(&index, frame_field(layout, bytes, layout->frame_instruction), sizeof index);
        frame->instruction = (uint64_t)(int64_t)index;
    }
    if (layout->frame_owner != 0 && owner >= layout->owner_c)
        walk_end_group(walk, address);
    else
        /* the lowest bits are tags (_PyStackRef of 3.14) */
        frame->code = word_at(frame_field(layout, bytes, layout->frame_code)) & ~UINT64_C(7);
    if (cached < walk->thread->frame_count && walk->thread->codes[cached] == frame->code)
        frame->code_bytes = reader->code_at[cached];
    if (layout->frame_entry != 0 && *frame_field(layout, bytes, layout->frame_entry) != 0)
        walk_leave_cframe(walk, cached);
    return word_at(frame_field(layout, bytes, layout->frame_previous));
}

static void walk_frames(struct frame_walk *walk, uint64_t address)
{
    struct python_reader *reader = walk->reader;

    walk->group_start = reader->walked_count;
    while (address != 0) {
        if (reader->walked_count == WIRE_PYTHON_FRAMES_MAX) {
            reader->truncated = true;
            break;
        }
        uint32_t cached = walk_find_cached(walk, address);
        const uint8_t *bytes = cached < walk->thread->frame_count ? reader->frame_at[cached]
                                                                  : walk_read_frame(walk, address);
        if (bytes == NULL)
            break;
        address = walk_add_frame(walk, address, bytes, cached);
    }
}

/* --- a sample ------------------------------------------------------------------------------------- */

/* Adds the frames of the last sample to the list of pieces, the outermost first, because it is the most likely to be
 * still there. Frames that lie close together become one piece. */
static void reader_add_frames(struct python_reader *reader, const struct python_layout *layout,
                              const struct python_thread *thread)
{
    struct gather *gather = &reader->gather;
    uint8_t *at = reader->frame_area;

    for (uint32_t i = thread->frame_count; i-- > 0;) {
        uint64_t gap = i + 1 < thread->frame_count ? thread->frames[i] - thread->frames[i + 1] : 0;
        size_t left = (size_t)(reader->frame_area + sizeof reader->frame_area - at);
        if (gap >= layout->frame_size && gap <= GAP_MAX && left >= gap + (size_t)i * PYTHON_FRAME_BYTES) {
            struct iovec *here = &gather->here[gather->count - 1];
            here->iov_len += gap;
            gather->there[gather->count - 1].iov_len += gap;
            at += gap;
        } else {
            gather_add(gather, thread->frames[i] + layout->frame_low, at, layout->frame_size);
            at += layout->frame_size;
        }
        reader->frame_at[i] = at - layout->frame_size;
        reader->frame_piece[i] = (uint16_t)(gather->count - 1);
    }
}

/* Adds the code objects of these frames. A code object that calls itself is added once. */
static void reader_add_codes(struct python_reader *reader, const struct python_layout *layout,
                             const struct python_thread *thread)
{
    for (uint32_t i = thread->frame_count; i-- > 0;) {
        bool same = i + 1 < thread->frame_count && thread->codes[i] == thread->codes[i + 1];
        if (same) {
            reader->code_at[i] = reader->code_at[i + 1];
            reader->code_piece[i] = reader->code_piece[i + 1];
            continue;
        }
        reader->code_at[i] = reader->code_area[i];
        reader->code_piece[i] = (uint16_t)gather_add(&reader->gather, thread->codes[i] + layout->code_low,
                                                     reader->code_area[i],
                                                     thread->codes[i] != 0 ? layout->code_size : 0);
    }
}

/* Reads the thread states, and the frames and code objects of the last sample. Returns false if the thread may have
 * other states by now. */
static bool reader_copy(struct python_reader *reader, const struct python_runtime *runtime,
                        const struct python_thread *thread, pid_t tid, struct state_copy *states)
{
    const struct python_layout *layout = &runtime->layout;
    struct gather *gather = &reader->gather;
    struct heads_copy heads;

    gather->count = 0;
    heads_add(gather, runtime, thread, &heads);
    for (unsigned i = 0; i < thread->state_count; i++)
        state_add(gather, layout, thread, thread->states[i], &states[i]);
    reader_add_frames(reader, layout, thread);
    reader_add_codes(reader, layout, thread);
    gather_read(gather, tid);
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        if (!gather->done[reader->frame_piece[i]])
            reader->frame_at[i] = NULL;
        if (!gather->done[reader->code_piece[i]])
            reader->code_at[i] = NULL;
    }
    bool valid = heads_are_valid(gather, thread, &heads);
    for (unsigned i = 0; i < thread->state_count; i++)
        valid = valid && state_is_valid(gather, thread, &states[i]);
    return valid;
}

/* Finds the thread states of the thread if they are not known, or have changed. Returns true if they were read. */
static bool reader_find_states(struct python_reader *reader, const struct python_runtime *runtime,
                               struct python_thread *thread, pid_t tid, struct state_copy *states)
{
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        if (thread->state_count == 0) {
            if (python_thread_is_searched(thread, runtime, tid))
                return false;
            python_thread_search(thread, runtime, tid, SEARCH_AT_STOP);
        }
        if (thread->state_count == 0)
            return false;
        if (reader_copy(reader, runtime, thread, tid, states))
            return true;
        thread->state_count = thread->searched_count = 0;
    }
    return false;
}

/* Notes the frames of this sample in `thread`, for the next one. */
static void reader_remember(const struct python_reader *reader, struct python_thread *thread)
{
    for (uint32_t i = 0; i < reader->walked_count; i++) {
        thread->frames[i] = reader->walked[i].address;
        thread->codes[i] = reader->walked[i].code;
        thread->stacks[i] = reader->walked[i].stack;
    }
    thread->frame_count = reader->walked_count;
}

static void reader_walk(struct python_reader *reader, const struct python_layout *layout, struct python_thread *thread,
                        pid_t tid, const struct state_copy *states)
{
    struct frame_walk walk = {.reader = reader, .layout = layout, .thread = thread, .tid = tid};

    for (unsigned i = 0; i < thread->state_count; i++) {
        uint64_t frame = states[i].frame;
        walk.cframe = 0;
        if (layout->has_cframes && frame != 0) {
            walk.cframe = frame;
            if (target_memory_read(tid, walk.cframe + layout->cframe_frame, &frame, sizeof frame) != 0)
                frame = 0;
        }
        walk_frames(&walk, frame);
    }
}

void python_reader_take(struct python_reader *reader, struct python_runtime *runtime, struct python_thread *thread,
                        pid_t tid)
{
    struct state_copy states[PYTHON_STATES_MAX];

    reader->taken.head = (struct wire_python){0};
    reader->walked_count = reader->block_size = 0;
    reader->truncated = false;
    reader->takes++;
    reader->singles_left = SINGLES_MAX;
    if (atomic_load(&runtime->check) != PYTHON_GOOD)
        return;
    if (thread->runtime != runtime->number) {
        thread->runtime = runtime->number;
        thread->state_count = thread->searched_count = thread->frame_count = 0;
    }
    if (!reader_find_states(reader, runtime, thread, tid, states))
        return;
    reader_walk(reader, &runtime->layout, thread, tid, states);
    reader_remember(reader, thread);
    python_code_identify(reader, runtime, tid);
}
