/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The picker: the list of processes to choose from. Processes that pprofil can attach to come first, with the busiest
 * on top. Each typed character narrows the list. The first list is sorted by the CPU time of each process's whole life.
 * Later lists are sorted by the CPU time since the previous list.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model-internal.h"

/* --- order --------------------------------------------------------------------------------- */

/* A process to be sorted. An entry has all values that are compared, because qsort(3) passes only two
 * entries to the comparison function. */
struct entry {
    uint32_t index, pid;
    bool refused;
    double cpu;
};

static int picker_compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->refused != b->refused)
        return a->refused ? 1 : -1;
    if (a->cpu != b->cpu)
        return a->cpu < b->cpu ? 1 : -1;
    return (a->pid > b->pid) - (a->pid < b->pid);
}

static int candidate_compare_pid(const void *key, const void *element)
{
    uint32_t pid = *(const uint32_t *)key;
    const struct pprofil_candidate *candidate = element;

    return (pid > candidate->pid) - (pid < candidate->pid);
}

/* Returns the average number of CPUs that a process has used since the previous list, or 0 if this number is unknown.
 * If the CPU time has decreased, the pid belongs to another process now, so the number is unknown. */
static double candidate_cpu_since(const struct model *model, const struct pprofil_candidate *candidate,
                                  uint64_t time_ns)
{
    if (model->candidate_count == 0 || time_ns <= model->candidates_ns)
        return 0;
    const struct pprofil_candidate *before = bsearch(&candidate->pid, model->candidates, model->candidate_count,
                                                     sizeof *model->candidates, candidate_compare_pid);
    if (before == NULL || candidate->cpu_ns < before->cpu_ns)
        return 0;
    return (double)(candidate->cpu_ns - before->cpu_ns) / (double)(time_ns - model->candidates_ns);
}

/* --- the filter ---------------------------------------------------------------------------- */

static bool picker_matches(const struct pprofil_candidate *candidate, const char *text)
{
    char pid[16];

    snprintf(pid, sizeof pid, "%" PRIu32, candidate->pid);
    return strstr(pid, text) != NULL || strcasestr(candidate->user, text) != NULL ||
           strcasestr(candidate->comm, text) != NULL || strcasestr(candidate->command, text) != NULL;
}

void picker_narrow(struct model *model)
{
    const char *text = model->prompt == PROMPT_FILTER ? model->text : "";
    struct entry *entries = calloc((size_t)model->candidate_count + 1, sizeof *entries);

    model->picked_count = 0;
    if (entries == NULL)
        return;
    for (uint32_t i = 0; i < model->candidate_count; i++) {
        const struct pprofil_candidate *candidate = &model->candidates[i];
        double cpu = model->candidates_compared ? model->candidate_cpu[i] : (double)candidate->cpu_ns;
        if (picker_matches(candidate, text))
            entries[model->picked_count++] = (struct entry){i, candidate->pid, candidate->refused[0] != '\0', cpu};
    }
    qsort(entries, model->picked_count, sizeof *entries, picker_compare_entries);
    for (uint32_t i = 0; i < model->picked_count; i++)
        model->picked[i] = entries[i].index;
    free(entries);
}

/* --- lists --------------------------------------------------------------------------------- */

static int candidate_by_pid(const void *left, const void *right)
{
    return candidate_compare_pid(&((const struct pprofil_candidate *)left)->pid, right);
}

void model_take_candidates(struct model *model, struct pprofil_candidate *candidates, uint32_t count, uint64_t time_ns)
{
    double *cpu = calloc((size_t)count + 1, sizeof *cpu);
    uint32_t *picked = calloc((size_t)count + 1, sizeof *picked);

    list_settle(model);
    model_answer_seen(model, time_ns);
    if (cpu == NULL || picked == NULL) { /* the previous list stays */
        free(cpu);
        free(picked);
        free(candidates);
        return;
    }
    if (count > 0)
        qsort(candidates, count, sizeof *candidates, candidate_by_pid);
    for (uint32_t i = 0; i < count; i++)
        cpu[i] = candidate_cpu_since(model, &candidates[i], time_ns);
    free(model->candidates);
    free(model->candidate_cpu);
    free(model->picked);
    model->candidates = candidates;
    model->candidate_cpu = cpu;
    model->picked = picked;
    model->candidates_compared = model->candidate_count > 0;
    model->candidate_count = count;
    model->candidates_ns = time_ns;
    marks_follow(model);
    picker_narrow(model);
    list_follow(model);
}

/* --- keys ---------------------------------------------------------------------------------- */

/* Chooses the processes to attach to. */
static enum effect picker_attach(struct model *model, const uint32_t *pids, uint32_t count)
{
    pid_t *attach = calloc(count, sizeof *attach);

    if (attach == NULL) {
        model_answer(model, "out of memory");
        return EFFECT_PAINT;
    }
    for (uint32_t i = 0; i < count; i++)
        attach[i] = (pid_t)pids[i];
    free(model->attach_pids);
    model->attach_pids = attach;
    model->attach_count = count;
    return EFFECT_ATTACH;
}

enum effect picker_choose(struct model *model)
{
    if (model->page == PAGE_PICKER && model->marked_count > 0)
        return picker_attach(model, model->marked, model->marked_count);
    if (model->page != PAGE_PICKER || model->selected >= model->picked_count)
        return EFFECT_NONE;
    const struct pprofil_candidate *candidate = &model->candidates[model->picked[model->selected]];
    if (candidate->refused[0] != '\0') {
        model_answer(model, "%" PRIu32 ": %s", candidate->pid, candidate->refused);
        return EFFECT_PAINT;
    }
    return picker_attach(model, &candidate->pid, 1);
}

static bool key_is_text(uint32_t key)
{
    char character[5];
    return key_text(key, character);
}

static bool key_edits_filter(uint32_t key)
{
    return key == TUI_KEY_BACKSPACE || key == TUI_KEY_ESCAPE || key == ('U' & 0x1f) || key_is_text(key);
}

bool picker_is_input(const struct model *model, uint32_t key)
{
    if (model->prompt == PROMPT_FILTER)
        return key_edits_filter(key);
    return key_is_text(key) && key != ' ' && key_find(key, KEY_IN_PICKER) == NULL;
}

enum effect picker_key(struct model *model, uint32_t key)
{
    if (model->prompt != PROMPT_FILTER)
        prompt_open(model, PROMPT_FILTER);
    enum effect effect = prompt_key(model, key);
    picker_narrow(model);
    list_follow(model);
    return effect;
}
