/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts events on the ring. If the client reads too slowly, an event is dropped and counted. The count is reported
 * later, when the ring has room. So a target never waits for a reader. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/cpu-time.h"
#include "supervisor/emit.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"
#include "wire/wire.h"

#define STATS_PERIOD_NS 1000000000u

void emit_wake(const struct supervisor *supervisor)
{
    uint64_t one = 1;
    ssize_t ignored = write(supervisor->wake, &one, sizeof one);
    (void)ignored; /* the write fails if the counter of the eventfd is full; then the client was woken already */
}

static void emit_lost(struct supervisor *supervisor)
{
    if (supervisor->ring == NULL)
        return;
    struct wire_lost *event = ring_reserve(supervisor->ring, sizeof *event);
    if (event == NULL)
        /* the ring has no room for this event, so it counts as lost, like the events before it; a later call reports
         * the number of lost events */
        return;
    uint64_t lost = ring_lost(supervisor->ring);
    if (lost == 0)
        return; /* an event is sent only if ring_commit is called after ring_reserve */
    *event = (struct wire_lost){
        .header = {WIRE_LOST, sizeof *event}, .time = time_now(), .events = lost};
    ring_commit(supervisor->ring);
}

/* Returns true if the event reports the end of a process. The client may wait for such an event without a time limit,
 * so it must not be lost. */
static bool emit_is_awaited(const struct wire_header *event)
{
    const struct wire_exit *end = (const void *)event;

    return event->type == WIRE_EXIT && end->pid == end->tid;
}

/* Returns false if the ring had no room for the event. */
static bool emit_event(struct supervisor *supervisor, const struct wire_header *event)
{
    if (supervisor->ring == NULL)
        return false;
    void *room = emit_is_awaited(event) ? ring_reserve_last(supervisor->ring, event->size)
                                        : ring_reserve(supervisor->ring, event->size);
    if (room == NULL) {
        emit_wake(supervisor);
        return false;
    }
    memcpy(room, event, event->size);
    ring_commit(supervisor->ring);
    if (ring_half_full(supervisor->ring))
        emit_wake(supervisor);
    return true;
}

void emit_set_ring(struct supervisor *supervisor, struct ring *ring)
{
    struct wire_lost event = {.header = {WIRE_LOST, sizeof event},
                              .time = time_now(),
                              .events = ring_lost(supervisor->ring)};

    ring_close(supervisor->ring);
    supervisor->ring = ring;
    if (event.events > 0)
        emit_event(supervisor, &event.header);
}

bool emit_python_code(struct supervisor *supervisor, const struct wire_python_code *code)
{
    void *room = ring_reserve(supervisor->ring, code->header.size);

    if (room == NULL)
        return false;
    memcpy(room, code, code->header.size);
    ring_commit(supervisor->ring);
    return true;
}

void emit_python_refusal(struct supervisor *supervisor, pid_t pid, uint32_t version)
{
    const struct wire_message message = {.op = WIRE_OP_PYTHON, .error = EPROTO, .pid = pid, .flags = version};

    wire_send(supervisor->client.socket, &message, -1);
}

bool emit_kernel_stack(struct supervisor *supervisor, uint32_t id, const char *names, unsigned count, size_t size)
{
    struct wire_kernel_stack head = {.header = {WIRE_KERNEL_STACK, (uint32_t)((sizeof head + size + 15) / 8 * 8)},
                                     .id = id,
                                     .count = count};
    struct wire_kernel_stack *event =
        supervisor->ring != NULL ? ring_reserve(supervisor->ring, head.header.size) : NULL;

    if (event == NULL)
        return false;
    memset(event, 0, head.header.size);
    *event = head;
    memcpy(event->names, names, size);
    ring_commit(supervisor->ring);
    return true;
}

bool emit_wait(struct supervisor *supervisor, uint32_t id, pid_t pid, const struct blocked *blocked)
{
    uint32_t size = (uint32_t)(sizeof(struct wire_wait) + blocked->size + 7) / 8 * 8;
    struct wire_wait *event = supervisor->ring != NULL ? ring_reserve(supervisor->ring, size) : NULL;

    if (event == NULL)
        return false;
    memset(event, 0, size);
    *event = (struct wire_wait){.header = {WIRE_WAIT, size},
                                .id = id,
                                .pid = (uint32_t)pid,
                                .kind = blocked->kind,
                                .holder = blocked->holder,
                                .address = blocked->address,
                                .number = blocked->number,
                                .file_count = blocked->file_count};
    memcpy(event->files, blocked->files, blocked->size);
    ring_commit(supervisor->ring);
    return true;
}

/* Sends a sample and its stack as one event. If there is no room for both, sends neither and returns false. */
static bool emit_stack(struct supervisor *supervisor, const struct wire_sample *sample, const struct stack *stack)
{
    size_t bytes = (size_t)stack->head.size + stack->head.below_size;
    size_t stack_size = (sizeof stack->head + bytes + 7) / 8 * 8;
    const struct wire_python *python = stack->python;
    size_t python_size = python != NULL ? sizeof *python + python->count * sizeof *python->frames : 0;
    size_t size = sizeof *sample + stack_size + python_size;
    struct wire_sample *event = ring_reserve(supervisor->ring, size);

    if (event == NULL) {
        emit_wake(supervisor);
        return false;
    }
    *event = *sample;
    event->header.size = (uint32_t)size;
    event->flags |= WIRE_SAMPLE_STACK;
    struct wire_stack *head = (struct wire_stack *)(event + 1);
    *head = stack->head;
    memcpy(head + 1, stack->bytes, bytes);
    if (python != NULL) {
        event->flags |= WIRE_SAMPLE_PYTHON;
        memcpy((unsigned char *)head + stack_size, python, python_size);
    }
    ring_commit(supervisor->ring);
    if (ring_half_full(supervisor->ring))
        emit_wake(supervisor);
    return true;
}

bool emit_sample(struct supervisor *supervisor, const struct tracee *tracee,
                 const struct wire_sample *sample, const struct stack *stack)
{
    struct wire_sample event = *sample;

    event.header = (struct wire_header){WIRE_SAMPLE, sizeof event};
    event.pid = (uint32_t)tracee->process->pid;
    event.tid = (uint32_t)tracee->tid;
    supervisor->stats.samples++;
    return stack != NULL ? emit_stack(supervisor, &event, stack) : emit_event(supervisor, &event.header);
}

void emit_fork(struct supervisor *supervisor, pid_t pid, pid_t parent)
{
    struct wire_fork event = {.header = {WIRE_FORK, sizeof event},
                              .time = time_now(),
                              .pid = (uint32_t)pid,
                              .ppid = (uint32_t)parent};
    emit_event(supervisor, &event.header);
}

void emit_task(struct supervisor *supervisor, enum wire_type type, pid_t pid, pid_t tid)
{
    struct wire_task event = {.header = {type, sizeof event},
                              .time = time_now(),
                              .pid = (uint32_t)pid,
                              .tid = (uint32_t)tid};
    emit_event(supervisor, &event.header);
}

/* Reads the name of a thread. If it differs from `known`, the name that was reported last, reports it and updates
 * `known`. */
static void emit_name(struct supervisor *supervisor, pid_t pid, pid_t tid, char known[16])
{
    struct wire_comm event = {.header = {WIRE_COMM, sizeof event},
                              .time = time_now(),
                              .pid = (uint32_t)pid,
                              .tid = (uint32_t)tid};

    if (procfs_read_comm(pid, tid, event.comm) != 0 || strcmp(event.comm, known) == 0)
        return;
    memcpy(known, event.comm, sizeof event.comm);
    emit_event(supervisor, &event.header);
}

void emit_comm(struct supervisor *supervisor, struct tracee *tracee)
{
    emit_name(supervisor, tracee->process->pid, tracee->tid, tracee->comm.text);
}

void emit_process_comm(struct supervisor *supervisor, pid_t pid)
{
    char none[16] = "";

    emit_name(supervisor, pid, pid, none);
}

void emit_exit(struct supervisor *supervisor, pid_t pid, pid_t tid, uint64_t cpu_ns, int status)
{
    struct wire_exit event = {.header = {WIRE_EXIT, sizeof event},
                              .time = time_now(),
                              .pid = (uint32_t)pid,
                              .tid = (uint32_t)tid,
                              .cpu_ns = cpu_ns,
                              .status = status};
    emit_event(supervisor, &event.header);
}

void emit_usage(struct supervisor *supervisor, const struct wire_usage *usage)
{
    emit_event(supervisor, &usage->header);
}

void emit_rate(struct supervisor *supervisor)
{
    struct wire_throttle event = {.header = {WIRE_THROTTLE, sizeof event},
                                  .time = time_now(),
                                  .asked_hz = supervisor->budget.asked_hz,
                                  .rate_hz = supervisor->budget.rate_hz};
    emit_event(supervisor, &event.header);
}

void emit_stats(struct supervisor *supervisor, bool exact)
{
    struct wire_stats *stats = &supervisor->stats;
    uint64_t now = time_now();
    uint64_t target = supervisor->ended.cpu_ns;

    for (struct process *process = supervisor->processes.first; process != NULL; process = process->next)
        if (!process->end_reported)
            target += exact ? process_cpu_counted(process, supervisor->sampling)
                            : process_cpu_known(process, supervisor->sampling);
    emit_lost(supervisor);
    struct wire_stats event = *stats;
    event.header = (struct wire_header){WIRE_STATS, sizeof event};
    event.time = now;
    event.elapsed_ns = stats->elapsed_ns + (supervisor->sampling ? now - supervisor->started_at : 0);
    event.target_cpu_ns = target;
    event.supervisor_cpu_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    event.throttled_ns = supervisor->budget.throttled_ns;
    event.sample_cost_ns = budget_cost(&supervisor->budget);
    event.overhead_ppm = (uint64_t)(supervisor->budget.share * 1e6 + 0.5);
    event.threads = supervisor->processes.tracee_count;
    event.processes = supervisor->processes.count;
    supervisor->housekeeping.stats_due = now + STATS_PERIOD_NS;
    emit_event(supervisor, &event.header);
    emit_wake(supervisor);
}
