/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the code of functions that are known by names only: functions of interpreted programs, and of profiles without
 * addresses. Instead of instructions, this code has the source lines in which the profile has locations. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbol/function-code.h"
#include "symbol/symbol-internal.h"

/* Returns the innermost line of a location; NULL: none is known. */
static const struct profile_line *named_line(const struct profile *profile, uint32_t location)
{
    const struct profile_location *place = &profile->locations[location];

    return place->line_count > 0 ? &place->lines[0] : NULL;
}

static int named_add_file(struct symbol_code *code, const char *path)
{
    int error = array_grow(&code->files, code->file_count, sizeof *code->files);

    if (error != 0)
        return error;
    code->files[code->file_count] = strdup(path);
    return code->files[code->file_count] == NULL ? -ENOMEM : (code->file_count++, 0);
}

/* Adds a location as a line of the code. */
static int named_add_line(struct symbol_code *code, const struct profile_location *place,
                          const struct profile_line *line)
{
    int error = array_grow(&code->instructions, code->instruction_count, sizeof *code->instructions);
    char *text = error == 0 ? strdup("") : NULL;

    if (text == NULL)
        return error != 0 ? error : -ENOMEM;
    code->instructions[code->instruction_count++] = (struct symbol_instruction){
        .address = place->address, .place = place->address, .size = 1, .text = text, .file = 1, .line = line->line};
    return 0;
}

static int named_compare(const void *left, const void *right)
{
    const struct symbol_instruction *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

int named_code_make(const struct profile *profile, uint32_t location, struct symbol_code **result)
{
    const struct profile_line *first = named_line(profile, location), *line;
    struct symbol_code *code = calloc(1, sizeof *code);
    int error = code == NULL ? -ENOMEM : named_add_file(code, "");

    if (error == 0 && first != NULL)
        error = named_add_file(code, profile->strings[first->file]);
    for (uint32_t i = 1; error == 0 && first != NULL && i < profile->location_count; i++) {
        const struct profile_location *place = &profile->locations[i];
        line = named_line(profile, i);
        if (place->object == profile->locations[location].object && line != NULL && line->function == first->function &&
            line->file == first->file)
            error = named_add_line(code, place, line);
    }
    if (error != 0) {
        symbol_code_free(code);
        return error;
    }
    code->object = profile->locations[location].object;
    code->lines_only = true;
    qsort(code->instructions, code->instruction_count, sizeof *code->instructions, named_compare);
    *result = code;
    return 0;
}
