/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* histogram-calls: kpdata files whose cells are of system calls. */
#ifndef PPROFIL_HISTOGRAM_CALLS_H
#define PPROFIL_HISTOGRAM_CALLS_H

#include "format/profil/histogram.h"

#define HISTOGRAM_CALL_NAME 24 /* bytes */

/* The name of the call that a cell is of: a constant, or text. Numbers are those of this machine's kernel. */
const char *histogram_call_name(uint64_t cell, char text[HISTOGRAM_CALL_NAME]);

/* Adds samples to a profile; like: what all of them have in common. 0 or -errno. */
int histogram_calls_to_profile(const struct histogram_file *file, struct profile *profile,
                               const struct profile_sample *like, double tick_ns);

#endif
