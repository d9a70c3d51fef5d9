/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the stacks of profiles into one store, for flame graphs. No function recurses, because the profiled program
 * decides how deep a stack is. If several processes with different names have samples in a node of a profile, the node
 * is merged once for each of these names. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "format/picture/picture.h"

/* --- the store ----------------------------------------------------------------------------- */

/* Kinds of entries in the store's memo. The kind of a name's entry is MEMO_NAME plus the picture_kind of the name. */
enum { MEMO_NODE, MEMO_PLACE, MEMO_NAME };

int picture_store_open(struct picture_store *store)
{
    *store = (struct picture_store){.strings = profile_new()};
    if (store->strings == NULL)
        return -ENOMEM;
    int error = array_grow(&store->names, 0, sizeof *store->names);
    if (error == 0)
        error = array_grow(&store->nodes, 0, sizeof *store->nodes);
    if (error == 0)
        error = array_grow(&store->places, 0, sizeof *store->places);
    if (error != 0)
        return error;
    store->places[store->place_count++] = (struct stored_place){0};
    store->names[store->name_count++] = (struct stored_name){.kind = PICTURE_ALL, .function = DIFF_NO_FUNCTION};
    store->nodes[store->node_count++] = (struct stored_node){0};
    return 0;
}

void picture_store_clear(struct picture_store *store)
{
    profile_free(store->strings);
    free(store->names);
    free(store->nodes);
    free(store->places);
    memo_free(&store->memo);
    *store = (struct picture_store){0};
}

static int add_clean(struct picture_store *store, const char *text, uint32_t *string)
{
    char *clean = picture_clean(text);
    int error = clean == NULL ? -ENOMEM : profile_string(store->strings, clean, string);

    free(clean);
    return error;
}

static int add_name(struct picture_store *store, const char *text, const char *object, enum picture_kind kind,
                    uint32_t *name)
{
    struct stored_name added = {.kind = kind, .function = DIFF_NO_FUNCTION};
    struct memo_entry *known;
    int error = add_clean(store, text, &added.text);

    if (error == 0)
        error = add_clean(store, object, &added.object);
    if (error == 0)
        error = memo_find(&store->memo, MEMO_NAME + kind, added.text, added.object, &known);
    if (error == 0 && !known->used) {
        error = array_grow(&store->names, store->name_count, sizeof *store->names);
        if (error != 0)
            return error;
        store->names[store->name_count] = added;
        memo_set(known, store->name_count++);
    }
    if (error == 0)
        *name = known->index;
    return error;
}

/* Finds or adds a node that is equal to `added`. */
static int add_node(struct picture_store *store, const struct stored_node *added, uint32_t *node)
{
    struct memo_entry *known;
    int error = memo_find(&store->memo, MEMO_NODE, added->parent, (uint64_t)added->place << 32 | added->name, &known);

    if (error == 0 && !known->used) {
        error = array_grow(&store->nodes, store->node_count, sizeof *store->nodes);
        if (error != 0)
            return error;
        store->nodes[store->node_count] = *added;
        memo_set(known, store->node_count++);
    }
    if (error == 0)
        *node = known->index;
    return error;
}

/* Finds or adds the place of a line. */
static int add_place(struct picture_store *store, const struct profile_line *line, uint32_t *place)
{
    struct memo_entry *known;

    *place = 0;
    if (line->file == 0 || line->line == 0)
        return 0;
    int error = memo_find(&store->memo, MEMO_PLACE, line->file, line->line, &known);
    if (error == 0 && !known->used) {
        error = array_grow(&store->places, store->place_count, sizeof *store->places);
        if (error != 0)
            return error;
        store->places[store->place_count] = (struct stored_place){line->file, line->line};
        memo_set(known, store->place_count++);
    }
    if (error == 0)
        *place = known->index;
    return error;
}

/* --- names --------------------------------------------------------------------------------- */

static const char *picture_base_name(const char *path)
{
    const char *name = path_base_name(path);

    return *name != '\0' ? name : path;
}

/* --- stacks -------------------------------------------------------------------------------- */

static const char *process_name(const struct profile *profile, uint32_t sample)
{
    uint32_t thread = profile->samples[sample].thread;
    return profile->strings[profile->processes[profile->threads[thread].process].comm];
}

/* Returns the function that the linker knows at a location, or NULL if nothing is compared. */
static const struct diff_function *function_at(const struct stack_merge *merge, uint32_t location)
{
    return merge->functions == NULL ? NULL : &merge->functions->all[merge->functions->at[merge->side][location]];
}

/* Returns the name of a location's object. If the program was renamed after the baseline was made, returns the new
 * name, so that a function has the same name in both profiles. */
static const char *object_name(const struct stack_merge *merge, uint32_t location)
{
    const struct profile *from = merge->from;
    const struct diff_function *function = function_at(merge, location);
    const char *path = from->strings[from->objects[from->locations[location].object].path];

    if (function != NULL && diff_function_is_renamed(function))
        return function->object[DIFF_NEW];
    return picture_base_name(path);
}

/* Finds or adds the name of a function of a location. If the function is not known, the name is that of its object.
 * `line` is the index of one of the location's lines; 0 is the line of the innermost function. */
static int name_code(struct stack_merge *merge, uint32_t location, uint32_t line, uint32_t *name)
{
    const struct profile *from = merge->from;
    const struct profile_location *place = &from->locations[location];
    const char *object = object_name(merge, location);
    enum picture_kind kind = picture_kind_of(from, place->object);
    bool alone = place->line_count <= 1;

    if (alone && merge->names[location] != 0) {
        *name = merge->names[location];
        return 0;
    }
    uint32_t function = place->line_count > 0 ? place->lines[line].function : PROFILE_NONE;
    uint32_t text = from->functions[function].name;
    int error = add_name(merge->to, text != 0 ? from->strings[text] : object,
                         kind == PICTURE_MARK ? "" : object, kind, name);
    if (error == 0 && merge->functions != NULL && line + 1 >= place->line_count)
        merge->to->names[*name].function = merge->functions->at[merge->side][location];
    if (error == 0 && alone)
        merge->names[location] = *name;
    return error;
}

/* Adds a node to the store for each function of a location, below *node, and sets *node to the innermost of them. */
static int add_location(struct stack_merge *merge, uint32_t location, uint32_t *node)
{
    const struct profile_location *from = &merge->from->locations[location];
    uint32_t count = from->line_count;
    int error = 0;

    for (uint32_t i = count > 0 ? count : 1; error == 0 && i > 0; i--) {
        struct stored_node added = {.parent = *node};
        error = name_code(merge, location, i - 1, &added.name);
        if (error == 0 && merge->places && count > 0)
            error = add_place(merge->to, &from->lines[i - 1], &added.place);
        if (error == 0)
            error = add_node(merge->to, &added, node);
    }
    return error;
}

/* Finds or adds the node of the store for `leaf`, a node of the profile. Goes from the leaf towards the root until it
 * finds a caller that has been merged for the same process name, and adds nodes for everything below this caller.
 * `lane` is the number of the process name, from 1. */
static int add_stack(struct stack_merge *merge, uint32_t leaf, uint32_t lane, uint32_t root, uint32_t *result)
{
    const struct profile_node *nodes = merge->from->nodes;
    uint32_t depth = 0, at = leaf;
    int error = 0;

    while (at != PROFILE_NONE && merge->lane[at] != lane) {
        merge->stack[depth++] = at;
        at = nodes[at].parent;
    }
    *result = at == PROFILE_NONE ? root : merge->merged[at];
    while (error == 0 && depth > 0) {
        at = merge->stack[--depth];
        error = add_location(merge, nodes[at].location, result);
        merge->lane[at] = lane;
        merge->merged[at] = *result;
    }
    return error;
}

/* Returns true if the stack of a sample shows its system call already. Its innermost location may be a function of the
 * kernel with a name. Or it is a mark with the name of the system call: in samples of threads that wait for a CPU
 * (PROFILE_WAITING_PLACE). */
static bool shows_call(const struct profile *from, const struct profile_sample *sample)
{
    const struct profile_location *place = &from->locations[from->nodes[sample->node].location];
    const struct profile_object *object = &from->objects[place->object];

    return (profile_is_kernel(from, place->object) && place->line_count > 0) ||
           (object->kind == PROFILE_OBJECT_MARK && object->path == from->syscalls[sample->syscall].name);
}

/* Adds the system call of a sample as a frame below *node, and sets *node to this frame. Does nothing if the sample has
 * no system call, or if its stack shows it. */
static int add_call(struct stack_merge *merge, const struct profile_sample *sample, uint32_t *node)
{
    const struct profile *from = merge->from;
    bool asleep = sample->state >= PROFILE_ASLEEP;
    struct stored_node added = {.parent = *node, .call = true};

    if (sample->syscall == PROFILE_NONE || shows_call(from, sample))
        return 0;
    int error = add_name(merge->to, from->strings[from->syscalls[sample->syscall].name],
                         asleep ? "[asleep]" : "[kernel]", asleep ? PICTURE_ASLEEP : PICTURE_KERNEL,
                         &added.name);
    return error == 0 ? add_node(merge->to, &added, node) : error;
}

static int compare_processes(const void *a, const void *b, void *context)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(process_name(context, x), process_name(context, y));
    return order != 0 ? order : x < y ? -1 : x > y;
}

/* Sets *root to the node of the store below which the stacks of a process begin. If merge->several is set, this is a
 * frame with the name of the process. Otherwise it is the root of the store. */
static int add_root(struct stack_merge *merge, const char *process, uint32_t *root)
{
    struct stored_node added = {0};

    *root = 0;
    if (!merge->several)
        return 0;
    int error = add_name(merge->to, process[0] != '\0' ? process : "[unnamed]", "", PICTURE_PROCESS, &added.name);
    return error == 0 ? add_node(merge->to, &added, root) : error;
}

static int add_samples(struct stack_merge *merge)
{
    const struct profile *from = merge->from;
    const char *process = NULL;
    uint32_t lane = 0, root = 0;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->sample_count; i++) {
        uint32_t sample = merge->order[i], *leaf = &merge->leaves[sample];
        if (process == NULL || (merge->several && strcmp(process, process_name(from, sample)))) {
            process = process_name(from, sample);
            lane++;
            error = add_root(merge, process, &root);
        }
        if (error == 0)
            error = add_stack(merge, from->samples[sample].node, lane, root, leaf);
        if (error == 0)
            error = add_call(merge, &from->samples[sample], leaf);
    }
    return error;
}

bool stack_merge_has_several(const struct profile *profile)
{
    for (uint32_t i = 1; profile != NULL && i < profile->sample_count; i++)
        if (strcmp(process_name(profile, i - 1), process_name(profile, i)) != 0)
            return true;
    return false;
}

void stack_merge_clear(struct stack_merge *merge)
{
    free(merge->order);
    free(merge->lane);
    free(merge->merged);
    free(merge->stack);
    free(merge->names);
    free(merge->leaves);
}

int stack_merge_profile(struct stack_merge *merge)
{
    const struct profile *from = merge->from;
    size_t samples = from->sample_count + 1u, nodes = from->node_count + 1u;

    merge->order = calloc(samples, sizeof *merge->order);
    merge->leaves = calloc(samples, sizeof *merge->leaves);
    merge->lane = calloc(nodes, sizeof *merge->lane);
    merge->merged = calloc(nodes, sizeof *merge->merged);
    merge->stack = calloc(nodes, sizeof *merge->stack);
    merge->names = calloc(from->location_count + 1u, sizeof *merge->names);
    if (merge->order == NULL || merge->leaves == NULL || merge->lane == NULL ||
        merge->merged == NULL || merge->stack == NULL || merge->names == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < from->sample_count; i++)
        merge->order[i] = i;
    if (merge->several)
        qsort_r(merge->order, from->sample_count, sizeof *merge->order, compare_processes, (void *)from);
    return add_samples(merge);
}
