/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table: the rows of one grouping over time. A report has the counts since the start. A table keeps
 * the last report, and computes the increase in each window.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "snapshot.h"

#define TABLE_WINDOWS 30

struct table_row {
    struct pprofil_row total; /* counts since the start, or since counts were cleared */
    uint64_t window_ns, window_samples, window_inclusive_ns;
    double window_share;   /* share of the last window's time, 0..1; 0 if the window is empty */
    double window_error95; /* half the width of its 95 % interval; NAN if the window is empty */
    /* window_share, smoothed over about two windows. The screen shows it and sorts by it, so that
     * the order does not flicker. Windows without a sample do not change it. */
    double smooth_share;
    /* share of the window's time in which the row is on the stack, smoothed like smooth_share */
    double smooth_inclusive;
    /* CPUs used in a window, smoothed like smooth_share. It is not made from smoothed shares,
     * because the times of windows may be very different. */
    double smooth_cpus;
    float history[TABLE_WINDOWS]; /* window_share of the last windows, newest last */
    unsigned depth; /* of a process: number of processes above it in the tree */
};

struct table {
    struct table_row *rows; /* owned: in the order of the last table_sort */
    uint32_t count;
    /* total.ns of all rows together */
    uint64_t total_ns;
    /* window_ns of all rows together */
    uint64_t window_ns;
    uint64_t window_samples;
    double window_seconds;  /* length of the last window */
    uint32_t windows;       /* windows so far */
    uint32_t filled;        /* windows with samples */
    bool empty;             /* the last window had no samples, so it has no shares */
    bool unsmoothed;        /* for the batch mode: shares are not smoothed, smooth_share is window_share */
    bool taken;             /* there was a report, maybe without rows */
    unsigned begun;         /* how often the table was cleared to begin again */
};

enum table_sort {
    TABLE_BY_WINDOW, /* by smooth_share, then by total */
    TABLE_BY_TOTAL,
    TABLE_BY_INCLUSIVE, /* by smooth_inclusive, then by window */
    TABLE_BY_NAME,
    TABLE_BY_OBJECT, /* by object, then by window */
    TABLE_BY_PID,    /* by pid, then tid, then by window */
    TABLE_SORTS,
};

void table_free(struct table *table);
/* Forgets everything except unsmoothed. For another filter, or after counts were cleared. */
void table_clear(struct table *table);
/* Takes a report that was made seconds after the last one. A first report with seconds 0 makes no
 * window. With seconds > 0 it makes a window that began when all counts were 0. A later report with
 * seconds 0 is ignored, so that its counts fall into the next window. Rows that the report lacks
 * are dropped. Returns 0, or -ENOMEM with nothing changed. */
int table_take(struct table *table, const struct snapshot_rows *rows, double seconds);
/* Takes a report without new counts, but with names that were found since the last one. Such
 * names may have replaced rows by other rows. No window ends. Returns 0, or -ENOMEM with nothing
 * changed. */
int table_retext(struct table *table, const struct snapshot_rows *rows);
void table_sort(struct table *table, enum table_sort sort);
/* Sorts processes as a tree: children below their parents, larger children first. */
void table_sort_tree(struct table *table, const struct snapshot *snapshot);
/* Makes copy a copy of table, and frees the former rows of copy. Returns 0, or -ENOMEM with nothing
 * changed. */
int table_copy(struct table *copy, const struct table *table);
/* Returns the index of the row with this id, or -1. */
int table_find(const struct table *table, uint64_t id);

/* Returns the increase of a count, or 0 if the count is smaller than before. */
uint64_t table_growth(uint64_t now, uint64_t before);
/* Returns a smoothed share, made of the smoothed share before and of the share now. first: there is
 * no share before. */
double table_smooth_share(bool first, double before, double now);

#endif
