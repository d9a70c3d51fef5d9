/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the samples of each row of a listing, and implements the pprofil_code functions of pprofil.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/code.h"
#include "report/row.h"

#define NOWHERE UINT32_MAX

/* What is needed while samples are counted. First the row of each location is found. Then each sample is added to the
 * rows of the locations on its stack. */
struct counter {
    const struct profile *profile;
    struct code_sums *sums;
    uint32_t *rows;    /* owned; indexed by location: row of the instruction at the location, or NOWHERE */
    uint32_t *sources; /* owned; indexed by row: row of the instruction's source line, or NOWHERE */
    /* owned; indexed by row: 1 + index of the sample that was last added to the row's total. The last element is for
     * the total of all rows together */
    uint64_t
        *seen;
};

static const struct symbol_instruction *instruction_of(const struct code_sums *sums,
                                                       const struct listing *listing, uint32_t i)
{
    return listing->rows[sums->instructions[i]].instruction;
}

/* Returns how many instructions begin at the place `number` or before it. `number` is a symbol_instruction.place or, if
 * `by_address` is true, a link-time address. */
static uint32_t code_count_until(const struct code_sums *sums, const struct listing *listing,
                                 uint64_t number, bool by_address)
{
    uint32_t low = 0, high = sums->instruction_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct symbol_instruction *at = instruction_of(sums, listing, middle);
        if ((by_address ? at->address : at->place) <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t code_row_of_place(const struct code_sums *sums, const struct listing *listing, uint64_t place)
{
    uint32_t below = code_count_until(sums, listing, place, false);
    if (below == 0)
        return NOWHERE;
    const struct symbol_instruction *found = instruction_of(sums, listing, below - 1);
    return place - found->place < found->size ? sums->instructions[below - 1] : NOWHERE;
}

uint32_t code_row_of_address(const struct code_sums *sums, const struct listing *listing, uint64_t address)
{
    uint32_t below = code_count_until(sums, listing, address, true);
    if (below == 0 || instruction_of(sums, listing, below - 1)->address != address)
        return NOWHERE;
    return sums->instructions[below - 1];
}

/* --- samples ---------------------------------------------------------------------------- */

/* Adds a sample to a total, unless the sample was added to it already. `now` is 1 + index of the sample. *seen is 1 +
 * index of the sample that was last added to this total. */
static void add_total(struct code_sum *sum, uint64_t *seen, uint64_t now, const struct amount *amount)
{
    if (*seen != now)
        amount_add(&sum->total, amount);
    *seen = now;
}

/* Adds a sample to the rows of the locations on its stack. `now` is 1 + index of the sample. */
static void code_add_sample(const struct counter *counter, const struct listing *listing,
                            const struct profile_sample *sample, uint64_t now)
{
    const struct profile *profile = counter->profile;
    struct code_sums *sums = counter->sums;
    const struct amount amount = {sample->count, report_ns(profile, sample)};

    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        uint32_t row = counter->rows[profile->nodes[node].location];
        if (row == NOWHERE)
            continue;
        uint32_t source = counter->sources[row];
        add_total(&sums->rows[row], &counter->seen[row], now, &amount);
        add_total(&sums->all, &counter->seen[listing->row_count], now, &amount);
        if (source != NOWHERE)
            add_total(&sums->rows[source], &counter->seen[source], now, &amount);
        if (node != sample->node)
            continue;
        amount_add(&sums->rows[row].self, &amount);
        amount_add(&sums->all.self, &amount);
        if (source != NOWHERE)
            amount_add(&sums->rows[source].self, &amount);
    }
}

/* --- the sums of a listing -------------------------------------------------------------- */

static void find_code_rows(const struct counter *counter, const struct listing *listing)
{
    const struct profile *profile = counter->profile;
    uint32_t source = NOWHERE;

    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *place = &profile->locations[i];
        counter->rows[i] = NOWHERE;
        if (i != PROFILE_NONE && place->object == listing->code->object)
            counter->rows[i] = code_row_of_place(counter->sums, listing, place->address);
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

static bool make_code_tables(struct counter *counter, const struct listing *listing)
{
    struct code_sums *sums = counter->sums;

    sums->rows = calloc(listing->row_count + 1u, sizeof *sums->rows);
    sums->instructions = calloc(listing->row_count + 1u, sizeof *sums->instructions);
    counter->rows = calloc(counter->profile->location_count + 1u, sizeof *counter->rows);
    counter->sources = calloc(listing->row_count + 1u, sizeof *counter->sources);
    counter->seen = calloc(listing->row_count + 1u, sizeof *counter->seen);
    return sums->rows != NULL && sums->instructions != NULL && counter->rows != NULL &&
           counter->sources != NULL && counter->seen != NULL;
}

int code_sums_make(const struct profile *profile, const struct report_options *options,
                   const struct listing *listing, struct code_sums *sums)
{
    struct counter counter = {.profile = profile, .sums = sums};

    *sums = (struct code_sums){0};
    bool made = make_code_tables(&counter, listing);
    if (made) {
        for (uint32_t i = 0; i < listing->row_count; i++)
            if (listing->rows[i].instruction != NULL)
                sums->instructions[sums->instruction_count++] = i;
        find_code_rows(&counter, listing);
        for (uint32_t i = 0; i < profile->sample_count; i++)
            if (row_counts(profile, options, &profile->samples[i]))
                code_add_sample(&counter, listing, report_sample(profile, &options->filter, i), i + 1u);
    }
    free(counter.rows);
    free(counter.sources);
    free(counter.seen);
    return made ? 0 : -ENOMEM;
}

void code_sums_clear(struct code_sums *sums)
{
    free(sums->rows);
    free(sums->instructions);
    *sums = (struct code_sums){0};
}

/* --- the pprofil_code of pprofil.h ------------------------------------------------------- */

static size_t code_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int code_new(const struct profile *profile, const struct report_options *options,
             const struct listing *listing, struct pprofil_code **result)
{
    struct pprofil_code *code = calloc(1, sizeof *code);

    if (code == NULL)
        return -ENOMEM;
    code->profile = profile;
    code->listing = listing;
    int error = code_sums_make(profile, options, listing, &code->sums);
    if (error != 0) {
        pprofil_code_free(code);
        return error;
    }
    *result = code;
    return 0;
}

void pprofil_code_free(pprofil_code *code)
{
    if (code == NULL)
        return;
    code_sums_clear(&code->sums);
    free(code);
}

uint32_t pprofil_code_count(const pprofil_code *code)
{
    return code->listing->row_count;
}

/* Returns the instruction of row `i`. If this row is a source line, returns the next instruction after it. */
static const struct symbol_instruction *instruction_at(const struct listing *listing, uint32_t i)
{
    while (i < listing->row_count && listing->rows[i].instruction == NULL)
        i++;
    return i < listing->row_count ? listing->rows[i].instruction : NULL;
}

static const char *inlined_at(const struct listing *listing, uint32_t i)
{
    const struct symbol_instruction *instruction = instruction_at(listing, i);

    if (instruction == NULL || instruction->inlined >= listing->code->inlined_count)
        return "";
    return listing->code->inlined[instruction->inlined];
}

static uint32_t target_of(const struct pprofil_code *code, const struct symbol_instruction *from)
{
    uint32_t row;

    if (from == NULL || from->target == 0)
        return 0;
    row = code_row_of_address(&code->sums, code->listing, from->target);
    return row == UINT32_MAX ? 0 : row + 1;
}

void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row, size_t size)
{
    const struct listing_row *from = &code->listing->rows[i];
    const struct code_sum *sum = &code->sums.rows[i];
    bool source = from->instruction == NULL || code->listing->code->lines_only;
    struct pprofil_code_row all = {
        .source = source,
        .text = from->text,
        .address = source ? 0 : from->instruction->address,
        .file = from->file != NULL ? from->file : "",
        .line = from->line,
        .samples = sum->self.samples,
        .ns = sum->self.ns,
        .newer = from->newer,
        .total_samples = sum->total.samples,
        .total_ns = sum->total.ns,
        .target = target_of(code, from->instruction),
        .inlined = inlined_at(code->listing, i),
    };
    memcpy(row, &all, code_least(size, sizeof all));
}

void pprofil_code_about(const pprofil_code *code, struct pprofil_code_about *about, size_t size)
{
    const struct symbol_code *from = code->listing->code;
    const struct profile_object *object = &code->profile->objects[from->object];
    struct pprofil_code_about all = {
        .object = code->profile->strings[object->path],
        .samples = code->sums.all.self.samples,
        .ns = code->sums.all.self.ns,
        .total_samples = code->sums.all.total.samples,
        .total_ns = code->sums.all.total.ns,
        .lines_only = from->lines_only,
    };

    if (from->instruction_count > 0 && !from->lines_only) {
        const struct symbol_instruction *last = &from->instructions[from->instruction_count - 1];
        all.start = from->instructions[0].address;
        all.end = last->address + last->size;
    }
    memcpy(about, &all, code_least(size, sizeof all));
}

int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found, bool *newer)
{
    const struct listing *listing = code->listing;

    if (i + 1 >= listing->code->file_count) /* files[0] stands for "no file", so the i-th file is files[i + 1] */
        return -ENOENT;
    *path = listing->code->files[i + 1];
    *found = listing->sources[i + 1].file.text != NULL;
    *newer = listing->sources[i + 1].newer;
    return 0;
}

const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line)
{
    return listing_line(code->listing, i + 1, line);
}
