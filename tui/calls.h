/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: a call tree over time, for the view that lists it and the flame view. Places in it are
 * known by their ids, as rows of tables are; what was unfolded stays so.
 */
#ifndef TUI_CALLS_H
#define TUI_CALLS_H

#include "snapshot.h"

#define CALLS_NONE UINT32_MAX

struct calls_row {
    struct pprofil_live_call call; /* since the start */
    uint64_t before_ns, before_self_ns; /* its times when the last window began */
    double smooth_share, smooth_self; /* of the windows' time, with what it called and its own;
                                       * they follow as those of tables do */
    uint32_t child, sibling; /* rows, the largest first; CALLS_NONE: none */
    uint32_t depth;
    bool open; /* what is below it has lines */
};

/* A part of a line of the flame view. */
struct calls_box {
    uint32_t row; /* CALLS_NONE: all */
    uint32_t level;
    int column, width;
};

struct calls {
    enum pprofil_tree_kind kind;
    uint64_t function; /* of CALLERS and CALLEES */
    bool whole;        /* shares are of the time since the start, not of the last window */
    struct calls_row *rows; /* owned; parents before their children */
    uint32_t count;
    uint32_t first;    /* of those without a parent */
    uint64_t all_ns;   /* what shares are of */
    uint64_t tree_ns;  /* in all of the tree */
    uint64_t before_ns; /* all_ns when the last window began */
    uint32_t filled;   /* windows with time in them */
    bool taken;
    uint32_t *lines;   /* owned: rows with a line in the list, from the top */
    uint32_t line_count;
    struct calls_fold { /* what somebody folded or unfolded */
        uint64_t id;
        bool open;
    } *folds; /* owned */
    uint32_t fold_count;
    struct calls_box *boxes; /* owned: of the last calls_flame; from the top, from the left */
    uint32_t box_count;
};

void calls_free(struct calls *calls);
/* Forgets all but whole and what was folded. */
void calls_clear(struct calls *calls);
/* Takes a tree. seconds > 0: a window of so long ends with it; else windows stay as they are.
 * 0 or -ENOMEM: nothing has changed. */
int calls_take(struct calls *calls, const struct snapshot_calls *tree, double seconds);
/* Sorts, and makes the lines anew. */
void calls_arrange(struct calls *calls);
/* Unfolds or folds a row. */
void calls_fold(struct calls *calls, uint32_t row, bool open);

/* A row's share of the last window or of all, with what it called, or its own. */
double calls_share(const struct calls *calls, uint32_t row);
double calls_self(const struct calls *calls, uint32_t row);
/* The row with this id, or CALLS_NONE. */
uint32_t calls_find(const struct calls *calls, uint64_t id);

/* --- calls-flame.c --------------------------------------------------------------------------- */

/* Lays out what is below a row, CALLS_NONE for all, in so many columns; what would be narrower
 * than one is left out. 0 or -ENOMEM: there are no boxes. */
int calls_flame(struct calls *calls, uint32_t root, int columns);
/* The box of a row, or CALLS_NONE. */
uint32_t calls_box_of(const struct calls *calls, uint32_t row);
/* The box to go to from one: levels up or down, or boxes on its level to the left or right. What
 * there is none of stays where it is. */
uint32_t calls_box_step(const struct calls *calls, uint32_t box, int levels, int boxes);

#endif
