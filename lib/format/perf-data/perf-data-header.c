/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the header of a perf.data: its events and its features.
 *
 * A file may have several events, which count different things and cannot be added up. Only one event is read: a clock
 * if there is one, else the first event. The period of a sample is taken as its time, even if the event does not count
 * time. So the shares of functions are right.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/perf-data/perf-data-read.h"

#define EVENTS_MAX 4096u
#define IDS_MAX (1u << 20) /* limit for the ids of one event; perf makes an id for each pair of CPU and thread */
#define DUMMY 9u           /* number of a software event that has no samples; perf uses it to record mappings */

static int read_header(struct perf_header *header)
{
    struct bytes bytes;

    if (!perf_file_bytes(header->file, 0, PERF_PIPE_HEADER_SIZE, &bytes))
        return PPROFIL_ERROR_DAMAGED;
    if (memcmp(bytes_take(&bytes, 8), PERF_MAGIC, 8) != 0)
        return PPROFIL_ERROR_BYTE_ORDER;
    uint64_t size = bytes_get(&bytes, 8);
    if (size == PERF_PIPE_HEADER_SIZE)
        return PPROFIL_ERROR_PIPED;
    if (size < PERF_HEADER_SIZE || !perf_file_bytes(header->file, 16, PERF_HEADER_SIZE - 16, &bytes))
        return PPROFIL_ERROR_DAMAGED;
    header->attr_size = bytes_get(&bytes, 8);
    header->attrs = perf_get_section(&bytes);
    header->data = perf_get_section(&bytes);
    perf_get_section(&bytes);
    header->features = bytes_get(&bytes, 8);
    if (header->attr_size < PERF_ATTR_SIZE + 16u || header->attr_size > 4096 ||
        (header->data.size == 0 && header->features == 0) || header->data.offset > header->file->size ||
        header->data.size > header->file->size - header->data.offset)
        /* this is also the case if perf was killed before it wrote the sizes of data and features */
        return PPROFIL_ERROR_DAMAGED;
    return header->features >> PERF_FEATURE_COMPRESSED & 1 ? PPROFIL_ERROR_COMPRESSED : 0;
}

/* --- events -------------------------------------------------------------------------- */

static bool is_clock(const struct perf_event *event)
{
    return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_CPU_CLOCK || event->config == PERF_TASK_CLOCK);
}

static bool read_event(struct perf_header *header, uint32_t index, struct perf_event *event, struct perf_section *ids)
{
    struct bytes bytes;

    if (!perf_file_bytes(header->file, header->attrs.offset + index * header->attr_size,
                         (size_t)header->attr_size, &bytes))
        return false;
    event->type = (uint32_t)bytes_get(&bytes, 4);
    bytes_get(&bytes, 4);
    event->config = bytes_get(&bytes, 8);
    event->period = bytes_get(&bytes, 8);
    event->has = bytes_get(&bytes, 8);
    event->read_format = bytes_get(&bytes, 8);
    event->flags = bytes_get(&bytes, 8);
    bytes_take(&bytes, header->attr_size - 16 - 48);
    *ids = perf_get_section(&bytes);
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static int read_ids(struct perf_header *header, const struct perf_section *section)
{
    unsigned char *copy;

    if (section->size > IDS_MAX * 8u)
        return PPROFIL_ERROR_DAMAGED;
    int error = perf_file_load(header->file, section, &copy);
    if (error != 0)
        return error;
    struct bytes bytes = bytes_of(copy, section->size, 8, false);
    header->ids = calloc(section->size / 8 + 1, sizeof *header->ids);
    for (; header->ids != NULL && bytes_left(&bytes) >= 8; header->id_count++)
        header->ids[header->id_count] = bytes_get(&bytes, 8);
    free(copy);
    if (header->ids == NULL)
        return -ENOMEM;
    qsort(header->ids, header->id_count, sizeof *header->ids, compare_ids);
    return 0;
}

static int choose_event(struct perf_header *header)
{
    struct perf_event event, *chosen = &header->replay->event;
    struct perf_section ids, chosen_ids = {0};
    bool found = false;

    if (header->attrs.size / header->attr_size > EVENTS_MAX)
        return PPROFIL_ERROR_DAMAGED;
    header->event_count = (uint32_t)(header->attrs.size / header->attr_size);
    for (uint32_t i = 0; i < header->event_count; i++) {
        if (!read_event(header, i, &event, &ids))
            return PPROFIL_ERROR_DAMAGED;
        bool dummy = event.type == PERF_TYPE_SOFTWARE && event.config == DUMMY;
        if (dummy || (found && (is_clock(chosen) || !is_clock(&event))))
            continue;
        *chosen = event;
        chosen_ids = ids;
        found = true;
    }
    if (!found || !(chosen->has & PERF_HAS_IP))
        return PPROFIL_ERROR_DAMAGED;
    struct profile_totals *totals = &header->replay->profile->totals;
    if (chosen->flags & PERF_FLAG_FREQ)
        totals->asked_hz = (double)chosen->period;
    else if (is_clock(chosen) && chosen->period > 0)
        totals->asked_hz = 1e9 / (double)chosen->period;
    if (chosen->flags & PERF_FLAG_FREQ)
        chosen->period = 1; /* the period of samples that do not have one */
    return read_ids(header, &chosen_ids);
}

/* --- features -------------------------------------------------------------------------- */

/* Reads a length, and then a text of that length, which includes a terminating zero. Returns NULL if the file is
 * damaged. */
static const char *get_text(struct bytes *bytes)
{
    uint64_t size = bytes_get(bytes, 4);
    const unsigned char *text = bytes_take(bytes, size);

    return text != NULL && memchr(text, '\0', size) != NULL ? (const char *)text : NULL;
}

static int read_build_ids(struct perf_replay *replay, struct bytes *bytes)
{
    int error = 0;

    while (error == 0 && bytes_left(bytes) >= 36) {
        struct perf_build_id id = {.size = PERF_BUILD_ID_SIZE_MAX};
        struct memo_entry *known;
        bytes_get(bytes, 4);
        uint64_t misc = bytes_get(bytes, 2), size = bytes_get(bytes, 2);
        bytes_get(bytes, 4);
        memcpy(id.bytes, bytes_take(bytes, PERF_BUILD_ID_SIZE_MAX), PERF_BUILD_ID_SIZE_MAX);
        uint64_t told = bytes_get(bytes, 4) & UINT8_MAX;
        const unsigned char *path = size < 36 ? NULL : bytes_take(bytes, size - 36);
        if (path == NULL || memchr(path, '\0', size - 36) == NULL)
            return PPROFIL_ERROR_DAMAGED;
        if (misc & PERF_MISC_BUILD_ID_SIZE && told <= PERF_BUILD_ID_SIZE_MAX)
            id.size = (uint32_t)told;
        error = profile_string(replay->profile, (const char *)path, &id.path);
        if (error == 0)
            error = array_grow(&replay->build_ids, replay->build_id_count, sizeof *replay->build_ids);
        if (error == 0)
            error = memo_find(&replay->build_id_index, 0, id.path, 0, &known);
        if (error != 0 || known->used)
            continue;
        memo_set(known, replay->build_id_count);
        replay->build_ids[replay->build_id_count++] = id;
    }
    return error;
}

/* Reads the command line. If perf wrote the file, this is perf's own command line, which includes the command of the
 * program that perf ran. If pprofil wrote the file, this is the word PERF_OWN_COMMAND, which is skipped, and the
 * command of the program. */
static int read_command(struct profile *profile, struct bytes *bytes)
{
    uint64_t count = bytes_get(bytes, 4);
    size_t size;
    FILE *stream = open_memstream(&profile->command, &size);

    if (stream == NULL)
        return -ENOMEM;
    const char *between = "";
    for (uint64_t i = 0; i < count && !bytes->missing; i++) {
        const char *word = get_text(bytes);
        if (word == NULL || (i == 0 && strcmp(word, PERF_OWN_COMMAND) == 0))
            continue;
        fprintf(stream, "%s%s", between, word);
        between = " ";
    }
    return fclose(stream) == 0 ? 0 : -ENOMEM;
}

static void read_event_name(struct perf_replay *replay, struct bytes *bytes)
{
    bytes_get(bytes, 4);
    bytes_take(bytes, bytes_get(bytes, 4));
    bytes_get(bytes, 4);
    const char *name = get_text(bytes);
    replay->wall = name != NULL && strcmp(name, PERF_WALL_EVENT) == 0;
}

static int read_feature(struct perf_replay *replay, enum perf_feature feature, struct bytes *bytes)
{
    const char *text;

    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        return read_build_ids(replay, bytes);
    case PERF_FEATURE_CMDLINE:
        return read_command(replay->profile, bytes);
    case PERF_FEATURE_EVENT_DESC:
        read_event_name(replay, bytes);
        return 0;
    case PERF_FEATURE_VERSION:
        text = get_text(bytes);
        replay->own = text != NULL && strncmp(text, PERF_OWN_VERSION, sizeof PERF_OWN_VERSION - 1) == 0;
        return 0;
    case PERF_FEATURE_SAMPLE_TIME: {
        uint64_t first = bytes_get(bytes, 8), last = bytes_get(bytes, 8);
        replay->profile->totals.elapsed_ns = last > first ? last - first : 0;
        return 0;
    }
    default:
        return 0;
    }
}

static int read_features(struct perf_header *header)
{
    static const uint64_t wanted = 1u << PERF_FEATURE_BUILD_ID | 1u << PERF_FEATURE_VERSION |
                                   1u << PERF_FEATURE_CMDLINE | 1u << PERF_FEATURE_EVENT_DESC |
                                   1u << PERF_FEATURE_SAMPLE_TIME;
    uint64_t at = header->data.offset + header->data.size;
    struct bytes bytes;
    int error = 0;

    for (unsigned bit = 0; error == 0 && bit < 64; bit++) {
        unsigned char *copy;
        if (!(header->features >> bit & 1))
            continue;
        if (!perf_file_bytes(header->file, at, 16, &bytes))
            return PPROFIL_ERROR_DAMAGED;
        at += 16;
        struct perf_section section = perf_get_section(&bytes);
        if (!(wanted >> bit & 1))
            continue;
        error = perf_file_load(header->file, &section, &copy);
        if (error != 0)
            break;
        bytes = bytes_of(copy, section.size, 8, false);
        error = read_feature(header->replay, (enum perf_feature)bit, &bytes);
        free(copy);
    }
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

int perf_header_read(struct perf_header *header)
{
    int error = read_header(header);

    if (error == 0)
        error = choose_event(header);
    return error == 0 ? read_features(header) : error;
}

bool perf_header_has(const struct perf_header *header, uint64_t id)
{
    return bsearch(&id, header->ids, header->id_count, sizeof id, compare_ids) != NULL;
}
