/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of perf: header, events, features, and then its records.
 *
 * perf writes the buffers of several CPUs one after the other, so records are not in the order
 * of their times, and a sample may stand before the mapping that it is in. So the file is read
 * twice: where records are and of which time, and then in that order. It may have gigabytes, of
 * stacks that were copied: only a window of it is in memory.
 *
 * Of several events one is read, a clock if there is one, else the first: they count different
 * things, which no sum can hold. Its period is taken for the time of a sample, whatever it
 * counts, so that shares are right.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/bytes.h"
#include "format/perf-data-replay.h"

#define WINDOW (4u << 20)
#define BEHIND (1u << 20) /* bytes of the window before what was asked for */
#define MOST_EVENTS 4096u
#define MOST_IDS (1u << 20) /* of an event: one for each CPU and thread */
#define LARGEST_FEATURE (1u << 24)
#define MOST_RECORDS (1u << 25)
#define HEAD 8u  /* bytes of a record before what is in it */
#define DUMMY 9u /* a software event that only stands for its mappings */

struct section {
    uint64_t offset, size;
};

/* Where a record is. */
struct record {
    uint64_t time, offset;
};

struct reader {
    int fd;
    uint64_t file_size;
    unsigned char *window; /* owned */
    uint64_t window_at;
    size_t window_size;
    struct section attrs, data;
    uint64_t attr_size; /* with where its ids are */
    uint64_t features;  /* bits; of more than 64 none concerns us */
    uint32_t event_count;
    uint64_t *ids; /* owned: of the event, sorted */
    size_t id_count;
    struct record *records; /* owned */
    size_t record_count, record_room;
    struct perf_replay replay;
};

/* --- the file ------------------------------------------------------------------------ */

/* size bytes of the file, good until the next call, or NULL: they are not there. */
static const unsigned char *look_at(struct reader *reader, uint64_t offset, size_t size)
{
    if (size > WINDOW - BEHIND || offset > reader->file_size || size > reader->file_size - offset)
        return NULL;
    if (offset < reader->window_at || offset + size > reader->window_at + reader->window_size) {
        uint64_t from = offset > BEHIND ? offset - BEHIND : 0;
        reader->window_at = from;
        reader->window_size = 0;
        while (reader->window_size < WINDOW) {
            ssize_t got = pread(reader->fd, reader->window + reader->window_size,
                                WINDOW - reader->window_size, (off_t)(from + reader->window_size));
            if (got <= 0)
                break;
            reader->window_size += (size_t)got;
        }
        if (offset + size > from + reader->window_size)
            return NULL; /* the file was cut since */
    }
    return reader->window + (offset - reader->window_at);
}

static bool bytes_at(struct reader *reader, uint64_t offset, size_t size, struct bytes *bytes)
{
    const unsigned char *found = look_at(reader, offset, size);

    if (found != NULL)
        *bytes = bytes_of(found, size, 8, false);
    return found != NULL;
}

/* A copy of a section, for the caller to free, with a zero behind it. */
static int load_section(const struct reader *reader, const struct section *section,
                        unsigned char **copy)
{
    if (section->size > LARGEST_FEATURE || section->offset > reader->file_size ||
        section->size > reader->file_size - section->offset)
        return -EBADMSG;
    *copy = calloc(1, section->size + 1);
    if (*copy == NULL)
        return -ENOMEM;
    ssize_t got = pread(reader->fd, *copy, section->size, (off_t)section->offset);
    if (got == (ssize_t)section->size)
        return 0;
    free(*copy);
    return got < 0 ? -errno : -EBADMSG;
}

static struct section get_section(struct bytes *bytes)
{
    struct section section = {.offset = bytes_get(bytes, 8)};

    section.size = bytes_get(bytes, 8);
    return section;
}

static int read_header(struct reader *reader)
{
    struct bytes bytes;

    if (!bytes_at(reader, 0, PERF_PIPE_HEADER_SIZE, &bytes))
        return -EBADMSG;
    if (memcmp(bytes_take(&bytes, 8), PERF_MAGIC, 8) != 0)
        return -EPFNOSUPPORT;
    uint64_t size = bytes_get(&bytes, 8);
    if (size == PERF_PIPE_HEADER_SIZE)
        return -ESPIPE;
    if (size < PERF_HEADER_SIZE || !bytes_at(reader, 16, PERF_HEADER_SIZE - 16, &bytes))
        return -EBADMSG;
    reader->attr_size = bytes_get(&bytes, 8);
    reader->attrs = get_section(&bytes);
    reader->data = get_section(&bytes);
    get_section(&bytes);
    reader->features = bytes_get(&bytes, 8);
    if (reader->attr_size < PERF_ATTR_SIZE + 16u || reader->attr_size > 4096 ||
        (reader->data.size == 0 && reader->features == 0) ||
        reader->data.offset > reader->file_size ||
        reader->data.size > reader->file_size - reader->data.offset)
        return -EBADMSG; /* with neither: perf did not live to write them */
    return reader->features >> PERF_FEATURE_COMPRESSED & 1 ? -EPROTONOSUPPORT : 0;
}

/* --- events -------------------------------------------------------------------------- */

static bool is_clock(const struct perf_event *event)
{
    return event->type == PERF_TYPE_SOFTWARE &&
           (event->config == PERF_CPU_CLOCK || event->config == PERF_TASK_CLOCK);
}

static bool read_event(struct reader *reader, uint32_t index, struct perf_event *event,
                       struct section *ids)
{
    struct bytes bytes;

    if (!bytes_at(reader, reader->attrs.offset + index * reader->attr_size,
                  (size_t)reader->attr_size, &bytes))
        return false;
    event->type = (uint32_t)bytes_get(&bytes, 4);
    bytes_get(&bytes, 4);
    event->config = bytes_get(&bytes, 8);
    event->period = bytes_get(&bytes, 8);
    event->has = bytes_get(&bytes, 8);
    event->read_format = bytes_get(&bytes, 8);
    event->flags = bytes_get(&bytes, 8);
    bytes_take(&bytes, reader->attr_size - 16 - 48);
    *ids = get_section(&bytes);
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static int read_ids(struct reader *reader, const struct section *section)
{
    unsigned char *copy;

    if (section->size > MOST_IDS * 8u)
        return -EBADMSG;
    int error = load_section(reader, section, &copy);
    if (error != 0)
        return error;
    struct bytes bytes = bytes_of(copy, section->size, 8, false);
    reader->ids = calloc(section->size / 8 + 1, sizeof *reader->ids);
    for (; reader->ids != NULL && bytes_left(&bytes) >= 8; reader->id_count++)
        reader->ids[reader->id_count] = bytes_get(&bytes, 8);
    free(copy);
    if (reader->ids == NULL)
        return -ENOMEM;
    qsort(reader->ids, reader->id_count, sizeof *reader->ids, compare_ids);
    return 0;
}

static int choose_event(struct reader *reader)
{
    struct perf_event event, *chosen = &reader->replay.event;
    struct section ids, chosen_ids = {0};
    bool found = false;

    if (reader->attrs.size / reader->attr_size > MOST_EVENTS)
        return -EBADMSG;
    reader->event_count = (uint32_t)(reader->attrs.size / reader->attr_size);
    for (uint32_t i = 0; i < reader->event_count; i++) {
        if (!read_event(reader, i, &event, &ids))
            return -EBADMSG;
        bool dummy = event.type == PERF_TYPE_SOFTWARE && event.config == DUMMY;
        if (dummy || (found && (is_clock(chosen) || !is_clock(&event))))
            continue;
        *chosen = event;
        chosen_ids = ids;
        found = true;
    }
    if (!found || !(chosen->has & PERF_HAS_IP))
        return -EBADMSG;
    struct profile_totals *totals = &reader->replay.profile->totals;
    if (chosen->flags & PERF_FLAG_FREQ)
        totals->asked_hz = (double)chosen->period;
    else if (is_clock(chosen) && chosen->period > 0)
        totals->asked_hz = 1e9 / (double)chosen->period;
    if (chosen->flags & PERF_FLAG_FREQ)
        chosen->period = 1; /* of samples that do not tell theirs */
    return read_ids(reader, &chosen_ids);
}

/* --- features -------------------------------------------------------------------------- */

/* A text behind its length, which may have zeros at its end; NULL: it is not there. */
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
        struct perf_build_id id = {.size = PERF_BUILD_ID_MOST};
        struct memory *known;
        bytes_get(bytes, 4);
        uint64_t misc = bytes_get(bytes, 2), size = bytes_get(bytes, 2);
        bytes_get(bytes, 4);
        memcpy(id.bytes, bytes_take(bytes, PERF_BUILD_ID_MOST), PERF_BUILD_ID_MOST);
        uint64_t told = bytes_get(bytes, 4) & UINT8_MAX;
        const unsigned char *path = size < 36 ? NULL : bytes_take(bytes, size - 36);
        if (path == NULL || memchr(path, '\0', size - 36) == NULL)
            return -EBADMSG;
        if (misc & PERF_MISC_BUILD_ID_SIZE && told <= PERF_BUILD_ID_MOST)
            id.size = (uint32_t)told;
        error = profile_string(replay->profile, (const char *)path, &id.path);
        if (error == 0)
            error =
                profile_grow(&replay->build_ids, replay->build_id_count, sizeof *replay->build_ids);
        if (error == 0)
            error = memo_recall(&replay->build_id_index, 0, id.path, 0, &known);
        if (error != 0 || known->used)
            continue;
        memo_remember(&replay->build_id_index, known, replay->build_id_count);
        replay->build_ids[replay->build_id_count++] = id;
    }
    return error;
}

/* perf's, with what it ran; of our own files only that. */
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
        replay->own =
            text != NULL && strncmp(text, PERF_OWN_VERSION, sizeof PERF_OWN_VERSION - 1) == 0;
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

static int read_features(struct reader *reader)
{
    static const uint64_t wanted = 1u << PERF_FEATURE_BUILD_ID | 1u << PERF_FEATURE_VERSION |
                                   1u << PERF_FEATURE_CMDLINE | 1u << PERF_FEATURE_EVENT_DESC |
                                   1u << PERF_FEATURE_SAMPLE_TIME;
    uint64_t at = reader->data.offset + reader->data.size;
    struct bytes bytes;
    int error = 0;

    for (unsigned bit = 0; error == 0 && bit < 64; bit++) {
        unsigned char *copy;
        if (!(reader->features >> bit & 1))
            continue;
        if (!bytes_at(reader, at, 16, &bytes))
            return -EBADMSG;
        at += 16;
        struct section section = get_section(&bytes);
        if (!(wanted >> bit & 1))
            continue;
        error = load_section(reader, &section, &copy);
        if (error != 0)
            break;
        bytes = bytes_of(copy, section.size, 8, false);
        error = read_feature(&reader->replay, (enum perf_feature)bit, &bytes);
        free(copy);
    }
    return error;
}

/* --- records ------------------------------------------------------------------------- */

static unsigned in_bits(uint64_t has, uint64_t bits)
{
    return 8u * (unsigned)__builtin_popcountll(has & bits);
}

/* The time of a record, and whether its sample is of the event. Samples have it behind what
 * comes before it, other records have all that a sample has of this kind at their end. */
static bool time_of(const struct reader *reader, uint64_t type, const unsigned char *record,
                    size_t size, uint64_t *time)
{
    const uint64_t has = reader->replay.event.has;
    const uint64_t before = PERF_HAS_IDENTIFIER | PERF_HAS_IP | PERF_HAS_TID;
    const uint64_t after =
        PERF_HAS_TIME | PERF_HAS_ID | PERF_HAS_STREAM_ID | PERF_HAS_CPU | PERF_HAS_IDENTIFIER;
    size_t at = HEAD + in_bits(has, before), id_at = HEAD;

    *time = 0;
    if (type != PERF_SAMPLE && !(reader->replay.event.flags & PERF_FLAG_SAMPLE_ID_ALL))
        return true;
    if (type != PERF_SAMPLE)
        at = size - (in_bits(has, after) < size ? in_bits(has, after) : 0);
    if (has & PERF_HAS_TIME && at <= size && size - at >= 8) {
        struct bytes bytes = bytes_of(record + at, 8, 8, false);
        *time = bytes_get(&bytes, 8);
    }
    if (type != PERF_SAMPLE || reader->event_count < 2)
        return true;
    if (!(has & PERF_HAS_IDENTIFIER))
        id_at = at + in_bits(has, PERF_HAS_TIME | PERF_HAS_ADDR);
    if (!(has & (PERF_HAS_IDENTIFIER | PERF_HAS_ID)) || id_at + 8 > size)
        return true;
    struct bytes bytes = bytes_of(record + id_at, 8, 8, false);
    uint64_t id = bytes_get(&bytes, 8);
    return bsearch(&id, reader->ids, reader->id_count, sizeof id, compare_ids) != NULL;
}

static int add_record(struct reader *reader, uint64_t time, uint64_t offset)
{
    if (reader->record_count == reader->record_room) {
        size_t room = reader->record_room == 0 ? 4096 : 2 * reader->record_room;
        if (room > MOST_RECORDS)
            return -EFBIG;
        struct record *larger = reallocarray(reader->records, room, sizeof *larger);
        if (larger == NULL)
            return -ENOMEM;
        reader->records = larger;
        reader->record_room = room;
    }
    reader->records[reader->record_count++] = (struct record){time, offset};
    return 0;
}

/* What is behind a record and belongs to it: a trace of a CPU's, of which it has the size. */
static uint64_t trailing(uint64_t type, struct bytes *bytes)
{
    return type == PERF_AUXTRACE ? bytes_get(bytes, 8) : 0;
}

static int find_records(struct reader *reader)
{
    const uint64_t end = reader->data.offset + reader->data.size;
    int error = 0;

    for (uint64_t at = reader->data.offset; error == 0 && at < end;) {
        struct bytes bytes;
        uint64_t time;
        if (end - at < HEAD || !bytes_at(reader, at, HEAD, &bytes))
            return -EBADMSG;
        uint64_t type = bytes_get(&bytes, 4);
        bytes_get(&bytes, 2);
        size_t size = (size_t)bytes_get(&bytes, 2);
        if (type == PERF_COMPRESSED || type == PERF_COMPRESSED2)
            return -EPROTONOSUPPORT;
        if (size < HEAD || size > end - at || !bytes_at(reader, at, size, &bytes))
            return -EBADMSG;
        bool wanted = type == PERF_MMAP || type == PERF_MMAP2 || type == PERF_COMM ||
                      type == PERF_FORK || type == PERF_EXIT || type == PERF_SAMPLE;
        if (wanted && time_of(reader, type, bytes.at, size, &time))
            error = add_record(reader, time, at);
        bytes_take(&bytes, HEAD);
        uint64_t more = trailing(type, &bytes);
        at += size;
        if (more > end - at)
            return -EBADMSG;
        at += more;
    }
    return error;
}

static int compare_records(const void *left, const void *right)
{
    const struct record *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int replay_records(struct reader *reader)
{
    int error = 0;

    if (reader->record_count > 0)
        qsort(reader->records, reader->record_count, sizeof *reader->records, compare_records);
    for (size_t i = 0; error == 0 && i < reader->record_count; i++) {
        const struct record *record = &reader->records[i];
        const unsigned char *head = look_at(reader, record->offset, HEAD);
        size_t size = head == NULL ? 0 : (size_t)(head[6] | head[7] << 8);
        const unsigned char *found = look_at(reader, record->offset, size);
        error = size < HEAD || found == NULL
                    ? -EBADMSG
                    : perf_replay_record(&reader->replay, found, size, record->time);
    }
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

static int open_file(struct reader *reader, const char *path)
{
    struct stat status;

    reader->fd = bytes_open(path);
    if (reader->fd < 0 || fstat(reader->fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    reader->file_size = (uint64_t)status.st_size;
    reader->window = malloc(WINDOW);
    return reader->window == NULL ? -ENOMEM : 0;
}

static int read_all(struct reader *reader)
{
    int error = read_header(reader);

    if (error == 0)
        error = choose_event(reader);
    if (error == 0)
        error = read_features(reader);
    if (error == 0)
        error = find_records(reader);
    if (error == 0)
        error = replay_records(reader);
    struct profile_totals *totals = &reader->replay.profile->totals;
    if (error == 0 && totals->elapsed_ns == 0)
        totals->elapsed_ns = reader->replay.last - reader->replay.first;
    totals->wall |= reader->replay.wall;
    return error;
}

int perf_data_read(const char *path, struct profile *profile)
{
    struct reader reader = {.fd = -1,
                            .replay = {.profile = profile, .copies_left = PERF_MOST_COPIES}};
    int error = open_file(&reader, path);

    if (error == 0)
        error = read_all(&reader);
    perf_replay_clear(&reader.replay);
    free(reader.records);
    free(reader.ids);
    free(reader.window);
    if (reader.fd >= 0)
        close(reader.fd);
    return error;
}
