/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-read: what the parts of the reader of perf.data share. */
#ifndef PPROFIL_PERF_DATA_READ_H
#define PPROFIL_PERF_DATA_READ_H

#include "format/bytes.h"
#include "format/memo.h"
#include "format/perf-data/perf-data.h"
#include "wire/wire.h"

/* --- the file (perf-data-file.c) ------------------------------------------------------ */

/* A file, which may be far larger than memory. Only a window of it is in memory. */
struct perf_file {
    int fd; /* owned; -1: none */
    uint64_t size;
    unsigned char *window; /* owned */
    uint64_t window_at;
    size_t window_size;
};

/* A part of the file, in bytes. */
struct perf_section {
    uint64_t offset, size;
};

/* 0, -errno, or PPROFIL_ERROR_NOT_REGULAR. The caller closes it in any case. */
int perf_file_open(struct perf_file *file, const char *path);
void perf_file_close(struct perf_file *file);

/* size bytes at an offset, valid until the next call. NULL: the file ends before, or they are more than a window holds
 * (3 MiB). */
const unsigned char *perf_file_at(struct perf_file *file, uint64_t offset, size_t size);
/* The same as little-endian numbers. False: they are not there. */
bool perf_file_bytes(struct perf_file *file, uint64_t offset, size_t size, struct bytes *bytes);

/* Copies a section and puts a zero behind it; the caller frees it. 0, -errno, or PPROFIL_ERROR_DAMAGED (the section is
 * not in the file, or larger than 16 MiB). */
int perf_file_load(const struct perf_file *file, const struct perf_section *section, unsigned char **copy);
/* Reads a section's offset and size. */
struct perf_section perf_get_section(struct bytes *bytes);

/* --- mappings of processes (perf-data-mappings.c) ------------------------------------- */

struct perf_mapping {
    uint64_t start, end; /* [start, end) */
    uint64_t offset;     /* of start in the object */
    uint32_t object;
    bool mark; /* not code, but the reason why callers are not known */
};

/* The mappings of a process: a search tree by address, in which two mappings that overlap compare equal. So a search
 * for a new mapping finds what it replaces. */
struct perf_space {
    void *tree; /* of struct perf_mapping, for tsearch(3); NULL: none */
};

/* The mapping around an address, valid until one is added; NULL: none. */
const struct perf_mapping *perf_space_find(const struct perf_space *space, uint64_t address);
/* Adds a mapping of at least one byte, which replaces what it overlaps. 0 or -ENOMEM. */
int perf_space_add(struct perf_space *space, const struct perf_mapping *mapping);
/* Adds the mappings of another process, and subtracts their number from *left. 0, -ENOMEM, or PPROFIL_ERROR_DAMAGED
 * (there are more than *left). */
int perf_space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *left);
void perf_space_clear(struct perf_space *space);

/* --- records (perf-data-replay.c, perf-data-sample.c) --------------------------------- */

#define PERF_COPIES_MAX (1u << 23) /* mappings: some hundred megabytes, and seconds */

/* The build-id that the header has for a path. */
struct perf_build_id {
    uint32_t path; /* string of the profile */
    uint32_t size;
    uint8_t bytes[PERF_BUILD_ID_SIZE_MAX];
};

/* Members of perf_event_attr: they say what the records of the event have. */
struct perf_event {
    uint32_t type;
    uint64_t config, period, has, read_format, flags;
};

#define PERF_STACKS 256u /* a power of two */

/* A cache of stacks: most samples have one of a few. */
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
    bool own;                        /* pprofil wrote the file: addresses of callers lie within the calls */
    bool wall;                       /* periods are elapsed time */
    struct perf_build_id *build_ids; /* owned */
    uint32_t build_id_count;
    struct memo build_id_index; /* by path */
    struct perf_space *spaces;  /* owned; space_index has them by pid */
    uint32_t space_count;
    struct memo space_index;
    uint64_t copies_left; /* mappings that forks may still copy */
    uint64_t epoch;       /* goes up when mappings or processes may have changed */
    struct perf_stacks stacks;
    uint64_t first, last; /* times of samples */
};

/* The mappings of a process, valid until the next call. 0, -ENOMEM or -EOVERFLOW. */
int perf_find_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space);
/* Tells the profile of a thread (WIRE_THREAD) or an exec (WIRE_EXEC). 0, -ENOMEM or -EOVERFLOW. */
int perf_feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid, uint64_t time);

/* Puts a record of size bytes, with its header, into the profile. Records come in the order of their times. 0 or an
 * error. */
int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size, uint64_t time);
/* Frees all but the profile. */
void perf_replay_clear(struct perf_replay *replay);

/* Counts a sample. misc is that of the record; bytes are what follows its header. 0, -ENOMEM, -EOVERFLOW or
 * PPROFIL_ERROR_DAMAGED. */
int perf_count_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes);
void perf_stacks_clear(struct perf_stacks *stacks);

/* --- what is before and behind the records (perf-data-header.c) ----------------------- */

struct perf_header {
    struct perf_file *file;     /* borrowed */
    struct perf_replay *replay; /* borrowed: gets the event, build-ids and totals */
    struct perf_section attrs, data;
    uint64_t attr_size; /* of a perf_event_attr, and the section of its ids */
    uint64_t features;  /* the first 64 bits: no other feature is read */
    uint32_t event_count;
    uint64_t *ids; /* owned: of the event that counts, sorted */
    size_t id_count;
};

/* Reads header, events and features; file and replay are given. 0, -errno, PPROFIL_ERROR_DAMAGED, or why this file is
 * not read: PPROFIL_ERROR_PIPED, _BYTE_ORDER, _COMPRESSED. The caller frees ids in any case. */
int perf_header_read(struct perf_header *header);
/* Does this id belong to the event that counts? */
bool perf_header_has(const struct perf_header *header, uint64_t id);

#endif
