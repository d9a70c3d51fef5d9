/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The code of a function with its counts. What it is made of is read once, by the namer's thread,
 * and kept; counts are added up anew at each call, instruction by instruction, from all samples
 * of the object whose address falls into it.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live-internal.h"

struct counts {
    uint64_t samples, ns;
};

struct pprofil_code {
    const struct listing *listing; /* borrowed from the live view */
    struct counts *counts;         /* owned: by row */
};

static int no_code(struct pprofil_live *live, const char *why)
{
    snprintf(live->problem, sizeof live->problem, "%s", why);
    return -ENODATA;
}

const char *pprofil_live_problem(const pprofil_live *live)
{
    return live->problem;
}

/* --- asking ------------------------------------------------------------------------------ */

static struct live_code *find_code(const struct pprofil_live *live, uint64_t id)
{
    for (uint32_t i = 0; i < live->code_count; i++)
        if (live->codes[i].id == id)
            return &live->codes[i];
    return NULL;
}

static int ask(struct pprofil_live *live, uint64_t id, uint32_t location)
{
    struct live_code code = {.id = id, .code = {.location = location}};
    int error = profile_grow(&live->codes, live->code_count, sizeof *live->codes);

    if (error == 0)
        error = namer_want_code(live->namer, location);
    if (error == 0)
        live->codes[live->code_count++] = code;
    if (error == 0)
        error = live_exchange(live);
    return error == 0 ? -EAGAIN : error;
}

/* --- counting ---------------------------------------------------------------------------- */

/* The instructions of a listing by their place in the object, with their rows. */
struct index {
    const struct listing *listing;
    uint32_t *rows; /* owned: of instructions only, in the order of their places */
    uint32_t count;
};

static int make_index(const struct listing *listing, struct index *index)
{
    *index = (struct index){.listing = listing,
                            .rows = calloc(listing->row_count + 1u, sizeof *index->rows)};
    if (index->rows == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < listing->row_count; i++)
        if (listing->rows[i].instruction != NULL)
            index->rows[index->count++] = i;
    return 0;
}

/* The row of the instruction around a place, or UINT32_MAX. */
static uint32_t find_row(const struct index *index, uint64_t place)
{
    uint32_t low = 0, high = index->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->listing->rows[index->rows[middle]].instruction->place <= place)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return UINT32_MAX;
    const struct symbol_instruction *found =
        index->listing->rows[index->rows[low - 1]].instruction;
    return place - found->place < found->size ? index->rows[low - 1] : UINT32_MAX;
}

static void count(const struct profile *profile, const struct report_filter *filter,
                  const struct index *index, struct counts *counts)
{
    uint32_t object = index->listing->code->object;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_location *place =
            &profile->locations[profile->nodes[sample->node].location];
        uint64_t ns = report_ns(profile, sample);
        if (place->object != object || ns == 0)
            continue;
        uint32_t row = find_row(index, place->address);
        if (row == UINT32_MAX || !report_lets_through(profile, filter, sample))
            continue;
        counts[row].samples += sample->count;
        counts[row].ns += ns;
    }
}

/* A source line has what the instructions up to the next one have. */
static void add_up_sources(const struct listing *listing, struct counts *counts)
{
    struct counts *source = NULL;

    for (uint32_t i = 0; i < listing->row_count; i++) {
        if (listing->rows[i].instruction == NULL) {
            source = &counts[i];
        } else if (source != NULL) {
            source->samples += counts[i].samples;
            source->ns += counts[i].ns;
        }
    }
}

static int make_code(const struct pprofil_live *live, const struct listing *listing,
                     const struct report_filter *filter, struct pprofil_code **result)
{
    struct pprofil_code *code = calloc(1, sizeof *code);
    struct index index;

    if (code == NULL)
        return -ENOMEM;
    int error = make_index(listing, &index);
    code->listing = listing;
    code->counts = calloc(listing->row_count + 1u, sizeof *code->counts);
    if (code->counts == NULL)
        error = -ENOMEM;
    if (error == 0) {
        count(live->profile, filter, &index, code->counts);
        add_up_sources(listing, code->counts);
    }
    free(index.rows);
    if (error != 0) {
        pprofil_code_free(code);
        return error;
    }
    *result = code;
    return 0;
}

/* --- the public face ----------------------------------------------------------------------- */

int pprofil_live_code(pprofil_live *live, enum pprofil_by by, uint64_t id,
                      const struct pprofil_filter *filter, pprofil_code **result)
{
    struct report_filter let_through = live_filter(filter);
    int error = live_exchange(live);

    if (error != 0)
        return error;
    if (by != PPROFIL_BY_FUNCTION && by != PPROFIL_BY_LINE)
        return no_code(live, "only functions and lines have code");
    uint32_t location = live_location(live, by, id);
    if (location == PROFILE_NONE && by == PPROFIL_BY_FUNCTION && namer_pending(live->namer) == 0)
        return no_code(live, "no such row");
    if (location == PROFILE_NONE) /* it waits for its name, or its line */
        return -EAGAIN;
    uint64_t function = report_id(live->profile, REPORT_BY_FUNCTION, location);
    const struct live_code *code = find_code(live, function);
    if (code == NULL)
        return ask(live, function, location);
    if (!code->come)
        return -EAGAIN;
    if (code->code.listing == NULL)
        return no_code(live, code->code.problem != NULL ? code->code.problem : "no code");
    return make_code(live, code->code.listing, &let_through, result);
}

uint32_t pprofil_code_count(const pprofil_code *code)
{
    return code->listing->row_count;
}

void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row,
                      size_t size)
{
    const struct listing_row *from = &code->listing->rows[i];
    struct pprofil_code_row all = {
        .source = from->instruction == NULL,
        .text = from->text,
        .address = from->instruction != NULL ? from->instruction->address : 0,
        .file = from->file != NULL ? from->file : "",
        .line = from->line,
        .samples = code->counts[i].samples,
        .ns = code->counts[i].ns,
        .newer = from->newer,
    };
    memcpy(row, &all, size < sizeof all ? size : sizeof all);
}

void pprofil_code_free(pprofil_code *code)
{
    if (code == NULL)
        return;
    free(code->counts);
    free(code);
}
