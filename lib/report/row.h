/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * row: what the rows of reports have in common: which samples count, by which key they are summed,
 * and what a row is called.
 */
#ifndef PPROFIL_ROW_H
#define PPROFIL_ROW_H

#include "report/report.h"
#include "report/sums.h"

/* --- frames ------------------------------------------------------------------------------ */

/* A location has one line for its function, and one more for each function inlined there: line 0
 * is the innermost. A location that was not looked up has no lines; it counts as one frame. */

/* Returns a line of a location, or one that is all 0 if the location has no such line. */
const struct profile_line *row_line(const struct profile_location *location, uint32_t frame);
/* Returns the function that the linker knows at a location, or PROFILE_NONE. */
uint32_t row_function(const struct profile_location *location);
/* Gives the lines of a location that are frames of a stack: from *first, the innermost, up to but
 * not including *end. There is at least one. With no_inlines it is the line of the linker's
 * function or, BY_LINE, the innermost line. */
void row_frames(const struct profile_location *location, const struct report_options *options,
                uint32_t *first, uint32_t *end);

/* --- keys -------------------------------------------------------------------------------- */

/* Returns true if a sample counts. */
bool row_counts(const struct profile *profile, const struct report_options *options,
                const struct profile_sample *sample);

/* Returns what has to be looked up of a location before its rows are known: PROFILE_LOOKED_NAME,
 * PROFILE_LOOKED_LINE, or 0. */
uint32_t row_needs(const struct report_options *options);
/* Looks up for all locations what row_needs says. symbolizer may be NULL. 0 or -ENOMEM. */
int row_look_up(struct symbolizer *symbolizer, const struct report_options *options);

/* Gives the key of a frame of a location BY_FUNCTION, BY_LINE or BY_OBJECT. In a live report all
 * locations of an object that have no name yet (BY_LINE: no line yet) have one key, which is
 * pending. */
void row_frame_key(const struct profile *profile, uint32_t location, uint32_t frame,
                   const struct report_options *options, uint64_t key[2]);
bool row_is_pending(const uint64_t key[2]);
/* Gives the key of a sample BY_THREAD, BY_PROCESS, BY_SYSCALL or BY_STATE. */
void row_task_key(const struct profile *profile, const struct profile_sample *sample,
                  enum pprofil_by by, uint64_t key[2]);

/* Returns the id of the row with this key. */
uint64_t row_id(const uint64_t key[2], enum pprofil_by by);
/* Returns the id, which is not 0, of a row of a tree. above: id of the row above; 0: none. id: of
 * its row in flat reports. */
uint64_t row_id_below(uint64_t above, uint64_t id);

/* --- names ------------------------------------------------------------------------------- */

/* Lets this frame of a location name a sum, unless the sum has a name that is as good. */
void row_name_by(const struct profile *profile, struct sum *sum, uint32_t location, uint32_t frame);

/* Fills in the texts of a row BY_FUNCTION, BY_LINE or BY_OBJECT. The caller has set
 * row->pending. */
void row_name_code(const struct profile *profile, const struct sum *sum, enum pprofil_by by,
                   struct pprofil_row *row);

/* A row without any text. */
#define ROW_EMPTY ((struct pprofil_row){.name = "", .object = "", .file = "", .hottest = ""})

/* Fills in a row's samples, times, shares and their intervals. whole is what shares are of. total
 * is NULL in a report without totals. */
void row_set_amounts(struct pprofil_row *row, const struct amount *self, const struct amount *total,
                     const struct amount *whole);

/* Compares as strcmp. Equal texts mostly are one string, so the pointers are compared first. */
int row_compare_text(const char *a, const char *b);

#endif
