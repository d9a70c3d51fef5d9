/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * firefox-tables: the tables of one thread, while they are written.
 *
 * A table is an object of columns, each an array. They grow at once, each in a stream of its own
 * in memory, and are put together when their thread is done. A stack is a row: a frame upon the
 * row of its callers, as our nodes are. The system call that a sample is in, and whether it
 * sleeps, is the category of its row, so such samples have rows of their own.
 */
#ifndef PPROFIL_FIREFOX_TABLES_H
#define PPROFIL_FIREFOX_TABLES_H

#include <stdio.h>

#include "format/timestamps.h"
#include "format/memo.h"

/* By index. */
enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_USER,
    FIREFOX_SYSCALL,
    FIREFOX_WAITING, /* this and the next: a category for each state, in the order of enum profile_state */
    FIREFOX_ASLEEP,
    FIREFOX_UNINTERRUPTIBLE,
};

enum firefox_column {
    STACK_PREFIX,
    STACK_FRAME,
    STACK_CATEGORY,
    STACK_SUBCATEGORY,
    FRAME_ADDRESS,
    FRAME_DEPTH,
    FRAME_FUNC,
    FRAME_LINE,
    FUNC_NAME,
    FUNC_RESOURCE,
    FUNC_FILE,
    FUNC_LINE,
    RESOURCE_LIB,
    RESOURCE_NAME,
    SAMPLE_STACK,
    SAMPLE_TIME,
    SAMPLE_WEIGHT,
    SAMPLE_CPU,
    STRING,
    FIREFOX_COLUMNS
};

struct firefox_stream {
    FILE *out;  /* owned */
    char *text; /* owned */
    size_t size;
    uint32_t count; /* of rows */
};

struct firefox_tables {
    const struct profile *profile;
    struct firefox_stream columns[FIREFOX_COLUMNS];
    struct memo rows;
    uint32_t *chain; /* borrowed: room for the nodes of the deepest stack */
    int error;       /* the first, 0 or -errno */
};

/* Empty tables. 0 or -ENOMEM; to be cleared in any case. */
int firefox_tables_open(struct firefox_tables *tables, const struct profile *profile,
                        uint32_t *chain);
/* A sample of those that an instant is of, whose time is that since the profile began. */
void firefox_tables_add(struct firefox_tables *tables, const struct timed_sample *timed);
/* Ends the columns: nothing may be added any more. 0 or -errno of all that was added. */
int firefox_tables_finish(struct firefox_tables *tables);
/* Writes the members of a thread that are tables, each with a comma before it. */
void firefox_tables_put(const struct firefox_tables *tables, FILE *out);
void firefox_tables_clear(struct firefox_tables *tables);

#endif
