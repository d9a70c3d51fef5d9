/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline: when the CPU time of a profile was used.
 *
 * Time since the first sample is cut into slots of 20 ms, and each holds the CPU time that was
 * used in it. Memory is bounded: a run that has more than TIMELINE_SLOTS slots (11 minutes) gets
 * slots of twice the length, as often as it takes.
 */
#ifndef PPROFIL_TIMELINE_H
#define PPROFIL_TIMELINE_H

#include <stdint.h>

#define TIMELINE_SLOT_NS UINT64_C(20000000) /* the shortest */
#define TIMELINE_SLOTS 32768u

struct profile_timeline {
    uint64_t start;   /* of slot 0, CLOCK_MONOTONIC ns */
    uint64_t slot_ns; /* TIMELINE_SLOT_NS times a power of two; 0: nothing was added yet */
    uint32_t count;   /* slots up to the last one with CPU time */
    uint64_t *cpu_ns; /* owned; by slot, of all threads together */
};

/* Adds CPU time that was used until time (CLOCK_MONOTONIC ns): it is shared out to the slots of
 * as long a time before. What is earlier than slot 0 counts there. 0 or -ENOMEM. */
int timeline_add(struct profile_timeline *timeline, uint64_t time, uint64_t cpu_ns);

/* Adds to a slot, as a saved file has it: the first call says how long slots are and where they
 * begin. 0, -ENOMEM, or -EINVAL: such slots do not fit to those that are there. */
int timeline_restore(struct profile_timeline *timeline, uint64_t start, uint64_t slot_ns,
                     uint64_t slot, uint64_t cpu_ns);

/* Adds all that from has to into, at the time of its own: both are of one clock. Slots become those
 * of the longer, or as long as it takes to hold both, and begin at a multiple of their length; what
 * was used in a slot of before counts where that one began. In whatever order time lines are added,
 * the result is the same; to an empty one it is from itself. 0 or -ENOMEM: into is as it was. */
int timeline_merge(struct profile_timeline *into, const struct profile_timeline *from);

/* Forgets everything. */
void timeline_clear(struct profile_timeline *timeline);

#endif
