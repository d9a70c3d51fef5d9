/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes a listing of a function: its instructions, with the source lines between them. Rows are in
 * the order of the instructions. If an instruction comes from another source line than the
 * instruction before it, a row with the text of that line comes before the instruction. A source
 * file is read once, and its lines are found through a table of where they begin.
 *
 * The paths come from debug information that others wrote, so only regular files of at most SOURCE_SIZE_MAX are read.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"
#include "launch/file-opener.h"
#include "symbol/function-code.h"

#define SOURCE_SIZE_MAX (16 << 20) /* bytes */

/* Returns the text of a source file, which the caller frees, or NULL if the file cannot be read. *written_ns becomes
 * the time when the file was last written, ns since 1970. */
static char *read_source(const char *path, int64_t *written_ns)
{
    struct stat status;
    char *text = NULL;
    size_t got = 0;
    int fd = file_opener_open(path, 0);

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_size <= SOURCE_SIZE_MAX)
        text = malloc((size_t)status.st_size + 1);
    while (text != NULL && got < (size_t)status.st_size) {
        ssize_t part = read(fd, text + got, (size_t)status.st_size - got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (text != NULL) {
        text[got] = '\0';
        *written_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    }
    close(fd);
    return text;
}

static void listing_clean_line(char *line)
{
    size_t length = strlen(line);

    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    utf8_make_harmless(line, "\t");
}

static int listing_cut_lines(struct listing_source *source)
{
    char *text = source->text;

    while (text != NULL) {
        char *line = strsep(&text, "\n");
        int error = array_grow(&source->starts, source->count, sizeof *source->starts);
        if (error != 0)
            return error;
        listing_clean_line(line);
        source->starts[source->count++] = line;
    }
    return 0;
}

/* Reads a source file. Does nothing if reading the file was tried before. */
static int listing_read_source(struct listing *listing, uint32_t file)
{
    struct listing_source *source = &listing->sources[file];
    int64_t program_ns = listing->code->written_ns, source_ns = 0;

    if (source->read)
        return 0;
    source->read = true;
    source->text = read_source(listing->code->files[file], &source_ns);
    source->newer = program_ns != 0 && source_ns > program_ns;
    return listing_cut_lines(source);
}

const char *listing_line(const struct listing *listing, uint32_t file, uint32_t number)
{
    if (number == 0 || file >= listing->code->file_count || number > listing->sources[file].count)
        return NULL;
    return listing->sources[file].starts[number - 1];
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
    for (uint32_t i = 0; listing->sources != NULL && i < listing->code->file_count; i++) {
        free(listing->sources[i].text);
        free(listing->sources[i].starts);
    }
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
