/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes a listing of a function: its instructions, with the source lines between them. Rows are in
 * the order of the instructions. If an instruction comes from another source line than the
 * instruction before it, a row with the text of that line comes before the instruction. A source
 * file is read once.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbol/function-code.h"

/* Reads a source file. Does nothing if reading the file was tried before. */
static int listing_read_source(struct listing *listing, uint32_t file)
{
    struct listing_source *source = &listing->sources[file];
    int64_t program_ns = listing->code->written_ns;

    if (source->read)
        return 0;
    source->read = true;
    int error = source_file_read(listing->code->files[file], &source->file);
    source->newer = program_ns != 0 && source->file.written_ns > program_ns;
    return error;
}

const char *listing_line(const struct listing *listing, uint32_t file, uint32_t number)
{
    return file < listing->code->file_count ? source_file_line(&listing->sources[file].file, number) : NULL;
}

/* Finds the text of a source line. Reads the source file if reading it was not tried before. *text
 * becomes NULL if there is no such line. 0 or -ENOMEM. */
static int listing_find_line(struct listing *listing, uint32_t file, uint32_t number, const char **text)
{
    int error = 0;

    *text = NULL;
    if (number == 0 || file >= listing->code->file_count)
        return 0;
    error = listing_read_source(listing, file);
    if (error == 0)
        *text = listing_line(listing, file, number);
    return error;
}

static int listing_add_row(struct listing *listing, const struct listing_row *row)
{
    int error = array_grow(&listing->rows, listing->row_count, sizeof *listing->rows);

    if (error == 0)
        listing->rows[listing->row_count++] = *row;
    return error;
}

/* Adds the rows of code that has no instructions: a row for each line. */
static int listing_fill_lines(struct listing *listing)
{
    const struct symbol_code *code = listing->code;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < code->instruction_count; i++) {
        const struct symbol_instruction *line = &code->instructions[i];
        struct listing_row row = {.file = code->files[line->file], .line = line->line, .instruction = line};
        error = listing_find_line(listing, line->file, line->line, &row.text);
        if (row.text == NULL)
            row.text = line->text;
        if (error == 0)
            error = listing_add_row(listing, &row);
    }
    return error;
}

static int listing_fill(struct listing *listing)
{
    const struct symbol_code *code = listing->code;
    uint32_t file = 0, line = 0;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < code->instruction_count; i++) {
        const struct symbol_instruction *instruction = &code->instructions[i];
        struct listing_row row = {.line = instruction->line};
        bool changed = instruction->line != line || instruction->file != file;
        file = instruction->file;
        line = instruction->line;
        if (changed)
            error = listing_find_line(listing, file, line, &row.text);
        if (error == 0 && row.text != NULL) {
            row.file = code->files[file];
            row.newer = listing->sources[file].newer;
            error = listing_add_row(listing, &row);
        }
        if (error == 0)
            error = listing_add_row(listing, &(struct listing_row){.text = instruction->text,
                                                                   .line = line,
                                                                   .instruction = instruction});
    }
    return error;
}

int listing_new(struct symbol_code *code, struct listing **result)
{
    struct listing *listing = calloc(1, sizeof *listing);

    if (listing == NULL) {
        symbol_code_free(code);
        return -ENOMEM;
    }
    listing->code = code;
    listing->sources = calloc(code->file_count + 1u, sizeof *listing->sources);
    int error = listing->sources == NULL ? -ENOMEM : code->lines_only ? listing_fill_lines(listing)
                                                                      : listing_fill(listing);
    if (error != 0) {
        listing_free(listing);
        return error;
    }
    *result = listing;
    return 0;
}

void listing_free(struct listing *listing)
{
    if (listing == NULL)
        return;
    for (uint32_t i = 0; listing->sources != NULL && i < listing->code->file_count; i++)
        source_file_clear(&listing->sources[i].file);
    free(listing->sources);
    free(listing->rows);
    symbol_code_free(listing->code);
    free(listing);
}

void code_listing_clear(struct code_listing *code)
{
    listing_free(code->listing);
    free(code->problem);
    *code = (struct code_listing){0};
}
