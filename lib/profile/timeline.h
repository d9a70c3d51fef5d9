/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline: when the CPU time of a profile was used.
 *
 * The time since the first sample is divided into slots of 20 ms. Each slot has the CPU time that was used in it. The
 * memory of a timeline is limited. When a run needs more than TIMELINE_SLOTS slots (11 minutes), the length of all
 * slots is doubled.
 */
#ifndef PPROFIL_TIMELINE_H
#define PPROFIL_TIMELINE_H

#include <stdint.h>

#define TIMELINE_SLOT_NS UINT64_C(20000000) /* shortest length of a slot, ns */
#define TIMELINE_SLOTS 32768u

struct profile_timeline {
    uint64_t start;   /* start of slot 0, ns; of which clock, says struct profile */
    uint64_t slot_ns; /* length of a slot: TIMELINE_SLOT_NS times a power of two; 0: nothing was added yet */
    uint32_t count;   /* number of slots; the last of them is the last slot with CPU time */
    uint64_t *cpu_ns; /* owned; CPU time in each slot, of all threads together */
};

/* Adds CPU time that was used without a pause until `time` (ns). Each slot gets the part that was used in this slot.
 * Slot 0 also gets the part that was used before slot 0. Returns 0 or -ENOMEM. */
int timeline_add(struct profile_timeline *timeline, uint64_t time, uint64_t cpu_ns);

/* For readers of saved files: adds CPU time to the slot with the index `slot`. The first call sets the fields start and
 * slot_ns of the timeline. Returns 0 or -ENOMEM. Returns -EINVAL if the timeline has another start or slot_ns, if
 * slot_ns is not a valid length, or if `slot` is too large. */
int timeline_restore(struct profile_timeline *timeline, uint64_t start, uint64_t slot_ns,
                     uint64_t slot, uint64_t cpu_ns);

/* Adds the timeline `from` to the timeline `into`. Both must have times of the same clock. The slots of the result
 * are as long as the longer slots of the two timelines. If TIMELINE_SLOTS slots of this length do not cover both
 * timelines, the length is doubled until they do. Each slot of the result begins at a multiple of its length. All
 * CPU time of a former slot goes to the new slot in which the former slot began. The order in which timelines are
 * merged does not matter. If `into` is empty, it becomes a copy of `from`. Returns 0 or -ENOMEM. After -ENOMEM,
 * `into` has not changed. */
int timeline_merge(struct profile_timeline *into, const struct profile_timeline *from);

/* Frees the slots. The timeline is then empty. */
void timeline_clear(struct profile_timeline *timeline);

#endif
