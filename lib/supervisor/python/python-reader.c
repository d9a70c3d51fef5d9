/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes a sample of a thread's Python frames. Most frames of a thread are the same at the next sample. So one system
 * call reads the thread state, and all frames and code objects of the last sample. python-frames.c follows the list of
 * frames in these copies, and reads only those that are new.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "supervisor/python/python-internal.h"
#include "supervisor/target-memory.h"

#define SEARCH_AT_STOP 16u /* so many thread states are looked at while the thread is stopped */
/* So many frames are read one by one while the thread is stopped. Only versions before 3.11 need many */
#define SINGLES_MAX 256u
#define GAP_MAX 512u /* frames whose addresses differ by so many bytes are read together */

struct python_reader *python_reader_new(uint32_t number)
{
    struct python_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL)
        return NULL;
    reader->number = number;
    reader->taken = (void *)reader->taken_area;
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
    return reader->taken->count > 0 ? reader->taken : NULL;
}

void python_reader_drop(struct python_reader *reader)
{
    reader->taken->count = 0;
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
    for (unsigned i = 0; i < thread->state_count; i++)
        python_frames_walk(reader, layout, thread, tid, states[i].frame);
}

void python_reader_take(struct python_reader *reader, struct python_runtime *runtime, struct python_thread *thread,
                        pid_t tid)
{
    struct state_copy states[PYTHON_STATES_MAX];

    reader->taken->count = reader->taken->flags = 0;
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
