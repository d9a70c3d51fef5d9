/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table: the rows of one grouping over time. Reports say what was counted since the start; a
 * table keeps the last of them, and so knows what each window brought.
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "snapshot.h"

#define TABLE_WINDOWS 30

struct table_row {
    struct pprofil_row total; /* since the start (or the last clear) */
    uint64_t window_ns, window_samples, window_inclusive_ns;
    double window_share;   /* of the last window, 0..1; of an empty one 0 */
    double window_error95; /* half the width of its 95 % interval; of an empty window NAN */
    double smooth_share;   /* follows window_share within about two windows: what is shown and
                            * sorted by, so that the order does not flicker. Windows without a
                            * sample say nothing about shares, and leave it */
    double smooth_inclusive; /* of samples with it on their stack, as smooth_share */
    double smooth_cpus;    /* time for each second of a window, which follows in the same way; it is
                            * no smooth share of a window's time: that may be a very different
                            * time than that of the window before */
    float history[TABLE_WINDOWS]; /* window_share of the last windows, newest last */
    unsigned depth; /* processes: below so many parents */
};

struct table {
    struct table_row *rows; /* owned; in the order of the last table_sort */
    uint32_t count;
    uint64_t total_ns;      /* sum of all rows */
    uint64_t window_ns;     /* of the last window: sum of all rows */
    uint64_t window_samples;
    double window_seconds;  /* its length */
    uint32_t windows;       /* taken so far */
    uint32_t filled;        /* of these had samples */
    bool empty;             /* the last had none: no share of it is known */
    bool unsmoothed;        /* smooth_share is window_share: what is shown is a log */
    bool taken;             /* a report was, though it may have had no rows */
    unsigned begun;         /* times that it was cleared to begin again */
};

enum table_sort {
    TABLE_BY_WINDOW, /* smooth_share, then the total */
    TABLE_BY_TOTAL,
    TABLE_BY_INCLUSIVE, /* smooth_inclusive, then by window */
    TABLE_BY_NAME,
    TABLE_BY_OBJECT, /* then by window */
    TABLE_BY_PID,    /* threads and processes: by number */
    TABLE_SORTS,
};

void table_free(struct table *table);
/* Forgets everything but unsmoothed: another filter, or cleared counts. */
void table_clear(struct table *table);
/* Takes a report of so many seconds after the last. The first one has no window where it has no
 * time, else it is one since all counts were 0. A later one without any time is left out, so that
 * its counts fall into the next. Rows that are not in it are gone. 0 or -ENOMEM: nothing has
 * changed. */
int table_take(struct table *table, const struct snapshot_rows *rows, double seconds);
/* Takes a report that counted nothing new: names that were found since, and rows that these made
 * of others. No window ends by it. 0 or -ENOMEM: nothing has changed. */
int table_retext(struct table *table, const struct snapshot_rows *rows);
void table_sort(struct table *table, enum table_sort sort);
/* Processes: children below their parents, the larger first. */
void table_sort_tree(struct table *table, const struct snapshot *snapshot);
/* Makes copy the same; what it had is freed. 0 or -ENOMEM: nothing has changed. */
int table_copy(struct table *copy, const struct table *table);
/* The place of the row with this id, or -1. */
int table_find(const struct table *table, uint64_t id);

#endif
