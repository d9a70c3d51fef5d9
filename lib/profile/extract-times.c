/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the samples of a part of a profile were taken: its history, its timeline, and the totals of a range of time. */
#include "config.h"

#include "profile/extract.h"

/* Sets *part to the part of an entry of the history that is in the range. Returns false if nothing is. */
static bool extract_clip(const struct extraction *extraction, const struct history_entry *entry,
                         struct history_entry *part)
{
    *part = *entry;
    return entry->sample < extraction->from->sample_count &&
           (!extraction->ranged || history_clip(entry, extraction->range, part));
}

static int extract_history(const struct extraction *extraction)
{
    const struct profile_history *from = &extraction->from->history;
    struct history_entry part;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->count; i++) {
        if (!extract_clip(extraction, &from->entries[i], &part) || extraction->samples[part.sample] == 0)
            continue;
        part.sample = extraction->samples[part.sample] - 1;
        error = history_restore(&extraction->to->history, from->start, from->slot_ns, &part);
    }
    return error;
}

/* Makes the timeline of a part from its history. The CPU time of an entry of the history is spread evenly. */
static int extract_make_timeline(const struct profile_history *history, struct profile_timeline *timeline)
{
    uint32_t slots = 1; /* slots of the history in a slot of the timeline */
    int error = 0;

    while (history_length(history) / history->slot_ns / slots >= TIMELINE_SLOTS)
        slots *= 2;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        uint64_t share = entry->cpu_ns / (entry->last - entry->first + 1u);
        for (uint32_t slot = entry->first; error == 0 && share > 0 && slot <= entry->last; slot++)
            error = timeline_restore(timeline, history->start, history->slot_ns * slots, slot / slots, share);
    }
    return error;
}

/* If the profile has no history, its timeline is copied only if all samples are kept: a timeline contains only sums,
 * and the times of single samples cannot be subtracted from a sum. */
int extract_times(const struct extraction *extraction)
{
    const struct profile *from = extraction->from;
    bool all = !extraction->ranged;
    int error = extract_history(extraction);

    for (uint32_t i = 0; i < from->sample_count; i++)
        all &= extract_keeps(extraction, i);
    if (error == 0 && all)
        return timeline_merge(&extraction->to->timeline, &from->timeline);
    if (error == 0 && extraction->to->history.count > 0)
        error = extract_make_timeline(&extraction->to->history, &extraction->to->timeline);
    return error;
}

struct profile_totals extract_range_totals(const struct extraction *extraction)
{
    const struct profile_history *history = &extraction->from->history;
    const struct profile_totals *from = &extraction->from->totals;
    struct history_range range = extraction->range;
    uint64_t slots = history->slot_ns != 0 ? history_length(history) / history->slot_ns : 0;
    uint64_t begin = (range.from < slots ? range.from : slots) * history->slot_ns;
    uint64_t end = (range.to < slots ? range.to : slots) * history->slot_ns;
    uint64_t start = profile_history_start(extraction->from);

    return (struct profile_totals){
        .elapsed_ns = end > begin ? end - begin : 0,
        .sample_cost_ns = from->sample_cost_ns,
        .overhead_ppm = from->overhead_ppm,
        .asked_hz = from->asked_hz,
        .wall = from->wall,
        .start_time = start != 0 ? start + begin : 0,
    };
}
