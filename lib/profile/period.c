/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ends a period of sampling: the samples so far become a profile of their own, and the profile goes on without them.
 *
 * The old tables become the profile of the period. The profile that goes on gets new tables, with only the entries that
 * later events may refer to. So the memory of a run that lasts for weeks depends on what is alive, and not on what has
 * been, but for 16 bytes for each file that was ever mapped.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/extract.h"
#include "profile/profile-internal.h"
#include "profile/profile.h"
#include "wire/wire.h"

#define PERIOD_IDLE_FILES_MAX 256u /* number of kept files that nobody has mapped and that have no samples */

void profile_moves_clear(struct profile_moves *moves)
{
    free(moves->objects);
    free(moves->processes);
    free(moves->locations);
    *moves = (struct profile_moves){0};
}

/* --- what is alive ----------------------------------------------------------------------- */

/* Copies a live process with its mappings. */
static int period_keep_live(const struct extraction *extraction, const struct live_process *live)
{
    struct live_process *copy = calloc(1, sizeof *copy);
    int error = copy == NULL ? -ENOMEM : extract_process(extraction, live->process, &copy->process);

    if (error == 0 && live->mapping_count > 0) {
        copy->mappings = calloc(live->mapping_count, sizeof *copy->mappings);
        error = copy->mappings == NULL ? -ENOMEM : 0;
    }
    for (uint32_t i = 0; error == 0 && i < live->mapping_count; i++) {
        copy->mappings[i] = live->mappings[i];
        error = extract_object(extraction, live->mappings[i].object, &copy->mappings[i].object);
    }
    if (error == 0) {
        copy->pid = live->pid;
        copy->mapping_count = live->mapping_count;
        error = profile_add_live(extraction->to, copy);
    }
    if (error != 0 && copy != NULL)
        profile_free_live(copy);
    return error;
}

static int period_keep_processes(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->process_count; i++)
        if (profile_runs(from, i))
            error = period_keep_live(extraction, profile_live(from, from->processes[i].pid));
    return error;
}

/* Returns true if a thread has not ended, as far as the events so far tell. */
static bool period_thread_runs(const struct profile *from, uint32_t thread)
{
    const struct profile_thread *entry = &from->threads[thread];
    uint32_t now;

    return profile_runs(from, entry->process) && profile_find_thread(from, entry->process, entry->tid, &now) &&
           now == thread;
}

static int period_keep_threads(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    uint32_t to;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->thread_count; i++)
        if (period_thread_runs(from, i))
            error = extract_thread(extraction, i, &to);
    return error;
}

/* Returns true for the list of names of a process that has ended. */
static bool period_is_ended_list(const struct extraction *extraction, const struct pending_object *numbered)
{
    return numbered->object != HASH_NONE &&
           extraction->from->objects[numbered->object].kind == PROFILE_OBJECT_ANON &&
           extraction->objects[numbered->object] == 0;
}

/* Returns true if an object that the supervisor has numbered is a file that no live process has mapped, and whose
 * descriptor is not still to come. */
static bool period_is_unmapped(const struct extraction *extraction, const struct pending_object *numbered)
{
    const struct profile *from = extraction->from;

    return numbered->object != HASH_NONE && from->objects[numbered->object].kind == PROFILE_OBJECT_FILE &&
           extraction->objects[numbered->object] == 0 && (from->objects[numbered->object].fd >= 0 || numbered->none);
}

/* Finds idle files: those that nobody has mapped, and that have no samples in the ended period. Returns an array with
 * an element for each object that the supervisor has numbered; the caller frees it. */
static bool *period_find_idle(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    const struct profile_index *index = from->index;
    bool *sampled = calloc(from->object_count + 1u, sizeof *sampled);
    bool *idle = sampled == NULL ? NULL : calloc(index->pending_count + 1u, sizeof *idle);

    for (uint32_t i = 1; sampled != NULL && i < from->location_count; i++)
        sampled[from->locations[i].object] = true;
    for (uint32_t i = 0; idle != NULL && i < index->pending_count; i++)
        idle[i] = period_is_unmapped(extraction, &index->pending[i]) && !sampled[index->pending[i].object];
    free(sampled);
    return idle;
}

static uint32_t period_count_excess(const bool *idle, uint32_t count)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += idle[i];
    return sum > PERIOD_IDLE_FILES_MAX ? sum - PERIOD_IDLE_FILES_MAX : 0;
}

/* Keeps an object that the supervisor has numbered, or only its number. */
static int period_keep_numbered(const struct extraction *extraction, const struct pending_object *numbered,
                                bool is_forgotten)
{
    struct profile_index *to = extraction->to->index;
    struct pending_object *pending = &to->pending[to->pending_count++];

    *pending = *numbered;
    pending->fd = -1; /* period_move_descriptors sets it */
    if (is_forgotten) {
        pending->object = HASH_NONE;
        pending->none = true;
    }
    return pending->object == HASH_NONE ? 0 : extract_object(extraction, pending->object, &pending->object);
}

/* Keeps the idle files (wants_idle: true) or all other objects (wants_idle: false). The first `excess` ones are
 * forgotten. */
static int period_keep_some(const struct extraction *extraction, const bool *idle, bool wants_idle, uint32_t excess)
{
    const struct profile_index *from = extraction->from->index;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->pending_count; i++) {
        if (idle[i] != wants_idle || period_is_ended_list(extraction, &from->pending[i]))
            continue;
        error = period_keep_numbered(extraction, &from->pending[i], excess > 0);
        excess -= excess > 0;
    }
    return error;
}

/*
 * Keeps the files that the supervisor has numbered, even if nobody has mapped them now, because it sends the descriptor
 * of a file only once. But a program that maps new files for weeks must not use up all descriptors. So of many idle
 * files those are forgotten that have been idle for the longest time: idle files come first in the new list, in their
 * order. If such a file is mapped again, it is opened by its path. This fails if it was deleted, or belongs to another
 * mount namespace; then it has no names.
 */
static int period_keep_files(const struct extraction *extraction)
{
    uint32_t count = extraction->from->index->pending_count;
    struct profile_index *to = extraction->to->index;
    bool *idle = period_find_idle(extraction);
    int error = idle == NULL ? -ENOMEM : array_extend(&to->pending, &to->pending_count, count, sizeof *to->pending);

    to->pending_count = 0;
    if (error == 0)
        error = period_keep_some(extraction, idle, true, period_count_excess(idle, count));
    if (error == 0)
        error = period_keep_some(extraction, idle, false, 0);
    free(idle);
    return error;
}

/* Moves the descriptors whose WIRE_MAP events have not come. Called when nothing can fail any more. */
static void period_move_descriptors(struct profile_index *from, struct profile_index *to)
{
    for (uint32_t i = 0; i < from->pending_count; i++)
        for (uint32_t j = 0; from->pending[i].fd >= 0 && j < to->pending_count; j++)
            if (from->pending[i].wire_object == to->pending[j].wire_object) {
                to->pending[j].fd = from->pending[i].fd;
                from->pending[i].fd = -1;
            }
}

/* --- what later samples may refer to ------------------------------------------------------- */

/* Keeps the stacks of sleeping threads, for samples with WIRE_SAMPLE_SAME_STACK. */
static int period_keep_stacks(const struct extraction *extraction)
{
    const struct profile_index *from = extraction->from->index;
    struct profile_index *to = extraction->to->index;
    uint32_t threads = extraction->to->thread_count;

    for (uint32_t i = 0; i < from->stack_count; i++)
        if (extraction->threads[i] != 0)
            extraction->nodes[from->asleep_stacks[i]] = 1;
    int error = extract_nodes(extraction);
    if (error != 0)
        return error;
    error = array_extend(&to->asleep_stacks, &to->stack_count, threads, sizeof *to->asleep_stacks);
    for (uint32_t i = 0; error == 0 && i < from->stack_count; i++)
        if (extraction->threads[i] != 0)
            to->asleep_stacks[extraction->threads[i] - 1] = extraction->nodes[from->asleep_stacks[i]] - 1;
    return error;
}

static int period_keep_waits(const struct extraction *extraction)
{
    const uint32_t *from = extraction->from->index->wait_ids;
    uint32_t *to = from == NULL ? NULL : calloc(WIRE_WAITS_MAX + 1, sizeof *to);
    int error = 0;

    if (from == NULL)
        return 0;
    if (to == NULL)
        return -ENOMEM;
    extraction->to->index->wait_ids = to;
    for (uint32_t i = 0; error == 0 && i <= WIRE_WAITS_MAX; i++)
        error = extract_wait(extraction, from[i], &to[i]);
    return error;
}

/* Keeps the functions of the kernel, which the unwinder knows by their locations. There are only some thousands. */
static int period_keep_kernel(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    uint32_t to;
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < from->location_count; i++)
        if (profile_is_kernel(from, from->locations[i].object))
            error = extract_location(extraction, i, &to);
    if (error == 0 && from->index->unknown_object != HASH_NONE)
        error = profile_unknown_object(extraction->to, &to);
    return error;
}

/* --- the whole ----------------------------------------------------------------------------- */

/* Sums what the supervisor has counted until now. */
static struct profile_totals period_counted(const struct profile *profile)
{
    const struct profile_totals *now = &profile->totals;
    struct profile_totals sum = profile->index->before;

    sum.elapsed_ns += now->elapsed_ns;
    sum.ticks += now->ticks;
    sum.stopped_ns += now->stopped_ns;
    sum.target_cpu_ns += now->target_cpu_ns;
    sum.supervisor_cpu_ns += now->supervisor_cpu_ns;
    sum.throttled_ns += now->throttled_ns;
    sum.full_ns += now->full_ns;
    sum.repaired += now->repaired;
    sum.continued += now->continued;
    sum.cut_short += now->cut_short;
    return sum;
}

static void period_begin_totals(const struct profile *from, uint64_t start_time, struct profile *to)
{
    to->totals = (struct profile_totals){.sample_cost_ns = from->totals.sample_cost_ns,
                                         .overhead_ppm = from->totals.overhead_ppm,
                                         .untraced = from->totals.untraced,
                                         .threads_seen = to->thread_count,
                                         .threads_alive = from->totals.threads_alive,
                                         .processes_seen = to->process_count,
                                         .processes_alive = from->totals.processes_alive,
                                         .asked_hz = from->totals.asked_hz,
                                         .wall = from->totals.wall,
                                         .start_time = start_time};
    to->index->before = period_counted(from);
}

static int period_continue(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    int error = period_keep_processes(extraction);

    if (error == 0)
        error = period_keep_threads(extraction);
    if (error == 0)
        error = period_keep_files(extraction);
    if (error == 0)
        error = period_keep_stacks(extraction);
    if (error == 0)
        error = period_keep_waits(extraction);
    if (error == 0)
        error = period_keep_kernel(extraction);
    if (error == 0)
        error = profile_set_host(extraction->to, from->strings[from->host]);
    return error == 0 ? extract_command(extraction) : error;
}

/* Gives the extraction's arrays to *moves. */
static void period_take_moves(struct extraction *extraction, struct profile_moves *moves)
{
    *moves = (struct profile_moves){.objects = extraction->objects,
                                    .processes = extraction->processes,
                                    .locations = extraction->locations,
                                    .object_count = extraction->from->object_count,
                                    .process_count = extraction->from->process_count,
                                    .location_count = extraction->from->location_count};
    extraction->objects = extraction->processes = extraction->locations = NULL;
}

int profile_end_period(struct profile *profile, uint64_t start_time, uint64_t clock_offset, struct profile **ended,
                       struct profile_moves *moves)
{
    struct extraction extraction = {.from = profile};
    struct profile *old = malloc(sizeof *old);
    int error = extract_begin(&extraction) && old != NULL ? period_continue(&extraction) : -ENOMEM;

    if (error == 0) {
        struct profile *next = extraction.to;
        period_begin_totals(profile, start_time, next);
        period_take_moves(&extraction, moves);
        next->clears = profile->clears + 1;
        next->clock_offset = clock_offset;
        history_begin(&next->history, start_time);
        period_move_descriptors(profile->index, next->index);
        *old = *profile;
        *profile = *next;
        free(next);
        *ended = old;
    } else {
        *moves = (struct profile_moves){0};
        profile_free(extraction.to);
        free(old);
    }
    extract_end(&extraction);
    return error;
}
