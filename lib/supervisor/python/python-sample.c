/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connects the reader of Python stacks with tracers, tracees and processes. */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "supervisor/debug-log.h"
#include "supervisor/emit.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/python/python.h"
#include "supervisor/supervisor.h"

#define SEARCH_MAX 4096u /* so many thread states are looked at while the thread runs */

/* --- the interpreter of a process ------------------------------------------------------------------ */

static void python_set_runtime(struct process *process, struct python_runtime *runtime)
{
    struct python_runtime *former = atomic_exchange(&process->python, runtime);

    if (former != NULL) {
        former->former = process->former_pythons;
        process->former_pythons = former;
    }
}

void python_begin(struct process *process, uint64_t address, uint32_t version)
{
    const struct python_runtime *known = atomic_load(&process->python);

    /* the client may find the interpreter of a program after the process has executed another one */
    if (known != NULL && (atomic_load(&known->check) == PYTHON_GOOD ||
                          (known->address == address && known->version == version)))
        return;
    struct python_runtime *runtime = python_runtime_new(address, version);
    if (runtime == NULL)
        return;
    runtime->is_namespaced = procfs_status_number(process->pid, "NSpid:") != process->pid;
    python_set_runtime(process, runtime);
}

void python_inherit(struct process *child, const struct process *parent)
{
    const struct python_runtime *known = atomic_load(&parent->python);

    if (known == NULL || atomic_load(&known->check) != PYTHON_GOOD)
        return;
    struct python_runtime *runtime = python_runtime_new(known->address, known->version);
    if (runtime == NULL)
        return;
    runtime->layout = known->layout;
    runtime->is_namespaced = known->is_namespaced;
    atomic_store(&runtime->check, PYTHON_GOOD);
    python_set_runtime(child, runtime);
}

void python_forget_image(struct process *process)
{
    python_set_runtime(process, NULL);
}

void python_forget_process(struct process *process)
{
    python_forget_image(process);
    python_runtime_free(process->former_pythons);
    process->former_pythons = NULL;
}

/* --- samples --------------------------------------------------------------------------------------- */

void python_take(struct tracer *tracer, struct tracee *tracee)
{
    struct python_runtime *runtime = atomic_load(&tracee->process->python);

    tracer->stack.python = NULL;
    if (runtime == NULL || tracer->python.reader == NULL)
        return;
    if (tracee->python == NULL && tracer->python.spare != NULL) {
        tracee->python = tracer->python.spare;
        tracer->python.spare = NULL;
        tracee->python->inner_tid = runtime->is_namespaced ? 0 : (uint32_t)tracee->tid;
    }
    if (tracee->python == NULL)
        return;
    python_reader_take(tracer->python.reader, runtime, tracee->python, tracee->tid);
    tracer->stack.python = python_reader_frames(tracer->python.reader);
}

void python_take_asleep(struct tracer *tracer, struct tracee *tracee, const struct procfs_state *state)
{
    struct procfs_state after;

    python_take(tracer, tracee);
    if (tracer->stack.python == NULL)
        return;
    procfs_look(&tracee->files, &after);
    if (!procfs_state_equals(&after, state))
        tracer->stack.python = NULL;
}

/* Sends the code objects that were read to the client. */
static void python_emit_codes(struct tracer *tracer, const struct tracee *tracee)
{
    size_t size, at = 0;
    bool sent = true;
    struct wire_python_code *codes = python_reader_codes(tracer->python.reader, &size);

    while (sent && at < size) {
        struct wire_python_code *code = (void *)((unsigned char *)codes + at);
        code->pid = (uint32_t)tracee->process->pid;
        sent = emit_python_code(tracer->supervisor, code);
        at += code->header.size;
    }
    python_reader_settle(tracer->python.reader, !sent);
}

/* Checks the layout of an interpreter, and tells the client if it is wrong. */
static void python_check_runtime(struct tracer *tracer, const struct tracee *tracee, struct python_runtime *runtime)
{
    if (atomic_load(&runtime->check) != PYTHON_UNCHECKED)
        return;
    python_runtime_check(runtime, tracee->tid);
    enum python_check check = atomic_load(&runtime->check);
    if (check != PYTHON_UNCHECKED)
        debug_log(tracer, "python %d %x %s", tracee->process->pid, runtime->version,
                  check == PYTHON_GOOD ? "good" : "bad");
    if (check == PYTHON_BAD)
        emit_python_refusal(tracer->supervisor, tracee->process->pid, runtime->version);
}

void python_settle(struct tracer *tracer, struct tracee *tracee)
{
    struct python_runtime *runtime = atomic_load(&tracee->process->python);
    struct python_thread *thread = tracee->python;

    if (runtime == NULL)
        return;
    if (tracer->python.reader == NULL)
        tracer->python.reader = python_reader_new(tracer->number + 1);
    if (tracer->python.spare == NULL)
        tracer->python.spare = calloc(1, sizeof *tracer->python.spare);
    if (tracer->python.reader == NULL)
        return;
    python_emit_codes(tracer, tracee);
    python_check_runtime(tracer, tracee, runtime);
    if (thread == NULL || thread->runtime != runtime->number)
        return;
    if (thread->state_count > 0 && !thread->search_more)
        return;
    if (thread->inner_tid == 0) {
        long inner = procfs_status_number(tracee->tid, "NSpid:");
        thread->inner_tid = inner > 0 ? (uint32_t)inner : 0;
    }
    if (!python_thread_is_searched(thread, runtime, tracee->tid))
        python_thread_search(thread, runtime, tracee->tid, SEARCH_MAX);
}
