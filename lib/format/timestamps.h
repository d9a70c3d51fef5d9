/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timestamps: invents a time for each sample, for formats that require times.
 *
 * A profile counts samples but does not have their times. The samples of each entry of its table are spread evenly over
 * the life of their process. The samples of different entries alternate, so that the times do not show phases that the
 * program did not have.
 */
#ifndef PPROFIL_TIMESTAMPS_H
#define PPROFIL_TIMESTAMPS_H

#include <stddef.h>

#include "profile/profile.h"

/* If the profile has more samples, each entry of its table of samples becomes only one timed sample. */
#define TIMED_SAMPLES_MAX (1u << 20)

struct timed_sample {
    uint64_t time;   /* made up, ns */
    uint64_t ns;     /* time of the sample, ns: elapsed time in wall mode, else CPU time */
    uint64_t cpu_ns; /* CPU time of the sample, ns */
    uint32_t sample; /* index in the profile's table */
};

struct lifetime {
    uint64_t begin, end; /* ns, begin < end */
};

struct timestamps {
    struct timed_sample *samples; /* owned; sorted by time */
    size_t count;
    struct lifetime *lifetimes; /* owned; by index of the process; CLOCK_MONOTONIC times if known, else made up */
    uint64_t begin, end;        /* beginning and end of the run, ns */
};

/* Invents the times. In a profile without any time, each sample lasts 1 ns. Returns 0 or -ENOMEM; after an error there
 * is nothing to free. */
int timestamps_make(struct timestamps *made, const struct profile *profile);
void timestamps_free(struct timestamps *made);

#endif
