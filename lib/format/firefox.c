/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processed profile of the Firefox Profiler, version 47: the last in which each thread has
 * its own tables, and which every later version of the Profiler upgrades
 * (docs-developer/CHANGELOG-formats.md in its source).
 *
 * A table is an object of columns, each an array. They grow at once, each in a stream of its own
 * in memory, and are put together when their thread is done. A stack is a row: a frame upon the
 * row of its callers, as our nodes are. The system call that a sample is in, and whether it
 * sleeps, is the category of its row, so such samples have rows of their own.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/instants.h"
#include "format/pprof-tables.h"
#include "format/text.h"

#define FORMAT_VERSION 47
#define MS UINT64_C(1000000)

enum column {
    STACK_PREFIX,
    STACK_FRAME,
    STACK_CATEGORY,
    STACK_SUBCATEGORY,
    FRAME_ADDRESS,
    FRAME_DEPTH,
    FRAME_FUNC,
    FRAME_LINE,
    FUNC_NAME,
    FUNC_RESOURCE,
    FUNC_FILE,
    FUNC_LINE,
    RESOURCE_LIB,
    RESOURCE_NAME,
    SAMPLE_STACK,
    SAMPLE_TIME,
    SAMPLE_WEIGHT,
    STRING,
    COLUMNS
};

/* What tables remember their rows by. */
enum key { KEY_NODE, KEY_FRAME, KEY_FUNC, KEY_RESOURCE, KEY_STRING };

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_SYSCALL, CATEGORY_SLEEP };

struct stream {
    FILE *out;
    char *text;
    size_t size;
    uint32_t count;
};

struct writer {
    const struct profile *profile;
    struct instants instants;
    uint32_t *order; /* owned: of instants, by thread */
    uint32_t *first; /* owned: of each thread in order, and the end */
    FILE *out;
    struct stream columns[COLUMNS]; /* of the thread that is being made */
    struct memo rows;
    uint32_t *chain; /* owned: nodes from a leaf on; room for the deepest stack */
    int error;
};

/* --- rows ---------------------------------------------------------------------------- */

static FILE *next(struct writer *writer, enum column column)
{
    struct stream *stream = &writer->columns[column];

    if (stream->count++ > 0)
        putc_unlocked(',', stream->out);
    return stream->out;
}

static void put(struct writer *writer, enum column column, uint64_t number)
{
    fprintf(next(writer, column), "%llu", (unsigned long long)number);
}

/* Where the row of a key is or belongs; NULL: no memory. */
static struct memory *recall(struct writer *writer, enum key key, uint32_t a, uint64_t b)
{
    struct memory *found = NULL;
    int error = memo_recall(&writer->rows, key, a, b, &found);

    if (error != 0)
        writer->error = error;
    return error == 0 ? found : NULL;
}

static uint32_t string_row(struct writer *writer, uint32_t index)
{
    struct memory *known = recall(writer, KEY_STRING, index, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = writer->columns[STRING].count;
    memo_remember(&writer->rows, known, row);
    text_put_json(next(writer, STRING), writer->profile->strings[index]);
    return row;
}

static uint32_t resource_row(struct writer *writer, uint32_t object)
{
    struct memory *known = recall(writer, KEY_RESOURCE, object, 0);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = writer->columns[RESOURCE_LIB].count;
    memo_remember(&writer->rows, known, row);
    put(writer, RESOURCE_LIB, object);
    put(writer, RESOURCE_NAME, string_row(writer, writer->profile->objects[object].path));
    return row;
}

static uint32_t func_row(struct writer *writer, const struct profile_line *line, uint32_t object)
{
    const struct profile_function *function = &writer->profile->functions[line->function];
    uint32_t file = line->file != 0 ? line->file : function->file;
    struct memory *known = recall(writer, KEY_FUNC, line->function, (uint64_t)object << 32 | file);

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = writer->columns[FUNC_NAME].count;
    memo_remember(&writer->rows, known, row);
    put(writer, FUNC_NAME, string_row(writer, function->name));
    put(writer, FUNC_RESOURCE, resource_row(writer, object));
    if (file != 0)
        put(writer, FUNC_FILE, string_row(writer, file));
    else
        fputs("null", next(writer, FUNC_FILE));
    if (function->line != 0)
        put(writer, FUNC_LINE, function->line);
    else
        fputs("null", next(writer, FUNC_LINE));
    return row;
}

/* depth: 0 for the function that the code is of, 1 for what was inlined into it, ... */
static uint32_t frame_row(struct writer *writer, uint32_t location, uint32_t depth)
{
    const struct profile_location *place = &writer->profile->locations[location];
    struct memory *known = recall(writer, KEY_FRAME, location, depth);
    struct profile_line line = {0};

    if (known == NULL || known->used)
        return known == NULL ? 0 : known->index;
    uint32_t row = writer->columns[FRAME_ADDRESS].count;
    memo_remember(&writer->rows, known, row);
    if (place->line_count > 0)
        line = place->lines[place->line_count - 1 - depth];
    put(writer, FRAME_ADDRESS, place->address);
    put(writer, FRAME_DEPTH, depth);
    put(writer, FRAME_FUNC, func_row(writer, &line, place->object));
    if (line.line != 0)
        put(writer, FRAME_LINE, line.line);
    else
        fputs("null", next(writer, FRAME_LINE));
    return row;
}

static uint32_t add_stack(struct writer *writer, uint32_t prefix, uint32_t frame,
                          enum category category, uint32_t subcategory)
{
    uint32_t row = writer->columns[STACK_FRAME].count;

    if (prefix == UINT32_MAX)
        fputs("null", next(writer, STACK_PREFIX));
    else
        put(writer, STACK_PREFIX, prefix);
    put(writer, STACK_FRAME, frame);
    put(writer, STACK_CATEGORY, category);
    put(writer, STACK_SUBCATEGORY, subcategory);
    return row;
}

/* The rows of a node above that of its callers: one for each function in its code there. */
static uint32_t add_node(struct writer *writer, uint32_t node, uint32_t prefix,
                         enum category category, uint32_t subcategory)
{
    uint32_t location = writer->profile->nodes[node].location;
    uint32_t lines = writer->profile->locations[location].line_count;

    for (uint32_t depth = 0; depth == 0 || depth < lines; depth++)
        prefix =
            add_stack(writer, prefix, frame_row(writer, location, depth), category, subcategory);
    return prefix;
}

static uint32_t node_row(struct writer *writer, uint32_t leaf)
{
    const struct profile_node *nodes = writer->profile->nodes;
    uint32_t count = 0, row = UINT32_MAX;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent) {
        struct memory *known = recall(writer, KEY_NODE, node, 0);
        if (known != NULL && known->used) {
            row = known->index;
            break;
        }
        writer->chain[count++] = node;
    }
    while (count > 0 && writer->error == 0) {
        uint32_t node = writer->chain[--count];
        row = add_node(writer, node, row, CATEGORY_USER, 0);
        struct memory *known = recall(writer, KEY_NODE, node, 0);
        if (known != NULL)
            memo_remember(&writer->rows, known, row);
    }
    return row;
}

/* The row of a sample's stack. What is in no system call shares its rows with others. */
static uint32_t sample_row(struct writer *writer, const struct profile_sample *sample)
{
    uint32_t parent = writer->profile->nodes[sample->node].parent;

    if (sample->syscall == PROFILE_NONE && !sample->sleeping)
        return node_row(writer, sample->node);
    uint32_t prefix = parent == PROFILE_NONE ? UINT32_MAX : node_row(writer, parent);
    return add_node(writer, sample->node, prefix,
                    sample->sleeping ? CATEGORY_SLEEP : CATEGORY_SYSCALL, sample->syscall);
}

/* --- tables -------------------------------------------------------------------------- */

static bool open_columns(struct writer *writer)
{
    memset(writer->columns, 0, sizeof writer->columns);
    for (size_t i = 0; i < COLUMNS; i++) {
        struct stream *stream = &writer->columns[i];
        stream->out = open_memstream(&stream->text, &stream->size);
        if (stream->out == NULL)
            writer->error = -ENOMEM;
    }
    return writer->error == 0;
}

static void finish_columns(struct writer *writer)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (writer->columns[i].out != NULL && fclose(writer->columns[i].out) != 0)
            writer->error = -ENOMEM;
}

static void put_column(const struct writer *writer, const char *name, enum column column)
{
    fprintf(writer->out, ",\"%s\":[%s]", name, writer->columns[column].text);
}

/* A column in which all rows have the same. */
static void put_same(const struct writer *writer, const char *name, const char *value,
                     uint32_t count)
{
    fprintf(writer->out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(writer->out, i == 0 ? "%s" : ",%s", value);
    putc_unlocked(']', writer->out);
}

static void begin_table(const struct writer *writer, const char *name, uint32_t count)
{
    fprintf(writer->out, ",\n\"%s\":{\"length\":%u", name, count);
}

static void put_tables(const struct writer *writer)
{
    const struct stream *columns = writer->columns;
    uint32_t frames = columns[FRAME_ADDRESS].count, funcs = columns[FUNC_NAME].count,
             resources = columns[RESOURCE_LIB].count;

    begin_table(writer, "samples", columns[SAMPLE_STACK].count);
    put_column(writer, "stack", SAMPLE_STACK);
    put_column(writer, "time", SAMPLE_TIME);
    put_column(writer, "weight", SAMPLE_WEIGHT);
    fputs(",\"weightType\":\"tracing-ms\"}", writer->out);
    begin_table(writer, "stackTable", columns[STACK_FRAME].count);
    put_column(writer, "prefix", STACK_PREFIX);
    put_column(writer, "frame", STACK_FRAME);
    put_column(writer, "category", STACK_CATEGORY);
    put_column(writer, "subcategory", STACK_SUBCATEGORY);
    putc('}', writer->out);
    begin_table(writer, "frameTable", frames);
    put_column(writer, "address", FRAME_ADDRESS);
    put_column(writer, "inlineDepth", FRAME_DEPTH);
    put_column(writer, "func", FRAME_FUNC);
    put_column(writer, "line", FRAME_LINE);
    put_same(writer, "category", "1", frames);
    put_same(writer, "subcategory", "0", frames);
    put_same(writer, "nativeSymbol", "null", frames);
    put_same(writer, "innerWindowID", "0", frames);
    put_same(writer, "implementation", "null", frames);
    put_same(writer, "column", "null", frames);
    putc('}', writer->out);
    begin_table(writer, "funcTable", funcs);
    put_column(writer, "name", FUNC_NAME);
    put_column(writer, "resource", FUNC_RESOURCE);
    put_column(writer, "fileName", FUNC_FILE);
    put_column(writer, "lineNumber", FUNC_LINE);
    put_same(writer, "columnNumber", "null", funcs);
    put_same(writer, "isJS", "false", funcs);
    put_same(writer, "relevantForJS", "false", funcs);
    putc('}', writer->out);
    begin_table(writer, "resourceTable", resources);
    put_column(writer, "lib", RESOURCE_LIB);
    put_column(writer, "name", RESOURCE_NAME);
    put_same(writer, "host", "null", resources);
    put_same(writer, "type", "1", resources);
    putc('}', writer->out);
    fputs(",\n\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
          "\"name\":[]},\n\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
          "\"name\":[],\"phase\":[],\"startTime\":[]}",
          writer->out);
    fprintf(writer->out, ",\n\"stringArray\":[%s]}", columns[STRING].text);
}

/* --- threads ------------------------------------------------------------------------- */

static void add_samples(struct writer *writer, uint32_t thread)
{
    for (uint32_t i = writer->first[thread]; i < writer->first[thread + 1] && writer->error == 0;
         i++) {
        const struct instant *instant = &writer->instants.instants[writer->order[i]];
        put(writer, SAMPLE_STACK, sample_row(writer, &writer->profile->samples[instant->sample]));
        text_put_time(next(writer, SAMPLE_TIME), instant->time - writer->instants.begin, MS);
        text_put_time(next(writer, SAMPLE_WEIGHT), instant->ns, MS);
    }
}

static void put_thread_head(const struct writer *writer, uint32_t index)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[index];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct life *life = &writer->instants.lives[thread->process];
    FILE *out = writer->out;

    fputs("{\"name\":", out);
    text_put_json(out, profile->strings[thread->comm]);
    fprintf(out, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\"processName\":",
            thread->tid == process->pid ? "true" : "false", process->pid, thread->tid);
    text_put_json(out, profile->strings[process->comm]);
    fputs(",\"processType\":\"default\",\"processStartupTime\":", out);
    text_put_time(out, life->begin - writer->instants.begin, MS);
    fputs(",\"processShutdownTime\":", out);
    if (process->end != 0)
        text_put_time(out, life->end - writer->instants.begin, MS);
    else
        fputs("null", out);
    fputs(",\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[]", out);
}

static void put_thread(struct writer *writer, uint32_t index)
{
    if (open_columns(writer))
        add_samples(writer, index);
    finish_columns(writer);
    if (writer->error == 0) {
        put_thread_head(writer, index);
        put_tables(writer);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        free(writer->columns[i].text);
    free(writer->rows.slots);
    writer->rows = (struct memo){0};
}

static uint32_t thread_of(const struct writer *writer, size_t instant)
{
    return writer->profile->samples[writer->instants.instants[instant].sample].thread;
}

/* Parents are made before their children, so one pass finds how deep each node is. */
static int make_chain(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t *depths = calloc(profile->node_count + 1u, sizeof *depths), deepest = 0;

    if (depths == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < profile->node_count; i++) {
        depths[i] = depths[profile->nodes[i].parent] + 1;
        if (depths[i] > deepest)
            deepest = depths[i];
    }
    free(depths);
    writer->chain = calloc(deepest + 1u, sizeof *writer->chain);
    return writer->chain == NULL ? -ENOMEM : 0;
}

/* A counting sort, which keeps the order of times. */
static int sort_by_thread(struct writer *writer)
{
    uint32_t threads = writer->profile->thread_count;

    writer->order = calloc(writer->instants.count + 1, sizeof *writer->order);
    writer->first = calloc(threads + 2u, sizeof *writer->first);
    if (writer->order == NULL || writer->first == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < writer->instants.count; i++)
        writer->first[thread_of(writer, i) + 2]++;
    for (uint32_t i = 2; i < threads + 2; i++)
        writer->first[i] += writer->first[i - 1];
    for (size_t i = 0; i < writer->instants.count; i++)
        writer->order[writer->first[thread_of(writer, i) + 1]++] = (uint32_t)i;
    return 0;
}

static void put_threads(struct writer *writer)
{
    bool first = true;

    fputs("],\n\"threads\":[", writer->out);
    for (uint32_t i = 0; i < writer->profile->thread_count && writer->error == 0; i++) {
        if (writer->first[i] == writer->first[i + 1])
            continue;
        fputs(first ? "\n" : ",\n", writer->out);
        first = false;
        put_thread(writer, i);
    }
    fputs("]}\n", writer->out);
}

/* --- the head ------------------------------------------------------------------------ */

static void put_category(FILE *out, const struct profile *profile, const char *name,
                         const char *colour)
{
    fprintf(out, "{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"", name, colour);
    for (uint32_t i = 1; profile != NULL && i < profile->syscall_count; i++) {
        putc(',', out);
        text_put_json(out, profile->strings[profile->syscalls[i].name]);
    }
    fputs("]}", out);
}

static void put_meta(const struct writer *writer)
{
    const struct profile_totals *totals = &writer->profile->totals;
    FILE *out = writer->out;

    fprintf(out, "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":%d,\"interval\":",
            FORMAT_VERSION);
    text_put_time(out, totals->asked_hz > 1e-3 ? (uint64_t)(1e9 / totals->asked_hz) : MS, MS);
    fputs(",\"startTime\":", out);
    text_put_time(out, totals->start_time, MS);
    fputs(",\"product\":", out);
    text_put_json(out, writer->profile->command != NULL ? writer->profile->command : "");
    fputs(",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
          "\"importedFrom\":\"pprofil\",\"usesOnlyOneStackType\":true,"
          "\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":true,"
          "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
          "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
          "\"markerSchema\":[],\"categories\":[",
          out);
    put_category(out, NULL, "Other", "grey");
    putc(',', out);
    put_category(out, NULL, "User", "blue");
    putc(',', out);
    put_category(out, writer->profile, "System call", "orange");
    putc(',', out);
    put_category(out, writer->profile, "Asleep", "transparent");
    fputs("]},\n\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n\"libs\":[", out);
}

static void put_lib(FILE *out, const struct profile *profile, uint32_t index)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path], *slash = strrchr(path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : path;

    fputs(index == 0 ? "\n{\"name\":" : ",\n{\"name\":", out);
    text_put_json(out, name);
    fputs(",\"debugName\":", out);
    text_put_json(out, name);
    fputs(",\"path\":", out);
    text_put_json(out, path);
    fputs(",\"debugPath\":", out);
    text_put_json(out, path);
    fputs(",\"breakpadId\":\"\",\"arch\":null,\"codeId\":", out);
    if (object->build_id_size == 0)
        fputs("null", out);
    else
        putc('"', out);
    for (uint32_t i = 0; i < object->build_id_size; i++)
        fprintf(out, "%02x", object->build_id[i]);
    fputs(object->build_id_size == 0 ? "}" : "\"}", out);
}

static int firefox_write(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile};
    int error = instants_make(&writer.instants, profile);

    if (error == 0)
        error = sort_by_thread(&writer);
    if (error == 0)
        error = make_chain(&writer);
    if (error == 0 && (writer.out = text_open(fd)) == NULL)
        error = -errno;
    if (error == 0) {
        put_meta(&writer);
        for (uint32_t i = 0; i < profile->object_count; i++)
            put_lib(writer.out, profile, i);
        put_threads(&writer);
        error = text_close(writer.out);
        if (writer.error != 0)
            error = writer.error;
    }
    instants_free(&writer.instants);
    free(writer.order);
    free(writer.first);
    free(writer.chain);
    return error;
}

const struct format format_firefox = {
    .name = "firefox",
    .extensions = ".firefox.json .profile.json",
    .summary = "for the Firefox Profiler, version 47",
    .keeps = "stacks with inlined functions, names, lines, marks, processes and "
             "threads, objects with build-ids, times; system calls and sleep as "
             "categories",
    .loses = "names as the linker has them, CPU time in a profile of elapsed time, "
             "totals; only written",
    .write = firefox_write,
};
