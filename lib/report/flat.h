/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flat: by what flat rows are summed; shared with what else looks at them. */
#ifndef PPROFIL_FLAT_H
#define PPROFIL_FLAT_H

#include "report/report.h"

/* The function that a place is in, or PROFILE_NONE. */
uint32_t flat_function(const struct profile_location *place);

/* Does a sample fall into any row? */
bool flat_counts(const struct profile *profile, const struct report_options *options,
                 const struct profile_sample *sample);

/* The key of its row. */
void flat_key(const struct profile *profile, const struct profile_sample *sample,
              const struct report_options *options, uint64_t key[2]);

#endif
