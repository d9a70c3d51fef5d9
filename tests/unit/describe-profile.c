/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "describe-profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

struct texts {
    char *all[4096];
    size_t count;
};

static void add_text(struct texts *texts, char *text)
{
    cr_assert_lt(texts->count, sizeof texts->all / sizeof *texts->all);
    texts->all[texts->count++] = text;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts the texts, joins them into one text, and frees them. */
static char *join(struct texts *texts)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    qsort(texts->all, texts->count, sizeof *texts->all, compare_texts);
    for (size_t i = 0; i < texts->count; i++) {
        fputs(texts->all[i], stream);
        free(texts->all[i]);
    }
    fclose(stream);
    texts->count = 0;
    return text;
}

#define STRING(index) profile->strings[index]

static void print_place(FILE *stream, const struct profile *profile, uint32_t location)
{
    const struct profile_location *place = &profile->locations[location];
    const struct profile_object *object = &profile->objects[place->object];

    fprintf(stream, " <%s %d %llx/%llx %02x+%llx", STRING(object->path), object->kind,
            (unsigned long long)object->start, (unsigned long long)object->offset, object->build_id[0],
            (unsigned long long)place->address);
    for (uint32_t i = 0; i < place->line_count; i++)
        fprintf(stream, " %s %s:%u", STRING(profile->functions[place->lines[i].function].name),
                STRING(place->lines[i].file), place->lines[i].line);
    fputc('>', stream);
}

static char *describe_sample(const struct profile *profile, const struct profile_sample *sample)
{
    const struct profile_thread *thread = &profile->threads[sample->thread];
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    fprintf(stream, "  %u %s %s %u: %llu %llu %llu", thread->tid, STRING(thread->comm),
            STRING(profile->syscalls[sample->syscall].name), sample->state, (unsigned long long)sample->count,
            (unsigned long long)sample->cpu_ns, (unsigned long long)sample->wall_ns);
    for (uint32_t node = sample->node; node != 0; node = profile->nodes[node].parent)
        print_place(stream, profile, profile->nodes[node].location);
    fputc('\n', stream);
    fclose(stream);
    return text;
}

/* Writes a process and its samples. Leaves out the generation, which only distinguishes processes with the same pid. */
static char *describe_process(const struct profile *profile, uint32_t index)
{
    const struct profile_process *process = &profile->processes[index];
    static struct texts samples;
    char *text;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile->threads[profile->samples[i].thread].process == index)
            add_text(&samples, describe_sample(profile, &profile->samples[i]));
    char *all = join(&samples);
    cr_assert_geq(asprintf(&text, "process %u %u %s %s/%s/%s %llu-%llu %d %llu\n%s", process->pid, process->ppid,
                           STRING(process->comm), STRING(process->host), STRING(process->job), STRING(process->rank),
                           (unsigned long long)process->start, (unsigned long long)process->end, process->status,
                           (unsigned long long)process->cpu_ns, all),
                  0);
    free(all);
    return text;
}

/* Writes a time line as text: the length of its slots, and each slot with its start. */
static char *describe_timeline(const struct profile_timeline *line)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    fprintf(stream, "slots of %llu:", (unsigned long long)line->slot_ns);
    for (uint32_t i = 0; i < line->count; i++)
        if (line->cpu_ns[i] > 0)
            fprintf(stream, " %llu=%llu", (unsigned long long)(line->start + i * line->slot_ns),
                    (unsigned long long)line->cpu_ns[i]);
    fclose(stream);
    return text;
}

/* Writes an entry of the history as text, with its time and its sample. If the history has several entries with the
 * same slots and the same sample, the first of them has the sum, and the others have no text: which of these entries
 * are joined depends on the order of merging. */
static char *describe_history_entry(const struct profile *profile, uint32_t index)
{
    const struct profile_history *history = &profile->history;
    const struct history_entry *entry = &history->entries[index];
    uint64_t count = 0, cpu_ns = 0;
    char *text;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *other = &history->entries[i];
        if (other->sample != entry->sample || other->first != entry->first || other->last != entry->last)
            continue;
        if (i < index)
            return strdup("");
        count += other->count;
        cpu_ns += other->cpu_ns;
    }
    char *sample = describe_sample(profile, &profile->samples[entry->sample]);
    cr_assert_geq(asprintf(&text, "history %llu %u %llu %llu%s",
                           (unsigned long long)(history->start + entry->first * history->slot_ns),
                           entry->last - entry->first, (unsigned long long)count, (unsigned long long)cpu_ns, sample),
                  0);
    free(sample);
    return text;
}

char *describe_profile(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;
    static struct texts processes;
    char *text;

    for (uint32_t i = 0; i < profile->process_count; i++)
        add_text(&processes, describe_process(profile, i));
    add_text(&processes, describe_timeline(&profile->timeline));
    for (uint32_t i = 0; i < profile->history.count; i++)
        add_text(&processes, describe_history_entry(profile, i));
    char *all = join(&processes);
    cr_assert_geq(asprintf(&text, "%s: %llu %llu %llu %llu %llu %u %u %g %d %llu %llu\n%s",
                           profile->command != NULL ? profile->command : "", (unsigned long long)totals->samples,
                           (unsigned long long)totals->cpu_ns, (unsigned long long)totals->wall_ns,
                           (unsigned long long)totals->elapsed_ns, (unsigned long long)totals->target_cpu_ns,
                           totals->processes_seen, totals->threads_seen, totals->asked_hz, totals->wall,
                           (unsigned long long)totals->start_time, (unsigned long long)totals->end_time, all),
                  0);
    free(all);
    return text;
}
