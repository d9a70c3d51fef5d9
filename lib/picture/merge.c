/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nothing recurses: a stack may be as deep as its target likes. A node is merged once for each
 * program that has samples on it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "picture/merge.h"

/* --- names --------------------------------------------------------------------------------- */

static const char *picture_base_name(const char *path)
{
    const char *name = path_base_name(path);

    return *name != '\0' ? name : path;
}

static int add_clean(struct profile *to, const char *text, uint32_t *string)
{
    char *clean = picture_clean(text);
    int error = clean == NULL ? -ENOMEM : profile_string(to, clean, string);

    free(clean);
    return error;
}

static int add_name(struct profile *to, const char *text, const char *object,
                    enum picture_kind kind, uint32_t *name)
{
    struct profile_function entry = {.line = kind};
    int error = add_clean(to, text, &entry.name);

    if (error == 0)
        error = add_clean(to, object, &entry.system_name);
    return error == 0 ? profile_function(to, &entry, name) : error;
}

/* Is this the file of a library, as far as its name tells? */
static bool is_library(const char *base)
{
    const char *so = strstr(base, ".so");
    return so != NULL && (so[3] == '\0' || so[3] == '.' || so[3] == '-');
}

static enum picture_kind kind_of(const struct profile *profile, uint32_t index)
{
    const struct profile_object *object = &profile->objects[index];

    if (strncmp(profile->strings[object->path], "[kernel", 7) == 0) /* perf has it so */
        return PICTURE_KERNEL;
    switch (object->kind) {
    case PROFILE_OBJECT_FILE:
        return is_library(picture_base_name(profile->strings[object->path])) ? PICTURE_LIBRARY
                                                                     : PICTURE_PROGRAM;
    case PROFILE_OBJECT_VDSO:
        return PICTURE_KERNEL;
    case PROFILE_OBJECT_ANON:
        return PICTURE_JIT;
    default:
        return PICTURE_MARK;
    }
}

/* --- stacks -------------------------------------------------------------------------------- */

static const char *process_name(const struct profile *profile, uint32_t sample)
{
    uint32_t thread = profile->samples[sample].thread;
    return profile->strings[profile->processes[profile->threads[thread].process].comm];
}

/* Code without a name is called by its object. line: of the location, 0: the innermost. */
static int name_code(struct merge *merge, uint32_t location, uint32_t line, uint32_t *name)
{
    const struct profile *from = merge->from;
    const struct profile_location *place = &from->locations[location];
    const char *object = picture_base_name(from->strings[from->objects[place->object].path]);
    enum picture_kind kind = kind_of(from, place->object);
    bool alone = place->line_count <= 1;

    if (alone && merge->names[location] != 0) {
        *name = merge->names[location];
        return 0;
    }
    uint32_t function = place->line_count > 0 ? place->lines[line].function : PROFILE_NONE;
    uint32_t text = from->functions[function].name;
    int error = add_name(merge->to, text != 0 ? from->strings[text] : object,
                         kind == PICTURE_MARK ? "" : object, kind, name);
    if (error == 0 && alone)
        merge->names[location] = *name;
    return error;
}

/* Below a node of the store: the functions of a location, those inlined last. */
static int add_location(struct merge *merge, uint32_t location, uint32_t *node)
{
    uint32_t count = merge->from->locations[location].line_count, name;
    int error = 0;

    for (uint32_t i = count > 0 ? count : 1; error == 0 && i > 0; i--) {
        error = name_code(merge, location, i - 1, &name);
        if (error == 0)
            error = profile_node(merge->to, *node, name, node);
    }
    return error;
}

/* The node of the store for a node of the profile: from the nearest caller that is there
 * already, down. lane is never 0. */
static int add_stack(struct merge *merge, uint32_t leaf, uint32_t lane, uint32_t root,
                     uint32_t *result)
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

/* Has the sample's place the name of what it was in? So has a wait for a CPU. */
static bool is_place(const struct profile *from, const struct profile_sample *sample)
{
    const struct profile_location *place = &from->locations[from->nodes[sample->node].location];
    const struct profile_object *object = &from->objects[place->object];

    return object->kind == PROFILE_OBJECT_MARK && object->path == from->syscalls[sample->syscall].name;
}

/* The system call that a sample was in is a frame on top. */
static int add_call(struct merge *merge, const struct profile_sample *sample, uint32_t *node)
{
    const struct profile *from = merge->from;
    bool asleep = sample->state >= PROFILE_ASLEEP;
    uint32_t name;

    if (sample->syscall == PROFILE_NONE || is_place(from, sample))
        return 0;
    int error = add_name(merge->to, from->strings[from->syscalls[sample->syscall].name],
                         asleep ? "[asleep]" : "[kernel]", asleep ? PICTURE_ASLEEP : PICTURE_KERNEL, &name);
    return error == 0 ? profile_node(merge->to, *node, name, node) : error;
}

static int compare_processes(const void *a, const void *b, void *context)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(process_name(context, x), process_name(context, y));
    return order != 0 ? order : x < y ? -1 : x > y;
}

/* What the stacks of a program stand on. */
static int add_root(struct merge *merge, const char *process, uint32_t *root)
{
    uint32_t name;

    *root = PROFILE_NONE;
    if (!merge->several)
        return 0;
    int error =
        add_name(merge->to, process[0] != '\0' ? process : "[unnamed]", "", PICTURE_PROCESS, &name);
    return error == 0 ? profile_node(merge->to, PROFILE_NONE, name, root) : error;
}

static int add_samples(struct merge *merge)
{
    const struct profile *from = merge->from;
    const char *process = NULL;
    uint32_t lane = 0, root = PROFILE_NONE;
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

bool merge_has_several(const struct profile *profile)
{
    for (uint32_t i = 1; profile != NULL && i < profile->sample_count; i++)
        if (strcmp(process_name(profile, i - 1), process_name(profile, i)) != 0)
            return true;
    return false;
}

void merge_clear(struct merge *merge)
{
    free(merge->order);
    free(merge->lane);
    free(merge->merged);
    free(merge->stack);
    free(merge->names);
    free(merge->leaves);
}

int merge_profile(struct merge *merge)
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
        qsort_r(merge->order, from->sample_count, sizeof *merge->order, compare_processes,
                (void *)from);
    return add_samples(merge);
}
