/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * instants: when samples were taken, for formats that must say.
 *
 * A profile counts; it does not know when. The samples of each entry of its table are spread
 * evenly over the life of their process, and those of different entries are mixed, so that
 * nothing looks like a phase of the program that was none.
 */
#ifndef PPROFIL_INSTANTS_H
#define PPROFIL_INSTANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

#define INSTANTS_SAMPLES_MAX (1u << 20) /* samples; of profiles with more, equal ones are joined */

struct instant {
    uint64_t time;   /* made up, ns */
    uint64_t ns;     /* that the sample stands for: elapsed time in wall mode, else CPU time */
    uint64_t cpu_ns; /* CPU time that it stands for */
    uint32_t sample; /* index in the profile's table */
};

struct life {
    uint64_t begin, end; /* ns, begin < end */
};

struct instants {
    struct instant *instants; /* owned; by time */
    size_t count;
    struct life *lives;  /* owned; by process: CLOCK_MONOTONIC ns where it is known */
    uint64_t begin, end; /* of the whole */
};

/* 0 or -ENOMEM, and then there is nothing to free. A profile without any time gets 1 ns a
 * sample. */
int instants_make(struct instants *made, const struct profile *profile);
void instants_free(struct instants *made);

/* Does a sample belong to the mode that the profile is in? Where wall mode was on for a while,
 * a profile of CPU time may still have sleepers. */
static inline bool instants_has(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->totals.wall || sample->state == PROFILE_RUNNING;
}

#endif
