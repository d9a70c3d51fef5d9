/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table: the rows of one grouping over time. A report is the rows of this grouping in one snapshot,
 * with their counts since the start. A window is the time between two reports. A table keeps the last
 * report, and computes the increase of each row in each window.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "snapshot.h"

#define TABLE_WINDOWS SNAPSHOT_HISTORY

struct table_row {
    struct pprofil_row total; /* counts since the start, or since counts were cleared */
    uint64_t window_ns, window_samples, window_inclusive_ns;
    double window_share;   /* share of the last window's time, 0..1; 0 if the window is empty */
    double window_error95; /* half the width of window_share's 95 % interval; NAN if the window is empty */
    /* window_share, smoothed over about two windows. The screen shows smooth_share and sorts rows by it, so that their
     * order does not flicker. Windows without a sample do not change smooth_share. */
    double smooth_share;
    /* share of the window's time including callees, smoothed like smooth_share */
    double smooth_inclusive;
    /* average number of CPUs used in a window, smoothed like smooth_share. It cannot be computed
     * from smooth_share: a share of 1 may mean two CPUs in one window and three CPUs in another. */
    double smooth_cpus;
    float history[TABLE_WINDOWS]; /* window_share of the last windows, newest last */
    const struct pprofil_diff_row *change; /* borrowed; as snapshot_rows.changes; NULL: nothing is compared */
    unsigned depth; /* in tables of processes: number of processes above the row in the process tree */
};

struct table {
    struct table_row *rows; /* owned: in the order of the last table_sort */
    uint32_t count;
    /* sum of total.ns of all rows */
    uint64_t total_ns;
    /* sum of window_ns of all rows */
    uint64_t window_ns;
    uint64_t window_samples;
    double window_seconds;  /* length of the last window */
    uint32_t windows;       /* number of windows so far */
    uint32_t filled;        /* number of windows so far that had samples */
    bool empty;             /* the last window had no samples, so it has no shares */
    bool unsmoothed;        /* for the batch mode: smooth_share is window_share, without smoothing */
    bool taken;             /* a report was taken since the table was last cleared, maybe a report without rows */
    unsigned begun;         /* how often the table was cleared in order to begin again */
};

enum table_sort {
    TABLE_BY_WINDOW, /* sorted by smooth_share, then by total */
    TABLE_BY_TOTAL,
    TABLE_BY_INCLUSIVE, /* sorted by smooth_inclusive, then as TABLE_BY_WINDOW */
    TABLE_BY_NAME,
    TABLE_BY_OBJECT, /* sorted by object, then as TABLE_BY_WINDOW */
    TABLE_BY_PID,    /* sorted by pid, then tid, then as TABLE_BY_WINDOW */
    /* if two profiles are compared: in the order of pprofil_diff_row; by the size of the total's change; by the time in
     * the old profile. TABLE_BY_TOTAL sorts by the time in the new profile */
    TABLE_BY_CHANGE,
    TABLE_BY_TOTAL_CHANGE,
    TABLE_BY_OLD,
    TABLE_SORTS,
};

void table_free(struct table *table);
/* Forgets everything except `unsmoothed`. Call it when the filter changes, or after counts were cleared. */
void table_clear(struct table *table);
/* Takes a report. `seconds` is the time since the last report. A first report with `seconds` 0
 * makes no window. A first report with `seconds` > 0 makes a window that began when all counts were
 * 0. A later report with `seconds` 0 is ignored, so its counts fall into the next window. Rows that
 * the report lacks are dropped. If the report has a history, rows take it over. Returns 0, or -ENOMEM with nothing
 * changed. */
int table_take(struct table *table, const struct snapshot_rows *rows, double seconds);
/* Takes a report that has more names than the last report, but no new counts. Counts move to the rows of the new names,
 * so the report may have other rows than the last one. No window ends. Returns 0, or -ENOMEM with nothing changed. */
int table_retext(struct table *table, const struct snapshot_rows *rows);
void table_sort(struct table *table, enum table_sort sort);
/* Sorts processes as a tree: children below their parents, larger children first. */
void table_sort_tree(struct table *table, const struct snapshot *snapshot);
/* Copies *table into *copy, and frees the old rows of *copy. Returns 0, or -ENOMEM with nothing changed. */
int table_copy(struct table *copy, const struct table *table);
/* Copies names and places of definition from rows of `from` to the rows of `into` that have the same ids, so that a
 * copy that is held still has them, too. Counts do not change. */
void table_copy_texts(struct table *into, const struct table *from);
/* Returns true if a row has no name yet. */
bool table_lacks_names(const struct table *table);
/* Returns the index of the row with this id, or -1. */
int table_find(const struct table *table, uint64_t id);

/* Returns the increase of a count, or 0 if the count is smaller than before. */
uint64_t table_growth(uint64_t now, uint64_t before);
/* Returns the new smoothed share. `before` is the previous smoothed share, and `now` the share of the
 * last window. If `first` is true, there is no previous share, and `before` is not used. */
double table_smooth_share(bool first, double before, double now);

#endif
