/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lays out the flame view: one line for each level of calls, callees below callers. The left and right edges of boxes
 * are rounded to columns. If widths were rounded instead, their errors would add up in a line of many boxes. Boxes are
 * stored level by level, each level from left to right.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "calls.h"

#define LEVELS_MAX 4096

struct layout {
    struct calls *calls;
    double scale; /* number of columns that a share of 1 takes */
};

static int flame_add_box(struct calls *calls, const struct calls_box *box)
{
    int error = array_grow(&calls->boxes, calls->box_count, sizeof *calls->boxes);

    if (error == 0)
        calls->boxes[calls->box_count++] = *box;
    return error;
}

/* Adds boxes for the callees of a box, beginning at the left edge of the box. */
static int flame_add_callees(struct layout *layout, const struct calls_box *box)
{
    struct calls *calls = layout->calls;
    uint32_t row = box->row == CALLS_NONE ? calls->first : calls->rows[box->row].child;
    double at = 0;
    int error = 0, used = 0;

    for (; error == 0 && row != CALLS_NONE; row = calls->rows[row].sibling) {
        int left = used;
        at += calls_share(calls, row) * layout->scale;
        int right = (int)lround(at);
        if (right > box->width) /* the shares of callees may add up to more than the box's share */
            right = box->width;
        if (right <= left)
            continue;
        used = right;
        error = flame_add_box(calls, &(struct calls_box){row, box->level + 1, box->column + left, right - left});
    }
    return error;
}

/* Returns the share of the top box: the share of the row `root`, or if `root` is CALLS_NONE, the sum of the shares of
 * all rows without a parent. */
static double flame_whole_share(const struct calls *calls, uint32_t root)
{
    double sum = 0;

    if (root != CALLS_NONE)
        return calls_share(calls, root);
    for (uint32_t row = calls->first; row != CALLS_NONE; row = calls->rows[row].sibling)
        sum += calls_share(calls, row);
    return sum;
}

int calls_flame(struct calls *calls, uint32_t root, int columns)
{
    double all = flame_whole_share(calls, root);
    struct layout layout = {.calls = calls, .scale = all > 0 ? columns / all : 0};

    free(calls->boxes);
    calls->boxes = NULL;
    calls->box_count = 0;
    if (calls->count == 0 || columns < 1)
        return 0;
    int error = flame_add_box(calls, &(struct calls_box){root, 0, 0, columns});
    for (uint32_t i = 0; error == 0 && i < calls->box_count; i++) {
        struct calls_box box = calls->boxes[i]; /* a copy, because the array may move when it grows */
        if (box.level < LEVELS_MAX)
            error = flame_add_callees(&layout, &box);
    }
    if (error != 0)
        calls->box_count = 0;
    return error;
}

uint32_t calls_box_of(const struct calls *calls, uint32_t row)
{
    for (uint32_t i = 0; i < calls->box_count; i++)
        if (calls->boxes[i].row == row)
            return i;
    return CALLS_NONE;
}

static uint32_t flame_box_of_level(const struct calls *calls, uint32_t box, uint32_t level, bool below)
{
    const struct calls_box *from = &calls->boxes[box];
    uint32_t best = box;

    for (uint32_t i = 0; i < calls->box_count; i++) {
        const struct calls_box *to = &calls->boxes[i];
        if (to->level != level)
            continue;
        bool over = to->column <= from->column && from->column < to->column + to->width;
        bool within = to->column >= from->column && to->column < from->column + from->width;
        if (below ? !within : !over)
            continue;
        if (best == box || to->width > calls->boxes[best].width)
            best = i;
    }
    return best;
}

uint32_t calls_box_step(const struct calls *calls, uint32_t box, int levels, int boxes)
{
    uint32_t level = calls->boxes[box].level;

    for (; levels > 0; levels--)
        box = flame_box_of_level(calls, box, calls->boxes[box].level + 1, true);
    for (; levels < 0 && calls->boxes[box].level > 0; levels++)
        box = flame_box_of_level(calls, box, calls->boxes[box].level - 1, false);
    for (; boxes > 0 && box + 1 < calls->box_count && calls->boxes[box + 1].level == level; boxes--)
        box++;
    for (; boxes < 0 && box > 0 && calls->boxes[box - 1].level == level; boxes++)
        box--;
    return box;
}
