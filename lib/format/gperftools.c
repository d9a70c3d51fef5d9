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

#include "format/bytes.h"
#include "format/format.h"
#include "format/named.h"
#include "format/text.h"

#define PAGE UINT64_C(4096)
#define DEFAULT_PERIOD_US 1000u
#define MOST_FRAMES (1u << 20)

/* --- writing ------------------------------------------------------------------------- */

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
            bytes_put(out,
                      address_of(profile, spans, profile->nodes[node].location) + (node != leaf), 8);
}

static void put_stacks(struct bytes_out *out, const struct profile *profile,
                       const struct span *spans, uint64_t *counts)
{
    for (uint32_t i = 0; i < profile->sample_count; i++)
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
                              (unsigned long long)spans[i].low, (unsigned long long)object->inode, 10,
                              "", profile->strings[object->path]);
        if (length < 0 || (size_t)length >= sizeof line)
            return -EOVERFLOW;
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
    int error = out == NULL || spans == NULL || counts == NULL ? -ENOMEM : 0;

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

/* --- reading ------------------------------------------------------------------------- */

/* A line of the mappings. */
struct mapping {
    uint64_t start, end, offset;
    uint32_t object;
};

struct reader {
    struct profile *profile;
    struct mapping *mappings; /* by start */
    size_t mapping_count;
    uint64_t period_ns;
    uint32_t thread;
};

static int compare_mappings(const void *left, const void *right)
{
    const struct mapping *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* "start-end perms offset dev inode path". What is no mapping (the text may begin with
 * "build=/path") is passed over. */
static int read_mapping(struct reader *reader, const char *line)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct mapping mapping;
    const char *at = line + strspn(line, " ");

    if (!text_number(&at, 16, &mapping.start) || *at++ != '-' ||
        !text_number(&at, 16, &mapping.end) || *at++ != ' ' || strcspn(at, " ") != 4 ||
        at[2] != 'x' || at[4] != ' ' || mapping.end <= mapping.start)
        return 0;
    at += 5;
    if (!text_number(&at, 16, &mapping.offset))
        return 0;
    for (int field = 0; field < 2; field++) { /* device, inode */
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    at += strspn(at, " ");
    if (*at != '/' && strcmp(at, "[vdso]") != 0)
        return 0; /* code in no file */
    if (*at != '/') {
        object.kind = PROFILE_OBJECT_VDSO;
        mapping.offset = 0;
    }
    object.start = mapping.start;
    object.end = mapping.end;
    object.offset = mapping.offset;
    int error = profile_string(reader->profile, at, &object.path);
    if (error == 0)
        error = profile_object(reader->profile, &object, &mapping.object);
    if (error == 0)
        error = profile_grow(&reader->mappings, (uint32_t)reader->mapping_count, sizeof mapping);
    if (error == 0)
        reader->mappings[reader->mapping_count++] = mapping;
    return error;
}

static int read_mappings(struct reader *reader, char *text, char *end)
{
    struct text lines = {.at = text, .end = end};
    char *line;
    int error = 0;

    while (error == 0 && (line = text_next(&lines)) != NULL)
        error = read_mapping(reader, line);
    if (reader->mapping_count > 0)
        qsort(reader->mappings, reader->mapping_count, sizeof *reader->mappings, compare_mappings);
    return error;
}

static const struct mapping *find_mapping(const struct reader *reader, uint64_t address)
{
    size_t low = 0, high = reader->mapping_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->mappings[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < reader->mappings[low - 1].end ? &reader->mappings[low - 1] : NULL;
}

static int find_location(struct reader *reader, uint64_t address, uint32_t *location)
{
    struct named named = {.profile = reader->profile};
    const struct mapping *mapping = find_mapping(reader, address);
    uint32_t object;

    if (mapping != NULL)
        return profile_location(reader->profile, mapping->object,
                                address - mapping->start + mapping->offset, location);
    int error = named_object(&named, "", &object);
    return error == 0 ? profile_location(reader->profile, object, address, location) : error;
}

static int read_stack(struct reader *reader, struct bytes *bytes, uint64_t count, uint64_t depth)
{
    struct profile_sample sample = {.thread = reader->thread, .count = count};
    int error = 0;

    if (depth > MOST_FRAMES || depth > bytes_left(bytes) / bytes->pointer_size || count == 0 ||
        __builtin_mul_overflow(count, reader->period_ns, &sample.cpu_ns))
        return -EBADMSG;
    uint32_t *locations = calloc((size_t)depth, sizeof *locations);
    if (locations == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; error == 0 && i < depth; i++)
        error = find_location(reader, bytes_get_pointer(bytes) - (i > 0), &locations[i]);
    for (uint64_t i = depth; error == 0 && i > 0; i--)
        error = profile_node(reader->profile, sample.node, locations[i - 1], &sample.node);
    free(locations);
    return error == 0 ? named_count(reader->profile, &sample) : error;
}

/* Behind the header, up to the trailer. */
static int read_stacks(struct reader *reader, struct bytes *bytes)
{
    int error = 0;

    while (error == 0) {
        uint64_t count = bytes_get_pointer(bytes), depth = bytes_get_pointer(bytes);
        if (bytes->missing || depth == 0)
            return -EBADMSG;
        struct bytes trailer = *bytes;
        if (count == 0 && depth == 1 && bytes_get_pointer(&trailer) == 0)
            return bytes->missing ? -EBADMSG : 0;
        error = read_stack(reader, bytes, count, depth);
    }
    return error;
}

/* Where the trailer ends: the stacks have to be skipped to find the mappings. */
static int find_text(struct bytes bytes, const unsigned char **text)
{
    for (;;) {
        uint64_t count = bytes_get_pointer(&bytes), depth = bytes_get_pointer(&bytes);
        if (bytes.missing || depth == 0 || depth > bytes_left(&bytes) / bytes.pointer_size)
            return -EBADMSG;
        struct bytes trailer = bytes;
        if (count == 0 && depth == 1 && bytes_get_pointer(&trailer) == 0) {
            *text = trailer.at;
            return 0;
        }
        bytes_take(&bytes, depth * bytes.pointer_size);
    }
}

/* 0 3 0 PERIOD 0, in words of 4 or 8 bytes of either order. */
static bool find_shape(const unsigned char *head, size_t size, struct bytes *bytes,
                       uint64_t *period)
{
    for (unsigned shape = 0; shape < 4; shape++) {
        *bytes = bytes_of(head, size, shape & 1 ? 4 : 8, shape & 2);
        uint64_t zero = bytes_get_pointer(bytes), slots = bytes_get_pointer(bytes);
        uint64_t version = bytes_get_pointer(bytes);
        *period = bytes_get_pointer(bytes);
        uint64_t padding = bytes_get_pointer(bytes);
        if (!bytes->missing && zero == 0 && slots == 3 && version == 0 && padding == 0 &&
            *period > 0 && *period <= 1000000000)
            return true;
    }
    return false;
}

static int read_all(struct reader *reader, unsigned char *whole, size_t size)
{
    struct named named = {.profile = reader->profile};
    const unsigned char *text;
    struct bytes bytes;
    uint64_t period;

    if (!find_shape(whole, size, &bytes, &period))
        return -EBADMSG;
    reader->period_ns = period * 1000;
    reader->profile->totals.asked_hz = 1e6 / (double)period;
    int error = find_text(bytes, &text);
    if (error == 0)
        error = read_mappings(reader, (char *)whole + (text - whole), (char *)whole + size);
    if (error == 0)
        error = named_thread(&named, 0, 0, "[unknown]", &reader->thread);
    free(named.memo.slots);
    return error == 0 ? read_stacks(reader, &bytes) : error;
}

static int read_gperftools(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile};
    unsigned char *whole = NULL;
    size_t size = 0;
    int error = bytes_load(path, &whole, &size);

    if (error == 0) {
        whole[size] = '\0';
        error = read_all(&reader, whole, size);
    }
    free(reader.mappings);
    free(whole);
    return error;
}

static bool matches(const unsigned char *head, size_t size, uint64_t all)
{
    struct bytes bytes;
    uint64_t period;

    (void)all;
    return find_shape(head, size, &bytes, &period);
}

const struct format format_gperftools = {
    .name = "gperftools",
    .extensions = ".cpuprof .prof",
    .summary = "gperftools' CPU profile, for google-pprof and go tool pprof",
    .keeps = "stacks of addresses, objects with their paths, sample counts",
    .loses = "names and lines (looked up again), build-ids, code in no file, marks, processes, "
             "threads, system calls, sleeping, times but for their mean, totals",
    .matches = matches,
    .read = read_gperftools,
    .write = write_gperftools,
};
