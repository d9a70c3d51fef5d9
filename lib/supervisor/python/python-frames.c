/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows the list of a thread's frames, from the innermost frame to the outermost. Each element must be read before
 * the address of the next one is known, and a system call for each frame would keep the thread stopped for too long. So
 * frames of the last sample are not read again: the reader has copies of them. Together with a new frame, the memory
 * around it is read, which usually has its callers. From 3.11 on, frames lie side by side in memory, each behind its
 * caller. Before, they are objects in pools, and objects that were made one after the other often lie in one page.
 */
#include "config.h"

#include <string.h>

#include "supervisor/python/python-internal.h"
#include "supervisor/target-memory.h"

#define PAGE 4096u /* no machine has smaller pages */

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

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

/* Reads a frame and memory around it. before: the memory before the frame in its page, and BLOCK_PAGES_BEFORE pages
 * before that one, as far as they are mapped. Otherwise: the page of the frame. Returns false if the frame cannot be
 * read. */
static bool walk_read_block(const struct frame_walk *walk, uint64_t start, bool before)
{
    struct python_reader *reader = walk->reader;
    uint64_t low = start & ~(uint64_t)(PAGE - 1), end = start + walk->layout->frame_size;
    size_t size = (size_t)((before || end > low + PAGE ? end : low + PAGE) - low);
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

/* Follows the list of frames that begins at an address. */
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

void python_frames_walk(struct python_reader *reader, const struct python_layout *layout,
                        const struct python_thread *thread, pid_t tid, uint64_t first)
{
    struct frame_walk walk = {.reader = reader, .layout = layout, .thread = thread, .tid = tid};

    if (layout->has_cframes && first != 0) {
        walk.cframe = first;
        if (target_memory_read(tid, walk.cframe + layout->cframe_frame, &first, sizeof first) != 0)
            first = 0;
    }
    walk_frames(&walk, first);
}
