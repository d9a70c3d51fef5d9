/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of code as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/code.h"

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
    int error = code_counts_make(profile, options, listing, &code->counts);
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
    code_counts_clear(&code->counts);
    free(code);
}

uint32_t pprofil_code_count(const pprofil_code *code)
{
    return code->listing->row_count;
}

/* Returns the instruction of a row; of a source line the one that follows it. */
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
    row = code_counts_at(&code->counts, code->listing, from->target);
    return row == UINT32_MAX ? 0 : row + 1;
}

void pprofil_code_row(const pprofil_code *code, uint32_t i, struct pprofil_code_row *row,
                      size_t size)
{
    const struct listing_row *from = &code->listing->rows[i];
    const struct code_count *count = &code->counts.rows[i];
    struct pprofil_code_row all = {
        .source = from->instruction == NULL,
        .text = from->text,
        .address = from->instruction != NULL ? from->instruction->address : 0,
        .file = from->file != NULL ? from->file : "",
        .line = from->line,
        .samples = count->samples,
        .ns = count->ns,
        .newer = from->newer,
        .total_samples = count->total_samples,
        .total_ns = count->total_ns,
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
        .samples = code->counts.all.samples,
        .ns = code->counts.all.ns,
        .total_samples = code->counts.all.total_samples,
        .total_ns = code->counts.all.total_ns,
    };

    if (from->instruction_count > 0) {
        const struct symbol_instruction *last = &from->instructions[from->instruction_count - 1];
        all.start = from->instructions[0].address;
        all.end = last->address + last->size;
    }
    memcpy(about, &all, code_least(size, sizeof all));
}

int pprofil_code_source(const pprofil_code *code, uint32_t i, const char **path, bool *found,
                        bool *newer)
{
    const struct listing *listing = code->listing;

    if (i + 1 >= listing->code->file_count) /* the first is that of no file */
        return -ENOENT;
    *path = listing->code->files[i + 1];
    *found = listing->sources[i + 1].text != NULL;
    *newer = listing->sources[i + 1].newer;
    return 0;
}

const char *pprofil_code_line(const pprofil_code *code, uint32_t i, uint32_t line)
{
    return listing_line(code->listing, i + 1, line);
}
