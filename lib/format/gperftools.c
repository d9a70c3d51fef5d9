/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes the CPU profiles of gperftools, for google-pprof and go tool pprof. A file has words of pointer size
 * in the byte order of the machine, and then the text of /proc/PID/maps.
 *
 *    0 3 0 PERIOD_US 0   {COUNT N PC...}   0 1 0   text of the mappings
 *
 * The first pc of a stack is the leaf. All other pcs are return addresses, and readers look up the byte before them. In
 * a struct profile the address of a caller is within the call instruction. So the writer adds 1 to it, and the reader
 * subtracts 1.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/address-layout.h"
#include "format/bytes.h"
#include "format/format.h"
#include "format/profile-builder.h"
#include "format/text.h"
#include "pprofil/error.h"

#define FRAMES_MAX (1u << 20)
#define DEFAULT_PERIOD_US 1000u

/* --- writing ------------------------------------------------------------------------- */

/* Returns true if the location is code with a real address, and false if it is a mark or has an invented address. */
static bool has_address(const struct profile *profile, uint32_t location)
{
    const struct profile_object *object = &profile->objects[profile->locations[location].object];
    return object->kind != PROFILE_OBJECT_MARK && !object->invented;
}

static void put_stack(struct bytes_out *out, const struct profile *profile, const struct mapped_object *mapped,
                      uint32_t leaf, uint64_t count)
{
    uint64_t depth = 0, first = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent)
        if (has_address(profile, profile->nodes[node].location) && depth++ == 0)
            first = layout_address(profile, mapped, profile->nodes[node].location);
    /* readers take a stack whose first pc is 0 as the end of the profile, so such a stack is not written */
    if (depth == 0 || first == 0)
        return;
    bytes_put(out, count, 8);
    bytes_put(out, depth, 8);
    for (uint32_t node = leaf; node != PROFILE_NONE; node = profile->nodes[node].parent)
        if (has_address(profile, profile->nodes[node].location))
            bytes_put(out, layout_address(profile, mapped, profile->nodes[node].location) + (node != leaf), 8);
}

static int put_stacks(struct bytes_out *out, const struct profile *profile, const struct mapped_object *mapped)
{
    uint64_t *counts = calloc(profile->node_count + 1u, sizeof *counts);

    if (counts == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile_counts_sample(profile, &profile->samples[i]))
            counts[profile->samples[i].node] += profile->samples[i].count;
    for (uint32_t node = 1; node < profile->node_count; node++)
        if (counts[node] > 0)
            put_stack(out, profile, mapped, node, counts[node]);
    free(counts);
    return 0;
}

static bool is_file(const struct profile_object *object)
{
    return (object->kind == PROFILE_OBJECT_FILE || object->kind == PROFILE_OBJECT_VDSO) && !object->invented;
}

static int put_maps(struct bytes_out *out, const struct profile *profile, const struct mapped_object *mapped)
{
    char line[PATH_MAX + 128];

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        if (!is_file(object) || mapped[i].size == 0)
            continue;
        int length = snprintf(line, sizeof line, "%08llx-%08llx r-xp %08llx 00:00 %llu %*s%s\n",
                              (unsigned long long)mapped[i].start,
                              (unsigned long long)(mapped[i].start + mapped[i].size), (unsigned long long)mapped[i].low,
                              (unsigned long long)object->inode, 10, "", profile->strings[object->path]);
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

static void put_words(struct bytes_out *out, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes_put(out, words[i], 8);
}

static int write_gperftools(int fd, const struct profile *profile)
{
    const uint64_t head[] = {0, 3, 0, period_us(profile), 0}, tail[] = {0, 1, 0};
    struct mapped_object *mapped = NULL;
    struct bytes_out out;
    int error = layout_has_code(profile) ? layout_make(profile, &mapped) : PPROFIL_ERROR_NO_SAMPLES;

    if (error != 0)
        return error;
    bytes_begin(&out, fd, 8, false);
    put_words(&out, head, sizeof head / sizeof *head);
    error = put_stacks(&out, profile, mapped);
    put_words(&out, tail, sizeof tail / sizeof *tail);
    if (error == 0)
        error = put_maps(&out, profile, mapped);
    int finished = bytes_finish(&out);
    free(mapped);
    return error != 0 ? error : finished;
}

/* --- reading ------------------------------------------------------------------------- */

/* A mapping, from a line of the text that follows the stacks. */
struct mapping {
    uint64_t start, end, offset;
    uint32_t object;
};

struct reader {
    struct profile *profile;
    struct mapping *mappings; /* sorted by start */
    size_t mapping_count;
    uint64_t period_ns;
    uint32_t thread;
};

static int compare_mappings(const void *left, const void *right)
{
    const struct mapping *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Reads a line of the form "start-end perms offset dev inode path". Ignores a line of another form, because the text
 * may begin with "build=/path". */
static int read_mapping(struct reader *reader, const char *line)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct mapping mapping;
    const char *at = line + strspn(line, " ");

    if (!text_number(&at, 16, &mapping.start) || *at++ != '-' || !text_number(&at, 16, &mapping.end) || *at++ != ' ' ||
        strcspn(at, " ") != 4 || at[2] != 'x' || at[4] != ' ' || mapping.end <= mapping.start)
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
        return 0; /* the code is in no file */
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
        error = array_grow(&reader->mappings, (uint32_t)reader->mapping_count, sizeof mapping);
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
    struct builder builder = {.profile = reader->profile};
    const struct mapping *mapping = find_mapping(reader, address);
    uint32_t object;

    if (mapping != NULL)
        return profile_location(reader->profile, mapping->object, address - mapping->start + mapping->offset, location);
    int error = builder_object(&builder, "", &object);
    return error == 0 ? profile_location(reader->profile, object, address, location) : error;
}

static int read_stack(struct reader *reader, struct bytes *bytes, uint64_t count, uint64_t depth)
{
    struct profile_sample sample = {.thread = reader->thread, .count = count};
    int error = 0;

    if (depth > FRAMES_MAX || depth > bytes_left(bytes) / bytes->pointer_size || count == 0 ||
        __builtin_mul_overflow(count, reader->period_ns, &sample.cpu_ns))
        return PPROFIL_ERROR_DAMAGED;
    uint32_t *locations = calloc((size_t)depth, sizeof *locations);
    if (locations == NULL)
        return -ENOMEM;
    for (uint64_t i = 0; error == 0 && i < depth; i++)
        error = find_location(reader, bytes_get_pointer(bytes) - (i > 0), &locations[i]);
    for (uint64_t i = depth; error == 0 && i > 0; i--)
        error = profile_node(reader->profile, sample.node, locations[i - 1], &sample.node);
    free(locations);
    return error == 0 ? builder_count_sample(reader->profile, &sample) : error;
}

/* Reads the stacks up to the trailer, "0 1 0". */
static int read_stacks(struct reader *reader, struct bytes *bytes)
{
    int error = 0;

    while (error == 0) {
        uint64_t count = bytes_get_pointer(bytes), depth = bytes_get_pointer(bytes);
        if (bytes->missing || depth == 0)
            return PPROFIL_ERROR_DAMAGED;
        struct bytes trailer = *bytes;
        if (count == 0 && depth == 1 && bytes_get_pointer(&trailer) == 0)
            return bytes->missing ? PPROFIL_ERROR_DAMAGED : 0;
        error = read_stack(reader, bytes, count, depth);
    }
    return error;
}

/* Finds the text with the mappings. It follows the stacks in the file, but the mappings are needed before the stacks
 * can be read. */
static int find_text(struct bytes bytes, const unsigned char **text)
{
    for (;;) {
        uint64_t count = bytes_get_pointer(&bytes), depth = bytes_get_pointer(&bytes);
        if (bytes.missing || depth == 0 || depth > bytes_left(&bytes) / bytes.pointer_size)
            return PPROFIL_ERROR_DAMAGED;
        struct bytes trailer = bytes;
        if (count == 0 && depth == 1 && bytes_get_pointer(&trailer) == 0) {
            *text = trailer.at;
            return 0;
        }
        bytes_take(&bytes, depth * bytes.pointer_size);
    }
}

/* Returns true if a file begins with 0 3 0 PERIOD 0, in words of 4 or 8 bytes and in either byte order. If so, sets
 * *bytes to the part of `head` after these words, and *period to the period in microseconds. */
static bool gperftools_shape(const unsigned char *head, size_t size, struct bytes *bytes, uint64_t *period)
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

static int gperftools_read_all(struct reader *reader, unsigned char *whole, size_t size)
{
    struct builder builder = {.profile = reader->profile};
    const unsigned char *text;
    struct bytes bytes;
    uint64_t period;

    if (!gperftools_shape(whole, size, &bytes, &period))
        return PPROFIL_ERROR_DAMAGED;
    reader->period_ns = period * 1000;
    reader->profile->totals.asked_hz = 1e6 / (double)period;
    int error = find_text(bytes, &text);
    if (error == 0)
        error = read_mappings(reader, (char *)whole + (text - whole), (char *)whole + size);
    if (error == 0)
        error = builder_task(&builder, 0, 0, "[unknown]", &reader->thread);
    memo_free(&builder.memo);
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
        error = gperftools_read_all(&reader, whole, size);
    }
    free(reader.mappings);
    free(whole);
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
             "threads, system calls, states, times except their mean, totals",
    .binary = true,
    .matches = gperftools_matches,
    .read = read_gperftools,
    .write = write_gperftools,
};
