/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * firefox-tables: makes the tables of one thread, for the format of the Firefox Profiler.
 *
 * A table is a JSON object of columns, and a column is an array. All columns grow together, each in its own memory
 * stream. They are written to the file when the thread is complete.
 *
 * In the table of stacks, a row is like a node of a profile: it has a frame, and the number of its caller's row. It
 * also has a category (state of the thread) and a subcategory (system call). So samples in system calls and samples
 * of sleeping threads have rows of their own.
 */
#ifndef PPROFIL_FIREFOX_TABLES_H
#define PPROFIL_FIREFOX_TABLES_H

#include <stdio.h>

#include "format/timestamps.h"
#include "format/memo.h"

/* Categories of samples. Each is an index in the list of categories that put_meta in firefox-write.c writes. */
enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_USER,
    FIREFOX_SYSCALL,
    /* the categories from here on stand for the states after PROFILE_RUNNING (enum profile_state), in the same order */
    FIREFOX_WAITING,
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
    uint32_t *chain; /* memory for the nodes of one stack, enough for the deepest stack; the caller owns it */
    int error;       /* 0, or the -errno of something that failed */
};

/* Opens empty tables. Returns 0 or -ENOMEM. The caller clears the tables in any case. */
int firefox_tables_open(struct firefox_tables *tables, const struct profile *profile, uint32_t *chain);
/* Adds a sample. timed->time is the number of ns since the beginning of the profile. */
void firefox_tables_add(struct firefox_tables *tables, const struct timed_sample *timed);
/* Ends all columns. The caller must not add anything afterwards. Returns 0, or -errno if anything has failed since
 * firefox_tables_open. */
int firefox_tables_finish(struct firefox_tables *tables);
/* Writes the tables into the JSON object of the thread, as its last members, each with a comma before it. Then ends the
 * object. */
void firefox_tables_put(const struct firefox_tables *tables, FILE *out);
void firefox_tables_clear(struct firefox_tables *tables);

#endif
