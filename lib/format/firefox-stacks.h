/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * firefox-stacks: the tables of one thread, while they are read. A row of a stack becomes a node;
 * rows of functions that were inlined belong to the row of the one that has the code.
 */
#ifndef PPROFIL_FIREFOX_STACKS_H
#define PPROFIL_FIREFOX_STACKS_H

#include <jansson.h>

#include "format/named.h"

#define FIREFOX_NOTHING UINT32_MAX   /* where a cell has no number */
#define FIREFOX_WORK_MAX (1u << 24) /* a second or two, and some hundred megabytes */

/* What the threads of a file share. */
struct firefox_file {
    struct profile *profile;
    struct named named;
    const json_t *root; /* borrowed */
    const json_t *libs; /* borrowed; NULL: none */
    uint32_t *objects;  /* owned: by lib, index + 1 in the profile; 0: not used yet */
    bool own;           /* written by us: addresses are what they are called */
    uint64_t work_left; /* cells and lines: tables that threads share are loaded for each, and
                         * lines of deep inlining for each row, which costs more than the file has
                         * bytes */
};

struct firefox_function {
    uint32_t lib;        /* FIREFOX_NOTHING: not known */
    uint32_t name, file; /* strings of the profile */
    uint32_t line;       /* 0 not known */
    uint32_t work;       /* that a line of it is: names may be long */
};

struct firefox_frame {
    uint64_t address; /* UINT64_MAX: none */
    uint32_t depth;   /* how many functions the code was inlined through */
    uint32_t function, line;
};

struct firefox_row {
    uint32_t prefix; /* less than its own; FIREFOX_NOTHING: a root */
    uint32_t frame, category, subcategory;
    uint32_t node; /* of the profile; PROFILE_NONE: not made yet */
};

struct firefox_stacks {
    struct firefox_file *file;
    uint32_t process;                   /* index */
    uint32_t *strings;                  /* owned: strings of the profile */
    struct firefox_function *functions; /* owned, as all below */
    struct firefox_frame *frames;
    struct firefox_row *rows;
    uint32_t *chain;            /* room for all rows */
    struct profile_line *lines; /* room for as many as there are rows */
    struct memo made;           /* by function here and object: the profile's */
    size_t string_count, function_count, frame_count, row_count;
};

/* Loads what a thread of this process has. 0, -ENOMEM, or -EBADMSG where a table is missing, or
 * refers to what is not there, or there is too much of it. To be cleared in any case. */
int firefox_stacks_load(struct firefox_stacks *stacks, struct firefox_file *file,
                        const json_t *thread, uint32_t process);
void firefox_stacks_clear(struct firefox_stacks *stacks);

/* The node of a row, which is one of those there are. 0, -ENOMEM, -EOVERFLOW or -EBADMSG. */
int firefox_stacks_node(struct firefox_stacks *stacks, uint32_t row, uint32_t *node);

/* A table: the thread's own, or in later versions the one that threads share; NULL: none. */
const json_t *firefox_table(const struct firefox_file *file, const json_t *thread,
                            const char *name);
/* Reads the number in a row of a column. It is FIREFOX_NOTHING if the cell is null or -1, or if there is no such
 * column. Returns false if the cell is something else. */
bool firefox_cell(const json_t *table, const char *column, size_t row, uint32_t *number);

#endif
