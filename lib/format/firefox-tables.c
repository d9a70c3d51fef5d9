/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/firefox-tables.h"
#include "format/firefox.h"
#include "format/frames.h"
#include "format/text.h"

#define MS UINT64_C(1000000)

/* What tables remember their rows by. */
enum key { KEY_NODE, KEY_FRAME, KEY_FUNC, KEY_PLACE, KEY_RESOURCE, KEY_STRING };

/* --- rows ---------------------------------------------------------------------------- */

static FILE *next(struct firefox_tables *tables, enum firefox_column column)
{
    struct firefox_stream *stream = &tables->columns[column];

    if (stream->count++ > 0)
        putc_unlocked(',', stream->out);
    return stream->out;
}

static void put(struct firefox_tables *tables, enum firefox_column column, uint64_t number)
{
    fprintf(next(tables, column), "%llu", (unsigned long long)number);
}

/* Where the row of a key is or belongs; NULL: no memory. */
static struct memory *recall(struct firefox_tables *tables, enum key key, uint32_t a, uint64_t b)
{
    struct memory *found = NULL;
    int error = memo_recall(&tables->rows, key, a, b, &found);

    if (error != 0)
        tables->error = error;
    return error == 0 ? found : NULL;
}

static uint32_t string_row(struct firefox_tables *tables, uint32_t index)
{
    struct memory *known = recall(tables, KEY_STRING, index, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[STRING].count;
    memo_remember(&tables->rows, known, row);
    text_put_json(next(tables, STRING), tables->profile->strings[index]);
    return row;
}

static uint32_t resource_row(struct firefox_tables *tables, uint32_t object)
{
    struct memory *known = recall(tables, KEY_RESOURCE, object, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[RESOURCE_LIB].count;
    memo_remember(&tables->rows, known, row);
    put(tables, RESOURCE_LIB, object);
    put(tables, RESOURCE_NAME, string_row(tables, tables->profile->objects[object].path));
    return row;
}

/* The row of its name: code without one is called by its place, which only one row is of. */
static uint32_t name_row(struct firefox_tables *tables, const struct frame *frame)
{
    uint32_t name = tables->profile->functions[frame->function].name;
    char buffer[FRAME_NAME];

    if (name != 0)
        return string_row(tables, name);
    uint32_t row = tables->columns[STRING].count;
    text_put_json(next(tables, STRING), frame_name(tables->profile, frame, buffer));
    return row;
}

static uint32_t func_row(struct firefox_tables *tables, const struct frame *frame)
{
    const struct profile_function *function = &tables->profile->functions[frame->function];
    uint32_t object = tables->profile->locations[frame->location].object;
    uint32_t file = frame->file != 0 ? frame->file : function->file;
    struct memory *known = function->name != 0 ? recall(tables, KEY_FUNC, frame->function,
                                                        (uint64_t)object << 32 | file)
                                               : recall(tables, KEY_PLACE, frame->location, file);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[FUNC_NAME].count;
    memo_remember(&tables->rows, known, row);
    put(tables, FUNC_NAME, name_row(tables, frame));
    put(tables, FUNC_RESOURCE, resource_row(tables, object));
    if (file != 0)
        put(tables, FUNC_FILE, string_row(tables, file));
    else
        fputs("null", next(tables, FUNC_FILE));
    if (function->line != 0)
        put(tables, FUNC_LINE, function->line);
    else
        fputs("null", next(tables, FUNC_LINE));
    return row;
}

/* depth: 0 for the function that the code is of, 1 for what was inlined into it, ... */
static uint32_t frame_row(struct firefox_tables *tables, uint32_t location, uint32_t depth)
{
    const struct profile *profile = tables->profile;
    struct frame frame = frame_at(profile, location, frame_count(profile, location) - 1 - depth);
    struct memory *known = recall(tables, KEY_FRAME, location, depth);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[FRAME_ADDRESS].count;
    memo_remember(&tables->rows, known, row);
    if (profile->locations[location].address <= INT64_MAX)
        put(tables, FRAME_ADDRESS, profile->locations[location].address);
    else
        fputs("-1", next(tables, FRAME_ADDRESS)); /* none: of the kernel's */
    put(tables, FRAME_DEPTH, depth);
    put(tables, FRAME_FUNC, func_row(tables, &frame));
    if (frame.line != 0)
        put(tables, FRAME_LINE, frame.line);
    else
        fputs("null", next(tables, FRAME_LINE));
    return row;
}

static uint32_t add_stack(struct firefox_tables *tables, uint32_t prefix, uint32_t frame,
                          enum firefox_category category, uint32_t subcategory)
{
    uint32_t row = tables->columns[STACK_FRAME].count;

    if (prefix == UINT32_MAX)
        fputs("null", next(tables, STACK_PREFIX));
    else
        put(tables, STACK_PREFIX, prefix);
    put(tables, STACK_FRAME, frame);
    put(tables, STACK_CATEGORY, category);
    put(tables, STACK_SUBCATEGORY, subcategory);
    return row;
}

/* The rows of a node above that of its callers: one for each function in its code there. */
static uint32_t add_node(struct firefox_tables *tables, uint32_t node, uint32_t prefix,
                         enum firefox_category category, uint32_t subcategory)
{
    uint32_t location = tables->profile->nodes[node].location;

    for (uint32_t depth = 0; depth < frame_count(tables->profile, location); depth++)
        prefix =
            add_stack(tables, prefix, frame_row(tables, location, depth), category, subcategory);
    return prefix;
}

static uint32_t node_row(struct firefox_tables *tables, uint32_t leaf)
{
    const struct profile_node *nodes = tables->profile->nodes;
    uint32_t count = 0, row = UINT32_MAX;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent) {
        struct memory *known = recall(tables, KEY_NODE, node, 0);
        if (known != NULL && known->used) {
            row = known->index;
            break;
        }
        tables->chain[count++] = node;
    }
    while (count > 0 && tables->error == 0) {
        uint32_t node = tables->chain[--count];
        row = add_node(tables, node, row, FIREFOX_USER, 0);
        struct memory *known = recall(tables, KEY_NODE, node, 0);
        if (known != NULL)
            memo_remember(&tables->rows, known, row);
    }
    return row;
}

/* The row of a sample's stack. What is in no system call shares its rows with others. */
static uint32_t sample_row(struct firefox_tables *tables, const struct profile_sample *sample)
{
    uint32_t parent = tables->profile->nodes[sample->node].parent;

    if (sample->syscall == PROFILE_NONE && !sample->sleeping)
        return node_row(tables, sample->node);
    uint32_t prefix = parent == PROFILE_NONE ? UINT32_MAX : node_row(tables, parent);
    return add_node(tables, sample->node, prefix,
                    sample->sleeping ? FIREFOX_SLEEP : FIREFOX_SYSCALL, sample->syscall);
}

void firefox_tables_add(struct firefox_tables *tables, const struct instant *instant)
{
    put(tables, SAMPLE_STACK, sample_row(tables, &tables->profile->samples[instant->sample]));
    text_put_time(next(tables, SAMPLE_TIME), instant->time, MS);
    text_put_time(next(tables, SAMPLE_WEIGHT), instant->ns, MS);
    put(tables, SAMPLE_CPU, instant->cpu_ns);
}

/* --- tables -------------------------------------------------------------------------- */

int firefox_tables_open(struct firefox_tables *tables, const struct profile *profile,
                        uint32_t *chain)
{
    *tables = (struct firefox_tables){.profile = profile, .chain = chain};
    for (size_t i = 0; i < FIREFOX_COLUMNS; i++) {
        struct firefox_stream *stream = &tables->columns[i];
        stream->out = open_memstream(&stream->text, &stream->size);
        if (stream->out == NULL)
            tables->error = -ENOMEM;
    }
    return tables->error;
}

int firefox_tables_finish(struct firefox_tables *tables)
{
    for (size_t i = 0; i < FIREFOX_COLUMNS; i++) {
        FILE *out = tables->columns[i].out;
        tables->columns[i].out = NULL;
        if (out != NULL && fclose(out) != 0)
            tables->error = -ENOMEM;
    }
    return tables->error;
}

void firefox_tables_clear(struct firefox_tables *tables)
{
    firefox_tables_finish(tables);
    for (size_t i = 0; i < FIREFOX_COLUMNS; i++)
        free(tables->columns[i].text);
    free(tables->rows.slots);
}

static void put_column(FILE *out, const struct firefox_tables *tables, const char *name,
                       enum firefox_column column)
{
    fprintf(out, ",\"%s\":[%s]", name, tables->columns[column].text);
}

/* A column in which all rows have the same. */
static void put_same(FILE *out, const char *name, const char *value, uint32_t count)
{
    fprintf(out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, i == 0 ? "%s" : ",%s", value);
    putc_unlocked(']', out);
}

static void begin_table(FILE *out, const char *name, uint32_t count)
{
    fprintf(out, ",\n\"%s\":{\"length\":%u", name, count);
}

void firefox_tables_put(const struct firefox_tables *tables, FILE *out)
{
    const struct firefox_stream *columns = tables->columns;
    uint32_t frames = columns[FRAME_ADDRESS].count, funcs = columns[FUNC_NAME].count,
             resources = columns[RESOURCE_LIB].count;

    begin_table(out, "samples", columns[SAMPLE_STACK].count);
    put_column(out, tables, "stack", SAMPLE_STACK);
    put_column(out, tables, "time", SAMPLE_TIME);
    put_column(out, tables, "weight", SAMPLE_WEIGHT);
    put_column(out, tables, "threadCPUDelta", SAMPLE_CPU);
    fputs(",\"weightType\":\"tracing-ms\"}", out);
    begin_table(out, "stackTable", columns[STACK_FRAME].count);
    put_column(out, tables, "prefix", STACK_PREFIX);
    put_column(out, tables, "frame", STACK_FRAME);
    put_column(out, tables, "category", STACK_CATEGORY);
    put_column(out, tables, "subcategory", STACK_SUBCATEGORY);
    putc('}', out);
    begin_table(out, "frameTable", frames);
    put_column(out, tables, "address", FRAME_ADDRESS);
    put_column(out, tables, "inlineDepth", FRAME_DEPTH);
    put_column(out, tables, "func", FRAME_FUNC);
    put_column(out, tables, "line", FRAME_LINE);
    put_same(out, "category", "1", frames);
    put_same(out, "subcategory", "0", frames);
    put_same(out, "nativeSymbol", "null", frames);
    put_same(out, "innerWindowID", "0", frames);
    put_same(out, "implementation", "null", frames);
    put_same(out, "column", "null", frames);
    putc('}', out);
    begin_table(out, "funcTable", funcs);
    put_column(out, tables, "name", FUNC_NAME);
    put_column(out, tables, "resource", FUNC_RESOURCE);
    put_column(out, tables, "fileName", FUNC_FILE);
    put_column(out, tables, "lineNumber", FUNC_LINE);
    put_same(out, "columnNumber", "null", funcs);
    put_same(out, "isJS", "false", funcs);
    put_same(out, "relevantForJS", "false", funcs);
    putc('}', out);
    begin_table(out, "resourceTable", resources);
    put_column(out, tables, "lib", RESOURCE_LIB);
    put_column(out, tables, "name", RESOURCE_NAME);
    put_same(out, "host", "null", resources);
    put_same(out, "type", "1", resources);
    putc('}', out);
    fputs(",\n\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
          "\"name\":[]},\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
          "\"name\":[],\"phase\":[],\"startTime\":[]}",
          out);
    fprintf(out, ",\n\"stringArray\":[%s]}", columns[STRING].text);
}
