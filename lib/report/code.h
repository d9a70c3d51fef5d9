/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The code of a function with its counts, of live views and of saved profiles. */
#ifndef PPROFIL_CODE_INTERNAL_H
#define PPROFIL_CODE_INTERNAL_H

#include "pprofil.h"
#include "report/code-counts.h"

struct pprofil_code {
    const struct profile *profile; /* borrowed */
    const struct listing *listing; /* borrowed */
    struct code_counts counts;
};

/* Both must outlive it. 0 or -ENOMEM. */
int code_new(const struct profile *profile, const struct report_options *options,
             const struct listing *listing, struct pprofil_code **code);

#endif
