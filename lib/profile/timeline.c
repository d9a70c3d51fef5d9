/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds CPU time to slots, and merges timelines: see timeline.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/timeline.h"

void timeline_clear(struct profile_timeline *timeline)
{
    free(timeline->cpu_ns);
    *timeline = (struct profile_timeline){0};
}

/* Extends the array of slots, if necessary, so that it contains the slot with this index. Returns 0 or -ENOMEM. */
static int timeline_reach(struct profile_timeline *timeline, uint32_t slot)
{
    return array_extend(&timeline->cpu_ns, &timeline->count, slot + 1, sizeof *timeline->cpu_ns);
}

/* Joins each pair of neighbouring slots, which doubles the length of all slots. */
static void timeline_double_slots(struct profile_timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->count; i++) {
        uint64_t moved = timeline->cpu_ns[i];
        timeline->cpu_ns[i] = 0;
        timeline->cpu_ns[i / 2] += moved;
    }
    timeline->count = (timeline->count + 1) / 2;
    timeline->slot_ns *= 2;
}

int timeline_add(struct profile_timeline *timeline, uint64_t time, uint64_t cpu_ns)
{
    uint64_t begin = time > cpu_ns ? time - cpu_ns : 0;

    if (cpu_ns == 0)
        return 0;
    if (timeline->slot_ns == 0) {
        timeline->start = begin;
        timeline->slot_ns = TIMELINE_SLOT_NS;
    }
    begin = begin > timeline->start ? begin - timeline->start : 0;
    uint64_t end = time > timeline->start ? time - timeline->start : 0;
    while (end / timeline->slot_ns >= TIMELINE_SLOTS)
        timeline_double_slots(timeline);
    uint32_t slot = (uint32_t)(begin / timeline->slot_ns);
    uint32_t last = (uint32_t)(end / timeline->slot_ns);
    int error = timeline_reach(timeline, last);
    if (error != 0)
        return error;
    /* slot 0 also gets the CPU time from before the start of the timeline */
    timeline->cpu_ns[0] += cpu_ns - (end - begin);
    for (; slot < last; slot++) {
        uint64_t next = (slot + UINT64_C(1)) * timeline->slot_ns;
        timeline->cpu_ns[slot] += next - begin;
        begin = next;
    }
    timeline->cpu_ns[last] += end - begin;
    return 0;
}

static bool timeline_is_length(uint64_t slot_ns)
{
    uint64_t times = slot_ns / TIMELINE_SLOT_NS;
    return slot_ns % TIMELINE_SLOT_NS == 0 && times > 0 && (times & (times - 1)) == 0;
}

int timeline_restore(struct profile_timeline *timeline, uint64_t start, uint64_t slot_ns, uint64_t slot,
                     uint64_t cpu_ns)
{
    if (slot >= TIMELINE_SLOTS || !timeline_is_length(slot_ns))
        return -EINVAL;
    if (timeline->slot_ns == 0) {
        timeline->start = start;
        timeline->slot_ns = slot_ns;
    }
    if (timeline->start != start || timeline->slot_ns != slot_ns)
        return -EINVAL;
    int error = timeline_reach(timeline, (uint32_t)slot);
    if (error == 0)
        timeline->cpu_ns[slot] += cpu_ns;
    return error;
}

/* Returns the time when a slot begins. UINT64_MAX: it would begin later than this, which happens only in a damaged
 * file. */
static uint64_t timeline_slot_start(const struct profile_timeline *line, uint32_t slot)
{
    uint64_t start;

    if (__builtin_mul_overflow(slot, line->slot_ns, &start) || __builtin_add_overflow(start, line->start, &start))
        return UINT64_MAX;
    return start;
}

static uint64_t timeline_last_start(const struct profile_timeline *line)
{
    return timeline_slot_start(line, line->count - 1);
}

/* Adds the slots of `from` to the slots of `to`. The timeline `to` must not begin later than `from`. Its slots must not
 * be shorter than the slots of `from`. */
static int timeline_add_slots(struct profile_timeline *to, const struct profile_timeline *from)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->count; i++) {
        uint32_t slot = (uint32_t)((timeline_slot_start(from, i) - to->start) / to->slot_ns);
        if (from->cpu_ns[i] == 0)
            continue;
        error = timeline_reach(to, slot);
        if (error == 0)
            to->cpu_ns[slot] += from->cpu_ns[i];
    }
    return error;
}

/* Returns an empty timeline. Its start and the length of its slots are such that TIMELINE_SLOTS slots cover both `a`
 * and `b`. */
static struct profile_timeline timeline_span(const struct profile_timeline *a, const struct profile_timeline *b)
{
    uint64_t start = a->start < b->start ? a->start : b->start;
    uint64_t last = timeline_last_start(a) > timeline_last_start(b) ? timeline_last_start(a) : timeline_last_start(b);
    uint64_t slot_ns = a->slot_ns > b->slot_ns ? a->slot_ns : b->slot_ns;

    while (last / slot_ns - start / slot_ns >= TIMELINE_SLOTS)
        slot_ns *= 2;
    return (struct profile_timeline){.start = start / slot_ns * slot_ns, .slot_ns = slot_ns};
}

/* Replaces the contents of `into` by a copy of `from`. Keeps the start of `from`, which need not be a multiple of the
 * length of its slots. */
static int timeline_copy(struct profile_timeline *into, const struct profile_timeline *from)
{
    struct profile_timeline sum = {.start = from->start, .slot_ns = from->slot_ns};
    int error = timeline_reach(&sum, from->count - 1);

    if (error != 0)
        return error;
    memcpy(sum.cpu_ns, from->cpu_ns, from->count * sizeof *sum.cpu_ns);
    timeline_clear(into);
    *into = sum;
    return 0;
}

int timeline_merge(struct profile_timeline *into, const struct profile_timeline *from)
{
    if (from->count == 0)
        return 0;
    if (into->count == 0)
        return timeline_copy(into, from);
    struct profile_timeline sum = timeline_span(into, from);
    int error = timeline_add_slots(&sum, into);
    if (error == 0)
        error = timeline_add_slots(&sum, from);
    if (error != 0) {
        timeline_clear(&sum);
        return error;
    }
    timeline_clear(into);
    *into = sum;
    return 0;
}
