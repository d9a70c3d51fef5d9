/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the draft of a flame graph: merged stacks get their weights, and changes since the baseline are tested. In the
 * store of merged stacks a caller comes before what it called, so one pass from the last frame to the first is enough
 * for the sums.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/picture/picture.h"

/* --- weights ------------------------------------------------------------------------------- */

static struct picture_weight weight_of(const struct profile *profile, bool timed, const struct profile_sample *sample)
{
    uint64_t ns = profile->totals.wall ? sample->wall_ns : sample->cpu_ns;

    return (struct picture_weight){timed ? ns : sample->count, sample->count};
}

static void add_weight(struct picture_weight *to, struct picture_weight more)
{
    to->value += more.value;
    to->samples += more.samples;
}

/* Adds the samples of one profile to their innermost frames. `tested` has an element for each frame, or is NULL if
 * there is no baseline. */
static void weigh(const struct stack_merge *merge, bool timed, struct draft *draft, struct diff_frame *tested)
{
    for (uint32_t i = 0; i < merge->from->sample_count; i++) {
        const struct profile_sample *sample = &merge->from->samples[i];
        struct picture_weight weight = weight_of(merge->from, timed, sample);
        struct picture_frame *frame = &draft->frames[merge->leaves[i]];
        if (!profile_counts_sample(merge->from, sample))
            continue;
        add_weight(merge->side == DIFF_OLD ? &frame->old_self : &frame->self, weight);
        if (tested != NULL)
            diff_sums_count(&tested[merge->leaves[i]].total.of[merge->side], weight.samples, weight.value);
    }
}

static void sum_up(struct draft *draft, struct diff_frame *tested)
{
    for (uint32_t i = draft->count; i-- > 0;) {
        struct picture_frame *frame = &draft->frames[i], *parent = &draft->frames[frame->parent];
        add_weight(&frame->total, frame->self);
        add_weight(&frame->old_total, frame->old_self);
        if (i == 0)
            break;
        add_weight(&parent->total, frame->total);
        add_weight(&parent->old_total, frame->old_total);
        for (int side = 0; tested != NULL && side < DIFF_SIDES; side++)
            diff_sums_add(&tested[frame->parent].total.of[side], &tested[i].total.of[side]);
    }
}

/* --- changes ------------------------------------------------------------------------------- */

int draft_test_functions(const struct profile *profile, const struct profile *baseline, struct picture_tree *tree)
{
    const struct profile *const profiles[DIFF_SIDES] = {[DIFF_OLD] = baseline, [DIFF_NEW] = profile};
    const struct diff_test test = {.seconds = {1e9, 1e9}, .by_share = true};
    int error = diff_functions_find(profiles, &tree->functions);

    return error == 0 ? diff_tests_make(&tree->functions, &test, NULL, 0, &tree->tests) : error;
}

/* Tests all frames except the root, whose share is always 1. */
static int test_frames(const struct picture_store *store, const struct diff_tests *tests, struct draft *draft,
                       struct diff_frame *tested)
{
    for (uint32_t i = 1; i < draft->count; i++)
        tested[i].function = store->names[store->nodes[i].name].function;
    int error = diff_test_frames(tests, tested + 1, draft->count - 1);
    for (uint32_t i = 1; error == 0 && i < draft->count; i++)
        draft->frames[i].verdict = tested[i].verdict;
    return error;
}

uint64_t draft_sum_gone(const struct draft *draft)
{
    uint64_t gone = 0;

    for (uint32_t i = 1; i < draft->count; i++) {
        const struct picture_frame *frame = &draft->frames[i];
        if (frame->total.value == 0 && draft->frames[frame->parent].total.value > 0 && frame->verdict != DIFF_CHANCE)
            gone += frame->old_total.value;
    }
    return gone;
}

/* --- the whole ----------------------------------------------------------------------------- */

int draft_make(const struct stack_merge *merge, const struct stack_merge *old, const struct picture_tree *tree,
               struct draft *draft)
{
    const struct picture_store *store = merge->to;
    struct diff_frame *tested = tree->compares ? calloc(store->node_count, sizeof *tested) : NULL;
    int error = 0;

    *draft = (struct draft){.frames = calloc(store->node_count, sizeof *draft->frames), .count = store->node_count};
    if (draft->frames == NULL || (tree->compares && tested == NULL)) {
        free(tested);
        return -ENOMEM;
    }
    for (uint32_t i = 1; i < draft->count; i++) {
        draft->frames[i].parent = store->nodes[i].parent;
        draft->frames[i].name = store->nodes[i].name;
    }
    weigh(merge, tree->timed, draft, tested);
    if (tree->compares)
        weigh(old, tree->timed, draft, tested);
    sum_up(draft, tested);
    if (tree->compares)
        error = test_frames(store, &tree->tests, draft, tested);
    free(tested);
    return error;
}
