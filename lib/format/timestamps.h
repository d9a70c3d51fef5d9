/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timestamps: made-up times of samples, for formats that must have them.
 *
 * A profile counts samples and does not know when they were taken. The samples of each entry of its table are spread
 * evenly over the life of their process, and those of different entries are mixed: so nothing looks like a phase that
 * the program did not have.
 */
#ifndef PPROFIL_TIMESTAMPS_H
#define PPROFIL_TIMESTAMPS_H

#include <stddef.h>

#include "profile/profile.h"

/* In a profile of more samples, each entry of the table becomes one. */
#define TIMED_SAMPLES_MAX (1u << 20)

struct timed_sample {
    uint64_t time;   /* made up, ns */
    uint64_t ns;     /* elapsed time in wall mode, else CPU time, that it stands for */
    uint64_t cpu_ns; /* CPU time that it stands for */
    uint32_t sample; /* index in the profile's table */
};

struct lifetime {
    uint64_t begin, end; /* ns, begin < end */
};

struct timestamps {
    struct timed_sample *samples; /* owned; by time */
    size_t count;
    struct lifetime *lifetimes; /* owned; by process: CLOCK_MONOTONIC ns if known, else made up */
    uint64_t begin, end;        /* of the run */
};

/* 0 or -ENOMEM, and then there is nothing to free. A profile without any time gets 1 ns for each sample. */
int timestamps_make(struct timestamps *made, const struct profile *profile);
void timestamps_free(struct timestamps *made);

#endif
