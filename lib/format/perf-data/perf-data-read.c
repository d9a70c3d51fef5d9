/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a perf.data into a profile: the header, the events and the features, and then the records.
 *
 * perf collects records in a buffer for each CPU, and writes one buffer after another. So records are not in the order
 * of their times, and a sample may come before the record of the mapping that it needs. The data is read twice: first
 * to find the offsets and times of the records, and then to read the records in the order of their times. A file may
 * have gigabytes of copied stacks, so only a window of it is in memory.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/perf-data/perf-data-read.h"

#define RECORDS_MAX (1u << 25)
#define HEAD 8u /* bytes of a record's header */

/* Where a record is in the file, and its time. */
struct record {
    uint64_t time, offset;
};

struct reader {
    struct perf_file file;
    struct perf_header header;
    struct record *records; /* owned */
    size_t record_count;
    struct perf_replay replay;
};

/* --- records ------------------------------------------------------------------------- */

static unsigned in_bits(uint64_t has, uint64_t bits)
{
    return 8u * (unsigned)__builtin_popcountll(has & bits);
}

/* Finds the time of a record. In a sample the time comes after a few other fields. Other records have the time near
 * their end, in a group of fields that PERF_FLAG_SAMPLE_ID_ALL announces. Returns false if the record is a sample of an
 * event that is not counted. */
static bool record_time(const struct reader *reader, uint64_t type, const unsigned char *record,
                        size_t size, uint64_t *time)
{
    const uint64_t has = reader->replay.event.has;
    const uint64_t before = PERF_HAS_IDENTIFIER | PERF_HAS_IP | PERF_HAS_TID;
    const uint64_t after = PERF_HAS_TIME | PERF_HAS_ID | PERF_HAS_STREAM_ID | PERF_HAS_CPU | PERF_HAS_IDENTIFIER;
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
    if (type != PERF_SAMPLE || reader->header.event_count < 2)
        return true;
    if (!(has & PERF_HAS_IDENTIFIER))
        id_at = at + in_bits(has, PERF_HAS_TIME | PERF_HAS_ADDR);
    if (!(has & (PERF_HAS_IDENTIFIER | PERF_HAS_ID)) || id_at + 8 > size)
        return true;
    struct bytes bytes = bytes_of(record + id_at, 8, 8, false);
    uint64_t id = bytes_get(&bytes, 8);
    return perf_header_has(&reader->header, id);
}

static int add_record(struct reader *reader, uint64_t time, uint64_t offset)
{
    if (reader->record_count == RECORDS_MAX)
        return -EFBIG;
    int error = array_grow(&reader->records, reader->record_count, sizeof *reader->records);
    if (error != 0)
        return error;
    reader->records[reader->record_count++] = (struct record){time, offset};
    return 0;
}

/* Some data in the file follows a record and belongs to it, but is not included in the size of the record. Returns the
 * size of this data. Only AUXTRACE records have it: the trace of a CPU. */
static uint64_t trailing(uint64_t type, struct bytes *bytes)
{
    return type == PERF_AUXTRACE ? bytes_get(bytes, 8) : 0;
}

static int find_records(struct reader *reader)
{
    const uint64_t end = reader->header.data.offset + reader->header.data.size;
    int error = 0;

    for (uint64_t at = reader->header.data.offset; error == 0 && at < end;) {
        struct bytes bytes;
        uint64_t time;
        if (end - at < HEAD || !perf_file_bytes(&reader->file, at, HEAD, &bytes))
            return PPROFIL_ERROR_DAMAGED;
        uint64_t type = bytes_get(&bytes, 4);
        bytes_get(&bytes, 2);
        size_t size = (size_t)bytes_get(&bytes, 2);
        if (type == PERF_COMPRESSED || type == PERF_COMPRESSED2)
            return PPROFIL_ERROR_COMPRESSED;
        if (size < HEAD || size > end - at || !perf_file_bytes(&reader->file, at, size, &bytes))
            return PPROFIL_ERROR_DAMAGED;
        bool wanted = type == PERF_MMAP || type == PERF_MMAP2 || type == PERF_COMM ||
                      type == PERF_FORK || type == PERF_EXIT || type == PERF_SAMPLE;
        if (wanted && record_time(reader, type, bytes.at, size, &time))
            error = add_record(reader, time, at);
        bytes_take(&bytes, HEAD);
        uint64_t more = trailing(type, &bytes);
        at += size;
        if (more > end - at)
            return PPROFIL_ERROR_DAMAGED;
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
        const unsigned char *head = perf_file_at(&reader->file, record->offset, HEAD);
        size_t size = head == NULL ? 0 : (size_t)(head[6] | head[7] << 8);
        const unsigned char *found = perf_file_at(&reader->file, record->offset, size);
        error = size < HEAD || found == NULL ? PPROFIL_ERROR_DAMAGED
                                             : perf_replay_record(&reader->replay, found, size, record->time);
    }
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

static int perf_data_read_all(struct reader *reader)
{
    int error = perf_header_read(&reader->header);

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

static int read_perf_data(const char *path, struct profile *profile)
{
    struct reader reader = {.replay = {.profile = profile, .copies_left = PERF_COPIES_MAX}};
    int error = perf_file_open(&reader.file, path);

    reader.header = (struct perf_header){.file = &reader.file, .replay = &reader.replay};
    if (error == 0)
        error = perf_data_read_all(&reader);
    perf_replay_clear(&reader.replay);
    free(reader.records);
    free(reader.header.ids);
    perf_file_close(&reader.file);
    return error;
}

/* Returns true also for files with the other byte order and for files that were written into a pipe. The reader refuses
 * such files with an error that says why. */
static bool perf_data_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 8 && (memcmp(head, PERF_MAGIC, 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0);
}

const struct format format_perf_data = {
    .name = "perf.data",
    .extensions = "perf.data .perf.data",
    .summary = "of perf: report, script, annotate, diff; also for hotspot",
    .keeps = "stacks of addresses, objects with build-ids, marks, processes and "
             "threads, sample counts (up to 1048576), times, the rate in whole hertz, "
             "the command",
    .loses = "names and lines (looked up again), callers beyond the 8000th, system "
             "calls, states, CPU time in a profile of elapsed time, totals",
    .binary = true,
    .matches = perf_data_matches,
    .read = read_perf_data,
    .write = perf_data_write,
};
