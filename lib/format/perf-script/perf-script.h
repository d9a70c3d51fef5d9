/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-script: the text format of perf script. Its reader and its writer share these declarations. */
#ifndef PPROFIL_PERF_SCRIPT_H
#define PPROFIL_PERF_SCRIPT_H

#include "profile/profile.h"

#define PERF_SCRIPT_WALL "wall-clock" /* name of the event in a profile of elapsed time */

/* The field `read` of format_perf_script points to this function. */
int perf_script_read(const char *path, struct profile *profile);
/* Returns true if a sample begins with this line. Such a line has the form "comm pid/tid [cpu] time: period event:". */
bool perf_script_begins(const char *line);

#endif
