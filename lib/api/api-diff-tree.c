/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of pprofil.h for call trees of two profiles. The tree is that of a flame graph, with its tests. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "format/picture/picture.h"
#include "report/row.h"

#define USUAL_LIMIT 4096u /* number of rows of a tree, if the caller sets no limit */

struct pprofil_diff_tree {
    struct picture_tree tree;
    struct pprofil_diff_call *calls; /* owned; calls[i] is tree.frames[i + 1] */
    uint32_t count;
};

static double diff_tree_share(uint64_t value, uint64_t whole)
{
    return whole == 0 ? 0 : (double)value / (double)whole;
}

static void diff_tree_set_side(const struct picture_tree *tree, int side, const struct picture_weight *self,
                               const struct picture_weight *total, struct pprofil_diff_call *call)
{
    const struct picture_frame *root = &tree->frames[0];
    uint64_t whole = side == DIFF_OLD ? root->old_total.value : root->total.value;

    call->samples[side] = self->samples;
    call->total_samples[side] = total->samples;
    call->ns[side] = tree->timed ? self->value : 0;
    call->total_ns[side] = tree->timed ? total->value : 0;
    call->share[side] = diff_tree_share(self->value, whole);
    call->total_share[side] = diff_tree_share(total->value, whole);
}

static void diff_tree_make_call(struct pprofil_diff_tree *tree, uint32_t i)
{
    static const enum pprofil_diff_verdict verdicts[] = {[DIFF_CHANCE] = PPROFIL_DIFF_CHANCE,
                                                         [DIFF_PART] = PPROFIL_DIFF_PART,
                                                         [DIFF_SIGNIFICANT] = PPROFIL_DIFF_SIGNIFICANT};
    const struct picture_frame *frame = &tree->tree.frames[i + 1];
    const struct picture_name *name = &tree->tree.names[frame->name];
    struct pprofil_diff_call *call = &tree->calls[i];

    *call = (struct pprofil_diff_call){.name = name->text,
                                       .object = name->object,
                                       .parent = frame->parent == 0 ? PPROFIL_TREE_TOP : frame->parent - 1,
                                       .verdict = verdicts[frame->verdict]};
    uint64_t above = call->parent == PPROFIL_TREE_TOP ? 0 : tree->calls[call->parent].id;
    call->id = row_id_below(above, frame->name);
    if (call->parent != PPROFIL_TREE_TOP)
        tree->calls[call->parent].below++;
    for (int side = 0; name->function != NULL && side < DIFF_SIDES; side++)
        call->function[side] = name->function->id[side];
    diff_tree_set_side(&tree->tree, DIFF_OLD, &frame->old_self, &frame->old_total, call);
    diff_tree_set_side(&tree->tree, DIFF_NEW, &frame->self, &frame->total, call);
}

static int diff_tree_look_up(pprofil_profile *profile)
{
    int error = api_need_symbolizer(profile);

    return error == 0 ? symbolizer_look_up_all(profile->symbolizer, PROFILE_LOOKED_LINE) : error;
}

int pprofil_diff_tree_new(pprofil_profile *old_profile, pprofil_profile *new_profile, uint32_t limit,
                          pprofil_diff_tree **result)
{
    /* rows: the depth of the screen is no limit, as that of a picture is */
    const struct picture_limits limits = {
        .most = (limit != 0 ? limit : USUAL_LIMIT) + 1, .rows = UINT32_MAX - 1, .keep_old = true};
    int error = diff_tree_look_up(old_profile);

    if (error == 0)
        error = diff_tree_look_up(new_profile);
    if (error != 0)
        return error;
    struct pprofil_diff_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -ENOMEM;
    error = picture_tree_make(new_profile->profile, old_profile->profile, &limits, &tree->tree);
    if (error != 0) {
        free(tree);
        return error;
    }
    tree->count = tree->tree.frame_count - 1;
    tree->calls = calloc(tree->count + 1u, sizeof *tree->calls);
    if (tree->calls == NULL) {
        pprofil_diff_tree_free(tree);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < tree->count; i++)
        diff_tree_make_call(tree, i);
    *result = tree;
    return 0;
}

void pprofil_diff_tree_free(pprofil_diff_tree *tree)
{
    if (tree == NULL)
        return;
    picture_tree_clear(&tree->tree);
    free(tree->calls);
    free(tree);
}

uint32_t pprofil_diff_tree_count(const pprofil_diff_tree *tree)
{
    return tree->count;
}

void pprofil_diff_tree_at(const pprofil_diff_tree *tree, uint32_t i, struct pprofil_diff_call *call, size_t size)
{
    api_copy(call, size, &tree->calls[i], sizeof tree->calls[i]);
}
