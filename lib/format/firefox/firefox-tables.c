/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the tables of one thread, for the format of the Firefox Profiler. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/firefox/firefox-tables.h"
#include "format/frames.h"
#include "format/text.h"

#define MS UINT64_C(1000000)

/* Kinds of keys in the memo. The memo finds rows that have been added before. */
enum key { KEY_NODE, KEY_FRAME, KEY_FUNC, KEY_PLACE, KEY_RESOURCE, KEY_STRING };

/* --- rows ---------------------------------------------------------------------------- */

static FILE *firefox_tables_next(struct firefox_tables *tables, enum firefox_column column)
{
    struct firefox_stream *stream = &tables->columns[column];

    if (stream->count++ > 0)
        putc_unlocked(',', stream->out);
    return stream->out;
}

static void put_number(struct firefox_tables *tables, enum firefox_column column, uint64_t number)
{
    fprintf(firefox_tables_next(tables, column), "%llu", (unsigned long long)number);
}

/* Writes `number`, or null if the number is equal to `none`. */
static void put_or_null(struct firefox_tables *tables, enum firefox_column column, uint32_t number, uint32_t none)
{
    if (number != none)
        put_number(tables, column, number);
    else
        fputs("null", firefox_tables_next(tables, column));
}

/* Returns the memo's entry for a key. If the memo has no memory for it, returns NULL and sets tables->error. */
static struct memo_entry *find_row(struct firefox_tables *tables, enum key key, uint32_t a, uint64_t b)
{
    struct memo_entry *found = NULL;
    int error = memo_find(&tables->rows, key, a, b, &found);

    if (error != 0)
        tables->error = error;
    return error == 0 ? found : NULL;
}

static uint32_t string_row(struct firefox_tables *tables, uint32_t index)
{
    struct memo_entry *known = find_row(tables, KEY_STRING, index, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[STRING].count;
    memo_set(known, row);
    text_put_json(firefox_tables_next(tables, STRING), tables->profile->strings[index]);
    return row;
}

static uint32_t resource_row(struct firefox_tables *tables, uint32_t object)
{
    struct memo_entry *known = find_row(tables, KEY_RESOURCE, object, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[RESOURCE_LIB].count;
    memo_set(known, row);
    put_number(tables, RESOURCE_LIB, object);
    put_number(tables, RESOURCE_NAME, string_row(tables, tables->profile->objects[object].path));
    return row;
}

/* Returns the row of the table of strings that has the name of a function. If the function has no name, a new row is
 * added, with a name made from its address. */
static uint32_t name_row(struct firefox_tables *tables, const struct frame *frame)
{
    uint32_t name = tables->profile->functions[frame->function].name;
    char buffer[FRAME_NAME];

    if (name != 0)
        return string_row(tables, name);
    uint32_t row = tables->columns[STRING].count;
    text_put_json(firefox_tables_next(tables, STRING), frame_name(tables->profile, frame, buffer));
    return row;
}

static uint32_t func_row(struct firefox_tables *tables, const struct frame *frame)
{
    const struct profile_function *function = &tables->profile->functions[frame->function];
    uint32_t object = tables->profile->locations[frame->location].object;
    uint32_t file = frame->file != 0 ? frame->file : function->file;
    struct memo_entry *known = function->name != 0 ? find_row(tables, KEY_FUNC, frame->function,
                                                        (uint64_t)object << 32 | file)
                                               : find_row(tables, KEY_PLACE, frame->location, file);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[FUNC_NAME].count;
    memo_set(known, row);
    put_number(tables, FUNC_NAME, name_row(tables, frame));
    put_number(tables, FUNC_RESOURCE, resource_row(tables, object));
    put_or_null(tables, FUNC_FILE, file != 0 ? string_row(tables, file) : UINT32_MAX, UINT32_MAX);
    put_or_null(tables, FUNC_LINE, function->line, 0);
    return row;
}

/* Returns the row of a frame. If functions were inlined at the location, it has several frames. `depth` is 0 for the
 * outermost function, 1 for the function that was inlined into it, and so on. */
static uint32_t frame_row(struct firefox_tables *tables, uint32_t location, uint32_t depth)
{
    const struct profile *profile = tables->profile;
    struct frame frame = frame_at(profile, location, frame_count(profile, location) - 1 - depth);
    struct memo_entry *known = find_row(tables, KEY_FRAME, location, depth);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = tables->columns[FRAME_ADDRESS].count;
    memo_set(known, row);
    if (profile->locations[location].address <= INT64_MAX)
        put_number(tables, FRAME_ADDRESS, profile->locations[location].address);
    else
        /* addresses above INT64_MAX are in the kernel, and do not fit into this column. -1 means "no address" */
        fputs("-1", firefox_tables_next(tables, FRAME_ADDRESS));
    put_number(tables, FRAME_DEPTH, depth);
    put_number(tables, FRAME_FUNC, func_row(tables, &frame));
    put_or_null(tables, FRAME_LINE, frame.line, 0);
    return row;
}

static uint32_t add_stack(struct firefox_tables *tables, uint32_t prefix, uint32_t frame,
                          enum firefox_category category, uint32_t subcategory)
{
    uint32_t row = tables->columns[STACK_FRAME].count;

    put_or_null(tables, STACK_PREFIX, prefix, UINT32_MAX);
    put_number(tables, STACK_FRAME, frame);
    put_number(tables, STACK_CATEGORY, category);
    put_number(tables, STACK_SUBCATEGORY, subcategory);
    return row;
}

/* Adds a row for each function of a node, and returns the last of these rows. `prefix` is the row that stands for the
 * node's callers. */
static uint32_t add_node(struct firefox_tables *tables, uint32_t node, uint32_t prefix,
                         enum firefox_category category, uint32_t subcategory)
{
    uint32_t location = tables->profile->nodes[node].location;

    for (uint32_t depth = 0; depth < frame_count(tables->profile, location); depth++)
        prefix = add_stack(tables, prefix, frame_row(tables, location, depth), category, subcategory);
    return prefix;
}

static uint32_t node_row(struct firefox_tables *tables, uint32_t leaf)
{
    const struct profile_node *nodes = tables->profile->nodes;
    uint32_t count = 0, row = UINT32_MAX;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent) {
        struct memo_entry *known = find_row(tables, KEY_NODE, node, 0);
        if (known != NULL && known->used) {
            row = known->index;
            break;
        }
        tables->chain[count++] = node;
    }
    while (count > 0 && tables->error == 0) {
        uint32_t node = tables->chain[--count];
        row = add_node(tables, node, row, FIREFOX_USER, 0);
        struct memo_entry *known = find_row(tables, KEY_NODE, node, 0);
        if (known != NULL)
            memo_set(known, row);
    }
    return row;
}

/* Returns the row of a sample's stack. Samples with the same stack share the same rows if their threads were running
 * user code. Any other sample gets new rows for its innermost node, because these rows show the category of this
 * sample. */
static uint32_t sample_row(struct firefox_tables *tables, const struct profile_sample *sample)
{
    uint32_t parent = tables->profile->nodes[sample->node].parent;

    enum firefox_category category = FIREFOX_SYSCALL;

    if (sample->syscall == PROFILE_NONE && sample->state == PROFILE_RUNNING)
        return node_row(tables, sample->node);
    if (sample->state != PROFILE_RUNNING)
        category = FIREFOX_WAITING + (sample->state - PROFILE_WAITING);
    uint32_t prefix = parent == PROFILE_NONE ? UINT32_MAX : node_row(tables, parent);
    return add_node(tables, sample->node, prefix, category, sample->syscall);
}

void firefox_tables_add(struct firefox_tables *tables, const struct timed_sample *timed)
{
    put_number(tables, SAMPLE_STACK, sample_row(tables, &tables->profile->samples[timed->sample]));
    text_put_time(firefox_tables_next(tables, SAMPLE_TIME), timed->time, MS);
    text_put_time(firefox_tables_next(tables, SAMPLE_WEIGHT), timed->ns, MS);
    put_number(tables, SAMPLE_CPU, timed->cpu_ns);
}

/* --- tables -------------------------------------------------------------------------- */

int firefox_tables_open(struct firefox_tables *tables, const struct profile *profile, uint32_t *chain)
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
    memo_free(&tables->rows);
}

/* A column of a table in the file. */
struct column {
    const char *name;
    enum firefox_column column;
    const char *same; /* the value that this column has in all rows; NULL: the values are in `column` */
};

#define COLUMNS_MAX 10

static const struct {
    const char *name;
    enum firefox_column rows; /* a column that has as many elements as the table has rows */
    const char *more;         /* further members of the table's JSON object, which are written after the columns */
    struct column columns[COLUMNS_MAX];
} layout[] = {
    {"samples",
     SAMPLE_STACK,
     ",\"weightType\":\"tracing-ms\"",
     {{"stack", SAMPLE_STACK, NULL},
      {"time", SAMPLE_TIME, NULL},
      {"weight", SAMPLE_WEIGHT, NULL},
      {"threadCPUDelta", SAMPLE_CPU, NULL}}},
    {"stackTable",
     STACK_FRAME,
     "",
     {{"prefix", STACK_PREFIX, NULL},
      {"frame", STACK_FRAME, NULL},
      {"category", STACK_CATEGORY, NULL},
      {"subcategory", STACK_SUBCATEGORY, NULL}}},
    {"frameTable",
     FRAME_ADDRESS,
     "",
     {{"address", FRAME_ADDRESS, NULL},
      {"inlineDepth", FRAME_DEPTH, NULL},
      {"func", FRAME_FUNC, NULL},
      {"line", FRAME_LINE, NULL},
      {"category", 0, "1"},
      {"subcategory", 0, "0"},
      {"nativeSymbol", 0, "null"},
      {"innerWindowID", 0, "0"},
      {"implementation", 0, "null"},
      {"column", 0, "null"}}},
    {"funcTable",
     FUNC_NAME,
     "",
     {{"name", FUNC_NAME, NULL},
      {"resource", FUNC_RESOURCE, NULL},
      {"fileName", FUNC_FILE, NULL},
      {"lineNumber", FUNC_LINE, NULL},
      {"columnNumber", 0, "null"},
      {"isJS", 0, "false"},
      {"relevantForJS", 0, "false"}}},
    {"resourceTable",
     RESOURCE_LIB,
     "",
     {{"lib", RESOURCE_LIB, NULL},
      {"name", RESOURCE_NAME, NULL},
      {"host", 0, "null"},
      {"type", 0, "1"}}},
};

static void put_column(FILE *out, const struct firefox_tables *tables, const struct column *column, uint32_t rows)
{
    fprintf(out, ",\"%s\":[", column->name);
    if (column->same == NULL)
        fputs(tables->columns[column->column].text, out);
    for (uint32_t i = 0; column->same != NULL && i < rows; i++)
        fprintf(out, i == 0 ? "%s" : ",%s", column->same);
    putc_unlocked(']', out);
}

void firefox_tables_put(const struct firefox_tables *tables, FILE *out)
{
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++) {
        uint32_t rows = tables->columns[layout[i].rows].count;
        fprintf(out, ",\n\"%s\":{\"length\":%u", layout[i].name, rows);
        for (size_t k = 0; k < COLUMNS_MAX && layout[i].columns[k].name != NULL; k++)
            put_column(out, tables, &layout[i].columns[k], rows);
        fprintf(out, "%s}", layout[i].more);
    }
    fputs(",\n\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
          "\"name\":[]},\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
          "\"name\":[],\"phase\":[],\"startTime\":[]}",
          out);
    fprintf(out, ",\n\"stringArray\":[%s]}", tables->columns[STRING].text);
}
