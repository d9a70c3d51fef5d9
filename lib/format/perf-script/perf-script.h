/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-script: both directions of one format. */
#ifndef PPROFIL_PERF_SCRIPT_H
#define PPROFIL_PERF_SCRIPT_H

#include "profile/profile.h"

#define PERF_SCRIPT_WALL "wall-clock" /* what a profile of elapsed time calls its event */

/* As read of struct format. */
int perf_script_read(const char *path, struct profile *profile);
/* Is this line the first of a sample: "comm pid/tid [cpu] time: period event:"? */
bool perf_script_begins(const char *line);

#endif
