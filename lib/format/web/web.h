/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * web: writes a profile as one HTML page to explore it in a browser: flame graph, table of functions, callers and
 * callees, source, and a time line.
 *
 * The page contains the profile as JSON: merged stacks, samples and their history. The page's script sums what it
 * shows, so it can filter by thread and by time. Long lists of numbers are columns (columns.c).
 */
#ifndef PPROFIL_FORMAT_WEB_H
#define PPROFIL_FORMAT_WEB_H

#include "format/picture/picture.h"

/* A profile, as it is written. */
struct web_profile {
    const struct profile *profile; /* borrowed */
    bool timed;                    /* values are ns; false: values are samples */
    bool with_source;              /* the page gets the text of source files */
    struct picture_store store;
    struct stack_merge merge;
    /* owned; indexed by sample of the profile: the number of the sample in the page, or WEB_LEFT_OUT */
    uint32_t *sample_numbers;
    /* owned; indexed by string of the profile: 1 + the number of the source file of this name; 0: no place is in it */
    uint32_t *file_numbers;
    uint32_t *files; /* owned; by number of the file: the string of the profile */
    uint32_t file_count;
};

#define WEB_LEFT_OUT UINT32_MAX

/* Returns the value of a sample or of an entry of the history: ns if web->timed, else `count`. */
uint64_t web_value(const struct web_profile *web, uint64_t count, uint64_t cpu_ns, uint64_t wall_ns);

/* Write members of the JSON object, each with a comma before it. Return 0 or -ENOMEM. web_put_tables writes everything
 * but the source. */
int web_put_tables(FILE *out, const struct web_profile *web);
/* Writes the lines around those that have samples, of the hottest functions first, until WEB_SOURCE_SIZE_MAX bytes.
 * Writes how many functions are left out because of this limit. */
int web_put_source(FILE *out, const struct web_profile *web);

#define WEB_SOURCE_SIZE_MAX (2u << 20)

/* --- columns (columns.c) --------------------------------------------------------------------- */

/* A list of numbers in JSON: a string, which is the base64 of the numbers as LEB128. */
struct column {
    FILE *out;
    uint32_t bits;
    unsigned bytes; /* number of bytes in `bits` */
};

/* Begins a member of a JSON object. `separator` is written before it. */
struct column column_begin(FILE *out, const char *separator, const char *key);
void column_put(struct column *column, uint64_t number);
/* Writes a number that may be negative: 0, -1, 1, -2, ... are written as 0, 1, 2, 3, ... */
void column_put_signed(struct column *column, int64_t number);
void column_end(struct column *column);

/* --- embedded files -------------------------------------------------------------------------- */

/* The contents of the scripts, the style and the page in this folder. Each variable is named after its file. */
extern const char web_page_css[], web_page_html[], web_profile_js[], web_stacks_js[], web_model_js[], web_state_js[],
    web_flame_view_js[], web_table_view_js[], web_calls_view_js[], web_source_view_js[], web_time_columns_js[],
    web_time_view_js[], web_page_js[];

#endif
