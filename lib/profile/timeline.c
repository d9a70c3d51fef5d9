/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/timeline.h"

void timeline_clear(struct profile_timeline *timeline)
{
    free(timeline->cpu_ns);
    *timeline = (struct profile_timeline){0};
}

/* Makes slot the last one, or one of those before it. */
static int reach(struct profile_timeline *timeline, uint32_t slot)
{
    if (slot >= timeline->room) {
        uint32_t room = timeline->room == 0 ? 256 : timeline->room;
        while (room <= slot)
            room *= 2;
        uint64_t *larger = realloc(timeline->cpu_ns, room * sizeof *larger);
        if (larger == NULL)
            return -ENOMEM;
        memset(larger + timeline->room, 0, (room - timeline->room) * sizeof *larger);
        timeline->cpu_ns = larger;
        timeline->room = room;
    }
    if (slot >= timeline->count)
        timeline->count = slot + 1;
    return 0;
}

/* Two slots become one. */
static void double_slots(struct profile_timeline *timeline)
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
        double_slots(timeline);
    uint32_t slot = (uint32_t)(begin / timeline->slot_ns);
    uint32_t last = (uint32_t)(end / timeline->slot_ns);
    int error = reach(timeline, last);
    if (error != 0)
        return error;
    timeline->cpu_ns[0] += cpu_ns - (end - begin); /* what was before slot 0 */
    for (; slot < last; slot++) {
        uint64_t next = (slot + UINT64_C(1)) * timeline->slot_ns;
        timeline->cpu_ns[slot] += next - begin;
        begin = next;
    }
    timeline->cpu_ns[last] += end - begin;
    return 0;
}

static bool is_length(uint64_t slot_ns)
{
    uint64_t times = slot_ns / TIMELINE_SLOT_NS;
    return slot_ns % TIMELINE_SLOT_NS == 0 && times > 0 && (times & (times - 1)) == 0;
}

int timeline_restore(struct profile_timeline *timeline, uint64_t start, uint64_t slot_ns,
                     uint64_t slot, uint64_t cpu_ns)
{
    if (slot >= TIMELINE_SLOTS || !is_length(slot_ns))
        return -EINVAL;
    if (timeline->slot_ns == 0) {
        timeline->start = start;
        timeline->slot_ns = slot_ns;
    }
    if (timeline->start != start || timeline->slot_ns != slot_ns)
        return -EINVAL;
    int error = reach(timeline, (uint32_t)slot);
    if (error == 0)
        timeline->cpu_ns[slot] += cpu_ns;
    return error;
}
