/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * firefox-tables: makes the tables of one thread, for the format of the Firefox Profiler.
 *
 * A table is a JSON object of columns, and a column is an array. All columns grow together, each in its own memory
 * stream. They are written to the file when the thread is complete. A stack is a row that has a frame and the row of
 * its callers, like a node of a profile. The categories of a row show the system call and the state of the thread. So
 * samples in system calls or of sleeping threads have their own rows.
 */
#ifndef PPROFIL_FIREFOX_TABLES_H
#define PPROFIL_FIREFOX_TABLES_H

#include <stdio.h>

#include "format/timestamps.h"
#include "format/memo.h"

/* Categories: indexes of the list that put_meta in firefox-write.c writes. */
enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_USER,
    FIREFOX_SYSCALL,
    FIREFOX_WAITING, /* from here on: the states of enum profile_state after PROFILE_RUNNING, in the same order */
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
    uint32_t count; /* rows so far */
};

struct firefox_tables {
    const struct profile *profile;
    struct firefox_stream columns[FIREFOX_COLUMNS];
    struct memo rows;
    uint32_t *chain; /* borrowed: room for the nodes of the deepest stack */
    int error;       /* 0, or -errno of a failure */
};

/* Opens empty tables. Returns 0 or -ENOMEM. The caller clears the tables in any case. */
int firefox_tables_open(struct firefox_tables *tables, const struct profile *profile,
                        uint32_t *chain);
/* Adds a sample. timed->time is in ns since the beginning of the profile. */
void firefox_tables_add(struct firefox_tables *tables, const struct timed_sample *timed);
/* Ends the columns. Nothing may be added afterwards. Returns 0, or -errno if anything has failed since the tables were
 * opened. */
int firefox_tables_finish(struct firefox_tables *tables);
/* Writes the tables as members of the thread's object, each with a comma before it, and ends the object. */
void firefox_tables_put(const struct firefox_tables *tables, FILE *out);
void firefox_tables_clear(struct firefox_tables *tables);

#endif
