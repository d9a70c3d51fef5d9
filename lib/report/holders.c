/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out what the thread that holds a lock did while others waited for the lock, or what a thread did for whose end
 * others waited.
 *
 * The profile's history tells in which slots of time others waited. What the holder did in these slots is in its
 * samples of the same slots. A slot is some ms long, so the holder may also have released the lock and done other
 * things in it. But while it waits for the lock itself, it does not hold it, so these samples are left out.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/row.h"

#define STACK_FUNCTIONS_MAX 4u

struct holder_search {
    const struct profile *profile;
    uint32_t wait;
    uint32_t slots;
    uint32_t *waited;  /* owned; element i: in how many of the slots before slot i others waited */
    uint64_t *node_ns; /* owned; indexed by node: time of the holder's samples while others waited */
    uint64_t *wait_ns; /* owned; the same by wait */
};

/* Returns the time of a sample. */
static uint64_t holder_ns(const struct profile *profile, const struct history_entry *entry)
{
    return profile->totals.wall ? entry->wall_ns : entry->cpu_ns;
}

static void holder_mark_slots(struct holder_search *search)
{
    const struct profile_history *history = &search->profile->history;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        bool waits = search->profile->samples[entry->sample].wait == search->wait;
        for (uint32_t slot = entry->first; waits && slot <= entry->last; slot++)
            search->waited[slot + 1] = 1;
    }
    for (uint32_t slot = 0; slot < search->slots; slot++)
        search->waited[slot + 1] += search->waited[slot];
}

static bool holder_is_thread(const struct holder_search *search, const struct profile_sample *sample)
{
    return search->profile->threads[sample->thread].tid == search->profile->waits[search->wait].holder;
}

/* Returns true if a sample waits for the lock of the wait, whoever held the lock at that time. */
static bool holder_waits_itself(const struct holder_search *search, const struct profile_sample *sample)
{
    const struct profile *profile = search->profile;
    const char *wanted = profile->strings[profile->waits[search->wait].name];
    const char *name = profile->strings[profile->waits[sample->wait].name];
    size_t length = profile_wait_lock_length(wanted);

    return sample->wait != 0 && profile_wait_lock_length(name) == length && memcmp(wanted, name, length) == 0;
}

/* Adds up the holder's samples. Returns the time of all of them, ns. */
static uint64_t holder_add_samples(struct holder_search *search, uint64_t states_ns[PROFILE_STATES])
{
    const struct profile *profile = search->profile;
    uint64_t all_ns = 0;

    for (uint32_t i = 0; i < profile->history.count; i++) {
        const struct history_entry *entry = &profile->history.entries[i];
        const struct profile_sample *sample = &profile->samples[entry->sample];
        if (!holder_is_thread(search, sample) || holder_waits_itself(search, sample))
            continue;
        uint32_t covered = search->waited[entry->last + 1] - search->waited[entry->first];
        uint64_t ns = (uint64_t)((double)holder_ns(profile, entry) * covered / (entry->last - entry->first + 1.0));
        states_ns[sample->state] += ns;
        search->node_ns[sample->node] += ns;
        search->wait_ns[sample->wait] += ns;
        all_ns += ns;
    }
    return all_ns;
}

/* Returns the index, 1 or more, of the largest number; 0: all of these are 0. */
static uint32_t holder_largest(const uint64_t *numbers, uint32_t count)
{
    uint32_t largest = 0;

    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] > (largest == 0 ? 0 : numbers[largest]))
            largest = i;
    return largest;
}

/* Writes the innermost functions of a stack: "clock_nanosleep < usleep < refill". */
static int holder_write_stack(struct profile *profile, struct symbolizer *symbolizer, uint32_t node, char *text,
                              size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < STACK_FUNCTIONS_MAX && node != PROFILE_NONE && used < size;
         i++, node = profile->nodes[node].parent) {
        uint32_t location = profile->nodes[node].location;
        int error = symbolizer != NULL ? symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME) : 0;
        if (error != 0)
            return error;
        const struct profile_location *place = &profile->locations[location];
        uint32_t function = place->line_count > 0 ? row_function(place) : PROFILE_NONE;
        const char *name = profile->strings[profile->functions[function].name];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " < " : "", *name != '\0' ? name : "?");
    }
    return 0;
}

static int holder_fill(struct holder_search *search, struct symbolizer *symbolizer, struct profile *profile,
                       struct pprofil_holder *holder)
{
    uint64_t states_ns[PROFILE_STATES] = {0};

    holder_mark_slots(search);
    holder->ns = holder_add_samples(search, states_ns);
    if (holder->ns == 0)
        return -ENODATA;
    double all = (double)holder->ns;
    holder->running = (double)states_ns[PROFILE_RUNNING] / all;
    holder->waiting = (double)states_ns[PROFILE_WAITING] / all;
    holder->asleep = (double)(states_ns[PROFILE_ASLEEP] + states_ns[PROFILE_UNINTERRUPTIBLE]) / all;
    uint32_t wait = holder_largest(search->wait_ns, profile->wait_count);
    holder->waits_for = profile->strings[profile->waits[wait].name];
    holder->waits_share = wait != 0 ? (double)search->wait_ns[wait] / all : 0;
    return holder_write_stack(profile, symbolizer, holder_largest(search->node_ns, profile->node_count), holder->stack,
                              sizeof holder->stack);
}

int report_holder(struct profile *profile, struct symbolizer *symbolizer, uint64_t wait_row,
                  struct pprofil_holder *holder)
{
    uint64_t number = wait_row > PROFILE_STATES ? wait_row - 1 - PROFILE_STATES : 0;

    *holder = (struct pprofil_holder){.waits_for = ""};
    if (number == 0 || number >= profile->wait_count || profile->waits[number].holder == 0)
        return -ENOENT;
    if (profile->history.count == 0)
        return -ENODATA;
    holder->tid = profile->waits[number].holder;
    struct holder_search search = {.profile = profile,
                                   .wait = (uint32_t)number,
                                   .slots = (uint32_t)(history_length(&profile->history) / profile->history.slot_ns)};
    search.waited = calloc((size_t)search.slots + 1, sizeof *search.waited);
    search.node_ns = calloc(profile->node_count, sizeof *search.node_ns);
    search.wait_ns = calloc(profile->wait_count, sizeof *search.wait_ns);
    int error = search.waited == NULL || search.node_ns == NULL || search.wait_ns == NULL
                    ? -ENOMEM
                    : holder_fill(&search, symbolizer, profile, holder);
    free(search.waited);
    free(search.node_ns);
    free(search.wait_ns);
    return error;
}
