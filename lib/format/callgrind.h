/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* callgrind: both directions of one format, see callgrind.c. */
#ifndef PPROFIL_CALLGRIND_H
#define PPROFIL_CALLGRIND_H

#include "profile/profile.h"

/* What we call our events; in the files of others the first event counts, whatever it is. */
#define CALLGRIND_SAMPLES "Samples"
#define CALLGRIND_CPU "CPU_ns"
#define CALLGRIND_WALL "Wall_ns"

/* As read of struct format. */
int callgrind_read(const char *path, struct profile *profile);

#endif
