/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes a sample of a thread's Python frames. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "supervisor/python/python-internal.h"

#define SEARCH_AT_STOP 16u /* so many thread states are looked at while the thread is stopped */

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

/* --- a sample ------------------------------------------------------------------------------------- */

bool python_reader_read(struct python_reader *reader, uint64_t address, void *to, size_t size, bool before)
{
    if (pages_read(&reader->pages, address, to, size, before))
        return true;
    reader->truncated |= reader->pages.is_exhausted;
    return false;
}

static bool reader_word_is(struct python_reader *reader, uint64_t address, uint64_t expected)
{
    uint64_t word;

    return python_reader_read(reader, address, &word, sizeof word, false) && word == expected;
}

/* Returns true if the thread's states are still its own, and it has no other ones: the lists in which a new state would
 * be have the heads that the last search has met. If there is only one interpreter, new states in it are other
 * threads'. */
static bool reader_states_are_valid(struct python_reader *reader, const struct python_runtime *runtime,
                                    const struct python_thread *thread)
{
    const struct python_layout *layout = &runtime->layout;
    bool valid = reader_word_is(reader, runtime->address + layout->runtime_interpreters,
                                thread->searched[0].interpreter);

    for (unsigned i = 0; valid && thread->searched_count > 1 && i < thread->searched_count; i++)
        valid = reader_word_is(reader, thread->searched[i].interpreter + layout->interpreter_states,
                               thread->searched[i].newest_state);
    for (unsigned i = 0; valid && i < thread->state_count; i++)
        valid = reader_word_is(reader, thread->states[i] + thread->id_field, thread->id);
    return valid;
}

/* Copies the pages of the last samples. Finds the thread states of the thread if they are not known, or have changed.
 * Returns true if they are known. */
static bool reader_begin(struct python_reader *reader, const struct python_runtime *runtime,
                         struct python_thread *thread, pid_t tid)
{
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        if (thread->state_count == 0) {
            if (python_thread_is_searched(thread, runtime, tid))
                return false;
            python_thread_search(thread, runtime, tid, SEARCH_AT_STOP);
        }
        if (thread->state_count == 0)
            return false;
        pages_begin(&reader->pages, thread, tid);
        if (reader_states_are_valid(reader, runtime, thread))
            return true;
        thread->state_count = thread->searched_count = 0;
    }
    return false;
}

/* Puts the walked frames into reader->taken. */
static void reader_put_frames(struct python_reader *reader, const struct python_layout *layout)
{
    struct wire_python *taken = reader->taken;

    for (uint32_t i = 0; i < reader->walked_count; i++) {
        const struct read_frame *frame = &reader->walked[i];
        int64_t instruction = python_code_instruction(layout, frame);
        if (frame->known == NULL)
            continue;
        taken->frames[taken->count++] = (struct wire_python_frame){
            .code = frame->known->id,
            .instruction = instruction >= 0 && instruction < INT32_MAX ? (uint32_t)instruction
                                                                       : WIRE_PYTHON_NO_INSTRUCTION,
            .stack = frame->stack,
        };
    }
    if (reader->truncated)
        taken->flags |= WIRE_PYTHON_TRUNCATED;
}

void python_reader_take(struct python_reader *reader, struct python_runtime *runtime, struct python_thread *thread,
                        pid_t tid)
{
    const struct python_layout *layout = &runtime->layout;
    uint64_t frame;

    reader->taken->count = reader->taken->flags = 0;
    reader->walked_count = reader->new_code_count = 0;
    reader->truncated = false;
    reader->takes++;
    if (atomic_load(&runtime->check) != PYTHON_GOOD)
        return;
    if (thread->runtime != runtime->number) {
        thread->runtime = runtime->number;
        thread->state_count = thread->searched_count = thread->page_count = 0;
    }
    if (!reader_begin(reader, runtime, thread, tid))
        return;
    for (unsigned i = 0; i < thread->state_count; i++)
        if (python_reader_read(reader, thread->states[i] + layout->state_frame, &frame, sizeof frame, false))
            python_frames_walk(reader, runtime, frame);
    reader_put_frames(reader, layout);
    pages_end(&reader->pages, thread);
    python_code_read_names(reader, runtime);
}
