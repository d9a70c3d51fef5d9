/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the source line and the innermost inlined function of each instruction of a function. The path of each file and
 * the name of each inlined function are put together only once. In the debug information, equal strings mostly are at
 * the same address. So pointers to strings are compared first.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "symbol/function-code.h"
#include "symbol/symbol-internal.h"

#define FILES_MAX 1024u   /* largest number of source files of a function; lines in further files are ignored */
#define INLINED_MAX 1024u /* largest number of names of inlined functions; further names are ignored */
/* An instruction gets the inlined function of each range around it, one after the other. For a hostile file this could
 * take long, so it is done at most this often in one function. */
#define PAINTED_MAX (UINT64_C(1) << 22)

/* --- lines ----------------------------------------------------------------------------- */

/* The strings that a path was made from. */
struct file_key {
    const char *directory, *file; /* borrowed */
};

/* Returns the index of a path in code->files, or code->file_count if the path is not there. Compares strings, not
 * pointers, because another compilation unit may have its own copy of the string. */
static uint32_t find_path(const struct symbol_code *code, const char *path)
{
    uint32_t i = 0;

    while (i < code->file_count && strcmp(code->files[i], path) != 0)
        i++;
    return i;
}

/* Adds the path of a line's file to code->files if it is not there. *file becomes the path's index,
 * or 0 if there are too many files. Returns 0 or -ENOMEM. */
static int add_file(struct symbol_code *code, struct file_key *keys, const struct elf_line *line, uint32_t *file)
{
    char path[PATH_MAX];

    elf_line_path(line, path, sizeof path);
    *file = find_path(code, path);
    if (*file < code->file_count || *file == FILES_MAX) {
        *file = *file == FILES_MAX ? 0 : *file;
        return 0;
    }
    code->files[*file] = strdup(path);
    if (code->files[*file] == NULL)
        return -ENOMEM;
    keys[*file] = (struct file_key){line->directory, line->file};
    code->file_count++;
    return 0;
}

static int find_file(struct symbol_code *code, struct file_key *keys, const struct elf_line *line, uint32_t *file)
{
    for (uint32_t i = code->file_count; i-- > 1;)
        if (keys[i].file == line->file && keys[i].directory == line->directory) {
            *file = i;
            return 0;
        }
    return add_file(code, keys, line, file);
}

/* Returns an array with room for `count` strings. The first one is "", and the others are NULL. The
 * caller frees the array and the strings. NULL: no memory. */
static char **new_texts(uint32_t count)
{
    char **texts = calloc(count, sizeof *texts);

    if (texts != NULL && (texts[0] = strdup("")) == NULL) {
        free(texts);
        texts = NULL;
    }
    return texts;
}

int function_lines_read(struct elf_object *elf, uint64_t shift, struct symbol_code *code)
{
    struct file_key *keys = calloc(FILES_MAX, sizeof *keys);
    int error = 0;

    code->files = new_texts(FILES_MAX);
    code->file_count = code->files != NULL;
    if (code->files == NULL || keys == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < code->instruction_count; i++) {
        struct symbol_instruction *instruction = &code->instructions[i];
        struct elf_line line;
        if (!elf_object_line(elf, instruction->address + shift, &line) || line.number == 0)
            continue;
        error = find_file(code, keys, &line, &instruction->file);
        if (instruction->file != 0)
            instruction->line = line.number;
    }
    free(keys);
    return error;
}

/* --- inlined functions ---------------------------------------------------------------- */

/* Returns the index of the first instruction that begins at `address` or later. `address` is an address in the ELF
 * file, where each instruction has its address in `code` plus `shift`. */
static uint32_t find_instruction(const struct symbol_code *code, uint64_t shift, uint64_t address)
{
    uint32_t low = 0, high = code->instruction_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (code->instructions[middle].address + shift < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the index of the name of an inlined function in code->inlined. Adds the name if it is not there. *inlined
 * becomes 0 if there are too many names. names[i] is the borrowed string from which code->inlined[i] was made. Returns
 * 0 or -ENOMEM. */
static int find_inlined(struct symbol_code *code, const char **names, const char *name, uint32_t *inlined)
{
    for (*inlined = code->inlined_count - 1; *inlined > 0; --*inlined)
        if (names[*inlined] == name)
            return 0;
    if (code->inlined_count == INLINED_MAX)
        return 0;
    char *plain = demangle(name);
    if (plain == NULL && (plain = strdup(name)) == NULL)
        return -ENOMEM;
    utf8_make_harmless(plain, "");
    *inlined = code->inlined_count++;
    code->inlined[*inlined] = plain;
    names[*inlined] = name;
    return 0;
}

/* For each element of `ranges`, sets the inlined function of all instructions in that range. Outer
 * ranges come before the ranges inside them, so an instruction keeps the innermost function. */
static int paint_inlined(struct elf_object *elf, uint64_t shift, struct symbol_code *code,
                         struct elf_inlined *ranges, uint32_t count, const char **names)
{
    uint64_t budget = PAINTED_MAX;
    struct elf_origin *origin;
    uint32_t inlined = 0;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < count; i++) {
        error = elf_object_inlined_origin(elf, &ranges[i], &origin);
        if (error == 0)
            error = find_inlined(code, names, origin->name, &inlined);
        for (uint32_t at = find_instruction(code, shift, ranges[i].start);
             error == 0 && at < code->instruction_count && budget > 0 &&
             code->instructions[at].address + shift < ranges[i].end;
             at++, budget--)
            code->instructions[at].inlined = inlined;
    }
    return error;
}

int function_inlined_read(struct elf_object *elf, uint64_t shift, uint64_t address, struct symbol_code *code)
{
    struct elf_inlined *ranges = NULL;
    uint32_t count = 0;
    int error = elf_object_inlined(elf, address, &ranges, &count);

    if (error != 0)
        return error;
    const char **names = calloc(INLINED_MAX, sizeof *names);
    code->inlined = new_texts(INLINED_MAX);
    code->inlined_count = code->inlined != NULL;
    if (names == NULL || code->inlined == NULL)
        error = -ENOMEM;
    else
        error = paint_inlined(elf, shift, code, ranges, count, names);
    free(names);
    return error;
}
