/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline: when the CPU time of a profile was used.
 *
 * Time since the first sample is divided into slots of 20 ms, and each slot has the CPU time that was used in it.
 * Memory is bounded: whenever a run needs more than TIMELINE_SLOTS slots (11 minutes), the length of a slot is doubled.
 */
#ifndef PPROFIL_TIMELINE_H
#define PPROFIL_TIMELINE_H

#include <stdint.h>

#define TIMELINE_SLOT_NS UINT64_C(20000000) /* the shortest */
#define TIMELINE_SLOTS 32768u

struct profile_timeline {
    uint64_t start;   /* of slot 0, CLOCK_MONOTONIC ns */
    uint64_t slot_ns; /* length of a slot: TIMELINE_SLOT_NS times a power of two; 0: nothing was added yet */
    uint32_t count;   /* slots up to the last one with CPU time */
    uint64_t *cpu_ns; /* owned; by slot, of all threads together */
};

/* Adds CPU time that was used without a pause until time (CLOCK_MONOTONIC ns). Each slot gets its part; slot 0 also
 * gets what was used before it. Returns 0 or -ENOMEM. */
int timeline_add(struct profile_timeline *timeline, uint64_t time, uint64_t cpu_ns);

/* Adds CPU time to a slot, as a saved file has it. The first call sets the start and the length of slots. Returns 0 or
 * -errno; -EINVAL: the timeline has another start or length, or the slot is too large. */
int timeline_restore(struct profile_timeline *timeline, uint64_t start, uint64_t slot_ns,
                     uint64_t slot, uint64_t cpu_ns);

/* Adds from to into; both have times of the same clock. The new slots have the longer of the two lengths, or a still
 * longer one at which both timelines fit. They begin at a multiple of their length. All CPU time of a former slot
 * counts at the time when that slot began. The order in which timelines are merged does not matter. An empty into
 * becomes a copy of from. Returns 0, or -ENOMEM: into has not changed. */
int timeline_merge(struct profile_timeline *into, const struct profile_timeline *from);

/* Forgets everything. */
void timeline_clear(struct profile_timeline *timeline);

#endif
