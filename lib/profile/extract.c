/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies a part of a profile: some of its samples, and all entries of other tables that these samples refer to. An
 * entry is copied when a sample first needs it. The index of the copy is stored in struct extraction, for later
 * samples.
 *
 * If the part is a range of time, the history tells how much of each sample belongs to it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/extract.h"

static int extract_string(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    return profile_string(extraction->to, extraction->from->strings[from], to);
}

int extract_process(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    struct profile_process process = extraction->from->processes[from];
    uint32_t *went = &extraction->processes[from];

    if (*went == 0) {
        int error = extract_string(extraction, process.comm, &process.comm);
        if (error == 0)
            error = extract_string(extraction, process.host, &process.host);
        if (error == 0)
            error = extract_string(extraction, process.job, &process.job);
        if (error == 0)
            error = extract_string(extraction, process.rank, &process.rank);
        if (error == 0)
            error = profile_add_process(extraction->to, &process, to);
        if (error != 0)
            return error;
        *went = *to + 1;
    }
    *to = *went - 1;
    return 0;
}

int extract_thread(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    struct profile_thread thread = extraction->from->threads[from];
    uint32_t *went = &extraction->threads[from];

    if (*went == 0) {
        int error = extract_process(extraction, thread.process, &thread.process);
        if (error == 0)
            error = extract_string(extraction, thread.comm, &thread.comm);
        if (error == 0)
            error = profile_add_thread(extraction->to, &thread, to);
        if (error != 0)
            return error;
        *went = *to + 1;
    }
    *to = *went - 1;
    return 0;
}

/* Copies an object. The copy gets its own descriptor of the file, or -1 if the process can open no more descriptors. */
static int extract_copy_object(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    struct profile_object object = extraction->from->objects[from];
    uint32_t before = extraction->to->object_count;
    int error = extract_string(extraction, object.path, &object.path);

    if (error == 0 && object.kind == PROFILE_OBJECT_ANON)
        error = extract_process(extraction, object.process, &object.process);
    if (error != 0)
        return error;
    if (object.fd >= 0)
        object.fd = fcntl(object.fd, F_DUPFD_CLOEXEC, 0);
    error = profile_object(extraction->to, &object, to);
    if (extraction->to->object_count == before && object.fd >= 0)
        close(object.fd);
    return error;
}

int extract_object(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    uint32_t *went = &extraction->objects[from];

    if (*went == 0) {
        int error = extract_copy_object(extraction, from, to);
        if (error != 0)
            return error;
        *went = *to + 1;
    }
    *to = *went - 1;
    return 0;
}

static int extract_copy_function(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    struct profile_function function = extraction->from->functions[from];
    int error = extract_string(extraction, function.name, &function.name);

    if (error == 0)
        error = extract_string(extraction, function.system_name, &function.system_name);
    if (error == 0)
        error = extract_string(extraction, function.file, &function.file);
    if (error == 0 && function.object > 0) {
        error = extract_object(extraction, function.object - 1, &function.object);
        function.object++;
    }
    return error == 0 ? profile_function(extraction->to, &function, to) : error;
}

static int extract_line(const struct extraction *extraction, struct profile_line *line)
{
    uint32_t *went = &extraction->functions[line->function];
    int error = extract_string(extraction, line->file, &line->file);

    if (error != 0 || line->function == PROFILE_NONE)
        return error;
    if (*went == 0) {
        uint32_t to;
        error = extract_copy_function(extraction, line->function, &to);
        if (error != 0)
            return error;
        *went = to + 1;
    }
    line->function = *went - 1;
    return 0;
}

static int extract_lines(const struct extraction *extraction, const struct profile_location *from, uint32_t to)
{
    struct profile_line *lines = calloc(from->line_count + 1u, sizeof *lines);
    int error = lines == NULL ? -ENOMEM : 0;

    for (uint32_t i = 0; error == 0 && i < from->line_count; i++) {
        lines[i] = from->lines[i];
        error = extract_line(extraction, &lines[i]);
    }
    if (error == 0)
        error = profile_set_lines(extraction->to, to, lines, from->line_count, from->looked);
    free(lines);
    return error;
}

int extract_location(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    const struct profile_location *place = &extraction->from->locations[from];
    uint32_t *went = &extraction->locations[from], object;

    if (*went == 0) {
        int error = extract_object(extraction, place->object, &object);
        if (error == 0)
            error = profile_location(extraction->to, object, place->address, to);
        if (error == 0)
            error = extract_lines(extraction, place, *to);
        if (error != 0)
            return error;
        *went = *to + 1;
    }
    *to = *went - 1;
    return 0;
}

static int extract_syscall(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    const struct profile_syscall *call = &extraction->from->syscalls[from];
    uint32_t *went = &extraction->syscalls[from];

    *to = PROFILE_NONE;
    if (from == PROFILE_NONE)
        return 0;
    if (*went == 0) {
        int error = profile_syscall(extraction->to, extraction->from->strings[call->name], call->number, call->compat,
                                    to);
        if (error != 0)
            return error;
        *went = *to + 1;
    }
    *to = *went - 1;
    return 0;
}

static void extract_mark_nodes(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;

    for (uint32_t i = 0; i < from->sample_count; i++)
        if (extract_keeps(extraction, i))
            extraction->nodes[from->samples[i].node] = 1;
}

/* In every profile the index of a parent is smaller than the indexes of its children. */
int extract_nodes(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    uint32_t *nodes = extraction->nodes, location;
    int error = 0;

    for (uint32_t i = from->node_count - 1; i > 0; i--)
        if (nodes[i] != 0)
            nodes[from->nodes[i].parent] = 1;
    nodes[PROFILE_NONE] = PROFILE_NONE + 1;
    for (uint32_t i = 1; error == 0 && i < from->node_count; i++) {
        if (nodes[i] == 0)
            continue;
        error = extract_location(extraction, from->nodes[i].location, &location);
        if (error == 0)
            error = profile_node(extraction->to, nodes[from->nodes[i].parent] - 1, location, &nodes[i]);
        nodes[i]++;
    }
    return error;
}

int extract_wait(const struct extraction *extraction, uint32_t from, uint32_t *to)
{
    const struct profile_wait *wait = &extraction->from->waits[from];

    *to = PROFILE_NONE;
    if (from == PROFILE_NONE)
        return 0;
    return profile_wait(extraction->to, extraction->from->strings[wait->name], wait->holder, to);
}

static int extract_sample(const struct extraction *extraction, uint32_t from)
{
    struct profile_sample sample = extraction->kept[from];
    int error = extract_thread(extraction, sample.thread, &sample.thread);

    if (error == 0)
        error = extract_syscall(extraction, sample.syscall, &sample.syscall);
    if (error == 0)
        error = extract_wait(extraction, sample.wait, &sample.wait);
    sample.node = extraction->nodes[sample.node] - 1;
    uint32_t index;
    if (error == 0)
        error = profile_count_entry(extraction->to, &sample, &index);
    if (error == 0)
        extraction->samples[from] = index + 1;
    return error;
}

int extract_command(const struct extraction *extraction)
{
    if (extraction->from->command == NULL)
        return 0;
    extraction->to->command = strdup(extraction->from->command);
    return extraction->to->command == NULL ? -ENOMEM : 0;
}

/* --- the whole ------------------------------------------------------------------------- */

static uint32_t extract_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int extract_all(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    struct profile_totals *totals = &extraction->to->totals;

    extract_mark_nodes(extraction);
    int error = extract_nodes(extraction);

    *totals = from->totals;
    totals->samples = totals->running = totals->cpu_ns = totals->wall_ns = 0;
    if (extraction->ranged)
        *totals = extract_range_totals(extraction);
    for (uint32_t i = 0; error == 0 && i < from->sample_count; i++)
        if (extract_keeps(extraction, i))
            error = extract_sample(extraction, i);
    totals->threads_seen = extraction->to->thread_count;
    totals->threads_alive = extract_least(from->totals.threads_alive, totals->threads_seen);
    totals->processes_seen = extraction->to->process_count;
    totals->processes_alive = extract_least(from->totals.processes_alive, totals->processes_seen);
    if (error == 0)
        error = extract_times(extraction);
    return error == 0 ? extract_command(extraction) : error;
}

bool extract_begin(struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    const struct {
        uint32_t **went;
        uint32_t count;
    } all[] = {
        {&extraction->objects, from->object_count},     {&extraction->processes, from->process_count},
        {&extraction->threads, from->thread_count},     {&extraction->functions, from->function_count},
        {&extraction->locations, from->location_count}, {&extraction->nodes, from->node_count},
        {&extraction->syscalls, from->syscall_count},   {&extraction->samples, from->sample_count},
    };
    bool done = (extraction->to = profile_new()) != NULL;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        done &= (*all[i].went = calloc(all[i].count + 1u, sizeof **all[i].went)) != NULL;
    extraction->kept = calloc(from->sample_count + 1u, sizeof *extraction->kept);
    return done && extraction->kept != NULL;
}

/* Copies the samples of the part to extraction->kept. Samples that are not kept have the count 0 there. */
static void extract_choose(const struct extraction *extraction, const bool *keep)
{
    const struct profile *from = extraction->from;

    if (extraction->ranged)
        profile_samples_in(from, extraction->range, extraction->kept);
    else if (from->sample_count > 0)
        memcpy(extraction->kept, from->samples, from->sample_count * sizeof *from->samples);
    for (uint32_t i = 0; i < from->sample_count; i++)
        if (!keep[i])
            extraction->kept[i].count = extraction->kept[i].cpu_ns = extraction->kept[i].wall_ns = 0;
}

void extract_end(const struct extraction *extraction)
{
    free(extraction->objects);
    free(extraction->processes);
    free(extraction->threads);
    free(extraction->functions);
    free(extraction->locations);
    free(extraction->nodes);
    free(extraction->syscalls);
    free(extraction->samples);
    free(extraction->kept);
}

int profile_extract(const struct profile *profile, const struct profile_part *part, struct profile **result)
{
    struct extraction extraction = {.from = profile, .ranged = part->ranged, .range = part->range};
    int error = extract_begin(&extraction) ? 0 : -ENOMEM;

    if (error == 0) {
        extract_choose(&extraction, part->keep);
        error = extract_all(&extraction);
    }
    extract_end(&extraction);
    if (error != 0) {
        profile_free(extraction.to);
        return error;
    }
    *result = extraction.to;
    return 0;
}
