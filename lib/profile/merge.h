/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: one profile of several. */
#ifndef PPROFIL_MERGE_H
#define PPROFIL_MERGE_H

#include "pprofil/error.h"
#include "profile/profile.h"

enum profile_merging {
    PROFILE_MERGE_CPU = 1u << 0, /* of profiles in wall mode only what was CPU time */
};

/*
 * Adds all that from has to into; in whatever order profiles are added, the result is the same but
 * for the order of its tables.
 *
 * Objects are the same as profile_object has it, by their build-ids above all. Processes are the
 * same where number, parent, name and beginning (CLOCK_MONOTONIC, in ns) are; what has no
 * beginning, as in other programs' files, never is, unless it has no number either. Numbers that
 * several processes have get generations, oldest first, so that they stay apart. Of a place that
 * both know, the fuller names count.
 *
 * Counts and times add up, those of the run too; the rate is the lowest, the start the earliest.
 * So do time lines, each slot at its time (CLOCK_MONOTONIC); a profile without one adds nothing.
 * Rates need not be equal: each sample carries the time that it stands for.
 *
 * 0, and where it fails into is of no use any more: -ENOMEM, -EOVERFLOW (sums too large); but
 * PPROFIL_ERROR_MIXED_TIMES: one is of elapsed time and the other of CPU time, and nothing was changed.
 */
int profile_merge(struct profile *into, const struct profile *from, unsigned how);

#endif
