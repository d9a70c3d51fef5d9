/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * history: when the samples of a profile were taken.
 *
 * The time since the beginning of a profile is divided into slots. An entry of the history counts the samples of one
 * entry of the table samples that were taken in one slot, or in several slots in a row. So the history shows what each
 * thread did in any range of time.
 *
 * The memory of a history is limited. When it has HISTORY_ENTRIES_MAX entries, the length of the slots is doubled, and
 * entries that are then equal become one.
 */
#ifndef PPROFIL_HISTORY_H
#define PPROFIL_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_SLOT_NS UINT64_C(20000000) /* shortest length of a slot, ns */
#define HISTORY_ENTRIES_MAX (1u << 19)

struct history_entry {
    uint32_t first, last; /* the slots of the entry's time, which it covers evenly; last >= first */
    uint32_t sample;      /* index in the table samples */
    uint32_t count;       /* number of samples; a longer sleep may have several entries, some of them with count 0 */
    uint64_t cpu_ns, wall_ns;
};

struct profile_history {
    uint64_t start;   /* start of slot 0, ns; of which clock, says struct profile */
    uint64_t slot_ns; /* length of a slot: HISTORY_SLOT_NS times a power of two; 0: nothing was added yet */
    struct history_entry *entries; /* owned; in the order in which their first samples came */
    uint32_t count;
    /* private to history.c: */
    uint32_t coarsen_at; /* the slots are doubled when there are this many entries; 0: HISTORY_ENTRIES_MAX */
    uint32_t *newest;    /* owned; indexed by sample: 1 + index of the sample's newest entry; 0: none */
    uint32_t newest_count;
};

/* Sets the time at which slot 0 begins, ns. Does nothing if the history has begun already. */
void history_begin(struct profile_history *history, uint64_t start);

/* Adds samples that were taken at `time` (ns), and represent the time until then. amount: all fields of
 * the entry, without its slots. is_sleep: the thread was not on a CPU, so that the next such sample may continue this
 * one. Time before slot 0 is added to slot 0. Returns 0, -ENOMEM or -EOVERFLOW. */
int history_add(struct profile_history *history, uint64_t time, const struct history_entry *amount, bool is_sleep);

/* For readers of saved files: adds an entry. The first call begins the history. Returns 0, -ENOMEM or -EOVERFLOW.
 * Returns -EINVAL if the history has another start or slot_ns, or if slot_ns or the entry's slots are not valid. */
int history_restore(struct profile_history *history, uint64_t start, uint64_t slot_ns,
                    const struct history_entry *entry);

/* Returns true if a time counts from the start of a machine, as in files of perf, and not from 1970: if it would be
 * before the year 2000. */
bool history_is_uptime(uint64_t time);

/* Returns the time from the start to the end of the last slot, ns; 0: the history is empty. */
uint64_t history_length(const struct profile_history *history);

/* A range of slots: from `from`, and before `to`. */
struct history_range {
    uint32_t from, to;
};
/* Returns the slots of a range of time, both ends in ns since the start of the history. Each end is moved to the
 * nearest beginning of a slot. */
struct history_range history_slots(const struct profile_history *history, uint64_t from_ns, uint64_t to_ns);
/* Returns amount * part / whole, rounded down, without overflow; part <= whole. */
uint64_t history_share(uint64_t amount, uint64_t part, uint64_t whole);
/* Writes to *part the part of an entry that lies in a range, with its share of the entry's count and times. Returns
 * false if no part does. */
bool history_clip(const struct history_entry *entry, struct history_range range, struct history_entry *part);

/* Adds the history `from` to `into`, whose times are of the same clock. samples[i]: the index, in the profile of
 * `into`, of entry i of the other profile's table of samples; UINT32_MAX: it is left out. The slots of the result are
 * as long as the longer slots of the two. Returns 0, -ENOMEM or -EOVERFLOW; after an error, `into` has only a part of
 * `from`. */
int history_merge(struct profile_history *into, const struct profile_history *from, const uint32_t *samples);

/* Frees the entries. The history is then empty. */
void history_clear(struct profile_history *history);

#endif
