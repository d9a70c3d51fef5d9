/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU profiles of gperftools, which google-pprof and go tool pprof read: words of the
 * machine's size, and behind them what /proc/PID/maps said.
 *
 *   0 3 0 PERIOD_US 0   {COUNT N PC...}   0 1 0   text of the mappings
 *
 * pcs are as mapped, the leaf first; all but the leaf are return addresses, so that readers look
 * at the byte before, while ours lie within the call: one is added, and taken away again.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/address-layout.h"
#include "format/bytes.h"
#include "format/format.h"
#include "format/gperftools.h"

#define PAGE UINT64_C(4096)
#define DEFAULT_PERIOD_US 1000u

/* Where an object is said to be mapped: its addresses in [low, high) are moved by shift. */
struct span {
    uint64_t low, high;
    uint64_t shift;
    uint32_t object;
};

static bool is_file(const struct profile_object *object)
{
    return (object->kind == PROFILE_OBJECT_FILE || object->kind == PROFILE_OBJECT_VDSO) &&
           !object->invented;
}

/* From its first mapping, and its locations. */
static void measure(const struct profile *profile, struct span *spans)
{
    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        spans[i] = (struct span){.low = UINT64_MAX, .object = i};
        if (is_file(object) && object->start < object->end) {
            spans[i].low = object->offset;
            spans[i].high = object->offset + (object->end - object->start);
        }
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        struct span *span = &spans[profile->locations[i].object];
        uint64_t page = profile->locations[i].address & ~(PAGE - 1);
        if (page < span->low)
            span->low = page;
        if (page + PAGE > span->high)
            span->high = page + PAGE;
    }
}

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    uint64_t first = a->low + a->shift, second = b->low + b->shift;
    return first < second ? -1 : first > second;
}

static int compare_objects(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    return a->object < b->object ? -1 : a->object > b->object;
}

/* Objects of different processes may have been mapped over each other: those are moved above
 * all others. */
static void place(const struct profile *profile, struct span *spans)
{
    uint64_t top = PAGE, end = 0;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        if (!is_file(object) || spans[i].low >= spans[i].high)
            continue;
        spans[i].shift = object->start - object->offset;
        if (spans[i].high + spans[i].shift > top)
            top = spans[i].high + spans[i].shift;
    }
    qsort(spans, profile->object_count, sizeof *spans, compare_spans);
    for (uint32_t i = 0; i < profile->object_count; i++) {
        struct span *span = &spans[i];
        uint64_t size = span->high - span->low;
        if (span->low >= span->high || !is_file(&profile->objects[span->object]))
            continue;
        if ((span->low + span->shift < end || span->low + span->shift < PAGE) &&
            top < UINT64_MAX - size - 2 * PAGE) {
            span->shift = top + PAGE - span->low;
            top += PAGE + size;
        } else {
            end = span->high + span->shift;
        }
    }
    qsort(spans, profile->object_count, sizeof *spans, compare_objects);
}

/* Is it code that has an address? */
static bool has_address(const struct profile *profile, uint32_t location)
{
    const struct profile_object *object = &profile->objects[profile->locations[location].object];
    return object->kind != PROFILE_OBJECT_MARK && !object->invented;
}

static uint64_t address_of(const struct profile *profile, const struct span *spans,
                           uint32_t location)
{
    const struct profile_location *place = &profile->locations[location];
    return place->address + spans[place->object].shift;
}

static void put_stack(struct bytes_out *out, const struct profile *profile,
                      const struct span *spans, uint32_t leaf, uint64_t count)
{
    uint64_t depth = 0, first = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent)
        if (has_address(profile, profile->nodes[node].location) && depth++ == 0)
            first = address_of(profile, spans, profile->nodes[node].location);
    if (depth == 0 || first == 0) /* a pc of 0 ends the profile */
        return;
    bytes_put(out, count, 8);
    bytes_put(out, depth, 8);
    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent)
        if (has_address(profile, profile->nodes[node].location))
            bytes_put(
                out, address_of(profile, spans, profile->nodes[node].location) + (node != leaf), 8);
}

static void put_stacks(struct bytes_out *out, const struct profile *profile,
                       const struct span *spans, uint64_t *counts)
{
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile_counts_sample(profile, &profile->samples[i]))
            counts[profile->samples[i].node] += profile->samples[i].count;
    for (uint32_t node = 1; node < profile->node_count; node++)
        if (counts[node] > 0)
            put_stack(out, profile, spans, node, counts[node]);
}

static int put_maps(struct bytes_out *out, const struct profile *profile, const struct span *spans)
{
    char line[PATH_MAX + 128];

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        if (!is_file(object) || spans[i].low >= spans[i].high)
            continue;
        int length = snprintf(line, sizeof line, "%08llx-%08llx r-xp %08llx 00:00 %llu %*s%s\n",
                              (unsigned long long)(spans[i].low + spans[i].shift),
                              (unsigned long long)(spans[i].high + spans[i].shift),
                              (unsigned long long)spans[i].low, (unsigned long long)object->inode,
                              10, "", profile->strings[object->path]);
        if (length < 0 || (size_t)length >= sizeof line)
            return PPROFIL_ERROR_ADDRESSES;
        for (char *at = line; at < line + length - 1; at++)
            if (*at == '\n')
                *at = ' ';
        bytes_put_all(out, line, (size_t)length);
    }
    return 0;
}

static uint64_t period_us(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;
    uint64_t ns = totals->wall ? totals->wall_ns : totals->cpu_ns;

    if (totals->samples == 0 || ns / totals->samples < 1000)
        return DEFAULT_PERIOD_US;
    return (ns / totals->samples + 500) / 1000;
}

static int write_gperftools(int fd, const struct profile *profile)
{
    struct bytes_out *out = malloc(sizeof *out);
    struct span *spans = calloc(profile->object_count + 1u, sizeof *spans);
    uint64_t *counts = calloc(profile->node_count + 1u, sizeof *counts);
    int error = out == NULL || spans == NULL || counts == NULL ? -ENOMEM
                : layout_has_code(profile)                  ? 0
                                                               : PPROFIL_ERROR_NO_SAMPLES;

    if (error == 0) {
        const uint64_t head[] = {0, 3, 0, period_us(profile), 0}, tail[] = {0, 1, 0};
        measure(profile, spans);
        place(profile, spans);
        bytes_begin(out, fd, 8, false);
        for (size_t i = 0; i < sizeof head / sizeof *head; i++)
            bytes_put(out, head[i], 8);
        put_stacks(out, profile, spans, counts);
        for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
            bytes_put(out, tail[i], 8);
        error = put_maps(out, profile, spans);
        int finished = bytes_finish(out);
        error = error != 0 ? error : finished;
    }
    free(out);
    free(spans);
    free(counts);
    return error;
}

static bool gperftools_matches(const unsigned char *head, size_t size, uint64_t all)
{
    struct bytes bytes;
    uint64_t period;

    (void)all;
    return gperftools_shape(head, size, &bytes, &period);
}

const struct format format_gperftools = {
    .name = "gperftools",
    .extensions = ".cpuprof",
    .summary = "gperftools' CPU profile, for google-pprof and go tool pprof",
    .keeps = "stacks of addresses, objects with their paths, sample counts",
    .loses = "names and lines (looked up again), build-ids, code in no file, marks, processes, "
             "threads, system calls, states, times but for their mean, totals",
    .matches = gperftools_matches,
    .read = gperftools_read,
    .write = write_gperftools,
};
