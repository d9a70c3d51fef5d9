/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes and reads the history of a profile, the field pprofil_history of the message. The field is a list of numbers:
 * the start of the history and the length of its slots, ns, and then ENTRY_NUMBERS numbers for each entry:
 *
 *    the first slot minus the first slot of the entry before, zigzag-encoded (protobuf's sint64)
 *    the number of further slots
 *    the index of the sample in the message
 *    the number of samples
 *    the CPU time, us
 *    the elapsed time, us, plus 1; 0: it is equal to the CPU time
 */
#include "config.h"

#include <errno.h>

#include "format/pprof/pprof.h"

#define HEAD_NUMBERS 2u
#define ENTRY_NUMBERS 6u
#define US 1000u /* ns */

static uint64_t history_zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static int64_t history_unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static uint64_t history_us(uint64_t ns)
{
    return ns / US + (ns % US >= US / 2);
}

static void history_encode(const struct history_entry *entry, uint32_t before, uint32_t sample, uint64_t *to)
{
    uint64_t cpu = history_us(entry->cpu_ns), wall = history_us(entry->wall_ns);

    *to++ = history_zigzag((int64_t)entry->first - (int64_t)before);
    *to++ = entry->last - entry->first;
    *to++ = sample;
    *to++ = entry->count;
    *to++ = cpu;
    *to++ = wall == cpu ? 0 : wall + 1;
}

void pprof_add_history(struct pprof_writer *writer, const uint32_t *samples)
{
    const struct profile_history *history = &writer->profile->history;
    PbProfile *message = &writer->message;
    size_t size = HEAD_NUMBERS + (size_t)history->count * ENTRY_NUMBERS;
    uint32_t before = 0;

    if (history->count == 0)
        return;
    uint64_t *numbers = pprof_allocate(writer, size * sizeof *numbers);
    if (writer->out_of_memory)
        return;
    numbers[message->n_pprofil_history++] = history->start;
    numbers[message->n_pprofil_history++] = history->slot_ns;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct history_entry *entry = &history->entries[i];
        if (samples[entry->sample] == PROFILE_NO_SAMPLE)
            continue;
        history_encode(entry, before, samples[entry->sample], &numbers[message->n_pprofil_history]);
        message->n_pprofil_history += ENTRY_NUMBERS;
        before = entry->first;
    }
    message->pprofil_history = numbers;
}

/* Decodes an entry. `before`: the first slot of the entry before. Returns false if a number is too large. The index of
 * the sample in the message is not checked. */
static bool history_decode(const uint64_t *from, uint32_t before, struct history_entry *entry)
{
    int64_t first = from[0] <= UINT32_MAX ? before + history_unzigzag(from[0]) : -1;
    uint64_t wall = from[5] == 0 ? from[4] : from[5] - 1;

    if (first < 0 || first > UINT32_MAX || from[1] > UINT32_MAX - (uint64_t)first ||
        from[2] >= UINT32_MAX || from[3] > UINT32_MAX || from[4] > INT64_MAX / US || wall > INT64_MAX / US)
        return false;
    *entry = (struct history_entry){.first = (uint32_t)first,
                                    .last = (uint32_t)((uint64_t)first + from[1]),
                                    .sample = (uint32_t)from[2],
                                    .count = (uint32_t)from[3],
                                    .cpu_ns = from[4] * US,
                                    .wall_ns = wall * US};
    return true;
}

/* Reads `count` numbers. Returns false if there are not so many. */
static bool history_unpack(const struct pprof_file *file, size_t *at, unsigned count, uint64_t *numbers)
{
    for (unsigned i = 0; i < count; i++)
        if (!pprof_varint(file->history, file->history_size, at, &numbers[i]))
            return false;
    return true;
}

int pprof_read_history(const struct pprof_file *file, const uint32_t *samples, struct profile *profile)
{
    uint64_t head[HEAD_NUMBERS], numbers[ENTRY_NUMBERS];
    struct history_entry entry = {0};
    size_t at = 0;

    if (file->history_size == 0)
        return 0;
    if (!history_unpack(file, &at, HEAD_NUMBERS, head))
        return PPROFIL_ERROR_DAMAGED;
    while (at < file->history_size) {
        if (!history_unpack(file, &at, ENTRY_NUMBERS, numbers) || !history_decode(numbers, entry.first, &entry) ||
            entry.sample >= file->sample_count)
            return PPROFIL_ERROR_DAMAGED;
        entry.sample = samples[entry.sample];
        if (entry.sample == PROFILE_NO_SAMPLE)
            continue;
        int error = history_restore(&profile->history, head[0], head[1], &entry);
        if (error != 0)
            return error == -EINVAL ? PPROFIL_ERROR_DAMAGED : error;
    }
    return 0;
}
