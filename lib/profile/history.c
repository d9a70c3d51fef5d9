/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes when samples were taken: see history.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/history.h"

#define SLOTS_MAX (1u << 30)
/* the slots are not doubled if the history has at most this many, so that it keeps some detail */
#define SLOTS_KEPT 64u

void history_clear(struct profile_history *history)
{
    free(history->entries);
    free(history->newest);
    *history = (struct profile_history){0};
}

void history_begin(struct profile_history *history, uint64_t start)
{
    if (history->slot_ns != 0)
        return;
    history->start = start;
    history->slot_ns = HISTORY_SLOT_NS;
}

static uint32_t history_slot_count(const struct profile_history *history)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < history->count; i++)
        if (history->entries[i].last >= count)
            count = history->entries[i].last + 1;
    return count;
}

bool history_is_uptime(uint64_t time)
{
    return time < UINT64_C(946684800000000000);
}

uint64_t history_length(const struct profile_history *history)
{
    return history_slot_count(history) * history->slot_ns;
}

/* --- entries ----------------------------------------------------------------------------- */

static int history_append(struct profile_history *history, const struct history_entry *entry)
{
    int error = array_grow(&history->entries, history->count, sizeof *history->entries);

    if (error == 0)
        error = array_extend(&history->newest, &history->newest_count, entry->sample + 1, sizeof *history->newest);
    if (error != 0)
        return error;
    history->entries[history->count++] = *entry;
    history->newest[entry->sample] = history->count;
    return 0;
}

static struct history_entry *history_newest(const struct profile_history *history, uint32_t sample)
{
    uint32_t newest = sample < history->newest_count ? history->newest[sample] : 0;

    return newest != 0 ? &history->entries[newest - 1] : NULL;
}

static void history_join(struct history_entry *into, const struct history_entry *more)
{
    into->count = more->count < UINT32_MAX - into->count ? into->count + more->count : UINT32_MAX;
    into->cpu_ns += more->cpu_ns;
    into->wall_ns += more->wall_ns;
}

static bool history_is_same_time(const struct history_entry *a, const struct history_entry *b)
{
    return a->first == b->first && a->last == b->last;
}

/* Adds an entry, or adds it to the sample's newest entry if that has the same slots. */
static int history_put(struct profile_history *history, const struct history_entry *entry)
{
    struct history_entry *newest = history_newest(history, entry->sample);

    if (newest == NULL || !history_is_same_time(newest, entry))
        return history_append(history, entry);
    history_join(newest, entry);
    return 0;
}

/* --- longer slots ------------------------------------------------------------------------ */

/* Doubles the length of the slots, and joins entries that are then equal. */
static void history_double_slots(struct profile_history *history)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < history->newest_count; i++)
        history->newest[i] = 0;
    for (uint32_t i = 0; i < history->count; i++) {
        struct history_entry entry = history->entries[i];
        struct history_entry *newest = history_newest(history, entry.sample);
        entry.first /= 2;
        entry.last /= 2;
        if (newest != NULL && history_is_same_time(newest, &entry)) {
            history_join(newest, &entry);
            continue;
        }
        history->entries[kept++] = entry;
        history->newest[entry.sample] = kept;
    }
    history->count = kept;
    history->slot_ns *= 2;
}

static void history_coarsen(struct profile_history *history)
{
    uint32_t limit = history->coarsen_at != 0 ? history->coarsen_at : HISTORY_ENTRIES_MAX;

    if (history->count < limit)
        return;
    while (history->count > HISTORY_ENTRIES_MAX / 2 && history_slot_count(history) > SLOTS_KEPT)
        history_double_slots(history);
    history->coarsen_at = history->count > HISTORY_ENTRIES_MAX / 2 ? 2 * history->count : HISTORY_ENTRIES_MAX;
}

/* --- samples ----------------------------------------------------------------------------- */

static uint64_t history_slot_of(struct profile_history *history, uint64_t time)
{
    uint64_t since = time > history->start ? time - history->start : 0;

    while (since / history->slot_ns >= SLOTS_MAX)
        history_double_slots(history);
    return since / history->slot_ns;
}

/* Returns true if a sleep goes on in the sample's newest entry, which then grows. */
static bool history_goes_on(const struct history_entry *newest, const struct history_entry *entry)
{
    return newest != NULL && newest->last + 1 >= entry->first && newest->last <= entry->last;
}

int history_add(struct profile_history *history, uint64_t time, const struct history_entry *amount, bool is_sleep)
{
    uint64_t length = amount->wall_ns > 0 ? amount->wall_ns : amount->cpu_ns;
    uint64_t begin = time > length ? time - length : 0;
    struct history_entry entry = *amount;

    history_begin(history, begin);
    entry.last = (uint32_t)history_slot_of(history, time);
    /* a short sample has one slot, even if it began in the slot before */
    entry.first = length <= history->slot_ns ? entry.last : (uint32_t)history_slot_of(history, begin);
    struct history_entry *newest = history_newest(history, entry.sample);
    if (is_sleep && history_goes_on(newest, &entry)) {
        newest->last = entry.last;
        history_join(newest, &entry);
        return 0;
    }
    int error = history_put(history, &entry);
    history_coarsen(history);
    return error;
}

static bool history_is_length(uint64_t slot_ns)
{
    uint64_t times = slot_ns / HISTORY_SLOT_NS;

    return slot_ns % HISTORY_SLOT_NS == 0 && times > 0 && (times & (times - 1)) == 0;
}

int history_restore(struct profile_history *history, uint64_t start, uint64_t slot_ns,
                    const struct history_entry *entry)
{
    if (start > INT64_MAX || !history_is_length(slot_ns) || entry->last < entry->first || entry->last >= SLOTS_MAX ||
        slot_ns > INT64_MAX / (entry->last + 1u))
        return -EINVAL;
    history_begin(history, start);
    if (history->count == 0)
        history->slot_ns = slot_ns;
    return history->start == start && history->slot_ns == slot_ns ? history_append(history, entry) : -EINVAL;
}

/* --- a range of time --------------------------------------------------------------------- */

static uint32_t history_nearest_slot(const struct profile_history *history, uint64_t ns)
{
    uint64_t slot = ns / history->slot_ns + (ns % history->slot_ns >= history->slot_ns / 2);

    return slot < SLOTS_MAX ? (uint32_t)slot : SLOTS_MAX;
}

struct history_range history_slots(const struct profile_history *history, uint64_t from_ns, uint64_t to_ns)
{
    if (history->slot_ns == 0)
        return (struct history_range){0};
    return (struct history_range){history_nearest_slot(history, from_ns), history_nearest_slot(history, to_ns)};
}

uint64_t history_share(uint64_t amount, uint64_t part, uint64_t whole)
{
    return amount / whole * part + amount % whole * part / whole;
}

bool history_clip(const struct history_entry *entry, struct history_range range, struct history_entry *part)
{
    uint32_t end = entry->last + 1;
    uint32_t first = entry->first > range.from ? entry->first : range.from, limit = end < range.to ? end : range.to;

    if (first >= limit)
        return false;
    uint64_t slots = limit - first, whole = end - entry->first;
    *part = *entry;
    part->first = first;
    part->last = limit - 1;
    part->count = (uint32_t)((entry->count * slots + whole / 2) / whole);
    part->cpu_ns = history_share(entry->cpu_ns, slots, whole);
    part->wall_ns = history_share(entry->wall_ns, slots, whole);
    return true;
}

/* --- merging ----------------------------------------------------------------------------- */

/* Adds the entries of `from` to `into`, which begins earlier, or at the same time, and has slots that are as long or
 * longer. samples: as for history_merge; NULL: the indexes stay the same. */
static int history_add_all(struct profile_history *into, const struct profile_history *from, const uint32_t *samples)
{
    uint64_t shift = from->start - into->start;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < from->count; i++) {
        struct history_entry entry = from->entries[i];
        if (samples != NULL && samples[entry.sample] == UINT32_MAX)
            continue;
        if (samples != NULL)
            entry.sample = samples[entry.sample];
        entry.first = (uint32_t)((shift + entry.first * from->slot_ns) / into->slot_ns);
        entry.last = (uint32_t)((shift + entry.last * from->slot_ns) / into->slot_ns);
        error = history_put(into, &entry);
    }
    return error;
}

/* Returns an empty history that both `a` and `b` fit into. */
static struct profile_history history_span(const struct profile_history *a, const struct profile_history *b)
{
    uint64_t start = a->start < b->start ? a->start : b->start;
    uint64_t end_a = a->start + history_length(a), end_b = b->start + history_length(b);
    uint64_t end = end_a > end_b ? end_a : end_b;
    uint64_t slot_ns = a->slot_ns > b->slot_ns ? a->slot_ns : b->slot_ns;

    while (end / slot_ns - start / slot_ns >= SLOTS_MAX - 1)
        slot_ns *= 2;
    return (struct profile_history){.start = start / slot_ns * slot_ns, .slot_ns = slot_ns};
}

/* Returns true if the entries of `from` can be added to `into` as it is. The slots of merged histories begin at
 * multiples of their length, so that the order of merging does not matter. */
static bool history_covers(const struct profile_history *into, const struct profile_history *from)
{
    return into->count > 0 && into->start % into->slot_ns == 0 && into->start <= from->start &&
           into->slot_ns >= from->slot_ns &&
           (from->start + history_length(from) - into->start) / into->slot_ns < SLOTS_MAX - 1;
}

int history_merge(struct profile_history *into, const struct profile_history *from, const uint32_t *samples)
{
    struct profile_history sum = {.start = from->start, .slot_ns = from->slot_ns};

    if (from->count == 0)
        return 0;
    if (history_covers(into, from)) {
        int error = history_add_all(into, from, samples);
        history_coarsen(into);
        return error;
    }
    if (into->count > 0)
        sum = history_span(into, from);
    int error = history_add_all(&sum, into, NULL);
    if (error == 0)
        error = history_add_all(&sum, from, samples);
    if (error != 0) {
        history_clear(&sum);
        return error;
    }
    history_coarsen(&sum);
    history_clear(into);
    *into = sum;
    return 0;
}
