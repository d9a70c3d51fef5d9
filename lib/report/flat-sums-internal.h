/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flat-sums-internal: what flat-sums.c and flat-locations.c share. */
#ifndef PPROFIL_FLAT_SUMS_INTERNAL_H
#define PPROFIL_FLAT_SUMS_INTERNAL_H

#include "report/flat-sums.h"

/* One call of flat_sums_update. */
struct flat_update {
    struct flat_sums *sums;
    const struct profile *profile;
    const struct report_options *options;
    uint32_t unwalked; /* number of samples that were added since the last walk */
};

/* Returns true if the rows of such a report are code. */
static inline bool flat_is_code(enum pprofil_by by)
{
    return by == PPROFIL_BY_FUNCTION || by == PPROFIL_BY_LINE || by == PPROFIL_BY_OBJECT;
}

/* Returns the options with which live sums were made. */
struct report_options flat_options_of(const struct flat_sums *sums);
/* Returns true if the name or the lines of a location, whichever this report needs, have been looked up. From then on,
 * the samples of the location stay in the same sums. */
bool flat_is_looked_up(const struct flat_update *update, uint32_t location);
/* Makes the missing sums for the frames of a location. Returns 0, -ENOMEM or -EOVERFLOW. */
int flat_need_location(const struct flat_update *update, uint32_t location);
/* Returns the index of a frame's sum, which must exist. `first` is the index of the location's first frame. */
uint32_t flat_sum_of(const struct flat_update *update, uint32_t location, uint32_t first, uint32_t frame);

#endif
