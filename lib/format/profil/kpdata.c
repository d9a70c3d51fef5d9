/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes kpdata, the contents of the kprof device of Inferno and Plan 9. It consists of big-endian cells, and
 * each cell is the counter of 8 bytes of kernel text. In Inferno the first six cells hold totals and describe the
 * format instead, so the first 48 bytes of text have no counters. In Plan 9 the first two cells hold totals in
 * milliseconds, and the time in the first 16 bytes of text is added to these totals.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "format/profil/profil.h"

#define CELL 4u
#define SHIFT 3u /* log2 of the number of bytes of text that a cell counts */
#define SHIFT_MAX 16u
#define SPECIALS (uint64_t) DIALECT_CELL_SPECIALS
#define PLAN9_SPECIALS 2u
#define PLAN9_HZ 1000.0

static bool is_inferno(const unsigned char *head, size_t size, uint64_t all)
{
    struct bytes bytes = bytes_of(head, size, CELL, true);
    uint64_t cells[DIALECT_CELL_SPECIALS];

    for (unsigned i = 0; i < DIALECT_CELL_SPECIALS; i++)
        cells[i] = bytes_get(&bytes, CELL);
    return !bytes.missing && cells[DIALECT_CELL_TOTAL] >= cells[DIALECT_CELL_OUTSIDE] &&
           cells[DIALECT_CELL_PERIOD] > 0 && cells[DIALECT_CELL_COUNT] * CELL == all &&
           cells[DIALECT_CELL_SIZE] == CELL && cells[DIALECT_CELL_SHIFT] >= 1 && cells[DIALECT_CELL_SHIFT] <= SHIFT_MAX;
}

static int read_cells(struct bytes *bytes, uint32_t shift, uint64_t specials, struct histogram_file *file)
{
    uint64_t count = bytes_left(bytes) / CELL;
    struct histogram *histogram =
        histogram_add(file, 0, count << shift, DIALECT_ONE_TO_ONE * CELL >> shift, CELL, count);

    if (histogram == NULL)
        return -ENOMEM;
    bytes_take(bytes, specials * CELL);
    for (uint64_t i = specials; i < count; i++)
        histogram->counters[i] = bytes_get(bytes, CELL);
    return 0;
}

static int read_plan9(struct bytes *bytes, struct histogram_file *file)
{
    struct bytes at = *bytes;
    uint64_t sum = 0;

    file->dialect = dialect_find("plan9");
    file->rate_hz = PLAN9_HZ;
    file->ticks = bytes_get(&at, CELL);
    file->outside = bytes_get(&at, CELL);
    int error = read_cells(bytes, SHIFT, PLAN9_SPECIALS, file);
    for (uint64_t i = 0; error == 0 && i < file->histograms[0].count; i++)
        sum += file->histograms[0].counters[i];
    if (error == 0 && (file->outside > file->ticks || sum > file->ticks - file->outside))
        error = PPROFIL_ERROR_DAMAGED;
    return error;
}

int kpdata_read(const unsigned char *bytes, size_t size, struct histogram_file *file)
{
    struct bytes all = bytes_of(bytes, size, CELL, true), at = all;

    if (size % CELL != 0 || size < PLAN9_SPECIALS * CELL)
        return PPROFIL_ERROR_DAMAGED;
    file->pointer_size = CELL;
    file->big_endian = true;
    file->from_text = true;
    if (!is_inferno(bytes, size, size))
        return read_plan9(&all, file);
    file->dialect = dialect_find("inferno");
    file->ticks = bytes_get(&at, CELL);
    file->outside = bytes_get(&at, CELL);
    file->rate_hz = 1e6 / (double)bytes_get(&at, CELL);
    bytes_take(&at, 2 * CELL);
    uint32_t shift = (uint32_t)bytes_get(&at, CELL);
    if (shift != SHIFT)
        file->dialect = NULL; /* in the dialect "inferno" each cell counts 8 bytes of text */
    return read_cells(&all, shift, SPECIALS, file);
}

/* --- writing ----------------------------------------------------------------------------- */

/* Writes a cell. In both systems, a cell that is full continues from 0. */
static void put_cell(struct bytes_out *out, uint64_t count)
{
    bytes_put(out, count & UINT32_MAX, CELL);
}

/* Writes the cells of Inferno. The six special cells are written even if the text has fewer cells. */
static void put_inferno(struct bytes_out *out, const struct histogram_file *file, const struct histogram *histogram)
{
    put_cell(out, file->ticks);
    put_cell(out, file->outside);
    bytes_put(out, (uint64_t)llround(1e6 / file->rate_hz), CELL);
    bytes_put(out, histogram->count > SPECIALS ? histogram->count : SPECIALS, CELL);
    bytes_put(out, CELL, CELL);
    bytes_put(out, SHIFT, CELL);
    for (uint64_t i = SPECIALS; i < histogram->count; i++)
        put_cell(out, histogram->counters[i]);
}

static void put_plan9(struct bytes_out *out, const struct histogram_file *file, const struct histogram *histogram)
{
    double ms = PLAN9_HZ / file->rate_hz, sum = 0;
    uint64_t put = 0, values[PLAN9_SPECIALS] = {0};

    /* ticks become milliseconds. The part of a millisecond that is left is carried over to the next cell, so that the
     * sum is right */
    values[DIALECT_CELL_TOTAL] = (uint64_t)llround((double)file->ticks * ms);
    values[DIALECT_CELL_OUTSIDE] = put = (uint64_t)llround((double)file->outside * ms);
    sum = (double)file->outside * ms;
    for (uint64_t i = 0; i < histogram->count; i++) {
        sum += (double)histogram->counters[i] * ms;
        uint64_t own = (uint64_t)llround(sum) - put;
        put += own;
        put_cell(out, i < PLAN9_SPECIALS ? values[i] + own : own);
    }
}

int kpdata_write(int fd, const struct histogram_file *file)
{
    const struct histogram *histogram = histogram_single(file, 1u << SHIFT);
    bool plan9 = file->dialect != NULL && file->dialect->arithmetic == DIALECT_CELLS && !file->dialect->overlaid_cells;
    struct bytes_out out;

    if (histogram == NULL || file->rate_hz <= 0 || (plan9 && histogram->count < PLAN9_SPECIALS))
        return PPROFIL_ERROR_COUNTERS;
    bytes_begin(&out, fd, CELL, true);
    if (plan9)
        put_plan9(&out, file, histogram);
    else
        put_inferno(&out, file, histogram);
    return bytes_finish(&out);
}

static const struct codec codec = {
    .dialect = "inferno", .single = true, .read = kpdata_read, .write = kpdata_write};

const struct format format_kpdata = {
    .name = "kpdata",
    .extensions = "kpdata .kpdata",
    .summary = "the kprof device's data, Inferno's or Plan 9's; a file for each object",
    .keeps = "ticks for every few bytes of one object's code, their length",
    .loses = "stacks, names (looked up again with --object), processes, threads, system calls, "
             "states, where the code begins",
    .matches = is_inferno,
    .codec = &codec,
};
