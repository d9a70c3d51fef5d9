/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes what osProfileFlush of the Nintendo 64 sends to its host. Numbers are big-endian. First comes the
 * number of segments (ranges of text), then the period in microseconds, and then the number of ticks outside of all
 * segments. Then each segment has the start of its text, the number of its counters, and the counters.
 */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "format/profil/profil.h"

#define WORD 4u
#define COUNTER 2u      /* bytes of a counter on the console */
#define WIDE_COUNTER 4u /* bytes of a counter in programs compiled for wide counters, or with option --counters 32 */
#define SEGMENTS_MAX 1024u
#define PERIOD_US_MAX 10000000u

static bool is_segment(uint64_t start, uint64_t count, uint64_t left, uint32_t counter)
{
    return start % WORD == 0 && count > 0 && count <= left / counter && count * WORD <= (UINT64_C(1) << 32) - start;
}

/* Returns true if segments whose counters have `counter` bytes end exactly at the end of the file. Nothing else in the
 * file shows how wide counters are. */
static bool has_counters_of(struct bytes at, uint64_t segments, uint32_t counter)
{
    for (uint64_t i = 0; i < segments; i++) {
        uint64_t start = bytes_get(&at, WORD), count = bytes_get(&at, WORD);
        if (at.missing || !is_segment(start, count, bytes_left(&at), counter))
            return false;
        bytes_take(&at, (size_t)count * counter);
    }
    return bytes_left(&at) == 0;
}

/* Returns true if the sizes in the file are plausible. The format has no magic number. */
static bool n64_matches(const unsigned char *head, size_t size, uint64_t all)
{
    struct bytes bytes = bytes_of(head, size, WORD, true);
    uint64_t segments = bytes_get(&bytes, WORD), period = bytes_get(&bytes, WORD);

    bytes_get(&bytes, WORD);
    uint64_t start = bytes_get(&bytes, WORD), count = bytes_get(&bytes, WORD);
    if (bytes.missing || segments == 0 || segments > SEGMENTS_MAX ||
        period < DIALECT_N64_US_MIN || period > PERIOD_US_MAX)
        return false;
    uint64_t used = 5 * WORD + (segments - 1) * 2 * WORD;
    if (all < used || !is_segment(start, count, all - used, COUNTER))
        return false;
    return segments > 1 || used + count * COUNTER == all || used + count * WIDE_COUNTER == all;
}

int n64_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    if (!n64_matches(bytes, size, size))
        return PPROFIL_ERROR_DAMAGED;
    struct bytes at = bytes_of(bytes, size, WORD, true);
    uint64_t segments = bytes_get(&at, WORD);

    file->dialect = dialect_find("n64");
    file->pointer_size = WORD;
    file->big_endian = true;
    file->rate_hz = 1e6 / (double)bytes_get(&at, WORD);
    file->ticks = file->outside = bytes_get(&at, WORD);
    uint32_t counter = has_counters_of(at, segments, COUNTER) ? COUNTER : WIDE_COUNTER;
    if (!has_counters_of(at, segments, counter))
        return PPROFIL_ERROR_DAMAGED;
    for (uint64_t i = 0; i < segments; i++) {
        uint64_t start = bytes_get(&at, WORD), count = bytes_get(&at, WORD);
        struct histogram *histogram = histogram_add(file, start, start + count * WORD,
                                                    counter * (DIALECT_ONE_TO_ONE / WORD), counter, count);
        if (histogram == NULL)
            return -ENOMEM;
        for (uint64_t j = 0; j < count; j++) {
            histogram->counters[j] = bytes_get(&at, counter);
            file->ticks += histogram->counters[j];
        }
    }
    return 0;
}

int n64_write(int fd, const struct histogram_file *file)
{
    struct bytes_out out;
    uint32_t counter = COUNTER;

    if (file->histogram_count == 0 || file->rate_hz <= 0)
        return PPROFIL_ERROR_COUNTERS;
    for (size_t i = 0; i < file->histogram_count; i++)
        if ((file->histograms[i].high - file->histograms[i].low) / WORD != file->histograms[i].count)
            return PPROFIL_ERROR_COUNTERS;
        else if (file->histograms[i].counter_size > COUNTER)
            counter = WIDE_COUNTER;
    bytes_begin(&out, fd, WORD, true);
    bytes_put(&out, file->histogram_count, WORD);
    bytes_put(&out, (uint64_t)llround(1e6 / file->rate_hz), WORD);
    bytes_put(&out, file->outside & UINT32_MAX, WORD);
    for (size_t i = 0; i < file->histogram_count; i++) {
        const struct histogram *histogram = &file->histograms[i];
        bytes_put(&out, histogram->low, WORD);
        bytes_put(&out, histogram->count, WORD);
        for (uint64_t j = 0; j < histogram->count; j++)
            bytes_put(&out, histogram_cut(file, counter, histogram->counters[j]), counter);
    }
    return bytes_finish(&out);
}

static const struct codec codec = {.dialect = "n64", .read = n64_read, .write = n64_write};

const struct format format_n64 = {
    .name = "n64",
    .extensions = "osprofile.out .n64",
    .summary = "data of osProfileFlush; a file for each object",
    .keeps = "ticks for every few bytes of one object's code, their length",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states",
    .matches = n64_matches,
    .codec = &codec,
};
