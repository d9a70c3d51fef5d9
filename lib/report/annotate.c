/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the code of a function. Also finds the rows of a report whose functions match a pattern. See code.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/code.h"
#include "report/name-search.h"

/* --- names ------------------------------------------------------------------------------- */

static bool is_qualified(const struct pprofil_row *row, const char *pattern)
{
    size_t length = strlen(row->object);

    return strncmp(pattern, row->object, length) == 0 && pattern[length] == ':' &&
           strcmp(pattern + length + 1, row->name) == 0;
}

static uint32_t mark_qualified(const struct pprofil_report *report, const char *pattern, bool *marked)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < report->count; i++) {
        marked[i] = is_qualified(&report->rows[i], pattern);
        found += marked[i];
    }
    return found;
}

static void keep_marked_rows(struct pprofil_report *report, const bool *marked)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < report->count; i++)
        if (marked[i])
            report->rows[kept++] = report->rows[i];
    report->count = report->total = kept;
}

int annotate_keep(struct pprofil_report *report, const char *pattern, char *problem, size_t size)
{
    const char **names = calloc(report->count + 1u, sizeof *names);
    bool *marked = calloc(report->count + 1u, sizeof *marked);
    int error = names == NULL || marked == NULL ? -ENOMEM : 0;
    uint32_t found = error == 0 ? mark_qualified(report, pattern, marked) : 0;

    for (uint32_t i = 0; error == 0 && i < report->count; i++)
        names[i] = report->rows[i].name;
    if (error == 0 && found == 0)
        error = name_search(pattern, names, report->count, marked, &found, problem, size);
    if (error == 0)
        problem[0] = '\0';
    if (error == 0 && found == 0)
        name_search_complain("function", pattern, names, report->count, problem, size);
    if (error == 0)
        keep_marked_rows(report, marked);
    free(names);
    free(marked);
    return error;
}

/* --- blocks ------------------------------------------------------------------------------ */

/* A location of the function, and the time of the samples that have the location on their stack. If a stack contains
 * the location several times, its samples count several times. */
struct hot_location {
    uint32_t location;
    uint64_t ns;
};

static int annotate_compare(const void *left, const void *right)
{
    const struct hot_location *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

/* Fills the array `places` with the locations of the function, sorted by time, largest first. Returns the number of
 * these locations. The array must have room for all locations of the profile. */
static uint32_t find_hot_locations(const struct profile *profile, uint64_t id, struct hot_location *places)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < profile->location_count; i++)
        places[i] = (struct hot_location){.location = i};
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent)
            places[profile->nodes[node].location].ns += report_ns(profile, sample);
    }
    for (uint32_t i = 1; i < profile->location_count; i++)
        if (report_id(profile, PPROFIL_BY_FUNCTION, i) == id)
            places[count++] = places[i];
    qsort(places, count, sizeof *places, annotate_compare);
    return count;
}

static bool block_has(const struct listing *listing, const struct profile_location *place)
{
    const struct symbol_code *code = listing->code;

    if (code->instruction_count == 0 || place->object != code->object)
        return false;
    const struct symbol_instruction *first = &code->instructions[0];
    const struct symbol_instruction *last = &code->instructions[code->instruction_count - 1];
    return place->address >= first->place && place->address < last->place + last->size;
}

static bool annotation_has(const struct annotation *annotation, const struct profile_location *place)
{
    for (uint32_t i = 0; i < annotation->count; i++)
        if (block_has(annotation->blocks[i], place))
            return true;
    return false;
}

static int annotate_add_block(struct symbolizer *symbolizer, uint32_t location,
                              struct annotation *annotation, const char **problem)
{
    struct symbol_code *code;
    int error = symbolizer_code(symbolizer, location, &code, problem);

    if (error == 0)
        error = listing_new(code, &annotation->blocks[annotation->count]);
    if (error == 0)
        annotation->count++;
    return error;
}

static int annotate_add_blocks(const struct profile *profile, struct symbolizer *symbolizer,
                               const struct hot_location *places, uint32_t count,
                               struct annotation *annotation, const char **problem)
{
    int error = 0;

    for (uint32_t i = 0; i < count && annotation->count < ANNOTATE_BLOCKS_MAX; i++) {
        if (annotation_has(annotation, &profile->locations[places[i].location]))
            continue;
        error = annotate_add_block(symbolizer, places[i].location, annotation, problem);
        if (error != 0 && error != PPROFIL_ERROR_NO_CODE)
            return error;
        /* give up after ANNOTATE_BLOCKS_MAX locations: if the code of a function's hottest locations cannot be read,
         * the function probably has no readable code at all */
        if (error != 0 && i + 1 >= ANNOTATE_BLOCKS_MAX)
            break;
    }
    return annotation->count > 0 ? 0 : error;
}

int annotate_function(struct profile *profile, struct symbolizer *symbolizer, uint64_t id,
                      struct annotation *annotation, const char **problem)
{
    *annotation = (struct annotation){0};
    *problem = NULL;
    int error = symbolizer_look_up_all(symbolizer, PROFILE_LOOKED_NAME);
    struct hot_location *places = calloc(profile->location_count + 1u, sizeof *places);

    if (places == NULL)
        error = -ENOMEM;
    if (error == 0) {
        uint32_t count = find_hot_locations(profile, id, places);
        error = count == 0 ? -ENOENT : annotate_add_blocks(profile, symbolizer, places, count, annotation, problem);
    }
    free(places);
    if (error != 0)
        annotate_clear(annotation);
    return error;
}

void annotate_clear(struct annotation *annotation)
{
    for (uint32_t i = 0; i < annotation->count; i++)
        listing_free(annotation->blocks[i]);
    annotation->count = 0;
}
