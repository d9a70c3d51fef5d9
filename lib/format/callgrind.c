/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the format of callgrind, for callgrind_annotate and KCachegrind. A file has the source lines of each function.
 * Each line has the cost of its own code and the cost of each call that it makes.
 *
 * callgrind_annotate computes the inclusive cost of a called function as the sum of the costs of all calls of it. In a
 * recursion, the cost of a stack must not be added several times. So for each function on a stack, only the outermost
 * call of it gets the stack's cost, and its inner calls get no cost. If a function has a caller in some stacks but is
 * the outermost frame of others, "(root)" calls it in these others.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/format.h"
#include "format/frames.h"
#include "format/memo.h"
#include "format/text.h"

enum { MEMO_LINE, MEMO_CALL };
enum { ROLE_ROOT = 1, ROLE_CALLED = 2 };
#define ROOT_NAME "(root)"
#define SAMPLES_EVENT "Samples"
#define CPU_EVENT "CPU_ns"
#define WALL_EVENT "Wall_ns"

struct cost {
    uint64_t samples, cpu, wall;
};

/* A source line of a function, with the cost of its own code. */
struct cost_line {
    struct frame frame;
    struct cost cost;
    uint32_t first_call; /* index + 1, in writer.calls, of the first call that the line makes; 0: it makes none */
};

struct call {
    struct frame to;
    uint64_t count;
    struct cost cost;
    uint32_t next; /* index + 1, in writer.calls, of the next call that the same line makes; 0: there is none */
};

struct writer {
    const struct profile *profile;
    FILE *out;
    struct memo memo;
    struct cost_line *lines;
    struct call *calls;
    uint32_t line_count, call_count;
    struct cost *leaves; /* an element for each node of the profile: cost of the samples whose leaf is the node */
    struct cost all;
    uint32_t *met;       /* an element for each frame id: number of the last stack so far that has this frame */
    unsigned char *role; /* an element for each frame id: a set of ROLE_ bits */
    uint32_t root;       /* frame id of "(root)" */
    /* an element for each frame id: true if the name has been written. From then on its number is enough */
    bool *named;
    /* the same as `named`, with an element for each string (file_named) and for each object (object_named) */
    bool *file_named, *object_named;
};

static void add_cost(struct cost *to, const struct cost *cost)
{
    to->samples += cost->samples;
    to->cpu += cost->cpu;
    to->wall += cost->wall;
}

/* --- sums ---------------------------------------------------------------------------- */

static int find_line(struct writer *writer, const struct frame *frame, uint32_t *index)
{
    struct memo_entry *known;
    uint64_t line = (uint64_t)frame->file << 32 | frame->line;
    int error = memo_find(&writer->memo, MEMO_LINE, frame->id, line, &known);

    if (error == 0 && !known->used) {
        error = array_grow(&writer->lines, writer->line_count, sizeof *writer->lines);
        if (error != 0)
            return error;
        writer->lines[writer->line_count] = (struct cost_line){.frame = *frame};
        memo_set(known, writer->line_count++);
    }
    if (error == 0)
        *index = known->index;
    return error;
}

static int find_call(struct writer *writer, uint32_t from, const struct frame *to, struct call **call)
{
    struct memo_entry *known;
    int error = memo_find(&writer->memo, MEMO_CALL, from, to->id, &known);

    if (error == 0 && !known->used) {
        struct cost_line *line = &writer->lines[from];
        error = array_grow(&writer->calls, writer->call_count, sizeof *writer->calls);
        if (error != 0)
            return error;
        writer->calls[writer->call_count] = (struct call){.to = *to, .next = line->first_call};
        line->first_call = writer->call_count + 1;
        memo_set(known, writer->call_count++);
    }
    if (error == 0)
        *call = &writer->calls[known->index];
    return error;
}

static int add_call(struct writer *writer, const struct frame *from, const struct frame *to,
                    const struct cost *cost, uint32_t stack)
{
    struct call *call;
    uint32_t line;
    int error = find_line(writer, from, &line);

    if (error == 0)
        error = find_call(writer, line, to, &call);
    if (error != 0)
        return error;
    call->count += cost->samples;
    if (writer->met[to->id] != stack)
        add_cost(&call->cost, cost);
    return 0;
}

/* Adds the cost of a stack to the calls in the stack, and to the line of its leaf. `list` has the frames of the stack,
 * and the leaf is last. `stack` is a number that no other stack has. */
static int add_stack(struct writer *writer, const struct frame_list *list, const struct cost *cost, uint32_t stack)
{
    const struct frame root = {.id = writer->root};
    uint32_t line;
    int error = 0;

    if (writer->role[list->all[0].id] == (ROLE_ROOT | ROLE_CALLED))
        error = add_call(writer, &root, &list->all[0], cost, stack);
    writer->met[list->all[0].id] = stack;
    for (uint32_t i = 1; error == 0 && i < list->count; i++) {
        error = add_call(writer, &list->all[i - 1], &list->all[i], cost, stack);
        writer->met[list->all[i].id] = stack;
    }
    if (error == 0)
        error = find_line(writer, &list->all[list->count - 1], &line);
    if (error == 0)
        add_cost(&writer->lines[line].cost, cost);
    return error;
}

static void find_roles(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t node = 1; node < profile->node_count; node++) {
        uint32_t location = profile->nodes[node].location;
        for (uint32_t i = 0; i < frame_count(profile, location); i++) {
            struct frame frame = frame_at(profile, location, i);
            bool root = profile->nodes[node].parent == PROFILE_NONE && i + 1 == frame_count(profile, location);
            writer->role[frame.id] |= root ? ROLE_ROOT : ROLE_CALLED;
        }
    }
}

static int add_stacks(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    struct frame_list list = {0};
    int error = 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        struct cost cost = {sample->count, sample->cpu_ns, sample->wall_ns};
        if (!profile_counts_sample(profile, sample))
            continue;
        add_cost(&writer->leaves[sample->node], &cost);
        add_cost(&writer->all, &cost);
    }
    for (uint32_t node = 1; error == 0 && node < profile->node_count; node++) {
        const struct cost *cost = &writer->leaves[node];
        if ((cost->samples | cost->cpu | cost->wall) == 0)
            continue;
        error = frame_list_of(profile, node, &list);
        if (error == 0)
            error = add_stack(writer, &list, cost, node);
    }
    free(list.all);
    return error;
}

static int compare_lines(const void *left, const void *right)
{
    const struct cost_line *a = left, *b = right;

    if (a->frame.id != b->frame.id)
        return a->frame.id < b->frame.id ? -1 : 1;
    if (a->frame.file != b->frame.file)
        return a->frame.file < b->frame.file ? -1 : 1;
    return a->frame.line < b->frame.line ? -1 : a->frame.line > b->frame.line;
}

/* --- writing ------------------------------------------------------------------------- */

static void put_cost(const struct writer *writer, uint32_t line, const struct cost *cost)
{
    fprintf(writer->out, "%u", line);
    if (writer->profile->totals.wall)
        fprintf(writer->out, " %llu", (unsigned long long)cost->wall);
    fprintf(writer->out, " %llu %llu\n", (unsigned long long)cost->cpu, (unsigned long long)cost->samples);
}

/* Writes "fn=(5) name" the first time, and only "fn=(5)" later. *named is false until the name has been written. */
static void put_name(const struct writer *writer, const char *key, uint32_t number, bool *named, const char *name)
{
    fprintf(writer->out, "%s=(%u)", key, number + 1);
    if (!*named) {
        putc(' ', writer->out);
        text_put(writer->out, name[0] != '\0' ? name : "???", "", ' ');
    }
    *named = true;
    putc('\n', writer->out);
}

static void put_file(const struct writer *writer, const char *key, uint32_t string)
{
    put_name(writer, key, string, &writer->file_named[string], writer->profile->strings[string]);
}

static void put_object(const struct writer *writer, const char *key, const struct frame *frame)
{
    const struct profile *profile = writer->profile;
    uint32_t object = profile->locations[frame->location].object;

    put_name(writer, key, object, &writer->object_named[object], profile->strings[profile->objects[object].path]);
}

static void put_function(const struct writer *writer, const char *key, const struct frame *frame)
{
    char buffer[FRAME_NAME];
    const char *name = frame->id == writer->root ? ROOT_NAME : frame_name(writer->profile, frame, buffer);

    put_name(writer, key, frame->id, &writer->named[frame->id], name);
}

/* Returns the file where the frame's function is defined. If that file is not known, returns the file of the frame's
 * line. */
static uint32_t file_of(const struct profile *profile, const struct frame *frame)
{
    uint32_t file = profile->functions[frame->function].file;
    return file != 0 ? file : frame->file;
}

static void put_calls(const struct writer *writer, const struct cost_line *line)
{
    for (uint32_t i = line->first_call; i != 0; i = writer->calls[i - 1].next) {
        const struct call *call = &writer->calls[i - 1];
        put_object(writer, "cob", &call->to);
        put_file(writer, "cfi", file_of(writer->profile, &call->to));
        put_function(writer, "cfn", &call->to);
        fprintf(writer->out, "calls=%llu %u\n", (unsigned long long)call->count,
                writer->profile->functions[call->to.function].line);
        put_cost(writer, line->frame.line, &call->cost);
    }
}

/* Writes the lines function by function. */
static void put_lines(const struct writer *writer)
{
    uint32_t file = 0, own = 0;

    for (uint32_t i = 0; i < writer->line_count; i++) {
        const struct cost_line *line = &writer->lines[i];
        if (i == 0 || line[-1].frame.id != line->frame.id) {
            own = file = file_of(writer->profile, &line->frame);
            putc('\n', writer->out);
            put_object(writer, "ob", &line->frame);
            put_file(writer, "fl", own);
            put_function(writer, "fn", &line->frame);
        }
        uint32_t here = line->frame.file != 0 ? line->frame.file : own;
        if (here != file)
            put_file(writer, here == own ? "fe" : "fi", here);
        file = here;
        put_cost(writer, line->frame.line, &line->cost);
        put_calls(writer, line);
    }
}

static void put_totals(const struct writer *writer, const char *key)
{
    fprintf(writer->out, "%s:", key);
    if (writer->profile->totals.wall)
        fprintf(writer->out, " %llu", (unsigned long long)writer->all.wall);
    fprintf(writer->out, " %llu %llu\n", (unsigned long long)writer->all.cpu, (unsigned long long)writer->all.samples);
}

static void put_header(const struct writer *writer)
{
    const struct profile *profile = writer->profile;
    FILE *out = writer->out;

    fprintf(out, "# callgrind format\nversion: 1\ncreator: pprofil " PACKAGE_VERSION "\n");
    if (profile->sample_count > 0)
        fprintf(out, "pid: %u\n", profile->processes[profile->threads[profile->samples[0].thread].process].pid);
    if (profile->command != NULL) {
        fputs("cmd: ", out);
        text_put(out, profile->command, "", ' ');
        putc('\n', out);
    }
    fputs("part: 1\ndesc: Calls: are samples, for a sampler sees no calls\npositions: line\n", out);
    if (profile->totals.wall)
        fputs("event: " WALL_EVENT " : elapsed time, ns\n", out);
    fputs("event: " CPU_EVENT " : CPU time, ns\nevent: " SAMPLES_EVENT " : samples\n", out);
    fprintf(out, "events: %s" CPU_EVENT " " SAMPLES_EVENT "\n", profile->totals.wall ? WALL_EVENT " " : "");
    put_totals(writer, "summary");
}

static int make_tables(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    writer->leaves = calloc(profile->node_count + 1u, sizeof *writer->leaves);
    writer->root = frame_ids(profile);
    writer->role = calloc((size_t)frame_ids(profile) + 1, sizeof *writer->role);
    writer->met = calloc((size_t)frame_ids(profile) + 1, sizeof *writer->met);
    writer->named = calloc((size_t)frame_ids(profile) + 1, sizeof *writer->named);
    writer->file_named = calloc(profile->string_count + 1u, sizeof *writer->file_named);
    writer->object_named = calloc(profile->object_count + 1u, sizeof *writer->object_named);
    return writer->leaves == NULL || writer->role == NULL || writer->met == NULL || writer->named == NULL ||
                   writer->file_named == NULL || writer->object_named == NULL
               ? -ENOMEM
               : 0;
}

static int write_callgrind(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile, .out = text_open(fd)};
    int error = writer.out == NULL ? -ENOMEM : make_tables(&writer), closed = 0;

    if (error == 0) {
        find_roles(&writer);
        error = add_stacks(&writer);
    }
    if (error == 0) {
        if (writer.line_count > 0)
            qsort(writer.lines, writer.line_count, sizeof *writer.lines, compare_lines);
        put_header(&writer);
        put_lines(&writer);
        put_totals(&writer, "\ntotals");
    }
    if (writer.out != NULL)
        closed = text_close(writer.out);
    memo_free(&writer.memo);
    free(writer.lines);
    free(writer.calls);
    free(writer.leaves);
    free(writer.role);
    free(writer.met);
    free(writer.named);
    free(writer.file_named);
    free(writer.object_named);
    return error != 0 ? error : closed;
}

const struct format format_callgrind = {
    .name = "callgrind",
    .extensions = ".callgrind callgrind.out",
    .summary = "for callgrind_annotate and KCachegrind",
    .keeps = "functions with objects, source files and lines, stacks as calls between functions; samples and times",
    .loses = "whole stacks, addresses, processes, threads, system calls, states, totals; control characters in names",
    .write = write_callgrind,
};
