/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A processed profile, ours with its addresses, those of others by their names. Tables may be each
 * thread's own, as in version 47, or shared. Weights that are no times are taken for counts, of an
 * interval each; a sample without a stack is none.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/firefox-stacks.h"
#include "format/firefox.h"
#include "format/json-read.h"
#include "format/text.h"

#define NS_IN_MS 1e6
#define TIME_NS_MAX 9e18

struct reader {
    struct firefox_file file;
    const json_t *meta; /* borrowed */
    double interval;    /* ns */
    bool wall;
    double first, last; /* times of samples, ns */
};

/* --- samples ------------------------------------------------------------------------- */

/* Reads the system call and the state of a row from its category, as our own files have them. */
static int read_category(const struct reader *reader, const struct firefox_row *row,
                         struct profile_sample *sample)
{
    const json_t *category =
        json_array_get(json_object_get(reader->meta, "categories"), row->category);
    const char *call = json_string_value(
        json_array_get(json_object_get(category, "subcategories"), row->subcategory));

    if (!reader->file.own || row->category < FIREFOX_SYSCALL || row->category > FIREFOX_UNINTERRUPTIBLE)
        return 0;
    if (row->category != FIREFOX_SYSCALL)
        sample->state = PROFILE_WAITING + (row->category - FIREFOX_WAITING);
    if (row->subcategory == 0 || row->subcategory == FIREFOX_NOTHING)
        return 0;
    return call == NULL ? -EBADMSG
                        : profile_syscall(reader->file.profile, call, -1, 0, &sample->syscall);
}

/* Nanoseconds and how many samples they are. */
static bool read_weight(const struct reader *reader, const json_t *samples, size_t i,
                        struct profile_sample *sample)
{
    const json_t *weights = json_object_get(samples, "weight");
    const json_t *weight = json_array_get(weights, i);
    double value = json_is_array(weights) ? json_number_value(weight) : 1;
    bool timed = json_is_array(weights) &&
                 strcmp(json_text(samples, "weightType", "samples"), "tracing-ms") == 0;
    double ns = value * (timed ? NS_IN_MS : reader->interval);

    if ((json_is_array(weights) && !json_is_number(weight)) || !(ns >= 0) || ns > TIME_NS_MAX ||
        value > TIME_NS_MAX)
        return false;
    sample->count = timed ? 1 : (uint64_t)llround(value);
    *(reader->wall ? &sample->wall_ns : &sample->cpu_ns) = (uint64_t)llround(ns);
    const json_t *cpu = json_array_get(json_object_get(samples, "threadCPUDelta"), i);
    return !reader->wall || cpu == NULL || json_whole(cpu, INT64_MAX, &sample->cpu_ns);
}

static void note_time(struct reader *reader, const json_t *samples, size_t i)
{
    double time = NS_IN_MS * json_number_value(json_array_get(json_object_get(samples, "time"), i));

    reader->first = fmin(reader->first, time);
    reader->last = fmax(reader->last, time);
}

static int read_sample(struct reader *reader, struct firefox_stacks *stacks, const json_t *samples,
                       size_t i, uint32_t thread)
{
    struct profile_sample sample = {.thread = thread};
    uint32_t row;

    if (!firefox_cell(samples, "stack", i, &row) || !read_weight(reader, samples, i, &sample))
        return -EBADMSG;
    if (row == FIREFOX_NOTHING)
        return 0;
    if (row >= stacks->row_count)
        return -EBADMSG;
    int error = firefox_stacks_node(stacks, row, &sample.node);
    if (error == 0)
        error = read_category(reader, &stacks->rows[row], &sample);
    note_time(reader, samples, i);
    return error == 0 ? named_count(reader->file.profile, &sample) : error;
}

/* --- threads ------------------------------------------------------------------------- */

/* A number, or a text that begins with one: "4711", "4711.2". */
static uint32_t number_of(const json_t *value)
{
    const char *text = json_string_value(value);
    uint64_t number;

    if (text == NULL)
        return json_whole(value, UINT32_MAX, &number) ? (uint32_t)number : 0;
    return text_number(&text, 10, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static int read_who(struct reader *reader, const json_t *thread, uint32_t *process, uint32_t *index)
{
    const char *name = json_text(thread, "name", "");
    uint32_t pid = number_of(json_object_get(thread, "pid"));
    int error =
        named_process(&reader->file.named, pid, json_text(thread, "processName", name), process);

    if (error == 0)
        error = named_thread(&reader->file.named, *process,
                             number_of(json_object_get(thread, "tid")), name, index);
    return error;
}

static int read_thread(struct reader *reader, const json_t *thread)
{
    const json_t *samples = json_object_get(thread, "samples");
    size_t count = json_array_size(json_object_get(samples, "stack"));
    struct firefox_stacks stacks = {0};
    uint32_t process, index;
    int error = read_who(reader, thread, &process, &index);

    if (error == 0)
        error = firefox_stacks_load(&stacks, &reader->file, thread, process);
    for (size_t i = 0; error == 0 && i < count; i++)
        error = read_sample(reader, &stacks, samples, i, index);
    firefox_stacks_clear(&stacks);
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

/* What our files say that weights are: the first of what is said of samples. */
static bool is_elapsed(const json_t *meta)
{
    const json_t *section = json_array_get(json_object_get(meta, "extra"), 0);
    const json_t *entry = json_array_get(json_object_get(section, "entries"), 0);

    return strcmp(json_text(entry, "value", ""), FIREFOX_ELAPSED) == 0;
}

static int read_meta(struct reader *reader)
{
    struct profile_totals *totals = &reader->file.profile->totals;
    double interval = NS_IN_MS * json_number_value(json_object_get(reader->meta, "interval"));
    double start = NS_IN_MS * json_number_value(json_object_get(reader->meta, "startTime"));
    const char *product = json_text(reader->meta, "product", "");

    reader->file.own = strcmp(json_text(reader->meta, "importedFrom", ""), FIREFOX_OWN) == 0;
    reader->wall = reader->file.own && is_elapsed(reader->meta);
    totals->wall = reader->wall;
    reader->interval = interval > 0 && interval < TIME_NS_MAX ? interval : NS_IN_MS;
    totals->asked_hz = 1e9 / reader->interval;
    if (start > 0 && start < TIME_NS_MAX)
        totals->start_time = (uint64_t)start;
    return *product != '\0' ? named_command(reader->file.profile, product) : 0;
}

static int read_all(struct reader *reader, const json_t *root)
{
    const json_t *threads = json_list(root, "threads");
    struct firefox_file *file = &reader->file;

    file->root = root;
    file->libs = json_list(root, "libs");
    file->objects = calloc(json_array_size(file->libs) + 1, sizeof *file->objects);
    reader->meta = json_object_get(root, "meta");
    reader->first = INFINITY;
    if (threads == NULL || !json_is_object(reader->meta))
        return -EBADMSG;
    int error = file->objects == NULL ? -ENOMEM : read_meta(reader);
    for (size_t i = 0; error == 0 && i < json_array_size(threads); i++)
        error = read_thread(reader, json_array_get(threads, i));
    if (reader->last > reader->first && reader->last - reader->first < TIME_NS_MAX)
        file->profile->totals.elapsed_ns = (uint64_t)(reader->last - reader->first);
    return error;
}

int firefox_read(const char *path, struct profile *profile)
{
    struct reader reader = {.file = {.profile = profile,
                                     .named = {.profile = profile},
                                     .work_left = FIREFOX_WORK_MAX}};
    json_t *root;
    int error = json_read_file(path, &root);

    if (error == 0)
        error = read_all(&reader, root);
    free(reader.file.objects);
    free(reader.file.named.memo.slots);
    json_decref(root);
    return error;
}
