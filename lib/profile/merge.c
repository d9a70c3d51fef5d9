/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges two profiles: adds each table of one profile to the same table of the other. The tables are merged in such an
 * order that an entry is added after all entries that it refers to.
 *
 * Both profiles may have the same entry with different details, for example an object with two paths. The result must
 * not depend on the order of the two profiles. So a comparison of the details, and not the order, decides which details
 * are kept.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge-tasks.h"

#define OTHERS " (and others)"

static int merge_strings(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < merger->from->string_count; i++)
        error = profile_string(merger->into, merge_text(merger->from, i), &merger->strings[i]);
    return error;
}

/* --- code ------------------------------------------------------------------------------ */

/* Compares the details of two entries that mean the same object. If files have the same build-id, they are the same
 * object, but may have different paths, and may be mapped at different addresses. */
static int merge_compare_objects(const struct profile *profile, const struct profile_object *a,
                                 const struct profile_object *b)
{
    int result = merge_order(a->deleted, b->deleted);

    if (result == 0)
        result = strcmp(merge_text(profile, a->path), merge_text(profile, b->path));
    if (result == 0)
        result = merge_order(a->device, b->device);
    if (result == 0)
        result = merge_order(a->inode, b->inode);
    if (result == 0)
        result = merge_order(a->start, b->start);
    if (result == 0)
        result = merge_order(a->end, b->end);
    if (result == 0)
        result = merge_order(a->offset, b->offset);
    return result != 0 ? result : merge_order(a->pid, b->pid);
}

static int merge_object(struct merger *merger, uint32_t i)
{
    const struct profile_object *from = &merger->from->objects[i];
    struct profile_object object = *from;
    uint32_t before = merger->into->object_count;

    object.path = merger->strings[from->path];
    object.fd = -1;
    if (object.kind == PROFILE_OBJECT_ANON)
        object.process = merger->processes[from->process];
    int error = profile_object(merger->into, &object, &merger->objects[i]);
    if (error != 0)
        return error;
    struct profile_object *known = &merger->into->objects[merger->objects[i]];
    object.fd = known->fd >= 0 || from->fd < 0 ? known->fd : fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
    if (merger->into->object_count > before || merge_compare_objects(merger->into, &object, known) < 0)
        /* the hash index stays valid, because both objects have the same values in the hashed fields */
        *known = object;
    known->fd = object.fd;
    return 0;
}

static int merge_objects(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < merger->from->object_count; i++)
        error = merge_object(merger, i);
    return error;
}

static int merge_functions(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < merger->from->function_count; i++) {
        struct profile_function function = merger->from->functions[i];
        function.name = merger->strings[function.name];
        function.system_name = merger->strings[function.system_name];
        function.file = merger->strings[function.file];
        if (function.object != 0)
            function.object = merger->objects[function.object - 1] + 1;
        error = profile_function(merger->into, &function, &merger->functions[i]);
    }
    return error;
}

static int merge_compare_lines(const struct profile *profile, const struct profile_line *a,
                               const struct profile_line *b)
{
    const struct profile_function *f = &profile->functions[a->function];
    const struct profile_function *g = &profile->functions[b->function];
    int result = strcmp(merge_text(profile, f->name), merge_text(profile, g->name));

    if (result == 0)
        result = strcmp(merge_text(profile, a->file), merge_text(profile, b->file));
    if (result == 0)
        result = merge_order(a->line, b->line);
    if (result == 0)
        result = strcmp(merge_text(profile, f->file), merge_text(profile, g->file));
    return result != 0 ? result : merge_order(f->line, g->line);
}

/* Returns true if `lines` is more detailed than known->lines. First compares the bits of `looked`, then how many lines
 * there are. If both are equal, compares the lines with merge_compare_lines, so that the result does not depend on the
 * order of merging. */
static bool merge_is_fuller(const struct profile *into, const struct profile_location *known,
                            const struct profile_line *lines, uint32_t count, uint32_t looked)
{
    int result = merge_order(looked, known->looked);

    if (result == 0)
        result = merge_order(count, known->line_count);
    for (uint32_t i = 0; result == 0 && i < count; i++)
        result = merge_compare_lines(into, &lines[i], &known->lines[i]);
    return result > 0;
}

static int merge_lines(struct merger *merger, const struct profile_location *from, uint32_t index)
{
    uint32_t count = from->line_count;
    struct profile_line *lines = calloc(count + 1u, sizeof *lines);
    int error = 0;

    if (lines == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        lines[i] = (struct profile_line){.function = merger->functions[from->lines[i].function],
                                         .file = merger->strings[from->lines[i].file],
                                         .line = from->lines[i].line};
    if (merge_is_fuller(merger->into, &merger->into->locations[index], lines, count, from->looked))
        error = profile_set_lines(merger->into, index, lines, count, from->looked);
    free(lines);
    return error;
}

static int merge_locations(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < merger->from->location_count; i++) {
        const struct profile_location *from = &merger->from->locations[i];
        error = profile_location(merger->into, merger->objects[from->object], from->address, &merger->locations[i]);
        if (error == 0)
            error = merge_lines(merger, from, merger->locations[i]);
    }
    return error;
}

/* Adds the nodes. In every profile the index of a caller's node is smaller than the indexes of its callees' nodes. */
static int merge_nodes(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < merger->from->node_count; i++) {
        const struct profile_node *from = &merger->from->nodes[i];
        error = profile_node(merger->into, merger->nodes[from->parent], merger->locations[from->location],
                             &merger->nodes[i]);
    }
    return error;
}

static int merge_syscalls(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < merger->from->syscall_count; i++) {
        const struct profile_syscall *from = &merger->from->syscalls[i];
        error = profile_syscall(merger->into, merge_text(merger->from, from->name), from->number, from->compat,
                                &merger->syscalls[i]);
    }
    return error;
}

/* --- counts ---------------------------------------------------------------------------- */

static int merge_wait(const struct merger *merger, uint32_t from, uint32_t *to)
{
    const struct profile_wait *wait = &merger->from->waits[from];

    *to = PROFILE_NONE;
    if (from == PROFILE_NONE)
        return 0;
    return profile_wait(merger->into, merge_text(merger->from, wait->name), wait->holder, to);
}

static int merge_samples(struct merger *merger)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < merger->from->sample_count; i++) {
        struct profile_sample sample = merger->from->samples[i];
        merger->samples[i] = PROFILE_NO_SAMPLE;
        if (merger->cpu_only && sample.cpu_ns == 0)
            continue;
        if (merger->cpu_only)
            sample.wall_ns = sample.state = sample.wait = 0;
        sample.thread = merger->threads[sample.thread];
        sample.node = merger->nodes[sample.node];
        sample.syscall = merger->syscalls[sample.syscall];
        error = merge_wait(merger, sample.wait, &sample.wait);
        if (error == 0)
            error = profile_count_entry(merger->into, &sample, &merger->samples[i]);
    }
    return error;
}

/* Adds the totals of processes and threads. A process or thread that both profiles have is counted only once in
 * processes_seen or threads_seen. */
static void merge_seen(const struct merger *merger)
{
    struct profile_totals *into = &merger->into->totals;
    const struct profile_totals *from = &merger->from->totals;
    uint32_t joined = 0;

    for (uint32_t i = 0; i < merger->from->process_count; i++)
        joined += merger->joined[i] && merger->from->processes[i].pid != 0;
    into->processes_seen += from->processes_seen > joined ? from->processes_seen - joined : 0;
    joined = merger->joined_thread_count;
    into->threads_seen += from->threads_seen > joined ? from->threads_seen - joined : 0;
    into->processes_alive += from->processes_alive;
    into->threads_alive += from->threads_alive;
}

static void merge_totals(struct merger *merger)
{
    struct profile_totals *into = &merger->into->totals;
    const struct profile_totals *from = &merger->from->totals;

    merge_seen(merger);
    uint64_t end = merge_greater(profile_end_time(into), profile_end_time(from));
    into->elapsed_ns += from->elapsed_ns;
    into->target_cpu_ns += from->target_cpu_ns;
    into->stopped_ns += from->stopped_ns;
    into->supervisor_cpu_ns += from->supervisor_cpu_ns;
    into->ticks += from->ticks;
    into->lost += from->lost;
    into->throttled_ns += from->throttled_ns;
    into->full_ns += from->full_ns;
    if (from->sample_cost_ns > into->sample_cost_ns)
        into->sample_cost_ns = from->sample_cost_ns;
    if (into->overhead_ppm == 0 || (from->overhead_ppm > 0 && from->overhead_ppm < into->overhead_ppm))
        into->overhead_ppm = from->overhead_ppm;
    into->repaired += from->repaired;
    into->continued += from->continued;
    into->cut_short += from->cut_short;
    into->untraced += from->untraced;
    if (from->asked_hz > 0 && (into->asked_hz <= 0 || from->asked_hz < into->asked_hz))
        into->asked_hz = from->asked_hz;
    if (from->start_time != 0)
        into->start_time = into->start_time == 0 ? from->start_time : merge_lesser(into->start_time, from->start_time);
    into->end_time = end != into->start_time + into->elapsed_ns ? end : 0;
    into->wall = merger->wall;
}

/* Returns the length of a command without its suffix OTHERS. */
static size_t merge_command_length(const char *command)
{
    size_t length = strlen(command), tail = strlen(OTHERS);

    if (length >= tail && strcmp(command + length - tail, OTHERS) == 0)
        return length - tail;
    return length;
}

/* Keeps one of the commands of the two profiles: the one that sorts first by its bytes. Appends OTHERS if the commands
 * differ. Returns 0 or -ENOMEM. */
static int merge_command(struct merger *merger)
{
    const char *ours = merger->into->command, *theirs = merger->from->command;

    if (theirs == NULL || (ours != NULL && strcmp(ours, theirs) == 0))
        return 0;
    if (ours == NULL) {
        merger->into->command = strdup(theirs);
        return merger->into->command == NULL ? -ENOMEM : 0;
    }
    size_t own = merge_command_length(ours), other = merge_command_length(theirs);
    int result = memcmp(ours, theirs, own < other ? own : other);
    bool first = result != 0 ? result < 0 : own <= other;
    char *command;
    if (asprintf(&command, "%.*s%s", (int)(first ? own : other), first ? ours : theirs, OTHERS) < 0)
        return -ENOMEM;
    free(merger->into->command);
    merger->into->command = command;
    return 0;
}

/* Which of two histories, or of two timelines, is kept. If their clocks differ, the one whose times count from 1970. */
enum merge_kept { MERGE_KEPT_BOTH, MERGE_KEPT_INTO, MERGE_KEPT_FROM };

static enum merge_kept merge_which(uint32_t into_count, uint64_t into_start, uint32_t from_count, uint64_t from_start)
{
    if (into_count == 0 || from_count == 0 || history_is_uptime(into_start) == history_is_uptime(from_start))
        return MERGE_KEPT_BOTH;
    return history_is_uptime(from_start) ? MERGE_KEPT_INTO : MERGE_KEPT_FROM;
}

static int merge_histories(struct merger *merger)
{
    struct profile_history *into = &merger->into->history;
    const struct profile_history *from = &merger->from->history;
    enum merge_kept kept = merge_which(into->count, into->start, from->count, from->start);

    if (kept == MERGE_KEPT_FROM)
        history_clear(into);
    return kept == MERGE_KEPT_INTO ? 0 : history_merge(into, from, merger->samples);
}

static int merge_timelines(struct merger *merger)
{
    struct profile_timeline *into = &merger->into->timeline;
    const struct profile_timeline *from = &merger->from->timeline;
    enum merge_kept kept = merge_which(into->count, into->start, from->count, from->start);

    if (kept == MERGE_KEPT_FROM)
        timeline_clear(into);
    return kept == MERGE_KEPT_INTO ? 0 : timeline_merge(into, from);
}

static int merge_times(struct merger *merger)
{
    int error = merge_timelines(merger);

    if (error == 0)
        error = merge_histories(merger);
    for (uint32_t i = 0; merger->cpu_only && i < merger->into->history.count; i++)
        merger->into->history.entries[i].wall_ns = 0;
    return error;
}

/* --- all ------------------------------------------------------------------------------- */

static int merge_check(const struct profile *into, const struct profile *from, bool cpu_only)
{
    const struct profile_totals *a = &into->totals, *b = &from->totals;

    if (!cpu_only && into->sample_count > 0 && from->sample_count > 0 && a->wall != b->wall)
        return PPROFIL_ERROR_MIXED_TIMES;
    if (b->samples > INT64_MAX - merge_lesser(a->samples, INT64_MAX) ||
        b->cpu_ns > INT64_MAX - merge_lesser(a->cpu_ns, INT64_MAX) ||
        b->wall_ns > INT64_MAX - merge_lesser(a->wall_ns, INT64_MAX))
        return -EOVERFLOW;
    return 0;
}

static bool merge_make_maps(struct merger *merger)
{
    const struct profile *from = merger->from;
    const struct {
        uint32_t **map, count;
    } maps[] = {
        {&merger->strings, from->string_count},     {&merger->objects, from->object_count},
        {&merger->processes, from->process_count},  {&merger->threads, from->thread_count},
        {&merger->functions, from->function_count}, {&merger->locations, from->location_count},
        {&merger->nodes, from->node_count},         {&merger->syscalls, from->syscall_count},
        {&merger->samples, from->sample_count},
    };
    bool all = true;

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        *maps[i].map = calloc(maps[i].count + 1u, sizeof **maps[i].map);
        all = all && *maps[i].map != NULL;
    }
    merger->joined = calloc(from->process_count + 1u, sizeof *merger->joined);
    return all && merger->joined != NULL;
}

static void merge_free_maps(struct merger *merger)
{
    uint32_t *maps[] = {merger->strings,   merger->objects, merger->processes, merger->threads, merger->functions,
                        merger->locations, merger->nodes,   merger->syscalls,  merger->samples};

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(maps[i]);
    free(merger->joined);
}

/* A profile without samples does not say what the sum is of, unless neither profile has any. */
static bool merge_has_wall(const struct profile *into, const struct profile *from)
{
    bool none = into->sample_count == 0 && from->sample_count == 0;

    return (into->totals.wall && (into->sample_count > 0 || none)) ||
           (from->totals.wall && (from->sample_count > 0 || none));
}

int profile_merge(struct profile *into, const struct profile *from, unsigned how)
{
    static int (*const steps[])(struct merger * merger) = {
        merge_strings, merge_processes, merge_threads, merge_objects, merge_functions, merge_locations,
        merge_nodes,   merge_syscalls,  merge_samples, merge_command, merge_times,
    };
    struct merger merger = {.into = into, .from = from, .cpu_only = (how & PROFILE_MERGE_CPU) != 0};
    int error = merge_check(into, from, merger.cpu_only);

    merger.wall = !merger.cpu_only && merge_has_wall(into, from);
    if (error == 0 && !merge_make_maps(&merger))
        error = -ENOMEM;
    for (size_t i = 0; error == 0 && i < sizeof steps / sizeof *steps; i++)
        error = steps[i](&merger);
    if (error == 0)
        merge_totals(&merger);
    merge_free_maps(&merger);
    return error;
}
