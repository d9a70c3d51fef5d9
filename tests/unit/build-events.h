/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes events and samples, for tests of the code that reads them. */
#ifndef PPROFIL_BUILD_EVENTS_H
#define PPROFIL_BUILD_EVENTS_H

#include <criterion/criterion.h>
#include <string.h>

#include "profile/profile.h"
#include "wire/wire.h"

static inline void feed(struct profile *profile, const struct wire_header *event)
{
    cr_assert(wire_event_valid(event, event->size));
    cr_assert_eq(profile_feed(profile, event), 0);
}

static inline void feed_fork(struct profile *profile, uint32_t pid, uint32_t ppid)
{
    struct wire_fork event = {.header = {WIRE_FORK, sizeof event}, .pid = pid, .ppid = ppid};
    feed(profile, &event.header);
}

static inline void feed_task(struct profile *profile, enum wire_type type, uint32_t pid, uint32_t tid)
{
    struct wire_task event = {.header = {type, sizeof event}, .pid = pid, .tid = tid};
    feed(profile, &event.header);
}

static inline void feed_comm(struct profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
    struct wire_comm event = {.header = {WIRE_COMM, sizeof event}, .pid = pid, .tid = tid};
    strncpy(event.comm, comm, sizeof event.comm - 1);
    feed(profile, &event.header);
}

static inline void feed_exit(struct profile *profile, uint32_t pid, uint32_t tid, int status)
{
    struct wire_exit event = {
        .header = {WIRE_EXIT, sizeof event}, .pid = pid, .tid = tid, .status = status};
    feed(profile, &event.header);
}

struct map_spec {
    uint32_t pid, kind, object;
    uint64_t start, end, offset, inode;
    const char *name;
    unsigned char build_id; /* value of each of the 20 bytes of the build-id; 0: no build-id */
};

static inline void feed_map(struct profile *profile, const struct map_spec *spec)
{
    _Alignas(8) unsigned char bytes[sizeof(struct wire_map) + 512] = {0};
    struct wire_map *event = (void *)bytes;

    event->header = (struct wire_header){WIRE_MAP, sizeof bytes};
    event->pid = spec->pid;
    event->kind = spec->kind;
    event->object = spec->object;
    event->start = spec->start;
    event->end = spec->end;
    event->offset = spec->offset;
    event->inode = spec->inode;
    event->dev_major = 8;
    if (spec->build_id != 0) {
        event->build_id_size = 20;
        memset(event->build_id, spec->build_id, 20);
    }
    strcpy(event->name, spec->name);
    feed(profile, &event->header);
}

static const struct map_spec libx __attribute__((unused)) = {.pid = 10,
                                                             .kind = WIRE_MAP_FILE,
                                                             .start = 0x1000,
                                                             .end = 0x5000,
                                                             .offset = 0x2000,
                                                             .inode = 5,
                                                             .name = "/lib/libx.so",
                                                             .build_id = 7};

static inline void feed_sample(struct profile *profile, uint32_t pid, uint32_t tid, uint64_t pc,
                               uint64_t cpu_ns, int32_t syscall)
{
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = pid,
                                .tid = tid,
                                .pc = pc,
                                .cpu_ns = cpu_ns,
                                .syscall = syscall};
    feed(profile, &event.header);
}

/* Adds samples at a node. Each has 1 ms of CPU time. */
static inline void count_samples(struct profile *profile, uint32_t thread, uint32_t node, uint64_t samples)
{
    struct profile_sample sample = {
        .thread = thread, .node = node, .count = samples, .cpu_ns = samples * 1000000};

    cr_assert_eq(profile_count(profile, &sample), 0);
}

static inline const struct profile_location *leaf(const struct profile *profile, uint32_t sample)
{
    return &profile->locations[profile->nodes[profile->samples[sample].node].location];
}

static inline const char *path_of(const struct profile *profile, uint32_t object)
{
    return profile->strings[profile->objects[object].path];
}

#endif
