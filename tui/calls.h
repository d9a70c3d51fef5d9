/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls: a call tree over time, for its list and for the flame view. The nodes of the tree are
 * known by their ids, as the rows of tables are, so that unfolded nodes stay unfolded.
 */
#ifndef TUI_CALLS_H
#define TUI_CALLS_H

#include "snapshot.h"

#define CALLS_NONE UINT32_MAX

struct calls_row {
    struct pprofil_live_call call; /* since the start */
    uint64_t before_ns, before_self_ns; /* its times at the end of the last window */
    /* shares of the windows' time, with what it called and alone; smoothed as in tables */
    double smooth_share, smooth_self;
    uint32_t child, sibling; /* rows, the largest first; CALLS_NONE: no row */
    uint32_t depth;
    bool open; /* it is unfolded: the rows below it have lines */
};

/* A box of the flame view: a part of one line. */
struct calls_box {
    uint32_t row; /* CALLS_NONE: the box of everything */
    uint32_t level;
    int column, width;
};

struct calls {
    enum pprofil_tree_kind kind;
    uint64_t function; /* for CALLERS and CALLEES */
    bool whole;        /* shares are those of the time since the start, not of the last window */
    struct calls_row *rows; /* owned; parents before their children */
    uint32_t count;
    uint32_t first;    /* the first row without a parent */
    uint64_t all_ns;   /* the time that shares are parts of */
    uint64_t tree_ns;  /* the time in the whole tree */
    uint64_t before_ns; /* all_ns at the end of the last window */
    uint32_t filled;   /* windows so far that had any time */
    bool taken;
    uint32_t *lines;   /* owned: the rows that have lines in the list, from the top */
    uint32_t line_count;
    struct calls_fold { /* what the user has folded or unfolded */
        uint64_t id;
        bool open;
    } *folds; /* owned */
    uint32_t fold_count;
    struct calls_box *boxes; /* owned: of the last calls_flame; from top to bottom, each level from left to right */
    uint32_t box_count;
};

void calls_free(struct calls *calls);
/* Forgets everything but whole and what was folded. */
void calls_clear(struct calls *calls);
/* Takes a tree. seconds > 0: a window of this length ends with it. Otherwise windows stay as
 * they are. Returns 0, or -ENOMEM with nothing changed. */
int calls_take(struct calls *calls, const struct snapshot_calls *tree, double seconds);
/* Sorts the rows and makes the lines anew. */
void calls_arrange(struct calls *calls);
/* Unfolds or folds a row. */
void calls_fold(struct calls *calls, uint32_t row, bool open);

/* Return a row's share of the last window, or of all time: with what it called, or alone. */
double calls_share(const struct calls *calls, uint32_t row);
double calls_self(const struct calls *calls, uint32_t row);
/* Returns the row with this id, or CALLS_NONE. */
uint32_t calls_find(const struct calls *calls, uint64_t id);

/* --- calls-flame.c --------------------------------------------------------------------------- */

/* Lays out the rows below root in a number of columns. root CALLS_NONE: all rows. Boxes narrower
 * than a column are left out. Returns 0, or -ENOMEM with no boxes. */
int calls_flame(struct calls *calls, uint32_t root, int columns);
/* Returns the box of a row, or CALLS_NONE. */
uint32_t calls_box_of(const struct calls *calls, uint32_t row);
/* Returns the box that is some levels below (or above, if negative) and some boxes to the right
 * (or left) on its level. Steps that lead nowhere are left out. */
uint32_t calls_box_step(const struct calls *calls, uint32_t box, int levels, int boxes);

#endif
