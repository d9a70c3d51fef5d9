/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the rows of a table of samples as ClickHouse's JSONEachRow: each line is a JSON object, whose members are the
 * columns of contrib/clickhouse/schema.sql. A row is written when it has been found, so no more than the profile is in
 * memory. Rows of several profiles may be in one stream, one after the other.
 *
 * A member that is not known is left out, or is "". A server reads a member that is left out as the column's default.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/clickhouse/clickhouse-rows.h"
#include "format/format.h"
#include "format/text.h"

#define SECOND_NS UINT64_C(1000000000)

struct clickhouse_writer {
    FILE *out;
    const struct profile *profile;
    const char *const *labels; /* borrowed; as in struct format_options */
    struct clickhouse_rows rows;
    struct frame_list stack;
};

static void clickhouse_put_text(const struct clickhouse_writer *writer, const char *column, const char *text)
{
    fprintf(writer->out, ",\"%s\":", column);
    text_put_json(writer->out, text);
}

/* Writes a column that says where the samples come from. Whoever gives a label with the name of the column knows better
 * than the profile. */
static void clickhouse_put_origin(const struct clickhouse_writer *writer, const char *column, const char *text)
{
    for (const char *const *label = writer->labels; label != NULL && *label != NULL; label += 2)
        if (strcmp(label[0], column) == 0)
            text = label[1];
    clickhouse_put_text(writer, column, text);
}

/* Numbers are seconds since 1970, so that no time zone matters. */
static void clickhouse_put_time(const struct clickhouse_writer *writer)
{
    uint64_t begin = writer->rows.current.begin;

    putc('{', writer->out);
    if (begin != 0)
        fprintf(writer->out, "\"time\":%llu,", (unsigned long long)(begin / SECOND_NS));
    fprintf(writer->out, "\"duration_ns\":%llu", (unsigned long long)writer->rows.current.length_ns);
}

static void clickhouse_put_task(const struct clickhouse_writer *writer, const struct profile_sample *sample)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[sample->thread];
    const struct profile_process *process = &profile->processes[thread->process];

    clickhouse_put_origin(writer, "host", profile->strings[process->host]);
    clickhouse_put_origin(writer, "job", profile->strings[process->job]);
    clickhouse_put_origin(writer, "rank", profile->strings[process->rank]);
    clickhouse_put_origin(writer, "service", profile->strings[process->comm]);
    fprintf(writer->out, ",\"pid\":%u,\"tid\":%u", process->pid, thread->tid);
    clickhouse_put_text(writer, "thread", frame_comm(profile, sample->thread));
}

/* Writes an array of the keys of all labels (which: 0), or of their values (1). */
static void clickhouse_put_labels(const struct clickhouse_writer *writer, const char *column, unsigned which)
{
    fprintf(writer->out, ",\"%s\":[", column);
    for (const char *const *label = writer->labels; label != NULL && *label != NULL; label += 2) {
        if (label != writer->labels)
            putc(',', writer->out);
        text_put_json(writer->out, label[which]);
    }
    putc(']', writer->out);
}

/* Writes the functions of the stack, the outermost first, as folded stacks have them. */
static void clickhouse_put_stack(const struct clickhouse_writer *writer)
{
    char buffer[FRAME_NAME];

    fputs(",\"stack\":[", writer->out);
    for (uint32_t i = 0; i < writer->stack.count; i++) {
        if (i > 0)
            putc(',', writer->out);
        text_put_json(writer->out, frame_name(writer->profile, &writer->stack.all[i], buffer));
    }
    fputs(writer->stack.count > 0 ? "]" : "\"[unknown]\"]", writer->out);
}

/* Writes which code was executed: the innermost function, and the line in it. */
static void clickhouse_put_code(const struct clickhouse_writer *writer, const struct profile_sample *sample)
{
    const struct profile *profile = writer->profile;
    uint32_t location = profile->nodes[sample->node].location;

    if (location == PROFILE_NONE) {
        clickhouse_put_text(writer, "function", "[unknown]");
        return;
    }
    struct frame leaf = frame_at(profile, location, 0);
    char buffer[FRAME_NAME];
    clickhouse_put_text(writer, "function", frame_name(profile, &leaf, buffer));
    clickhouse_put_text(writer, "object",
                        frame_is_mark(profile, &leaf)
                            ? ""
                            : profile->strings[profile->objects[profile->locations[location].object].path]);
    clickhouse_put_text(writer, "file", profile->strings[leaf.file]);
    fprintf(writer->out, ",\"line\":%u", leaf.line);
}

static void clickhouse_put_row(const struct clickhouse_writer *writer, const struct clickhouse_row *row)
{
    const struct profile *profile = writer->profile;
    const struct profile_sample *sample = &profile->samples[row->sample];

    clickhouse_put_time(writer);
    clickhouse_put_task(writer, sample);
    clickhouse_put_stack(writer);
    clickhouse_put_code(writer, sample);
    clickhouse_put_text(writer, "state", profile_state_name((enum profile_state)sample->state));
    clickhouse_put_text(writer, "syscall", profile->strings[profile->syscalls[sample->syscall].name]);
    clickhouse_put_text(writer, "wait", profile->strings[profile->waits[sample->wait].name]);
    fprintf(writer->out, ",\"samples\":%llu,\"ns\":%llu", (unsigned long long)row->count, (unsigned long long)row->ns);
    /* keys and values are two arrays, because servers of 2018 have no type for maps */
    clickhouse_put_labels(writer, "labels.key", 0);
    clickhouse_put_labels(writer, "labels.value", 1);
    fputs("}\n", writer->out);
}

static int clickhouse_put_rows(struct clickhouse_writer *writer)
{
    struct clickhouse_row row;
    int error = 0;

    for (uint32_t piece = 0; error == 0 && piece < writer->rows.piece_count; piece++) {
        clickhouse_rows_begin(&writer->rows, piece);
        while (error == 0 && !ferror(writer->out) && clickhouse_rows_next(&writer->rows, &row)) {
            error = frame_tree_stack(&writer->rows.tree, row.node, &writer->stack);
            if (error == 0)
                clickhouse_put_row(writer, &row);
        }
    }
    return error;
}

static int clickhouse_write(int fd, const struct profile *profile, const struct format_options *options)
{
    struct clickhouse_writer writer = {.profile = profile, .labels = options->labels};
    int error = clickhouse_rows_make(&writer.rows, profile), closed = 0;

    if (error == 0 && (writer.out = text_open(fd)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = clickhouse_put_rows(&writer);
    if (writer.out != NULL)
        closed = text_close(writer.out);
    clickhouse_rows_clear(&writer.rows);
    free(writer.stack.all);
    return error != 0 ? error : closed;
}

const struct format format_clickhouse = {
    .name = "clickhouse",
    .extensions = ".jsonl .ndjson",
    .summary = "rows for a table of ClickHouse, as JSONEachRow",
    .keeps = "stacks of function names, inlined functions as frames, marks, objects, source files and lines of the "
             "innermost frames; processes and threads by name and number, hosts, jobs, ranks, system calls, states, "
             "waits, samples, times to the minute, labels",
    .loses = "addresses, lines of callers, CPU times of wall mode, totals",
    .write_with = clickhouse_write,
};
