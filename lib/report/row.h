/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * row: functions that all reports share. They decide which samples count, make the keys of rows, and fill in the names
 * and numbers of rows.
 */
#ifndef PPROFIL_ROW_H
#define PPROFIL_ROW_H

#include "report/report.h"
#include "report/sums.h"

/* --- frames ------------------------------------------------------------------------------ */

/* A location has one line for its function, and one more line for each function that was inlined there. Line 0 is the
 * innermost line. A location that has not been looked up has no lines, but counts as one frame. */

/* Returns a line of a location, or an all-zero line if the location has no such line. */
const struct profile_line *row_line(const struct profile_location *location, uint32_t frame);
/* Returns the function that the linker knows at a location (not an inlined function), or PROFILE_NONE. */
uint32_t row_function(const struct profile_location *location);
/* Finds which lines of a location are frames of a stack: the lines *first (the innermost) to *end - 1 (the outermost).
 * There is at least one. A report by object uses only the innermost line. With no_inlines, a report by line does the
 * same, and a report by function uses only the line of the function that the linker knows. */
void row_frames(const struct profile_location *location, const struct report_options *options,
                uint32_t *first, uint32_t *end);

/* --- keys -------------------------------------------------------------------------------- */

/* Returns true if a sample counts in a report with these options. */
bool row_counts(const struct profile *profile, const struct report_options *options,
                const struct profile_sample *sample);

/* Returns what must be looked up at each location so that its rows are known: PROFILE_LOOKED_NAME, PROFILE_LOOKED_LINE,
 * or 0 (nothing). */
uint32_t row_needs(const struct report_options *options);
/* Looks up, for all locations, what row_needs returns. If `symbolizer` is NULL, does nothing. Returns 0 or -ENOMEM. */
int row_look_up(struct symbolizer *symbolizer, const struct report_options *options);

/* Writes the key of a frame to `key`, for a report by function, line or object. In a live report, some code has no name
 * yet (in a report by line: no line yet). All such code of one object has the same key, which is called pending. */
void row_frame_key(const struct profile *profile, uint32_t location, uint32_t frame,
                   const struct report_options *options, uint64_t key[2]);
bool row_is_pending(const uint64_t key[2]);
/* Writes the key of the row to which a sample belongs, in a report whose rows are not code. */
void row_task_key(const struct profile *profile, const struct profile_sample *sample,
                  enum pprofil_by by, uint64_t key[2]);

/* Returns true if a row of such a report stands for all processes that have a word in common, such as their host. */
bool row_is_origin(enum pprofil_by by);
/* Returns that word of a process, as an index in strings; "": not known. */
uint32_t row_origin(const struct profile *profile, enum pprofil_by by, uint32_t process);

/* A report whose rows are not code finds the row of a sample by an index, which is called its subject. By system call
 * and by state: the index of these. By thread, process, program, host, job and rank: the index of the thread, which
 * belongs to one process. By wait: PROFILE_STATES plus the index of the wait, or the state if the wait is not known. */
uint32_t row_subject(enum pprofil_by by, const struct profile_sample *sample);
/* Returns the name of the row of a subject. */
const char *row_subject_name(const struct profile *profile, enum pprofil_by by, uint32_t subject);

/* Returns the id of the row with this key. */
uint64_t row_id(const uint64_t key[2], enum pprofil_by by);
/* Returns the id of a row of a tree, which is never 0. `above` is the id of the row above this one in the tree; 0:
 * none. `id` is the id that this row would have in a flat report. */
uint64_t row_id_below(uint64_t above, uint64_t id);

/* --- names ------------------------------------------------------------------------------- */

/* Lets a sum take its name from a frame of a location, if this frame is a better choice than the frame that the sum
 * uses now. */
void row_name_by(const struct profile *profile, struct sum *sum, uint32_t location, uint32_t frame);

/* Fills in the texts of a row for a function, line or object. The caller has set row->pending. */
void row_name_code(const struct profile *profile, const struct sum *sum, enum pprofil_by by, struct pprofil_row *row);

#define ROW_EMPTY ((struct pprofil_row){.name = "", .object = "", .file = "", .hottest = ""})

/* Fills in the samples, times, shares and confidence intervals of a row. `whole` is the amount whose share is 1.
 * `total` is NULL in a report without totals. */
void row_set_amounts(struct pprofil_row *row, const struct amount *self, const struct amount *total,
                     const struct amount *whole);

/* Compares texts as strcmp does. Compares the pointers first, because equal texts are usually the same string. */
int row_compare_text(const char *a, const char *b);

#endif
