/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-replay: the records of a perf.data file, in the order of their times, become a
 * profile. */
#ifndef PPROFIL_PERF_DATA_REPLAY_H
#define PPROFIL_PERF_DATA_REPLAY_H

#include "format/perf-data/perf-data-space.h"
#include "format/perf-data/perf-data.h"
#include "format/memo.h"

#define PERF_COPIES_MAX (1u << 23) /* some hundred megabytes, and seconds */

/* What the header says of a path. */
struct perf_build_id {
    uint32_t path; /* string of the profile */
    uint32_t size;
    uint8_t bytes[PERF_BUILD_ID_SIZE_MAX];
};

/* What the records of an event have; its own fields of perf_event_attr. */
struct perf_event {
    uint32_t type;
    uint64_t config, period, has, read_format, flags;
};

#define PERF_STACKS 256u /* a power of two */

/* Stacks that were there before: most samples have one of a few. */
struct perf_stack {
    unsigned char *bytes; /* owned: the addresses as the record has them */
    size_t size;
    uint64_t epoch;
    uint32_t pid, node;
};

struct perf_stacks {
    struct perf_stack known[PERF_STACKS]; /* by hash */
    uint32_t *locations;                  /* owned: of a sample, leaf first */
};

struct perf_replay {
    struct profile *profile;
    struct perf_event event;         /* the one whose samples count */
    bool own;                        /* a file of ours: callers are inside of their calls */
    bool wall;                       /* periods are elapsed time */
    struct perf_build_id *build_ids; /* owned */
    uint32_t build_id_count;
    struct memo build_id_index; /* by path */
    struct perf_space *spaces;  /* owned; space_index has them by pid */
    uint32_t space_count;
    struct memo space_index;
    uint64_t copies_left; /* mappings that forks may still make */
    uint64_t epoch;       /* of mappings and processes: one more when they may have changed */
    struct perf_stacks stacks;
    uint64_t first, last; /* times of samples */
};

/* The mappings of a process, good until the next call. 0 or -ENOMEM. */
int perf_need_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space);
/* Tells the profile of a thread (WIRE_THREAD) or an exec (WIRE_EXEC). 0 or -ENOMEM. */
int perf_feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid,
                   uint64_t time);

/* Takes one record of size bytes, header included. 0 or -errno. */
int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size,
                       uint64_t time);
/* Frees all but the profile. */
void perf_replay_clear(struct perf_replay *replay);

#endif
