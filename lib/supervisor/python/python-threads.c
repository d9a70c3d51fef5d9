/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the interpreter's state of a thread: follows the list of interpreter states, and the list of thread states of
 * each of them. A new state is always put in front of its list.
 *
 * From 3.11 on, a thread state contains the id of its thread. Before, it contains only the pthread_t, which is the
 * address of the C library's own structure for the thread. That structure contains the id.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/python/python.h"
#include "supervisor/target-memory.h"

#define CHECKED_STATES_MAX 4u
#define CHECKS_MAX 8u /* after this number of failed checks, the layout is known to be wrong */
#define STATE_BYTES_MAX 256u
#define PID_MAX 4194304u /* PID_MAX_LIMIT of include/linux/threads.h */

/* Offsets of the thread's id in struct pthread: of glibc (nptl/descr.h) and of musl (src/internal/pthread_impl.h). */
#ifdef __aarch64__
static const uint32_t pthread_tids[] = {0xd0, 0x20};
#else
static const uint32_t pthread_tids[] = {0x2d0, 0x30};
#endif

static _Atomic uint32_t last_number;

struct python_runtime *python_runtime_new(uint64_t address, uint32_t version)
{
    struct python_runtime *runtime = calloc(1, sizeof *runtime);

    if (runtime == NULL)
        return NULL;
    runtime->address = address;
    runtime->version = version;
    runtime->number = ++last_number;
    return runtime;
}

void python_runtime_free(struct python_runtime *runtime)
{
    while (runtime != NULL) {
        struct python_runtime *former = runtime->former;
        free(runtime);
        runtime = former;
    }
}

static bool python_read_word(pid_t tid, uint64_t address, uint64_t *word)
{
    return target_memory_read(tid, address, word, sizeof *word) == 0;
}

/* --- the check of a layout ----------------------------------------------------------------------- */

/* Returns true if the first thread states of an interpreter state lead back to it. */
static bool python_check_states(const struct python_layout *layout, pid_t pid, uint64_t interpreter, uint64_t state)
{
    uint64_t owner, tid;

    for (unsigned i = 0; i < CHECKED_STATES_MAX && state != 0; i++) {
        if (!python_read_word(pid, state + layout->state_interpreter, &owner) || owner != interpreter)
            return false;
        if (layout->state_tid != 0 && (!python_read_word(pid, state + layout->state_tid, &tid) || tid > PID_MAX))
            return false;
        if (!python_read_word(pid, state + layout->state_next, &state))
            return false;
    }
    return true;
}

static enum python_check python_check(struct python_runtime *runtime, pid_t pid)
{
    struct python_layout *layout = &runtime->layout;
    uint64_t interpreter, state;

    if (layout->frame_size == 0 && python_layout_find(layout, pid, runtime->address, runtime->version) != 0)
        *layout = (struct python_layout){0}; /* the next check does not take it for one that was found */
    if (layout->frame_size == 0 ||
        !python_read_word(pid, runtime->address + layout->runtime_interpreters, &interpreter))
        return PYTHON_BAD;
    if (interpreter == 0)
        return PYTHON_UNCHECKED; /* the interpreter is starting */
    if (!python_read_word(pid, interpreter + layout->interpreter_states, &state))
        return PYTHON_BAD;
    if (state == 0)
        return PYTHON_UNCHECKED;
    return python_check_states(layout, pid, interpreter, state) ? PYTHON_GOOD : PYTHON_BAD;
}

void python_runtime_check(struct python_runtime *runtime, pid_t pid)
{
    if (atomic_load(&runtime->check) != PYTHON_UNCHECKED)
        return;
    enum python_check check = python_check(runtime, pid);
    /* the process runs meanwhile, so a list may have changed while it was followed */
    if (check == PYTHON_BAD && ++runtime->failed_checks < CHECKS_MAX)
        check = PYTHON_UNCHECKED;
    atomic_store(&runtime->check, check);
}

/* --- the search for thread states ---------------------------------------------------------------- */

struct thread_search {
    struct python_thread *thread;
    const struct python_layout *layout;
    pid_t tid;
    unsigned left; /* so many more interpreter states and thread states may be looked at */
};

/* Returns true if a pthread_t belongs to the thread with this id. */
static bool python_is_pthread(pid_t tid, uint64_t pthread, uint32_t inner_tid)
{
    uint32_t found;

    for (size_t i = 0; i < sizeof pthread_tids / sizeof *pthread_tids; i++)
        if (target_memory_read(tid, pthread + pthread_tids[i], &found, sizeof found) == 0 && found == inner_tid)
            return true;
    return false;
}

/* Looks at a thread state. Sets *next to the next one in the list; 0: none, or it cannot be read. */
static void python_search_state(struct thread_search *search, uint64_t state, uint64_t *next)
{
    const struct python_layout *layout = search->layout;
    struct python_thread *thread = search->thread;
    uint8_t bytes[STATE_BYTES_MAX];
    uint64_t id;

    *next = 0;
    uint32_t last = thread->id_field > layout->state_next ? thread->id_field : layout->state_next;
    if (last + 8 > sizeof bytes || target_memory_read(search->tid, state, bytes, last + 8) != 0)
        return;
    memcpy(next, bytes + layout->state_next, sizeof *next);
    memcpy(&id, bytes + thread->id_field, sizeof id);
    bool found = thread->id_field == layout->state_thread ? python_is_pthread(search->tid, id, thread->inner_tid)
                                                          : id == thread->inner_tid;
    if (found && thread->state_count < PYTHON_STATES_MAX) {
        thread->states[thread->state_count++] = state;
        thread->id = id;
    }
}

/* Looks at the thread states of an interpreter. */
static void python_search_interpreter(struct thread_search *search, uint64_t interpreter)
{
    struct python_thread *thread = search->thread;
    uint64_t state = 0, next;

    python_read_word(search->tid, interpreter + search->layout->interpreter_states, &state);
    if (thread->searched_count < PYTHON_INTERPRETERS_MAX)
        thread->searched[thread->searched_count++] = (struct python_searched){interpreter, state};
    for (; state != 0 && search->left > 0; state = next) {
        search->left--;
        python_search_state(search, state, &next);
    }
    thread->search_more |= state != 0;
}

/* Looks at the thread states of all interpreters, and compares one of their fields. */
static void python_search_all(struct thread_search *search, uint64_t runtime, uint32_t field)
{
    const struct python_layout *layout = search->layout;
    struct python_thread *thread = search->thread;
    uint64_t interpreter = 0, next;

    thread->id_field = field;
    thread->searched_count = 0;
    thread->search_more = false;
    python_read_word(search->tid, runtime + layout->runtime_interpreters, &interpreter);
    for (; search->left > 0 && interpreter != 0; interpreter = next) {
        search->left--;
        python_search_interpreter(search, interpreter);
        next = 0;
        python_read_word(search->tid, interpreter + layout->interpreter_next, &next);
    }
    thread->search_more |= interpreter != 0;
}

void python_thread_search(struct python_thread *thread, const struct python_runtime *runtime, pid_t tid, unsigned limit)
{
    const struct python_layout *layout = &runtime->layout;
    struct thread_search search = {.thread = thread, .layout = layout, .tid = tid, .left = limit};

    if (thread->inner_tid == 0)
        return;
    thread->state_count = 0;
    if (layout->state_tid != 0)
        python_search_all(&search, runtime->address, layout->state_tid);
    /* after a fork, the child's thread state still has the id of the parent's thread, in some versions */
    if (thread->state_count == 0)
        python_search_all(&search, runtime->address, layout->state_thread);
}

bool python_thread_is_searched(const struct python_thread *thread, const struct python_runtime *runtime, pid_t tid)
{
    const struct python_layout *layout = &runtime->layout;
    uint64_t interpreter, state;

    if (thread->searched_count == 0 || thread->search_more ||
        !python_read_word(tid, runtime->address + layout->runtime_interpreters, &interpreter) ||
        interpreter != thread->searched[0].interpreter)
        return false;
    for (unsigned i = 0; i < thread->searched_count; i++)
        if (!python_read_word(tid, thread->searched[i].interpreter + layout->interpreter_states, &state) ||
            state != thread->searched[i].newest_state)
            return false;
    return true;
}
