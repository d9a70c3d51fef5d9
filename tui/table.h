/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table: the rows of one grouping over time. A report has what was counted since the start. A table
 * keeps the last report, and so knows what each window brought.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "snapshot.h"

#define TABLE_WINDOWS 30

struct table_row {
    struct pprofil_row total; /* since the start, or since counts were cleared */
    uint64_t window_ns, window_samples, window_inclusive_ns;
    double window_share;   /* of the last window's time, 0..1; 0 if the window is empty */
    double window_error95; /* half the width of its 95 % interval; NAN if the window is empty */
    /* window_share smoothed over about two windows. It is what is shown and sorted by, so that the
     * order does not flicker. Windows without a sample leave it as it is. */
    double smooth_share;
    double smooth_inclusive; /* share of the samples that have the row on their stack, smoothed likewise */
    /* CPUs used in a window, smoothed likewise. It is not made from shares: these are parts of the
     * windows' times, which may be very different. */
    double smooth_cpus;
    float history[TABLE_WINDOWS]; /* window_share of the last windows, newest last */
    unsigned depth; /* of a process: number of parents above it */
};

struct table {
    struct table_row *rows; /* owned: in the order of the last table_sort */
    uint32_t count;
    uint64_t total_ns;      /* of all rows */
    uint64_t window_ns;     /* of all rows in the last window */
    uint64_t window_samples;
    double window_seconds;  /* length of the last window */
    uint32_t windows;       /* windows so far */
    uint32_t filled;        /* windows with samples */
    bool empty;             /* the last window had no samples, so no shares of it are known */
    bool unsmoothed;        /* for a log: smooth_share is window_share */
    bool taken;             /* there was a report, maybe without rows */
    unsigned begun;         /* how often it was cleared to begin again */
};

enum table_sort {
    TABLE_BY_WINDOW, /* by smooth_share, then by total */
    TABLE_BY_TOTAL,
    TABLE_BY_INCLUSIVE, /* by smooth_inclusive, then by window */
    TABLE_BY_NAME,
    TABLE_BY_OBJECT, /* then by window */
    TABLE_BY_PID,    /* the number of a thread or process */
    TABLE_SORTS,
};

void table_free(struct table *table);
/* Forgets everything but unsmoothed: for another filter, or after counts were cleared. */
void table_clear(struct table *table);
/* Takes a report that is seconds later than the last. If seconds is 0, the first report makes no
 * window; otherwise its window began when all counts were 0. A later report with seconds 0 is
 * left out, so that its counts fall into the next window. Rows that the report lacks are gone.
 * Returns 0, or -ENOMEM with nothing changed. */
int table_take(struct table *table, const struct snapshot_rows *rows, double seconds);
/* Takes a report without new counts: it has names that were found since, and rows that were made
 * of other rows by these names. No window ends. Returns 0, or -ENOMEM with nothing changed. */
int table_retext(struct table *table, const struct snapshot_rows *rows);
void table_sort(struct table *table, enum table_sort sort);
/* Sorts processes as a tree: children below their parents, the larger ones first. */
void table_sort_tree(struct table *table, const struct snapshot *snapshot);
/* Makes copy a copy of table, and frees what copy had. Returns 0, or -ENOMEM with nothing
 * changed. */
int table_copy(struct table *copy, const struct table *table);
/* Returns the index of the row with this id, or -1. */
int table_find(const struct table *table, uint64_t id);

/* What a count has more than before; 0 if it has less. */
uint64_t table_growth(uint64_t now, uint64_t before);
/* Smooths a share that was before and is now. first: there was none before. */
double table_smooth_share(bool first, double before, double now);

#endif
