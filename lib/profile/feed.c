/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adds events to a profile. The mappings of a live process are in its struct live_process, which is freed when the
 * process ends. After that the process only takes memory for its entries in the tables.
 *
 * Events can be lost, so hardly any event relies on an earlier one. If an event concerns a process or thread that the
 * profile does not have, this process or thread is added first. If a sample has the stack of an earlier one
 * (WIRE_SAMPLE_SAME_STACK), and the profile does not have that stack, only the pc counts.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"
#include "profile/profile-internal.h"
#include "profile/profile.h"
#include "profile/syscall-table.h"
#include "wire/wire.h"

bool profile_runs(const struct profile *profile, uint32_t process)
{
    const struct live_process *live = profile_live(profile, profile->processes[process].pid);
    return live != NULL && live->process == process;
}

bool profile_find_process(const struct profile *profile, uint32_t pid, uint32_t *process)
{
    const struct live_process *live = profile_live(profile, pid);

    if (live != NULL)
        *process = live->process;
    return live != NULL;
}

/* --- processes and threads ----------------------------------------------------------- */

/* Returns the index of the thread that now has this tid in a process; HASH_NONE: there is none. */
static uint32_t live_thread(const struct profile *profile, uint32_t process, uint32_t tid)
{
    uint32_t hash = hash_pair(process, tid), at = hash, found;

    while ((found = hash_next(&profile->index->threads, hash, &at)) != HASH_NONE)
        if (profile->threads[found].process == process && profile->threads[found].tid == tid)
            break;
    return found;
}

bool profile_find_thread(const struct profile *profile, uint32_t process, uint32_t tid, uint32_t *thread)
{
    *thread = live_thread(profile, process, tid);
    return *thread != HASH_NONE;
}

static int find_thread(struct profile *profile, uint32_t process, uint32_t tid, uint32_t *result)
{
    uint32_t found = live_thread(profile, process, tid);
    if (found != HASH_NONE) {
        *result = found;
        return 0;
    }

    struct profile_thread thread = {
        .process = process, .tid = tid, .comm = profile->processes[process].comm};
    int error = profile_add_thread(profile, &thread, result);
    if (error == 0)
        profile->totals.threads_seen++;
    return error;
}

static uint64_t feed_time(const struct profile *profile, uint64_t event_time)
{
    return event_time == 0 ? 0 : event_time + profile->clock_offset;
}

/* time: CLOCK_MONOTONIC, ns */
static int start_process(struct profile *profile, uint32_t pid, uint32_t ppid, uint64_t time,
                         struct live_process **result)
{
    struct live_process *last = profile_live(profile, pid);
    struct profile_process image = {
        .pid = pid, .ppid = ppid, .start = feed_time(profile, time), .status = -1, .host = profile->host};
    uint32_t leader;

    if (last != NULL) { /* the kernel has given the pid to a new process; the exit event of the former one was lost */
        profile->processes[last->process].end = image.start;
        profile_drop_live(profile, last);
    }
    const struct live_process *parent = profile_live(profile, ppid);
    if (ppid != 0 && parent != NULL) {
        const struct profile_process *made_by = &profile->processes[parent->process];
        image.comm = made_by->comm;
        image.job = made_by->job;
        image.rank = made_by->rank;
    }
    struct live_process *live = calloc(1, sizeof *live);
    if (live == NULL)
        return -ENOMEM;
    live->pid = pid;
    int error = profile_add_process(profile, &image, &live->process);
    if (error == 0)
        error = profile_add_live(profile, live);
    if (error != 0) {
        free(live);
        return error;
    }
    profile->totals.processes_seen++;
    *result = live;
    return find_thread(profile, live->process, pid, &leader);
}

static int need_live(struct profile *profile, uint32_t pid, uint64_t time, struct live_process **result)
{
    *result = profile_live(profile, pid);
    return *result != NULL ? 0 : start_process(profile, pid, 0, time, result);
}

static int feed_exec(struct profile *profile, const struct wire_task *event)
{
    struct live_process *live;
    uint32_t leader;
    int error = need_live(profile, event->pid, event->time, &live);
    if (error != 0)
        return error;

    uint32_t old = live->process;
    struct profile_process image = profile->processes[old];
    image.generation++;
    image.start = feed_time(profile, event->time);
    error = profile_add_process(profile, &image, &live->process);
    if (error != 0)
        return error;
    profile->processes[old].end = image.start;
    free(live->mappings);
    live->mappings = NULL;
    live->mapping_count = 0;
    uint32_t threads_seen = profile->totals.threads_seen;
    error = find_thread(profile, live->process, event->pid, &leader);
    /* this thread was counted before the exec, so it is not counted again */
    profile->totals.threads_seen = threads_seen;
    return error;
}

static int feed_comm(struct profile *profile, const struct wire_comm *event)
{
    struct live_process *live;
    uint32_t thread, comm;
    int error = need_live(profile, event->pid, event->time, &live);

    if (error == 0)
        error = find_thread(profile, live->process, event->tid, &thread);
    if (error == 0)
        error = profile_string(profile, event->comm, &comm);
    if (error != 0)
        return error;
    profile->threads[thread].comm = comm;
    if (event->tid == event->pid)
        profile->processes[live->process].comm = comm;
    return profile_rename_holder(profile, event->tid, event->comm);
}

/* Called when a thread has ended. Removes the thread from the hash index of threads, because another thread may get its
 * tid. The entry of the ended thread stays in the table. */
static void end_thread(struct profile *profile, uint32_t process, uint32_t tid)
{
    uint32_t thread = live_thread(profile, process, tid);

    if (thread != HASH_NONE)
        hash_remove(&profile->index->threads, hash_pair(process, tid), thread);
}

static void feed_exit(struct profile *profile, const struct wire_exit *event)
{
    struct live_process *live = profile_live(profile, event->pid);

    if (live == NULL)
        return;
    if (event->pid != event->tid) {
        end_thread(profile, live->process, event->tid);
        return;
    }
    struct profile_process *process = &profile->processes[live->process];
    process->end = feed_time(profile, event->time);
    process->status = event->status;
    process->cpu_ns = event->cpu_ns;
    profile_drop_live(profile, live);
}

/* --- samples ------------------------------------------------------------------------- */

int profile_unknown_object(struct profile *profile, uint32_t *result)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};
    uint32_t *known = &profile->index->unknown_object;

    if (*known == HASH_NONE) {
        int error = profile_string(profile, "[unknown]", &object.path);
        if (error == 0)
            error = profile_object(profile, &object, known);
        if (error != 0)
            return error;
    }
    *result = *known;
    return 0;
}

static int locate(struct profile *profile, const struct live_process *live, uint64_t pc, uint32_t *location)
{
    const struct live_mapping *mapping = profile_live_mapping(live, pc);
    uint32_t object;

    if (mapping != NULL) {
        object = mapping->object;
        enum profile_object_kind kind = profile->objects[object].kind;
        if (kind == PROFILE_OBJECT_FILE || kind == PROFILE_OBJECT_VDSO)
            pc = pc - mapping->start + mapping->offset;
    } else {
        int error = profile_unknown_object(profile, &object);
        if (error != 0)
            return error;
    }
    return profile_location(profile, object, pc, location);
}

/* The names of system calls are generated from the kernel headers with which pprofil is compiled. */
const char *profile_syscall_name(int32_t number, bool compat)
{
    const char *const *calls = compat ? compat_calls : native_calls;
    size_t count = compat ? sizeof compat_calls / sizeof *compat_calls : sizeof native_calls / sizeof *native_calls;

    return number >= 0 && (size_t)number < count ? calls[number] : NULL;
}

/* Names a page fault. If it loads code, the object that the code is in is the one at the pc. */
static int name_fault(struct profile *profile, const struct live_process *live, const struct wire_sample *event,
                      uint32_t *result)
{
    const struct live_mapping *mapping =
        event->syscall == WIRE_CODE_FAULT ? profile_live_mapping(live, event->pc) : NULL;
    char named[300];

    if (mapping == NULL)
        return profile_syscall(profile, "[page fault]", -1, 0, result);
    snprintf(named, sizeof named, "[page fault: code of %.255s]",
             path_base_name(profile->strings[profile->objects[mapping->object].path]));
    return profile_syscall(profile, named, -1, 0, result);
}

static int name_syscall(struct profile *profile, const struct live_process *live, const struct wire_sample *event,
                        uint32_t *result)
{
    bool compat = event->flags & WIRE_SAMPLE_COMPAT;
    int32_t number = event->syscall;
    char unnamed[32];

    if ((event->flags & WIRE_SAMPLE_WAITING) != 0)
        return profile_syscall(profile, PROFILE_WAITING_PLACE, -1, 0, result);
    if (number == WIRE_NO_SYSCALL) {
        *result = PROFILE_NONE;
        return 0;
    }
    if (number < 0)
        return name_fault(profile, live, event, result);
    const char *name = profile_syscall_name(number, compat);
    if (name == NULL) {
        snprintf(unnamed, sizeof unnamed, "syscall_%d", number);
        name = unnamed;
    }
    return profile_syscall(profile, name, number, compat, result);
}

/* Returns the name of the mark that is the location of a sample without a pc. NULL: the sample has a pc. */
static const char *mark_of(const struct wire_sample *event)
{
    if ((event->flags & WIRE_SAMPLE_WAITING) != 0)
        return PROFILE_WAITING_PLACE;
    return (event->flags & WIRE_SAMPLE_UNSAMPLED) != 0 ? PROFILE_UNSAMPLED_PLACE : NULL;
}

/* Finds or adds the node of a sample that has no stack. The location of the node is the pc, or a mark. */
static int place_sample(struct profile *profile, const struct live_process *live,
                        const struct wire_sample *event, uint32_t *node)
{
    const char *mark = mark_of(event);
    uint32_t location;
    int error = mark != NULL ? profile_mark(profile, mark, &location) : locate(profile, live, event->pc, &location);

    return error == 0 ? profile_node(profile, PROFILE_NONE, location, node) : error;
}

static enum profile_state sample_state(uint32_t flags)
{
    if ((flags & WIRE_SAMPLE_WAITING) != 0)
        return PROFILE_WAITING;
    if ((flags & WIRE_SAMPLE_SLEEPING) == 0)
        return PROFILE_RUNNING;
    return (flags & WIRE_SAMPLE_UNINTERRUPTIBLE) != 0 ? PROFILE_UNINTERRUPTIBLE : PROFILE_ASLEEP;
}

/* Notes the stack of a sleeping thread, for its next samples with WIRE_SAMPLE_SAME_STACK. */
static int note_asleep(struct profile *profile, uint32_t thread, uint32_t node)
{
    struct profile_index *index = profile->index;

    while (index->stack_count <= thread) {
        int error = array_grow(&index->asleep_stacks, index->stack_count, sizeof *index->asleep_stacks);
        if (error != 0)
            return error;
        index->asleep_stacks[index->stack_count++] = PROFILE_NONE;
    }
    index->asleep_stacks[thread] = node;
    return 0;
}

/* Finds or adds the node of a sample that comes without a stack. */
static int find_stack(struct profile *profile, const struct live_process *live, const struct wire_sample *event,
                      uint32_t thread, uint32_t *node)
{
    const struct profile_index *index = profile->index;

    if ((event->flags & WIRE_SAMPLE_SAME_STACK) != 0 && thread < index->stack_count)
        *node = index->asleep_stacks[thread];
    return *node == PROFILE_NONE ? place_sample(profile, live, event, node) : 0;
}

int profile_feed_sample(struct profile *profile, const struct wire_sample *event, uint32_t node)
{
    struct profile_sample sample = {.state = sample_state(event->flags),
                                    .node = node,
                                    .wait = profile_wait_by_id(profile, event->wait),
                                    .count = 1,
                                    .cpu_ns = event->cpu_ns,
                                    .wall_ns = event->wall_ns};
    struct live_process *live;
    int error = need_live(profile, event->pid, event->time, &live);

    if (error == 0)
        error = find_thread(profile, live->process, event->tid, &sample.thread);
    if (error == 0 && node == PROFILE_NONE)
        error = find_stack(profile, live, event, sample.thread, &sample.node);
    else if (error == 0 && (event->flags & WIRE_SAMPLE_SLEEPING) != 0)
        error = note_asleep(profile, sample.thread, node);
    if (error == 0)
        error = name_syscall(profile, live, event, &sample.syscall);
    if (error == 0)
        error = profile_count_at(profile, &sample, feed_time(profile, event->time));
    return error == 0 ? timeline_add(&profile->timeline, feed_time(profile, event->time), event->cpu_ns) : error;
}

/* The event counts from the beginning of the run. Returns what belongs to this period. */
static uint64_t feed_since(uint64_t counted, uint64_t before)
{
    return counted > before ? counted - before : 0;
}

static void feed_stats(struct profile *profile, const struct wire_stats *event)
{
    struct profile_totals *totals = &profile->totals;
    const struct profile_totals *before = &profile->index->before;

    totals->elapsed_ns = feed_since(event->elapsed_ns, before->elapsed_ns);
    totals->ticks = feed_since(event->ticks, before->ticks);
    totals->stopped_ns = feed_since(event->stopped_ns, before->stopped_ns);
    totals->target_cpu_ns = feed_since(event->target_cpu_ns, before->target_cpu_ns);
    totals->supervisor_cpu_ns = feed_since(event->supervisor_cpu_ns, before->supervisor_cpu_ns);
    totals->throttled_ns = feed_since(event->throttled_ns, before->throttled_ns);
    totals->full_ns = feed_since(event->full_ns, before->full_ns);
    totals->repaired = feed_since(event->repaired, before->repaired);
    totals->continued = feed_since(event->continued, before->continued);
    totals->cut_short = feed_since(event->cut_short, before->cut_short);
    totals->sample_cost_ns = event->sample_cost_ns;
    totals->overhead_ppm = event->overhead_ppm;
    totals->untraced = event->untraced;
    totals->threads_alive = event->threads;
    totals->processes_alive = event->processes;
}

static int feed_map(struct profile *profile, const struct wire_map *event)
{
    struct live_process *live;
    int error = need_live(profile, event->pid, event->time, &live);

    return error == 0 ? profile_live_map(profile, live, event) : error;
}

static int feed_thread(struct profile *profile, const struct wire_task *event)
{
    struct live_process *live;
    uint32_t thread;
    int error = need_live(profile, event->pid, event->time, &live);

    return error == 0 ? find_thread(profile, live->process, event->tid, &thread) : error;
}

int profile_feed(struct profile *profile, const struct wire_header *header)
{
    const void *event = header;
    const struct wire_fork *fork = event;
    const struct wire_clock *clock = event;
    struct live_process *live;

    switch (header->type) {
    case WIRE_SAMPLE:
        return profile_feed_sample(profile, event, PROFILE_NONE);
    case WIRE_MAP:
        return feed_map(profile, event);
    case WIRE_EXEC:
        return feed_exec(profile, event);
    case WIRE_FORK:
        return start_process(profile, fork->pid, fork->ppid, fork->time, &live);
    case WIRE_THREAD:
        return feed_thread(profile, event);
    case WIRE_COMM:
        return feed_comm(profile, event);
    case WIRE_EXIT:
        feed_exit(profile, event);
        return 0;
    case WIRE_LOST:
        profile->totals.lost += ((const struct wire_lost *)event)->events;
        return 0;
    case WIRE_THROTTLE:
        if (profile->totals.asked_hz == 0)
            profile->totals.asked_hz = ((const struct wire_throttle *)event)->asked_hz;
        return 0;
    case WIRE_CLOCK:
        profile->clock_offset = clock->real_time - clock->time;
        profile->totals.start_time = clock->real_time;
        return 0;
    case WIRE_WAIT:
        return profile_feed_wait(profile, event);
    case WIRE_STATS:
        feed_stats(profile, event);
        return 0;
    }
    return 0;
}
