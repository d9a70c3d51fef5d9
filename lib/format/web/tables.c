/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the tables of a profile as JSON: names, merged stacks, threads, samples and the history. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/web/web.h"

uint64_t web_value(const struct web_profile *web, uint64_t count, uint64_t cpu_ns, uint64_t wall_ns)
{
    if (!web->timed)
        return count;
    return web->profile->totals.wall ? wall_ns : cpu_ns;
}

static int put_clean(FILE *out, const char *text)
{
    char *clean = picture_clean(text);
    int error = clean == NULL ? -ENOMEM : picture_json(out, clean);

    free(clean);
    return error;
}

/* --- names and stacks ------------------------------------------------------------------------ */

static int put_names(FILE *out, const struct web_profile *web)
{
    const struct picture_store *store = &web->store;
    char **strings = store->strings->strings;
    int error = 0;

    fputs(",\n\"names\":[", out);
    for (uint32_t i = 0; error == 0 && i < store->name_count; i++) {
        const struct stored_name *from = &store->names[i];
        const struct picture_name name = {
            .text = i == 0 ? "all" : strings[from->text], .object = strings[from->object], .kind = from->kind};
        fputs(i > 0 ? ",\n[" : "\n[", out);
        error = page_put_name(out, &name);
        fputs("]", out);
    }
    fputs("]", out);
    return error;
}

static int put_files(FILE *out, const struct web_profile *web)
{
    int error = 0;

    fputs(",\n\"files\":[", out);
    for (uint32_t i = 0; error == 0 && i < web->file_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        error = put_clean(out, web->profile->strings[web->files[i]]);
    }
    fputs("]", out);
    return error;
}

/* Writes the places and the merged stacks. The parent of node i is written as the difference from i. The root, and
 * place 0, are not written. */
static void put_stacks(FILE *out, const struct web_profile *web)
{
    const struct picture_store *store = &web->store;
    struct column column = column_begin(out, ",\n\"places\":{", "file");

    for (uint32_t i = 1; i < store->place_count; i++)
        column_put(&column, web->file_numbers[store->places[i].file] - 1);
    column_end(&column);
    column = column_begin(out, ",\n", "line");
    for (uint32_t i = 1; i < store->place_count; i++)
        column_put(&column, store->places[i].line);
    column_end(&column);
    column = column_begin(out, "},\n\"nodes\":{", "parent");
    for (uint32_t i = 1; i < store->node_count; i++)
        column_put(&column, i - store->nodes[i].parent);
    column_end(&column);
    column = column_begin(out, ",\n", "name");
    for (uint32_t i = 1; i < store->node_count; i++)
        column_put(&column, store->nodes[i].name);
    column_end(&column);
    column = column_begin(out, ",\n", "place");
    for (uint32_t i = 1; i < store->node_count; i++)
        column_put(&column, store->nodes[i].place);
    column_end(&column);
    column = column_begin(out, ",\n", "call");
    for (uint32_t i = 1; i < store->node_count; i++)
        column_put(&column, store->nodes[i].call);
    column_end(&column);
    fputs("}", out);
}

/* --- threads and samples --------------------------------------------------------------------- */

static int put_threads(FILE *out, const struct profile *profile)
{
    int error = 0;

    fputs(",\n\"threads\":[", out);
    for (uint32_t i = 0; error == 0 && i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        const struct profile_process *process = &profile->processes[thread->process];
        fputs(i > 0 ? ",\n[" : "\n[", out);
        error = put_clean(out, profile->strings[thread->comm]);
        fprintf(out, ",%u,", thread->tid);
        if (error == 0)
            error = put_clean(out, profile->strings[process->comm]);
        fprintf(out, ",%u]", process->pid);
    }
    fputs("]", out);
    return error;
}

/* The columns of samples, in the order in which they are written. */
enum sample_column { SAMPLE_THREAD, SAMPLE_NODE, SAMPLE_STATE, SAMPLE_COUNT, SAMPLE_VALUE, SAMPLE_COLUMNS };

static uint64_t sample_number(const struct web_profile *web, uint32_t index, enum sample_column what)
{
    const struct profile_sample *sample = &web->profile->samples[index];

    switch (what) {
    case SAMPLE_THREAD:
        return sample->thread;
    case SAMPLE_NODE:
        return web->merge.leaves[index];
    case SAMPLE_STATE:
        return sample->state;
    case SAMPLE_COUNT:
        return sample->count;
    default:
        return web_value(web, sample->count, sample->cpu_ns, sample->wall_ns);
    }
}

static void put_samples(FILE *out, const struct web_profile *web)
{
    static const char *const keys[SAMPLE_COLUMNS] = {"thread", "node", "state", "count", "value"};

    fputs(",\n\"samples\":{", out);
    for (unsigned what = 0; what < SAMPLE_COLUMNS; what++) {
        struct column column = column_begin(out, what == 0 ? "" : ",\n", keys[what]);
        for (uint32_t i = 0; i < web->profile->sample_count; i++)
            if (web->sample_numbers[i] != WEB_LEFT_OUT)
                column_put(&column, sample_number(web, i, (enum sample_column)what));
        column_end(&column);
    }
    fputs("}", out);
}

/* --- history --------------------------------------------------------------------------------- */

enum history_column { HISTORY_SAMPLE, HISTORY_FIRST, HISTORY_MORE, HISTORY_COUNT, HISTORY_VALUE, HISTORY_COLUMNS };

static void put_history_column(FILE *out, const struct web_profile *web, enum history_column what, const char *key)
{
    const struct profile_history *history = &web->profile->history;
    struct column column = column_begin(out, ",\n", key);
    uint32_t before = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        if (entry->sample >= web->profile->sample_count || web->sample_numbers[entry->sample] == WEB_LEFT_OUT)
            continue;
        if (what == HISTORY_SAMPLE)
            column_put(&column, web->sample_numbers[entry->sample]);
        else if (what == HISTORY_FIRST)
            column_put_signed(&column, (int64_t)entry->first - before);
        else if (what == HISTORY_MORE)
            column_put(&column, entry->last - entry->first);
        else if (what == HISTORY_COUNT)
            column_put(&column, entry->count);
        else
            column_put(&column, web_value(web, entry->count, entry->cpu_ns, entry->wall_ns));
        before = entry->first;
    }
    column_end(&column);
}

/* Writes the history: which samples were taken in which slots. `first` is written as the difference from the entry
 * before. The range of an entry is first to first + more. */
static void put_history(FILE *out, const struct web_profile *web)
{
    static const char *const keys[HISTORY_COLUMNS] = {"sample", "first", "more", "count", "value"};
    const struct profile_history *history = &web->profile->history;

    if (history->count == 0) {
        fputs(",\n\"history\":null", out);
        return;
    }
    fprintf(out, ",\n\"history\":{\"slot\":%llu,\"slots\":%llu", (unsigned long long)history->slot_ns,
            (unsigned long long)(history_length(history) / history->slot_ns));
    for (unsigned what = 0; what < HISTORY_COLUMNS; what++)
        put_history_column(out, web, (enum history_column)what, keys[what]);
    fputs("}", out);
}

int web_put_tables(FILE *out, const struct web_profile *web)
{
    int error = put_names(out, web);

    if (error == 0)
        error = put_files(out, web);
    put_stacks(out, web);
    if (error == 0)
        error = put_threads(out, web->profile);
    put_samples(out, web);
    put_history(out, web);
    return error;
}
