/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks processes in the picker, so that top can attach to several. A mark stays on its process while the list is
 * narrowed or sorted anew. Processes that pprofil cannot attach to get no marks. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "model-internal.h"

static uint32_t marks_index(const struct model *model, uint32_t pid)
{
    uint32_t i = 0;

    while (i < model->marked_count && model->marked[i] != pid)
        i++;
    return i;
}

bool marks_have(const struct model *model, uint32_t pid)
{
    return marks_index(model, pid) < model->marked_count;
}

/* Marks a process, or removes its mark. */
static void marks_set(struct model *model, const struct pprofil_candidate *candidate, bool marked)
{
    uint32_t at = marks_index(model, candidate->pid);

    if (!marked && at < model->marked_count) {
        model->marked[at] = model->marked[--model->marked_count];
    } else if (marked && at == model->marked_count && candidate->refused[0] == '\0') {
        if (array_grow(&model->marked, model->marked_count, sizeof *model->marked) == 0)
            model->marked[model->marked_count++] = candidate->pid;
        else
            model_answer(model, "out of memory");
    }
}

/* Returns the selected process, or NULL. If pprofil cannot attach to it, says why. */
static const struct pprofil_candidate *marks_selected(struct model *model)
{
    if (model->page != PAGE_PICKER || model->selected >= model->picked_count)
        return NULL;
    const struct pprofil_candidate *candidate = &model->candidates[model->picked[model->selected]];
    if (candidate->refused[0] != '\0')
        model_answer(model, "%" PRIu32 ": %s", candidate->pid, candidate->refused);
    return candidate;
}

enum effect marks_toggle(struct model *model)
{
    const struct pprofil_candidate *candidate = marks_selected(model);

    if (candidate == NULL)
        return EFFECT_NONE;
    marks_set(model, candidate, !marks_have(model, candidate->pid));
    list_move(model, 1);
    return EFFECT_PAINT;
}

static int marks_compare_pid(const void *key, const void *element)
{
    uint32_t pid = *(const uint32_t *)key;
    const struct pprofil_candidate *candidate = element;

    return (pid > candidate->pid) - (pid < candidate->pid);
}

/* Sets below[i] for each candidate i that is below a candidate with below[i] set. The list is sorted by pid. */
static void marks_find_children(const struct model *model, bool *below)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < model->candidate_count; i++) {
            const struct pprofil_candidate *parent =
                below[i] ? NULL
                         : bsearch(&model->candidates[i].ppid, model->candidates, model->candidate_count,
                                   sizeof *model->candidates, marks_compare_pid);
            if (parent != NULL && below[parent - model->candidates])
                more = below[i] = true;
        }
    }
}

enum effect marks_toggle_children(struct model *model)
{
    const struct pprofil_candidate *candidate = marks_selected(model);
    bool *below = calloc(model->candidate_count + 1u, sizeof *below);

    if (candidate == NULL || below == NULL) {
        free(below);
        return EFFECT_NONE;
    }
    bool marked = !marks_have(model, candidate->pid);
    below[candidate - model->candidates] = true;
    marks_find_children(model, below);
    for (uint32_t i = 0; i < model->candidate_count; i++)
        if (below[i])
            marks_set(model, &model->candidates[i], marked);
    free(below);
    return EFFECT_PAINT;
}

enum effect marks_toggle_all(struct model *model)
{
    bool marked = false; /* whether a process that is shown lacks a mark */

    for (uint32_t i = 0; i < model->picked_count; i++) {
        const struct pprofil_candidate *candidate = &model->candidates[model->picked[i]];
        marked = marked || (candidate->refused[0] == '\0' && !marks_have(model, candidate->pid));
    }
    for (uint32_t i = 0; i < model->picked_count; i++)
        marks_set(model, &model->candidates[model->picked[i]], marked);
    return EFFECT_PAINT;
}

void marks_follow(struct model *model)
{
    if (model->candidate_count == 0) {
        model->marked_count = 0;
        return;
    }
    for (uint32_t i = model->marked_count; i-- > 0;) {
        const struct pprofil_candidate *found = bsearch(&model->marked[i], model->candidates, model->candidate_count,
                                                        sizeof *model->candidates, marks_compare_pid);
        if (found == NULL || found->refused[0] != '\0')
            model->marked[i] = model->marked[--model->marked_count];
    }
}
