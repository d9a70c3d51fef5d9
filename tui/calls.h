/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: a call tree over time, for the list of calls and for the flame view. A row has the same id
 * in each snapshot, so that unfolded rows stay unfolded. A window is a time between two snapshots, by
 * default one second. Shares are computed for each window.
 */
#ifndef TUI_CALLS_H
#define TUI_CALLS_H

#include "snapshot.h"

#define CALLS_NONE UINT32_MAX

struct calls_row {
    struct pprofil_live_call call; /* counts since the start */
    const struct pprofil_diff_call *change; /* borrowed; as snapshot_calls.changes; NULL: nothing is compared */
    /* the row's time at the end of the last window; `before_ns` includes callees, `before_self_ns` does not */
    uint64_t before_ns, before_self_ns;
    /* the row's share of the last windows' time, smoothed by table_smooth_share; `smooth_share` includes callees,
     * `smooth_self` does not */
    double smooth_share, smooth_self;
    /* index in calls.rows of the row's largest child, and of its next smaller sibling; CALLS_NONE:
     * there is none */
    uint32_t child, sibling;
    uint32_t depth;
    bool open; /* the row is unfolded: its children have lines in the list */
};

/* A box of the flame view. It takes a part of one line. */
struct calls_box {
    uint32_t row; /* CALLS_NONE: the box "all", which contains the boxes of all rows */
    uint32_t level;
    int column, width;
};

struct calls {
    enum pprofil_tree_kind kind;
    uint64_t function; /* id of the function whose callers or callees the tree shows */
    /* true: calls_share and calls_self return shares of the time since the start; false: of the last windows */
    bool whole;
    bool by_change; /* two profiles are compared, and children are sorted by the size of their change */
    struct calls_row *rows; /* owned; parents before their children */
    uint32_t count;
    uint32_t first;    /* the first row without a parent */
    uint64_t all_ns;   /* time of all samples that pass the filter, ns; a row with all this time has the share 1 */
    uint64_t tree_ns;  /* time of the samples in the tree, ns */
    uint64_t before_ns; /* value of `all_ns` at the end of the last window */
    uint32_t filled;   /* number of windows so far that had samples */
    bool taken;
    uint32_t *lines;   /* owned: the rows that have lines in the list, from top to bottom */
    uint32_t line_count;
    struct calls_fold { /* rows that the user has folded or unfolded */
        uint64_t id;
        bool open;
    } *folds; /* owned */
    uint32_t fold_count;
    /* owned: the boxes that calls_flame laid out last, level by level from the top, each level from left to right */
    struct calls_box *boxes;
    uint32_t box_count;
};

void calls_free(struct calls *calls);
/* Forgets everything except `kind`, `function`, `whole`, `by_change` and the rows that the user has folded or
 * unfolded. */
void calls_clear(struct calls *calls);
/* Takes a new tree. If `seconds` is not 0, a window of this length ends now. The first tree ends no
 * window. Returns 0, or -ENOMEM with nothing changed. */
int calls_take(struct calls *calls, const struct snapshot_calls *tree, double seconds);
/* Sorts the rows, and makes the lines of the list anew. */
void calls_arrange(struct calls *calls);
/* Unfolds a row if `open` is true. Otherwise folds the row. */
void calls_fold(struct calls *calls, uint32_t row, bool open);

/* calls_share returns a row's share of the time including its callees, and calls_self returns its
 * share without them. The shares are smoothed over the last windows. If calls->whole is set, or if
 * no window had samples yet, they are shares of the time since the start instead. */
double calls_share(const struct calls *calls, uint32_t row);
double calls_self(const struct calls *calls, uint32_t row);
/* Returns the row with this id, or CALLS_NONE. */
uint32_t calls_find(const struct calls *calls, uint64_t id);

/* --- calls-flame.c --------------------------------------------------------------------------- */

/* Lays out a box of `columns` columns for the row `root`, and boxes for the rows below it. If `root` is CALLS_NONE,
 * lays out boxes for all rows. Boxes narrower than a column are left out. Returns 0, or -ENOMEM with no boxes. */
int calls_flame(struct calls *calls, uint32_t root, int columns);
/* Returns the index of a row's box, or CALLS_NONE. */
uint32_t calls_box_of(const struct calls *calls, uint32_t row);
/* Goes from a box `levels` levels down, and then `boxes` boxes to the right. If `levels` is
 * negative, goes up, and if `boxes` is negative, goes to the left. Returns the index of the box
 * that is reached. Steps that lead to no box are left out. */
uint32_t calls_box_step(const struct calls *calls, uint32_t box, int levels, int boxes);

#endif
