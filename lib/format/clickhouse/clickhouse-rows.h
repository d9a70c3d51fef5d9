/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clickhouse-rows: the rows of a table of samples.
 *
 * Samples are one row if they have the same thread, stack of functions, line of code, state, system call and wait, and
 * were taken in the same piece of time. Those who ask a table of many profiles look for what happened at 12:07. So a
 * long profile is cut into pieces of about a minute. A profile of less than a minute and a half is one piece, so its
 * rows are not more than they need be.
 */
#ifndef PPROFIL_FORMAT_CLICKHOUSE_ROWS_H
#define PPROFIL_FORMAT_CLICKHOUSE_ROWS_H

#include "format/frames.h"

/* A piece of the profile's time. */
struct clickhouse_piece {
    uint64_t begin;     /* CLOCK_REALTIME, ns; 0: not known */
    uint64_t length_ns; /* of merged profiles, from the start of the first to the end of the last; 0: not known */
};

struct clickhouse_row {
    uint32_t sample; /* index in the table samples: a sample of this row, which has the row's thread, state, ... */
    uint32_t node;   /* index in the nodes of the tree: the row's stack */
    uint64_t count;
    uint64_t ns; /* CPU time, or elapsed time in wall mode */
};

struct clickhouse_rows {
    const struct profile *profile; /* borrowed */
    struct frame_tree tree;
    struct clickhouse_row *order; /* owned; a row for each sample that counts. Samples of one row follow each other */
    uint32_t order_count;
    uint32_t piece_count;            /* at least 1 */
    uint64_t piece_slots, slots;     /* slots of the history in a piece, and in all; 0: there is one piece */
    struct profile_sample *amounts;  /* owned; the counts and times of each sample in the current piece */
    struct profile_sample *left;     /* owned; the counts and times that no piece has had yet */
    uint32_t *ends;                  /* owned; the last slot in which each sample occurs */
    uint32_t next;                   /* index in `order` of the next row */
    struct clickhouse_piece current; /* the current piece */
};

/* Finds the rows of a profile, which must live as long as *rows. Returns 0, -ENOMEM or -EOVERFLOW. The caller calls
 * clickhouse_rows_clear in any case. */
int clickhouse_rows_make(struct clickhouse_rows *rows, const struct profile *profile);
void clickhouse_rows_clear(struct clickhouse_rows *rows);

/* Makes piece number `piece`, less than piece_count, the current piece, so that its rows can be taken. The caller
 * begins each piece once, in their order. */
void clickhouse_rows_begin(struct clickhouse_rows *rows, uint32_t piece);
/* Takes the next row of the current piece that has samples or time. Rows of a thread follow each other, and among these
 * the rows of a stack and of those that begin with it. Returns false if there are no more rows. */
bool clickhouse_rows_next(struct clickhouse_rows *rows, struct clickhouse_row *row);

#endif
