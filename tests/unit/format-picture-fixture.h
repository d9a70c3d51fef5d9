/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-format-picture-*.c: profiles that are made by hand, and the verdicts on their differences. */
#ifndef PPROFIL_TEST_FORMAT_PICTURE_FIXTURE_H
#define PPROFIL_TEST_FORMAT_PICTURE_FIXTURE_H

#include <string.h>

#include "build-events.h"
#include "format/picture/picture.h"
#include "report/diff.h"

/* --- profiles ---------------------------------------------------------------------------- */

static inline uint32_t string_in(struct profile *profile, const char *text)
{
    uint32_t index;

    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

/* Adds a location. `names` are its functions, innermost first, separated by spaces. */
static inline uint32_t place(struct profile *profile, const char *path, const char *names)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_FILE, .path = string_in(profile, path), .fd = -1};
    struct profile_line lines[8] = {{0}};
    uint32_t index, location, count = 0;
    char copy[256], *rest = copy;

    strcpy(copy, names);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, string_in(profile, names), &location), 0);
    for (char *name; (name = strsep(&rest, " ")) != NULL; count++) {
        struct profile_function function = {.name = string_in(profile, name), .object = index + 1};
        cr_assert_eq(profile_function(profile, &function, &lines[count].function), 0);
    }
    cr_assert_eq(profile_set_lines(profile, location, lines, count, PROFILE_LOOKED_NAME), 0);
    return location;
}

static inline uint32_t process_of(struct profile *profile, uint32_t pid, const char *comm)
{
    struct profile_process process = {.pid = pid, .comm = string_in(profile, comm)};
    struct profile_thread thread = {.tid = pid};
    uint32_t index;

    cr_assert_eq(profile_add_process(profile, &process, &thread.process), 0);
    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return index;
}

/* Returns the node of a stack. `frames` are locations, outermost first. A 0 ends the list. */
static inline uint32_t stack(struct profile *profile, const uint32_t *frames)
{
    uint32_t node = PROFILE_NONE;

    for (; *frames != 0; frames++)
        cr_assert_eq(profile_node(profile, node, *frames, &node), 0);
    return node;
}

#define STACK(profile, ...) stack(profile, (const uint32_t[]){__VA_ARGS__, 0})

/* --- comparisons ------------------------------------------------------------------------- */

static inline void tree_of(const struct profile *old, const struct profile *new, struct picture_tree *tree)
{
    const struct picture_limits limits = {.most = 100000, .rows = UINT32_MAX, .keep_old = true};

    cr_assert_eq(picture_tree_make(new, old, &limits, tree), 0);
}

static inline struct pprofil_diff *diff_of(struct profile *old, struct profile *new)
{
    struct pprofil_diff *diff;

    cr_assert_eq(diff_new((struct profile *[]){old, new}, NULL, &(struct diff_options){0}, &diff), 0);
    return diff;
}

static inline const char *name_of(const struct picture_tree *tree, uint32_t frame)
{
    return tree->names[tree->frames[frame].name].text;
}

/* Returns how many frames have a colour. */
static inline unsigned count_coloured(const struct picture_tree *tree)
{
    struct picture_colour grey = picture_colour_of_direction(0);
    double largest = picture_largest_change(tree);
    unsigned count = 0;

    for (uint32_t i = 0; i < tree->frame_count; i++) {
        struct picture_colour colour = picture_colour_of_change(tree, i, largest);
        count += memcmp(&colour, &grey, sizeof grey) != 0;
    }
    return count;
}

/* Returns how many frames of a function are coloured, or, if `coloured` is false, how many are significant on their
 * own. Sets *frames to the number of its frames. */
static inline unsigned count_frames(const struct picture_tree *tree, const char *name, bool coloured, unsigned *frames)
{
    unsigned count = 0;

    *frames = 0;
    for (uint32_t i = 1; i < tree->frame_count; i++)
        if (strcmp(name_of(tree, i), name) == 0) {
            count += coloured ? tree->frames[i].verdict != DIFF_CHANCE : tree->frames[i].verdict == DIFF_SIGNIFICANT;
            ++*frames;
        }
    return count;
}

/* The promise to users: if diff says that a function's total has changed, the function has a coloured frame. If a
 * function has only one frame, this frame is coloured only if diff says so. */
static inline void expect_same_verdicts(const struct pprofil_diff *diff, const struct picture_tree *tree)
{
    cr_assert_eq(tree->tests.significant, diff->totals.significant);
    cr_assert_eq(tree->tests.row_count, diff->totals.rows);
    for (uint32_t i = 0; i < diff->totals.rows; i++) {
        const struct pprofil_diff_row *row = &diff->rows[i];
        bool changed = diff->totals.stacks ? row->total.significant : row->self.significant;
        unsigned frames, coloured = count_frames(tree, row->name, true, &frames);
        cr_assert_geq(frames, 1, "%s", row->name);
        cr_assert(!changed || coloured > 0, "diff says that %s has changed; all %u frames are grey", row->name, frames);
        cr_assert(frames > 1 || changed == (coloured == 1), "%s has one frame", row->name);
    }
}

#endif
