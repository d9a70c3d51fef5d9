/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU profiles of gperftools, read: words of 4 or 8 bytes of either order. The mappings are
 * behind the stacks, and are needed first. What is mapped nowhere stays as it is.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/bytes.h"
#include "format/gperftools.h"
#include "format/named.h"
#include "format/text.h"

#define FRAMES_MAX (1u << 20)

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
    return error == 0 ? named_count(reader->profile, &sample) : error;
}

/* Behind the header, up to the trailer. */
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

/* Where the trailer ends: the stacks have to be skipped to find the mappings. */
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

bool gperftools_shape(const unsigned char *head, size_t size, struct bytes *bytes, uint64_t *period)
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

    if (!gperftools_shape(whole, size, &bytes, &period))
        return PPROFIL_ERROR_DAMAGED;
    reader->period_ns = period * 1000;
    reader->profile->totals.asked_hz = 1e6 / (double)period;
    int error = find_text(bytes, &text);
    if (error == 0)
        error = read_mappings(reader, (char *)whole + (text - whole), (char *)whole + size);
    if (error == 0)
        error = named_task(&named, 0, 0, "[unknown]", &reader->thread);
    memo_free(&named.memo);
    return error == 0 ? read_stacks(reader, &bytes) : error;
}

int gperftools_read(const char *path, struct profile *profile)
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
