/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timestamps: the time of each sample, for formats that require times.
 *
 * If the profile has a history, the times are true, except that the samples of a slot are spread over the slot. A
 * profile without one has only counts of samples, and their times are invented. An entry of the table
 * profile->samples counts samples that are equal. Its samples are spread evenly over the life of their process. The
 * samples of different entries alternate, so that the times do not show phases that the program did not have.
 */
#ifndef PPROFIL_TIMESTAMPS_H
#define PPROFIL_TIMESTAMPS_H

#include <stddef.h>

#include "profile/profile.h"

/* If the profile has more samples than this, all samples of an entry of profile->samples become one timed sample. */
#define TIMED_SAMPLES_MAX (1u << 20)

struct timed_sample {
    uint64_t time;   /* ns */
    uint64_t ns;     /* how much time the sample stands for, ns: elapsed time in wall mode, else CPU time */
    uint64_t cpu_ns; /* how much CPU time the sample stands for, ns */
    uint32_t sample; /* index in profile->samples of the entry that counts the sample */
};

struct lifetime {
    uint64_t begin, end; /* ns, begin < end */
};

struct timestamps {
    struct timed_sample *samples; /* owned; sorted by time */
    size_t count;
    /* owned; lifetimes[i] is the life of profile->processes[i]. Its times are those of the profile if the profile has
     * them, else made up; none is before `begin` */
    struct lifetime *lifetimes;
    uint64_t begin, end;        /* beginning and end of the run, ns */
};

/* Makes the timed samples of a profile. If the profile contains no times at all, each of its samples stands for 1 ns.
 * Returns 0 or -ENOMEM; after an error there is nothing to free. */
int timestamps_make(struct timestamps *made, const struct profile *profile);
void timestamps_free(struct timestamps *made);

#endif
