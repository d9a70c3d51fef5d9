/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows the list of a thread's frames, from the innermost frame to the outermost. Each element must be read before
 * the address of the next one is known. From 3.11 on, most frames lie side by side in memory, each behind its caller.
 * So when such a frame is in a page that is missing, the pages before it are read with it. Before 3.11, and for
 * generators, frames are objects anywhere in the heap.
 */
#include "config.h"

#include <string.h>

#include "supervisor/python/python-internal.h"

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

struct frame_walk {
    struct python_reader *reader;
    struct python_runtime *runtime;
    const struct python_layout *layout; /* of the runtime */
    uint32_t group_start;               /* number of the first walked frame whose native frame is not known yet */
    uint64_t cframe;                    /* address of the present _PyCFrame; 0: none */
};

/* The native frame of all walked frames since the last such call is the one with this address. */
static void walk_end_group(struct frame_walk *walk, uint64_t stack)
{
    struct python_reader *reader = walk->reader;

    for (; walk->group_start < reader->walked_count; walk->group_start++)
        reader->walked[walk->group_start].stack = stack;
}

/* 3.11: the frame is the outermost one of its native frame, which also has the present _PyCFrame. Finds the next
 * _PyCFrame. */
static void walk_leave_cframe(struct frame_walk *walk)
{
    uint64_t cframe = walk->cframe;

    walk_end_group(walk, cframe);
    if (cframe != 0 && !python_reader_read(walk->reader, cframe + walk->layout->cframe_previous, &walk->cframe,
                                           sizeof walk->cframe, false))
        walk->cframe = 0;
}

/* Returns a field of a frame. bytes: the frame's memory, from frame_low on. field: one of the frame_ fields of the
 * layout. */
static const uint8_t *frame_field(const struct python_layout *layout, const uint8_t *bytes, uint32_t field)
{
    return bytes + (field - layout->frame_low);
}

/* Finds the code object of the frame that was added last. In a recursion, it is that of the frame before. */
static void walk_identify_code(struct frame_walk *walk, struct read_frame *frame)
{
    struct python_reader *reader = walk->reader;

    if (reader->walked_count > 1 && frame[-1].code == frame->code)
        frame->known = frame[-1].known;
    else
        frame->known = python_code_identify(reader, walk->runtime, frame->code);
}

/* Decodes a frame, and adds it to the walked frames. bytes: the frame's memory, from frame_low on. Returns the address
 * of the caller's frame. */
static uint64_t walk_add_frame(struct frame_walk *walk, uint64_t address, const uint8_t *bytes)
{
    struct python_reader *reader = walk->reader;
    const struct python_layout *layout = walk->layout;
    struct read_frame *frame = &reader->walked[reader->walked_count++];
    uint8_t owner = layout->frame_owner != 0 ? *frame_field(layout, bytes, layout->frame_owner) : 0;

    *frame = (struct read_frame){0};
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
    if (frame->code != 0)
        walk_identify_code(walk, frame);
    if (layout->frame_entry != 0 && *frame_field(layout, bytes, layout->frame_entry) != 0)
        walk_leave_cframe(walk);
    return word_at(frame_field(layout, bytes, layout->frame_previous));
}

/* Follows the list of frames that begins at an address. */
static void walk_frames(struct frame_walk *walk, uint64_t address)
{
    struct python_reader *reader = walk->reader;
    const struct python_layout *layout = walk->layout;
    uint8_t bytes[PYTHON_FRAME_BYTES];
    uint64_t called = 0; /* the frame that the present one has called */

    walk->group_start = reader->walked_count;
    while (address != 0) {
        if (reader->walked_count == WIRE_PYTHON_FRAMES_MAX) {
            reader->truncated = true;
            break;
        }
        bool side_by_side = called > address && called - address < PAGE_BYTES;
        if (!python_reader_read(reader, address + layout->frame_low, bytes, layout->frame_size, side_by_side))
            break;
        called = address;
        address = walk_add_frame(walk, address, bytes);
    }
}

void python_frames_walk(struct python_reader *reader, struct python_runtime *runtime, uint64_t first)
{
    const struct python_layout *layout = &runtime->layout;
    struct frame_walk walk = {.reader = reader, .runtime = runtime, .layout = layout};

    if (layout->has_cframes && first != 0) {
        walk.cframe = first;
        if (!python_reader_read(reader, walk.cframe + layout->cframe_frame, &first, sizeof first, false))
            first = 0;
    }
    walk_frames(&walk, first);
}
