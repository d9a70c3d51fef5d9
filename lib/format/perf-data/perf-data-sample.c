/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the samples of a perf.data. The event shows which fields a sample has. The addresses of a sample's stack are
 * looked up one by one in the mappings of the process.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/address-layout.h"
#include "format/perf-data/perf-data-read.h"

#define FRAMES_MAX (65536u / 8)

/* --- samples ------------------------------------------------------------------------- */

struct sample {
    uint64_t ip, time, period, chain_length;
    uint32_t pid, tid;
    struct bytes chain;
    bool by_chain; /* the stack was made from the call chain alone */
};

static void skip_read(struct bytes *bytes, uint64_t format)
{
    enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
    uint64_t values = 1, each = 8u + (format & ID ? 8u : 0) + (format & LOST ? 8u : 0);

    if (format & GROUP)
        values = bytes_get(bytes, 8);
    bytes_take(bytes, (format & ENABLED ? 8u : 0) + (format & RUNNING ? 8u : 0));
    bytes_take(bytes, values > UINT16_MAX ? UINT64_MAX : values * each);
}

/* Reads the fields of a sample up to its call chain, in the order of perf_event_open(2). Returns false if the record is
 * too short. */
static bool parse_sample(const struct perf_event *event, struct bytes *bytes, struct sample *sample)
{
    const uint64_t has = event->has;

    *sample = (struct sample){.period = event->period};
    if (has & PERF_HAS_IDENTIFIER)
        bytes_get(bytes, 8);
    if (has & PERF_HAS_IP)
        sample->ip = bytes_get(bytes, 8);
    if (has & PERF_HAS_TID) {
        sample->pid = (uint32_t)bytes_get(bytes, 4);
        sample->tid = (uint32_t)bytes_get(bytes, 4);
    }
    if (has & PERF_HAS_TIME)
        sample->time = bytes_get(bytes, 8);
    if (has & PERF_HAS_ADDR)
        bytes_get(bytes, 8);
    if (has & PERF_HAS_ID)
        bytes_get(bytes, 8);
    if (has & PERF_HAS_STREAM_ID)
        bytes_get(bytes, 8);
    if (has & PERF_HAS_CPU)
        bytes_get(bytes, 8);
    if (has & PERF_HAS_PERIOD)
        sample->period = bytes_get(bytes, 8);
    if (has & PERF_HAS_READ)
        skip_read(bytes, event->read_format);
    if (has & PERF_HAS_CALLCHAIN) {
        sample->chain_length = bytes_get(bytes, 8);
        if (sample->chain_length > bytes_left(bytes) / 8)
            return false;
        sample->chain = *bytes;
    }
    return !bytes->missing;
}

static int locate_unmapped(struct perf_replay *replay, enum profile_object_kind kind, const char *path,
                           uint64_t address, uint32_t *location)
{
    struct profile_object object = {.kind = kind, .fd = -1};
    uint32_t index;
    int error = profile_string(replay->profile, path, &object.path);

    /* marked as deleted, so that nobody looks for a file with this path */
    object.deleted = kind == PROFILE_OBJECT_FILE;
    if (error == 0)
        error = profile_object(replay->profile, &object, &index);
    return error == 0 ? profile_location(replay->profile, index, address, location) : error;
}

static int locate_address(struct perf_replay *replay, const struct perf_space *space, bool kernel,
                          uint64_t address, uint32_t *location)
{
    struct profile *profile = replay->profile;

    if (kernel)
        return locate_unmapped(replay, PROFILE_OBJECT_FILE, PROFILE_KERNEL, address, location);
    const struct perf_mapping *mapping = perf_space_find(space, address);
    if (mapping == NULL)
        return locate_unmapped(replay, PROFILE_OBJECT_UNKNOWN, "[unknown]", address, location);
    const struct profile_object *object = &profile->objects[mapping->object];
    if (mapping->mark)
        return profile_mark(profile, profile->strings[object->path], location);
    if (object->kind != PROFILE_OBJECT_ANON)
        address = address - mapping->start + mapping->offset;
    return profile_location(profile, mapping->object, address, location);
}

/* Finds the locations of a stack, leaf first. The first kernel address in the stack is where the kernel was
 * interrupted, and the first user address is where user code was interrupted. All others are return addresses, which
 * are after a call instruction. 1 is subtracted from a return address, because the call may be the last instruction of
 * its function. In files of pprofil the addresses of callers are already within the call instruction. */
static int locate_chain(struct perf_replay *replay, const struct perf_space *space,
                        struct sample *sample, uint32_t *count)
{
    bool kernel = false, foreign = false, first = true;
    int error = 0;

    for (uint64_t i = 0; error == 0 && i < sample->chain_length && *count < FRAMES_MAX; i++) {
        uint64_t address = bytes_get(&sample->chain, 8);
        if (address >= PERF_CONTEXT_MIN) {
            kernel = address == PERF_CONTEXT_KERNEL;
            /* true: the addresses that follow are in a guest or a hypervisor */
            foreign = !kernel && address != PERF_CONTEXT_USER;
            first = true;
            continue;
        }
        if (foreign)
            continue;
        if (!first && !replay->own && address > 0)
            address--;
        first = false;
        error = locate_address(replay, space, kernel, address, &replay->stacks.locations[(*count)++]);
    }
    return error;
}

static int make_stack(struct perf_replay *replay, uint32_t count, uint32_t *node)
{
    int error = 0;

    *node = PROFILE_NONE;
    while (error == 0 && count > 0)
        error = profile_node(replay->profile, *node, replay->stacks.locations[--count], node);
    return error;
}

static int locate_sample(struct perf_replay *replay, unsigned misc, struct sample *sample, uint32_t *node)
{
    struct perf_stacks *stacks = &replay->stacks;
    struct perf_space *space;
    uint32_t count = 0;
    int error = perf_find_space(replay, sample->pid, &space);

    if (error == 0 && stacks->locations == NULL &&
        (stacks->locations = calloc(FRAMES_MAX + 2, sizeof *stacks->locations)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = locate_chain(replay, space, sample, &count);
    sample->by_chain = count > 0;
    if (error == 0 && count == 0)
        error = locate_address(replay, space, (misc & PERF_MISC_MODE) == PERF_MISC_KERNEL, sample->ip,
                               &stacks->locations[count++]);
    if (error == 0 && replay->event.has & PERF_HAS_STACK_USER)
        error = profile_mark(replay->profile, "[stack copy not read]", &stacks->locations[count++]);
    return error == 0 ? make_stack(replay, count, node) : error;
}

/* --- the cache of stacks --------------------------------------------------------------- */

static struct perf_stack *slot_of(struct perf_stacks *stacks, const unsigned char *bytes, size_t size)
{
    uint64_t hash = size, word;

    for (size_t at = 0; at + sizeof word <= size; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return &stacks->known[hash & (PERF_STACKS - 1)];
}

static void cache_stack(struct perf_stack *stack, const unsigned char *bytes, size_t size,
                        const struct perf_replay *replay, uint32_t pid, uint32_t node)
{
    unsigned char *copy = realloc(stack->bytes, size);

    if (copy == NULL) {
        stack->size = 0;
        return; /* no error: only the next search for this stack takes longer */
    }
    memcpy(copy, bytes, size);
    *stack = (struct perf_stack){copy, size, replay->epoch, pid, node};
}

/* Finds the stack of a sample, in the cache if possible. If two samples of a process have the same addresses, they have
 * the same stack, as long as no mapping and no process changes. */
static int find_stack(struct perf_replay *replay, unsigned misc, struct sample *sample, uint32_t *node)
{
    const unsigned char *bytes = sample->chain.at;
    size_t size = sizeof(uint64_t) * (size_t)sample->chain_length;
    struct perf_stack *stack = slot_of(&replay->stacks, bytes, size);

    if (size > 0 && stack->size == size && stack->pid == sample->pid &&
        stack->epoch == replay->epoch && memcmp(stack->bytes, bytes, size) == 0) {
        *node = stack->node;
        return 0;
    }
    int error = locate_sample(replay, misc, sample, node);
    if (error == 0 && sample->by_chain)
        cache_stack(stack, bytes, size, replay, sample->pid, *node);
    return error;
}

void perf_stacks_clear(struct perf_stacks *stacks)
{
    for (size_t i = 0; i < PERF_STACKS; i++)
        free(stacks->known[i].bytes);
    free(stacks->locations);
}

int perf_count_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes)
{
    struct profile *profile = replay->profile;
    struct profile_sample made = {.count = 1};
    struct sample sample;
    uint32_t process;

    if (!parse_sample(&replay->event, bytes, &sample) || sample.period > INT64_MAX - profile->totals.cpu_ns ||
        sample.period > INT64_MAX - profile->totals.wall_ns)
        return PPROFIL_ERROR_DAMAGED;
    int error = perf_feed_task(replay, WIRE_THREAD, sample.pid, sample.tid, sample.time);
    if (error == 0)
        error = find_stack(replay, misc, &sample, &made.node);
    if (error != 0)
        return error;
    profile_find_process(profile, sample.pid, &process);
    profile_find_thread(profile, process, sample.tid, &made.thread);
    *(replay->wall ? &made.wall_ns : &made.cpu_ns) = sample.period;
    if (profile->totals.samples == 0 || sample.time < replay->first)
        replay->first = sample.time;
    if (sample.time > replay->last)
        replay->last = sample.time;
    return profile_count_at(profile, &made, sample.time);
}
