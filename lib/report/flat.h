/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flat: by what flat rows are summed; shared with what else looks at them. */
#ifndef PPROFIL_FLAT_H
#define PPROFIL_FLAT_H

#include "report/report.h"
#include "report/sums.h"

/* One of a place's lines, 0 the innermost; where there is none, all of it is 0. */
const struct profile_line *flat_line(const struct profile_location *place, uint32_t frame);

/* The function that a place is in, or PROFILE_NONE. */
uint32_t flat_function(const struct profile_location *place);

/* Does a sample fall into any row? */
bool flat_counts(const struct profile *profile, const struct report_options *options,
                 const struct profile_sample *sample);

/* The key of its row. */
void flat_key(const struct profile *profile, const struct profile_sample *sample,
              const struct report_options *options, uint64_t key[2]);

/* Which of a place's lines are frames of a stack: from *first, the innermost, to before *end. */
void flat_frames(const struct profile_location *place, const struct report_options *options,
                 uint32_t *first, uint32_t *end);

/* The key of a frame's row, BY_FUNCTION, BY_LINE or BY_OBJECT: frame says which of the place's
 * lines, 0 the innermost. */
void flat_frame_key(const struct profile *profile, const struct profile_location *place,
                    uint32_t frame, enum pprofil_by by, uint64_t key[2]);

/* Names a sum by this frame of a place, if none has named it, or none that tells as much. */
void flat_show_by(const struct profile *profile, struct sum *sum, uint32_t location,
                  uint32_t frame);
/* The key of a place, as of a sample there; and is it the one of what was not looked up yet? */
void flat_location_key(const struct profile *profile, uint32_t location,
                       const struct report_options *options, uint64_t key[2]);
bool flat_is_pending(const uint64_t key[2]);
/* Which of a place's lines such a row is called by. */
uint32_t flat_frame(const struct profile_location *place, enum pprofil_by by);

/* Fills a row with the names of a sum by code. */
void flat_name_code(const struct profile *profile, const struct sum *sum, enum pprofil_by by,
                    struct report_row *row);

/* The id of the row with this key. */
uint64_t flat_id(const uint64_t key[2], enum pprofil_by by);

/* Half the width of the 95 % interval of a share of so many samples: Wilson's, which does not
 * shrink to nothing at 0 and 1. */
double flat_error95(double share, uint64_t samples);

/* Most names are the same string where they are equal. */
int flat_compare_text(const char *a, const char *b);

#endif
