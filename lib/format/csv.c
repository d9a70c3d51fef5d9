/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes comma-separated values (RFC 4180). There is a row for each combination of source line, thread,
 * system call and state in the samples. The reader finds columns by the names in the first row, and ignores unknown
 * columns.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/format.h"
#include "format/frames.h"
#include "format/memo.h"
#include "format/profile-builder.h"
#include "format/text.h"

enum column {
    COLUMN_PID,
    COLUMN_TID,
    COLUMN_PROCESS,
    COLUMN_THREAD,
    COLUMN_FUNCTION,
    COLUMN_OBJECT,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_SYSCALL,
    COLUMN_STATE,
    COLUMN_SAMPLES,
    COLUMN_CPU,
    COLUMN_WALL,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    "pid",  "tid",     "process", "thread",  "function", "object",  "file",
    "line", "syscall", "state",   "samples", "cpu_ns",   "wall_ns",
};
#define BEGINNING "pid,tid,process,thread,function"

/* --- writing ------------------------------------------------------------------------- */

enum { MEMO_PLACE, MEMO_WHO, MEMO_ROW };

struct row {
    struct frame frame;
    /* sum of the samples that this row stands for; they have the same thread, system call and state */
    struct profile_sample sum;
};

struct rows {
    struct row *all;
    uint32_t count, numbers;
    struct memo memo;
};

/* Sets *number to the number of the key (kind, a, b). When a key is used for the first time, it gets the next number,
 * from 0. */
static int key_number(struct rows *rows, uint32_t kind, uint32_t a, uint64_t b, uint32_t *number)
{
    struct memo_entry *known;
    int error = memo_find(&rows->memo, kind, a, b, &known);

    if (error == 0 && !known->used)
        memo_set(known, rows->numbers++);
    if (error == 0)
        *number = known->index;
    return error;
}

static int add_sample(struct rows *rows, const struct profile *profile, const struct profile_sample *sample)
{
    struct frame frame = frame_at(profile, profile->nodes[sample->node].location, 0);
    struct memo_entry *known;
    uint32_t place, who;

    int error = key_number(rows, MEMO_PLACE, frame.id, (uint64_t)frame.file << 32 | frame.line, &place);
    if (error == 0)
        error = key_number(rows, MEMO_WHO, sample->thread, (uint64_t)sample->syscall << 2 | sample->state, &who);
    if (error == 0)
        error = memo_find(&rows->memo, MEMO_ROW, place, who, &known);
    if (error != 0)
        return error;
    if (!known->used) {
        error = array_grow(&rows->all, rows->count, sizeof *rows->all);
        if (error != 0)
            return error;
        rows->all[rows->count] = (struct row){.frame = frame, .sum = *sample};
        memo_set(known, rows->count++);
        return 0;
    }
    rows->all[known->index].sum.count += sample->count;
    rows->all[known->index].sum.cpu_ns += sample->cpu_ns;
    rows->all[known->index].sum.wall_ns += sample->wall_ns;
    return 0;
}

static void put_field(FILE *out, const char *text)
{
    if (text[strcspn(text, "\",\r\n")] == '\0') {
        fputs(text, out);
    } else {
        putc('"', out);
        for (; *text != '\0'; text++) {
            if (*text == '"')
                putc('"', out);
            putc(*text, out);
        }
        putc('"', out);
    }
    putc(',', out);
}

static void put_row(FILE *out, const struct profile *profile, const struct row *row)
{
    const struct profile_thread *thread = &profile->threads[row->sum.thread];
    const struct profile_process *process = &profile->processes[thread->process];
    uint32_t object = profile->locations[row->frame.location].object;
    char buffer[FRAME_NAME];

    fprintf(out, "%u,%u,", process->pid, thread->tid);
    put_field(out, profile->strings[process->comm]);
    put_field(out, profile->strings[thread->comm]);
    put_field(out, frame_name(profile, &row->frame, buffer));
    put_field(out, profile->strings[profile->objects[object].path]);
    put_field(out, profile->strings[row->frame.file]);
    fprintf(out, "%u,", row->frame.line);
    put_field(out, profile->strings[profile->syscalls[row->sum.syscall].name]);
    fprintf(out, "%s,%llu,%llu,%llu\n", profile_state_name((enum profile_state)row->sum.state),
            (unsigned long long)row->sum.count, (unsigned long long)row->sum.cpu_ns,
            (unsigned long long)row->sum.wall_ns);
}

static int write_csv(int fd, const struct profile *profile)
{
    struct rows rows = {0};
    FILE *out = text_open(fd);
    int error = out == NULL ? -ENOMEM : 0;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        error = add_sample(&rows, profile, &profile->samples[i]);
    for (unsigned i = 0; error == 0 && i < COLUMNS; i++)
        fprintf(out, "%s%c", titles[i], i + 1 < COLUMNS ? ',' : '\n');
    for (uint32_t i = 0; error == 0 && i < rows.count; i++)
        put_row(out, profile, &rows.all[i]);
    int closed = out != NULL ? text_close(out) : 0;
    free(rows.all);
    memo_free(&rows.memo);
    return error != 0 ? error : closed;
}

/* --- reading ------------------------------------------------------------------------- */

#define FIELDS_MAX 64

struct reader {
    struct profile *profile;
    struct builder builder;
    char *at, *end;
    char *fields[FIELDS_MAX]; /* the fields of the row that was read last */
    unsigned field_count;
    /* for each known column, the index of its field in a row; -1: the file does not have this column */
    int where[COLUMNS];
};

/* Reads the next field, and ends it with a zero in the buffer. Sets *last to true if the field is the last one of its
 * row. Returns false if a field begins with a quotation mark, but the mark at its end is missing. */
static bool next_field(struct reader *reader, char **field, bool *last)
{
    char *to = reader->at, *at = reader->at;
    bool quoted = at < reader->end && *at == '"';

    *field = to;
    at += quoted;
    while (at < reader->end && (quoted || (*at != ',' && *at != '\n'))) {
        if (quoted && *at == '"' && at[1] != '"') {
            at++;
            quoted = false;
            continue;
        }
        at += quoted && *at == '"'; /* two quotation marks in a quoted field stand for one, so the first is skipped */
        *to++ = *at++;
    }
    if (quoted)
        return false;
    *last = at >= reader->end || *at == '\n';
    if (*last && to > *field && to[-1] == '\r' && at > reader->at && at[-1] == '\r')
        to--;
    reader->at = at < reader->end ? at + 1 : at;
    *to = '\0';
    return true;
}

/* Reads a row. Returns 1 if there was a row, 0 at the end of the file, or PPROFIL_ERROR_DAMAGED. */
static int next_row(struct reader *reader)
{
    bool last = false;

    if (reader->at >= reader->end)
        return 0;
    for (reader->field_count = 0; !last; reader->field_count++)
        if (reader->field_count == FIELDS_MAX || !next_field(reader, &reader->fields[reader->field_count], &last))
            return PPROFIL_ERROR_DAMAGED;
    return 1;
}

static const char *csv_field(const struct reader *reader, enum column column)
{
    return reader->where[column] < 0 ? "" : reader->fields[reader->where[column]];
}

static bool csv_number(const struct reader *reader, enum column column, uint64_t most, uint64_t *value)
{
    const char *at = csv_field(reader, column);

    *value = 0;
    return *at == '\0' || (text_number(&at, 10, value) && *at == '\0' && *value <= most);
}

static int read_titles(struct reader *reader)
{
    int got = next_row(reader);

    if (got <= 0)
        return PPROFIL_ERROR_DAMAGED;
    for (unsigned column = 0; column < COLUMNS; column++) {
        reader->where[column] = -1;
        for (unsigned i = 0; i < reader->field_count; i++)
            if (strcmp(reader->fields[i], titles[column]) == 0)
                reader->where[column] = (int)i;
    }
    return reader->where[COLUMN_FUNCTION] < 0 || reader->where[COLUMN_SAMPLES] < 0 ? PPROFIL_ERROR_DAMAGED : 0;
}

static int read_place(struct reader *reader, uint32_t *node)
{
    struct profile_line line = {0};
    const char *name = csv_field(reader, COLUMN_FUNCTION), *file = csv_field(reader, COLUMN_FILE);
    uint32_t object, location;
    uint64_t value;
    int error;

    if (!csv_number(reader, COLUMN_LINE, UINT32_MAX, &value))
        return PPROFIL_ERROR_DAMAGED;
    line.line = (uint32_t)value;
    if (builder_is_mark(name)) {
        error = profile_mark(reader->profile, name, &location);
    } else {
        error = builder_object(&reader->builder, csv_field(reader, COLUMN_OBJECT), &object);
        if (error == 0)
            error = builder_function(&reader->builder, object, name, file, 0, &line.function);
        if (error == 0)
            error = profile_string(reader->profile, file, &line.file);
        if (error == 0)
            error = builder_location(&reader->builder, object, &line, 1, &location);
    }
    return error == 0 ? profile_node(reader->profile, PROFILE_NONE, location, node) : error;
}

static int read_row(struct reader *reader)
{
    struct profile_sample sample = {0};
    uint64_t pid, tid;
    uint32_t process;

    if (!csv_number(reader, COLUMN_PID, UINT32_MAX, &pid) || !csv_number(reader, COLUMN_TID, UINT32_MAX, &tid) ||
        !csv_number(reader, COLUMN_SAMPLES, UINT64_MAX, &sample.count) ||
        !csv_number(reader, COLUMN_CPU, UINT64_MAX, &sample.cpu_ns) ||
        !csv_number(reader, COLUMN_WALL, UINT64_MAX, &sample.wall_ns))
        return PPROFIL_ERROR_DAMAGED;
    const char *call = csv_field(reader, COLUMN_SYSCALL);
    sample.state = profile_state_named(csv_field(reader, COLUMN_STATE));
    int error = builder_process(&reader->builder, (uint32_t)pid, csv_field(reader, COLUMN_PROCESS), &process);
    if (error == 0)
        error = builder_thread(&reader->builder, process, (uint32_t)tid, csv_field(reader, COLUMN_THREAD),
                               &sample.thread);
    if (error == 0 && *call != '\0')
        error = profile_syscall(reader->profile, call, -1, 0, &sample.syscall);
    if (error == 0)
        error = read_place(reader, &sample.node);
    return error == 0 ? builder_count_sample(reader->profile, &sample) : error;
}

static int read_csv(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .builder = {.profile = profile}};
    struct text text;
    int got, error = text_load(path, &text);

    reader.at = text.at;
    reader.end = text.end;
    if (error == 0)
        error = read_titles(&reader);
    unsigned fields = reader.field_count;
    while (error == 0 && (got = next_row(&reader)) != 0) {
        error = got < 0 ? got : reader.field_count != fields ? PPROFIL_ERROR_DAMAGED : read_row(&reader);
    }
    text_unload(&text);
    memo_free(&reader.builder.memo);
    return error;
}

static bool csv_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= sizeof BEGINNING && memcmp(head, BEGINNING, sizeof BEGINNING - 1) == 0;
}

const struct format format_csv = {
    .name = "csv",
    .extensions = ".csv",
    .summary = "a row for each line of code in each thread, for spreadsheets",
    .keeps = "functions with objects, source files and lines; processes and threads by name and "
             "number, system calls, states, samples and times",
    .loses = "stacks (rows are the innermost frames), addresses, totals",
    .matches = csv_matches,
    .read = read_csv,
    .write = write_csv,
};
