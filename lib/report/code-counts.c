/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each location is found in the listing once; then samples walk up their stacks by that. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "report/code-counts.h"
#include "report/row.h"

#define NOWHERE UINT32_MAX

/* What counting needs besides. */
struct counter {
    const struct profile *profile;
    struct code_counts *counts;
    uint32_t *rows;    /* owned: by location; of its instruction, or NOWHERE */
    uint32_t *sources; /* owned: by row; of its source line, or NOWHERE */
    uint64_t *seen;    /* owned: by row, and of all behind them; the last sample that counted */
};

static const struct symbol_instruction *instruction_of(const struct code_counts *counts,
                                                       const struct listing *listing, uint32_t i)
{
    return listing->rows[counts->instructions[i]].instruction;
}

/* How many instructions begin at or before a place, or an address. */
static uint32_t count_below(const struct code_counts *counts, const struct listing *listing,
                            uint64_t number, bool by_address)
{
    uint32_t low = 0, high = counts->instruction_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct symbol_instruction *at = instruction_of(counts, listing, middle);
        if ((by_address ? at->address : at->place) <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t code_counts_find(const struct code_counts *counts, const struct listing *listing,
                          uint64_t place)
{
    uint32_t below = count_below(counts, listing, place, false);
    if (below == 0)
        return NOWHERE;
    const struct symbol_instruction *found = instruction_of(counts, listing, below - 1);
    return place - found->place < found->size ? counts->instructions[below - 1] : NOWHERE;
}

uint32_t code_counts_at(const struct code_counts *counts, const struct listing *listing,
                        uint64_t address)
{
    uint32_t below = count_below(counts, listing, address, true);
    if (below == 0 || instruction_of(counts, listing, below - 1)->address != address)
        return NOWHERE;
    return counts->instructions[below - 1];
}

/* --- counting -------------------------------------------------------------------------- */

static void add_total(struct code_count *count, uint64_t *seen, uint64_t now,
                      const struct profile_sample *sample, uint64_t ns)
{
    if (*seen == now)
        return;
    *seen = now;
    count->total_samples += sample->count;
    count->total_ns += ns;
}

static void add_self(struct code_count *count, const struct profile_sample *sample, uint64_t ns)
{
    count->samples += sample->count;
    count->ns += ns;
}

/* now: the number of the sample, from 1 on. */
static void count_sample(const struct counter *counter, const struct listing *listing,
                         const struct profile_sample *sample, uint64_t now)
{
    const struct profile *profile = counter->profile;
    struct code_counts *counts = counter->counts;
    uint64_t ns = report_ns(profile, sample);

    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        uint32_t row = counter->rows[profile->nodes[node].location];
        if (row == NOWHERE)
            continue;
        uint32_t source = counter->sources[row];
        add_total(&counts->rows[row], &counter->seen[row], now, sample, ns);
        add_total(&counts->all, &counter->seen[listing->row_count], now, sample, ns);
        if (source != NOWHERE)
            add_total(&counts->rows[source], &counter->seen[source], now, sample, ns);
        if (node != sample->node)
            continue;
        add_self(&counts->rows[row], sample, ns);
        add_self(&counts->all, sample, ns);
        if (source != NOWHERE)
            add_self(&counts->rows[source], sample, ns);
    }
}

/* --- making ---------------------------------------------------------------------------- */

static void find_rows(const struct counter *counter, const struct listing *listing)
{
    const struct profile *profile = counter->profile;
    uint32_t source = NOWHERE;

    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *place = &profile->locations[i];
        counter->rows[i] = NOWHERE;
        if (i != PROFILE_NONE && place->object == listing->code->object)
            counter->rows[i] = code_counts_find(counter->counts, listing, place->address);
    }
    for (uint32_t i = 0; i < listing->row_count; i++) {
        counter->sources[i] = NOWHERE;
        const struct symbol_instruction *instruction = listing->rows[i].instruction;
        if (instruction == NULL)
            source = i;
        else if (source != NOWHERE && listing->rows[source].line == instruction->line &&
                 listing->rows[source].file == listing->code->files[instruction->file])
            counter->sources[i] = source;
    }
}

static bool make_tables(struct counter *counter, const struct listing *listing)
{
    struct code_counts *counts = counter->counts;

    counts->rows = calloc(listing->row_count + 1u, sizeof *counts->rows);
    counts->instructions = calloc(listing->row_count + 1u, sizeof *counts->instructions);
    counter->rows = calloc(counter->profile->location_count + 1u, sizeof *counter->rows);
    counter->sources = calloc(listing->row_count + 1u, sizeof *counter->sources);
    counter->seen = calloc(listing->row_count + 1u, sizeof *counter->seen);
    return counts->rows != NULL && counts->instructions != NULL && counter->rows != NULL &&
           counter->sources != NULL && counter->seen != NULL;
}

int code_counts_make(const struct profile *profile, const struct report_options *options,
                     const struct listing *listing, struct code_counts *counts)
{
    struct counter counter = {.profile = profile, .counts = counts};

    *counts = (struct code_counts){0};
    bool made = make_tables(&counter, listing);
    if (made) {
        for (uint32_t i = 0; i < listing->row_count; i++)
            if (listing->rows[i].instruction != NULL)
                counts->instructions[counts->instruction_count++] = i;
        find_rows(&counter, listing);
        for (uint32_t i = 0; i < profile->sample_count; i++)
            if (row_counts(profile, options, &profile->samples[i]))
                count_sample(&counter, listing, &profile->samples[i], i + 1u);
    }
    free(counter.rows);
    free(counter.sources);
    free(counter.seen);
    return made ? 0 : -ENOMEM;
}

void code_counts_clear(struct code_counts *counts)
{
    free(counts->rows);
    free(counts->instructions);
    *counts = (struct code_counts){0};
}
