/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables are loaded whole and checked, so that what refers to them need not be. A row's callers
 * come before it: so no walk is endless.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/firefox-stacks.h"
#include "format/frames.h"
#include "format/json-read.h"
#include "format/json.h"

#define INLINED_MAX 256u
#define LONG_NAME 4096u

/* --- cells --------------------------------------------------------------------------- */

const json_t *firefox_table(const struct firefox_file *file, const json_t *thread, const char *name)
{
    const json_t *own = json_object_get(thread, name);
    return own != NULL ? own : json_object_get(json_object_get(file->root, "shared"), name);
}

static bool is_nothing(const json_t *cell)
{
    return cell == NULL || json_is_null(cell) ||
           (json_is_integer(cell) && json_integer_value(cell) == -1);
}

bool firefox_cell(const json_t *table, const char *column, size_t row, uint32_t *number)
{
    const json_t *cell = json_array_get(json_object_get(table, column), row);
    uint64_t value;

    *number = FIREFOX_NOTHING;
    if (is_nothing(cell))
        return true;
    if (!json_whole(cell, FIREFOX_NOTHING - 1, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* The same of a number that must be there, and less than count. */
static bool refer(const json_t *table, const char *column, size_t row, size_t count,
                  uint32_t *number)
{
    return firefox_cell(table, column, row, number) && *number < count;
}

/* A line's number; 0 not known. */
static bool line_cell(const json_t *table, const char *column, size_t row, uint32_t *line)
{
    bool valid = firefox_cell(table, column, row, line);

    if (*line == FIREFOX_NOTHING)
        *line = 0;
    return valid;
}

/* How many rows, which a column has that no row is without. */
static size_t rows_of(const json_t *table, const char *column)
{
    return json_array_size(json_object_get(table, column));
}

/* --- tables -------------------------------------------------------------------------- */

static bool take_work(struct firefox_file *file, size_t work)
{
    if (work > file->work_left)
        return false;
    file->work_left -= work;
    return true;
}

/* So many rows of a table, empty; NULL: *error says why. */
static void *make_rows(struct firefox_file *file, size_t count, size_t size, int *error)
{
    void *rows = NULL;

    *error = -EBADMSG;
    if (take_work(file, count)) {
        rows = calloc(count + 1, size);
        *error = rows != NULL ? 0 : -ENOMEM;
    }
    return rows;
}

static int load_strings(struct firefox_stacks *stacks, const json_t *thread)
{
    const json_t *texts = firefox_table(stacks->file, thread, "stringArray");
    int error;

    stacks->string_count = json_array_size(texts);
    stacks->strings =
        make_rows(stacks->file, stacks->string_count, sizeof *stacks->strings, &error);
    for (size_t i = 0; error == 0 && i < stacks->string_count; i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        error = text == NULL ? -EBADMSG
                             : profile_string(stacks->file->profile, text, &stacks->strings[i]);
    }
    return error;
}

static uint32_t work_of(const struct firefox_stacks *stacks, uint32_t string)
{
    return (uint32_t)strnlen(stacks->file->profile->strings[string], LONG_NAME) / 32;
}

static bool load_function(struct firefox_stacks *stacks, const json_t *table,
                          const json_t *resources, size_t i)
{
    struct firefox_function *function = &stacks->functions[i];
    uint32_t name, file, resource;

    if (!refer(table, "name", i, stacks->string_count, &name) ||
        !firefox_cell(table, "fileName", i, &file) ||
        (file != FIREFOX_NOTHING && file >= stacks->string_count) ||
        !line_cell(table, "lineNumber", i, &function->line) ||
        !firefox_cell(table, "resource", i, &resource) ||
        !firefox_cell(resources, "lib", resource, &function->lib))
        return false;
    function->name = stacks->strings[name];
    function->file = file == FIREFOX_NOTHING ? 0 : stacks->strings[file];
    function->work = 1 + work_of(stacks, function->name) + work_of(stacks, function->file);
    return function->lib == FIREFOX_NOTHING || function->lib < json_array_size(stacks->file->libs);
}

static int load_functions(struct firefox_stacks *stacks, const json_t *thread)
{
    const json_t *table = firefox_table(stacks->file, thread, "funcTable");
    const json_t *resources = firefox_table(stacks->file, thread, "resourceTable");
    int error;

    stacks->function_count = rows_of(table, "name");
    stacks->functions =
        make_rows(stacks->file, stacks->function_count, sizeof *stacks->functions, &error);
    for (size_t i = 0; error == 0 && i < stacks->function_count; i++)
        if (!load_function(stacks, table, resources, i))
            error = -EBADMSG;
    return error;
}

static bool load_frame(const struct firefox_stacks *stacks, const json_t *table, size_t i)
{
    const json_t *address = json_array_get(json_object_get(table, "address"), i);
    struct firefox_frame *frame = &stacks->frames[i];

    frame->address = UINT64_MAX;
    if (!is_nothing(address) && !json_whole(address, INT64_MAX, &frame->address))
        return false;
    return refer(table, "func", i, stacks->function_count, &frame->function) &&
           line_cell(table, "inlineDepth", i, &frame->depth) &&
           line_cell(table, "line", i, &frame->line);
}

static int load_frames(struct firefox_stacks *stacks, const json_t *thread)
{
    const json_t *table = firefox_table(stacks->file, thread, "frameTable");
    int error;

    stacks->frame_count = rows_of(table, "func");
    stacks->frames = make_rows(stacks->file, stacks->frame_count, sizeof *stacks->frames, &error);
    for (size_t i = 0; error == 0 && i < stacks->frame_count; i++)
        if (!load_frame(stacks, table, i))
            error = -EBADMSG;
    return error;
}

static bool load_row(const struct firefox_stacks *stacks, const json_t *table, size_t i)
{
    struct firefox_row *row = &stacks->rows[i];

    return refer(table, "frame", i, stacks->frame_count, &row->frame) &&
           firefox_cell(table, "prefix", i, &row->prefix) &&
           firefox_cell(table, "category", i, &row->category) &&
           firefox_cell(table, "subcategory", i, &row->subcategory) &&
           (row->prefix == FIREFOX_NOTHING || row->prefix < i);
}

static int load_rows(struct firefox_stacks *stacks, const json_t *thread)
{
    const json_t *table = firefox_table(stacks->file, thread, "stackTable");
    int error;

    stacks->row_count = rows_of(table, "frame");
    stacks->rows = make_rows(stacks->file, stacks->row_count, sizeof *stacks->rows, &error);
    if (error != 0)
        return error;
    stacks->chain = calloc(stacks->row_count + 1, sizeof *stacks->chain);
    stacks->lines = calloc(stacks->row_count + 1, sizeof *stacks->lines);
    if (stacks->chain == NULL || stacks->lines == NULL)
        return -ENOMEM;
    if (stacks->row_count > 0 && json_object_get(table, "prefix") == NULL)
        return -EBADMSG; /* a later version, which says it in another way */
    for (size_t i = 0; i < stacks->row_count; i++)
        if (!load_row(stacks, table, i))
            return -EBADMSG;
    return 0;
}

int firefox_stacks_load(struct firefox_stacks *stacks, struct firefox_file *file,
                        const json_t *thread, uint32_t process)
{
    *stacks = (struct firefox_stacks){.file = file, .process = process};
    int error = load_strings(stacks, thread);
    if (error == 0)
        error = load_functions(stacks, thread);
    if (error == 0)
        error = load_frames(stacks, thread);
    return error == 0 ? load_rows(stacks, thread) : error;
}

void firefox_stacks_clear(struct firefox_stacks *stacks)
{
    free(stacks->strings);
    free(stacks->functions);
    free(stacks->frames);
    free(stacks->rows);
    free(stacks->chain);
    free(stacks->lines);
    free(stacks->made.slots);
}

/* --- objects ------------------------------------------------------------------------- */

static int own_object(const struct firefox_stacks *stacks, const json_t *lib, uint32_t *index)
{
    struct profile *profile = stacks->file->profile;
    struct profile_object object = {.kind = json_kind(lib), .fd = -1};

    if (object.kind == 0 || !json_build_id(lib, "codeId", &object))
        return -EBADMSG;
    object.invented = json_is_true(json_object_get(lib, "invented"));
    if (object.kind == PROFILE_OBJECT_ANON) {
        object.process = stacks->process;
        object.pid = profile->processes[stacks->process].pid;
    }
    int error = profile_string(profile, json_text(lib, "path", ""), &object.path);
    return error == 0 ? profile_object(profile, &object, index) : error;
}

static int find_object(const struct firefox_stacks *stacks, uint32_t lib, uint32_t *index)
{
    struct firefox_file *file = stacks->file;
    const json_t *entry = json_array_get(file->libs, lib);
    int error;

    if (lib != FIREFOX_NOTHING && file->objects[lib] != 0) {
        *index = file->objects[lib] - 1;
        return 0;
    }
    if (lib != FIREFOX_NOTHING && file->own)
        error = own_object(stacks, entry, index);
    else
        error = named_object(&file->named, json_text(entry, "path", json_text(entry, "name", "")),
                             index);
    if (error == 0 && lib != FIREFOX_NOTHING)
        file->objects[lib] = *index + 1;
    return error;
}

/* --- nodes --------------------------------------------------------------------------- */

static const struct firefox_frame *frame_of(const struct firefox_stacks *stacks, uint32_t row)
{
    return &stacks->frames[stacks->rows[row].frame];
}

/* The row of the function that has the code which a row's was inlined into: its own, mostly. */
static uint32_t outermost(const struct firefox_stacks *stacks, uint32_t row)
{
    for (;;) {
        const struct firefox_frame *frame = frame_of(stacks, row);
        uint32_t prefix = stacks->rows[row].prefix;
        if (frame->depth == 0 || frame->depth > INLINED_MAX || prefix == FIREFOX_NOTHING)
            return row;
        const struct firefox_frame *caller = frame_of(stacks, prefix);
        if (caller->address != frame->address || caller->depth + 1 != frame->depth)
            return row;
        row = prefix;
    }
}

static int find_function(struct firefox_stacks *stacks, uint32_t index, uint32_t object,
                         uint32_t *made)
{
    const struct firefox_function *function = &stacks->functions[index];
    const struct profile *profile = stacks->file->profile;
    struct memory *known;
    int error = memo_recall(&stacks->made, 0, index, object, &known);

    if (error == 0 && !known->used) {
        error = named_function(&stacks->file->named, object, profile->strings[function->name],
                               profile->strings[function->file], function->line, made);
        if (error == 0)
            memo_remember(&stacks->made, known, *made);
    }
    if (error == 0)
        *made = known->index;
    return error;
}

static int add_line(struct firefox_stacks *stacks, uint32_t row, uint32_t object, uint32_t count)
{
    const struct firefox_frame *frame = frame_of(stacks, row);
    const struct firefox_function *function = &stacks->functions[frame->function];

    if (!take_work(stacks->file, function->work))
        return -EBADMSG;
    stacks->lines[count] = (struct profile_line){.file = function->file, .line = frame->line};
    return find_function(stacks, frame->function, object, &stacks->lines[count].function);
}

/* Code without a name is called by its place in our files: then nothing is known of it. */
static bool is_unnamed(const struct profile *profile, uint32_t location, const char *name)
{
    const struct frame frame = {.location = location};
    char buffer[FRAME_NAME];

    return strcmp(frame_name(profile, &frame, buffer), name) == 0;
}

static int place(struct firefox_stacks *stacks, uint32_t object, uint64_t address, uint32_t count,
                 uint32_t *location)
{
    struct profile *profile = stacks->file->profile;
    const struct profile_function *function = &profile->functions[stacks->lines->function];

    if (!stacks->file->own || address == UINT64_MAX)
        return named_location(&stacks->file->named, object, stacks->lines, count, location);
    int error = profile_location(profile, object, address, location);
    if (error != 0 || profile->locations[*location].line_count > 0 ||
        (count == 1 && is_unnamed(profile, *location, profile->strings[function->name])))
        return error;
    return profile_set_lines(profile, *location, stacks->lines, count,
                             PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
}

/* The location of a row and of those that it was inlined into, down to last. */
static int locate(struct firefox_stacks *stacks, uint32_t row, uint32_t last, uint32_t *location)
{
    const struct profile *profile = stacks->file->profile;
    const struct firefox_function *function = &stacks->functions[frame_of(stacks, last)->function];
    uint64_t address = frame_of(stacks, row)->address;
    uint32_t object, count = 0;

    if (row == last && stacks->rows[row].prefix == FIREFOX_NOTHING &&
        named_is_mark(profile->strings[function->name]))
        return profile_mark(stacks->file->profile, profile->strings[function->name], location);
    int error = find_object(stacks, function->lib, &object);
    for (uint32_t at = row; error == 0; at = stacks->rows[at].prefix) {
        error = add_line(stacks, at, object, count++);
        if (at == last)
            break;
    }
    return error == 0 ? place(stacks, object, address, count, location) : error;
}

int firefox_stacks_node(struct firefox_stacks *stacks, uint32_t row, uint32_t *node)
{
    size_t count = 0;
    int error = 0;

    while (row != FIREFOX_NOTHING && stacks->rows[row].node == PROFILE_NONE) {
        stacks->chain[count++] = row;
        row = stacks->rows[outermost(stacks, row)].prefix;
    }
    *node = row == FIREFOX_NOTHING ? PROFILE_NONE : stacks->rows[row].node;
    while (error == 0 && count > 0) {
        uint32_t location;
        row = stacks->chain[--count];
        error = locate(stacks, row, outermost(stacks, row), &location);
        if (error == 0)
            error = profile_node(stacks->file->profile, *node, location, node);
        if (error == 0)
            stacks->rows[row].node = *node;
    }
    return error;
}
