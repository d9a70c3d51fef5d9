/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-script: what the reader and the writer share. */
#ifndef PPROFIL_PERF_SCRIPT_H
#define PPROFIL_PERF_SCRIPT_H

#include "profile/profile.h"

#define PERF_SCRIPT_WALL "wall-clock" /* the name of the event of a profile of elapsed time */

/* As read of struct format. */
int perf_script_read(const char *path, struct profile *profile);
/* Does this line begin a sample: "comm pid/tid [cpu] time: period event:"? */
bool perf_script_begins(const char *line);

#endif
