/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hottest: what each thread, or process, does most. */
#ifndef PPROFIL_HOTTEST_H
#define PPROFIL_HOTTEST_H

#include "report/report.h"
#include "report/sums.h"

/* By thread or process as the options say: keys are {its index, 0}, and location is one of the
 * function with the most time among those that have a name. To be cleared, also after an error;
 * 0 or -ENOMEM. */
int hottest_find(const struct profile *profile, const struct report_options *options,
                 struct sums *hottest);

#endif
