/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the tree that a flame graph shows. Merged stacks get their weights (draft.c), small frames are dropped, and
 * the other frames are put in order. No function recurses, because stacks may be very deep.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/picture/picture.h"

/* --- what is kept, and in which order ------------------------------------------------------ */

/* What decides which frames of the draft are kept, and in which order. */
struct choice {
    struct draft draft;
    bool keep_old;
    uint32_t *depths;   /* an element for each frame of the draft */
    uint32_t rows;      /* depth of the deepest row that is kept */
    uint32_t equals;    /* how many more frames of exactly the smallest size may be kept; UINT32_MAX: any number */
    uint32_t *ranks;    /* an element for each name: its place when the names are sorted by text */
    /* frames that are kept, sorted by parent; children of one parent are sorted by the ranks of their names */
    uint32_t *children;
    uint32_t count;
};

static uint64_t size_of(const struct choice *choice, uint32_t index)
{
    const struct picture_frame *frame = &choice->draft.frames[index];
    bool old = choice->keep_old && frame->old_total.value > frame->total.value;
    return old ? frame->old_total.value : frame->total.value;
}

static int compare_sizes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* Finds the size that a frame must have to be kept, and how many frames of exactly that size are kept. No frame is
 * larger than its caller, and the caller comes before it. So if a frame is kept, its caller is kept, too. */
static int find_cut(struct choice *choice, uint32_t most, double share, uint64_t *cut)
{
    uint32_t count = choice->draft.count;

    *cut = (uint64_t)((double)size_of(choice, 0) * share);
    *cut += *cut == 0; /* frames of size 0 are not drawn */
    choice->equals = UINT32_MAX;
    if (count <= most)
        return 0;
    uint64_t *sizes = calloc(count, sizeof *sizes);
    if (sizes == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = size_of(choice, i);
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    if (sizes[most] >= *cut) {
        *cut = sizes[most];
        choice->equals = 0;
        for (uint32_t i = most; i-- > 0 && sizes[i] == *cut;)
            choice->equals++;
    }
    free(sizes);
    return 0;
}

static int compare_names(const void *a, const void *b, void *context)
{
    const struct picture_name *names = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct picture_name *x = &names[i], *y = &names[j];
    int order = strcmp(x->text, y->text);

    if (order == 0)
        order = strcmp(x->object, y->object);
    return order != 0 ? order : x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int rank_names(const struct picture_tree *tree, uint32_t *ranks)
{
    uint32_t *sorted = calloc(tree->name_count, sizeof *sorted);

    if (sorted == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->name_count; i++)
        sorted[i] = i;
    qsort_r(sorted, tree->name_count, sizeof *sorted, compare_names, tree->names);
    for (uint32_t i = 0; i < tree->name_count; i++)
        ranks[sorted[i]] = i;
    free(sorted);
    return 0;
}

static int compare_children(const void *a, const void *b, void *context)
{
    const struct choice *choice = context;
    const struct picture_frame *x = &choice->draft.frames[*(const uint32_t *)a];
    const struct picture_frame *y = &choice->draft.frames[*(const uint32_t *)b];

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return choice->ranks[x->name] < choice->ranks[y->name] ? -1 : 1;
}

/* Finds the depth of each frame, and the deepest row that is kept. If a few stacks were far deeper than all others, the
 * picture would be mostly empty. So below the first limits->rows rows, a row is kept only if the share of its frames in
 * the whole is larger than limits->deep. */
static int measure_depths(struct choice *choice, const struct picture_limits *limits)
{
    const struct draft *draft = &choice->draft;
    uint64_t *reached = calloc(draft->count + 1u, sizeof *reached); /* by depth */

    if (reached == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < draft->count; i++) {
        choice->depths[i] = choice->depths[draft->frames[i].parent] + 1;
        reached[choice->depths[i]] += size_of(choice, i);
    }
    double least = limits->deep * (double)size_of(choice, 0);
    choice->rows = limits->rows;
    while (choice->rows < draft->count && (double)reached[choice->rows + 1] > least)
        choice->rows++;
    free(reached);
    return 0;
}

static bool is_kept(struct choice *choice, uint64_t size, uint64_t cut)
{
    if (size == cut && choice->equals != UINT32_MAX)
        return choice->equals > 0 && choice->equals-- > 0;
    return size >= cut;
}

static int choose_frames(struct choice *choice, const struct picture_limits *limits, struct picture_tree *tree)
{
    int error = find_cut(choice, limits->most, limits->share, &tree->cut);

    if (error == 0)
        error = measure_depths(choice, limits);

    if (error == 0)
        error = rank_names(tree, choice->ranks);
    if (error != 0)
        return error;
    tree->gone = draft_sum_gone(&choice->draft);
    for (uint32_t i = 1; i < choice->draft.count; i++)
        if (choice->depths[i] > choice->rows)
            tree->deeper++;
        else if (is_kept(choice, size_of(choice, i), tree->cut))
            choice->children[choice->count++] = i;
        else
            tree->dropped += size_of(choice, i) > 0;
    qsort_r(choice->children, choice->count, sizeof *choice->children, compare_children, choice);
    return 0;
}

/* Copies the frames that are kept into *tree, in depth-first order. choice->children[first[i] - 1] is the first child
 * of frame i of the draft. If first[i] is 0, frame i has no children. */
static void walk_frames(const struct choice *choice, const uint32_t *first, uint32_t *stack,
                 uint32_t *places, struct picture_tree *tree)
{
    const struct picture_frame *draft = choice->draft.frames;
    uint32_t waiting = 0;

    stack[waiting++] = 0;
    while (waiting > 0) {
        uint32_t index = stack[--waiting], end = first[index];
        struct picture_frame *frame = &tree->frames[tree->frame_count];
        *frame = draft[index];
        frame->parent = index == 0 ? 0 : places[draft[index].parent];
        frame->depth = index == 0 ? 0 : tree->frames[frame->parent].depth + 1;
        places[index] = tree->frame_count++;
        tree->kinds |= UINT64_C(1) << tree->names[frame->name].kind;
        if (frame->depth > tree->depth)
            tree->depth = frame->depth;
        if (end == 0)
            continue;
        while (end <= choice->count && draft[choice->children[end - 1]].parent == index)
            end++;
        /* pushed in reverse order, so that the first child is taken from the stack first */
        while (--end >= first[index])
            stack[waiting++] = choice->children[end - 1];
    }
}

static int order_frames(const struct choice *choice, struct picture_tree *tree)
{
    size_t count = choice->draft.count;
    uint32_t *first = calloc(count, sizeof *first), *stack = calloc(count, sizeof *stack);
    uint32_t *places = calloc(count, sizeof *places);
    int error = -ENOMEM;

    tree->frames = calloc(choice->count + 1u, sizeof *tree->frames);
    if (first != NULL && stack != NULL && places != NULL && tree->frames != NULL) {
        for (uint32_t i = choice->count; i > 0; i--)
            first[choice->draft.frames[choice->children[i - 1]].parent] = i;
        walk_frames(choice, first, stack, places, tree);
        error = 0;
    }
    free(first);
    free(stack);
    free(places);
    return error;
}

/* --- the whole ----------------------------------------------------------------------------- */

static int copy_names(const struct picture_store *store, struct picture_tree *tree)
{
    char **strings = store->strings->strings;

    tree->name_count = store->name_count;
    tree->names = calloc(tree->name_count, sizeof *tree->names);
    if (tree->names == NULL)
        return -ENOMEM;
    tree->names[0] = (struct picture_name){"all", "", PICTURE_ALL, NULL};
    for (uint32_t i = 1; i < tree->name_count; i++) {
        const struct stored_name *name = &store->names[i];
        const struct pprofil_diff_row *row = name->function == DIFF_NO_FUNCTION ? NULL
                                                                                : &tree->tests.rows[name->function];
        tree->names[i] = (struct picture_name){strings[name->text], strings[name->object], name->kind, row};
    }
    return 0;
}

static int picture_tree_fill(struct stack_merge *merge, struct stack_merge *old, const struct picture_limits *limits,
                             struct picture_tree *tree)
{
    struct choice choice = {.keep_old = limits->keep_old};
    int error = stack_merge_profile(merge);

    if (error == 0 && old->from != NULL)
        error = stack_merge_profile(old);
    if (error == 0)
        error = draft_make(merge, old, tree, &choice.draft);
    if (error == 0)
        error = copy_names(merge->to, tree);
    choice.ranks = calloc(tree->name_count + 1u, sizeof *choice.ranks);
    choice.children = calloc(choice.draft.count + 1u, sizeof *choice.children);
    choice.depths = calloc(choice.draft.count + 1u, sizeof *choice.depths);
    if (error == 0 && (choice.ranks == NULL || choice.children == NULL || choice.depths == NULL))
        error = -ENOMEM;
    if (error == 0)
        error = choose_frames(&choice, limits, tree);
    if (error == 0)
        error = order_frames(&choice, tree);
    free(choice.draft.frames);
    free(choice.ranks);
    free(choice.children);
    free(choice.depths);
    return error;
}

bool picture_is_timed(const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;
    return totals->samples == 0 || (totals->wall ? totals->wall_ns : totals->cpu_ns) > 0;
}

int picture_tree_make(const struct profile *profile, const struct profile *baseline,
                      const struct picture_limits *limits, struct picture_tree *tree)
{
    *tree = (struct picture_tree){.wall = profile->totals.wall, .compares = baseline != NULL};
    if (baseline != NULL && baseline->totals.wall != profile->totals.wall)
        return PPROFIL_ERROR_MIXED_TIMES;
    tree->timed = picture_is_timed(profile) && (baseline == NULL || picture_is_timed(baseline));
    struct picture_store store;
    bool several = stack_merge_has_several(profile) || stack_merge_has_several(baseline);
    struct stack_merge merge = {.from = profile, .to = &store, .side = DIFF_NEW, .several = several};
    struct stack_merge old = {.from = baseline, .to = &store, .side = DIFF_OLD, .several = several};
    int error = picture_store_open(&store);
    if (error == 0 && baseline != NULL)
        error = draft_test_functions(profile, baseline, tree);
    if (baseline != NULL)
        merge.functions = old.functions = &tree->functions;
    if (error == 0)
        error = picture_tree_fill(&merge, &old, limits, tree);
    tree->strings = store.strings;
    store.strings = NULL;
    picture_store_clear(&store);
    stack_merge_clear(&merge);
    stack_merge_clear(&old);
    if (error != 0)
        picture_tree_clear(tree);
    return error;
}

void picture_tree_clear(struct picture_tree *tree)
{
    free(tree->names);
    free(tree->frames);
    profile_free(tree->strings);
    diff_functions_clear(&tree->functions);
    diff_tests_clear(&tree->tests);
    *tree = (struct picture_tree){0};
}
