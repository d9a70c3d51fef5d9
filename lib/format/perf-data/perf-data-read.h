/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-read: reads perf.data. These are the declarations that the source files of the reader share. */
#ifndef PPROFIL_PERF_DATA_READ_H
#define PPROFIL_PERF_DATA_READ_H

#include "format/bytes.h"
#include "format/memo.h"
#include "format/perf-data/perf-data.h"
#include "wire/wire.h"

/* --- the file (perf-data-file.c) ------------------------------------------------------ */

/* A perf.data file. The file may be far larger than memory, so only a part of it, the window, is in memory. */
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

/* Opens a file. Returns 0, -errno, or PPROFIL_ERROR_NOT_REGULAR. The caller closes the file in any case. */
int perf_file_open(struct perf_file *file, const char *path);
void perf_file_close(struct perf_file *file);

/* Returns size bytes at an offset, valid until the next call. NULL: the file ends before offset + size, or size is
 * above 3 MiB. */
const unsigned char *perf_file_at(struct perf_file *file, uint64_t offset, size_t size);
/* Finds size bytes as perf_file_at does, and sets *bytes to read them as little-endian numbers. Returns false if
 * perf_file_at would return NULL. */
bool perf_file_bytes(struct perf_file *file, uint64_t offset, size_t size, struct bytes *bytes);

/* Copies a section of the file into memory, with a zero behind it. The caller frees *copy. Returns 0, -errno, or
 * PPROFIL_ERROR_DAMAGED (the section is not in the file, or is larger than 16 MiB). */
int perf_file_load(const struct perf_file *file, const struct perf_section *section, unsigned char **copy);
/* Reads the offset and size of a section from bytes. */
struct perf_section perf_get_section(struct bytes *bytes);

/* --- mappings of processes (perf-data-mappings.c) ------------------------------------- */

struct perf_mapping {
    uint64_t start, end; /* [start, end) */
    uint64_t offset;     /* offset of start in the object */
    uint32_t object;
    bool mark; /* addresses in the mapping are no code: they show why the callers are not known */
};

/* The mappings of a process: a search tree by address, in which two mappings that overlap compare equal. So a search
 * for a new mapping finds the old ones that it replaces. */
struct perf_space {
    void *tree; /* of struct perf_mapping, for tsearch(3); NULL: none */
};

/* Returns the mapping that contains an address, valid until a mapping is added; NULL: none. */
const struct perf_mapping *perf_space_find(const struct perf_space *space, uint64_t address);
/* Adds a mapping of at least one byte. It replaces the parts of old mappings that it overlaps. Returns 0 or -ENOMEM. */
int perf_space_add(struct perf_space *space, const struct perf_mapping *mapping);
/* Adds copies of the mappings of another process, and subtracts their number from *left. Returns 0, -ENOMEM, or
 * PPROFIL_ERROR_DAMAGED (there are more than *left). */
int perf_space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *left);
void perf_space_clear(struct perf_space *space);

/* --- records (perf-data-replay.c, perf-data-sample.c) --------------------------------- */

/* limit for the mappings that are copied for forks; so many copies take some hundred megabytes and some seconds */
#define PERF_COPIES_MAX (1u << 23)

/* The build-id of a path, from the features of the file. */
struct perf_build_id {
    uint32_t path; /* string of the profile */
    uint32_t size;
    uint8_t bytes[PERF_BUILD_ID_SIZE_MAX];
};

/* Members of perf_event_attr that the reader needs. They define which fields the records of an event have. */
struct perf_event {
    uint32_t type;
    uint64_t config, period, has, read_format, flags;
};

#define PERF_STACKS 256u /* a power of two */

/* An entry of the cache of stacks. The cache is for speed: most samples have one of a few stacks. */
struct perf_stack {
    unsigned char *bytes; /* owned: the addresses, as in the record */
    size_t size;
    uint64_t epoch;
    uint32_t pid, node;
};

struct perf_stacks {
    struct perf_stack known[PERF_STACKS]; /* by hash of the addresses */
    uint32_t *locations;                  /* owned: locations of the current sample, leaf first */
};

struct perf_replay {
    struct profile *profile;
    struct perf_event event;         /* the event that is counted */
    /* pprofil wrote the file. In such a file the address of a caller is within the call instruction, not behind it. */
    bool own;
    bool wall;                       /* periods are elapsed time */
    struct perf_build_id *build_ids; /* owned */
    uint32_t build_id_count;
    struct memo build_id_index; /* by path */
    struct perf_space *spaces;  /* owned; space_index finds them by pid */
    uint32_t space_count;
    struct memo space_index;
    uint64_t copies_left; /* number of mappings that may still be copied for forks */
    uint64_t epoch;       /* increased when mappings or processes may have changed */
    struct perf_stacks stacks;
    uint64_t first, last; /* times of the first and the last sample */
};

/* Finds or adds the mappings of a process. *space is valid until the next call. Returns 0, -ENOMEM or -EOVERFLOW. */
int perf_find_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space);
/* Feeds the profile with the event of a new thread (WIRE_THREAD) or an exec (WIRE_EXEC). Returns 0, -ENOMEM or
 * -EOVERFLOW. */
int perf_feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid, uint64_t time);

/* Adds the contents of a record to the profile. The record has size bytes, including its header. Records must come in
 * the order of their times. Returns 0 or an error. */
int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size, uint64_t time);
/* Frees everything except the profile. */
void perf_replay_clear(struct perf_replay *replay);

/* Counts a sample. misc is the field misc of the record's header. bytes has the record without its header. Returns 0,
 * -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. */
int perf_count_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes);
void perf_stacks_clear(struct perf_stacks *stacks);

/* --- what is before and behind the records (perf-data-header.c) ----------------------- */

struct perf_header {
    struct perf_file *file;     /* borrowed */
    struct perf_replay *replay; /* borrowed: receives the event, build-ids and totals */
    struct perf_section attrs, data;
    uint64_t attr_size; /* bytes of a perf_event_attr, with the offset and size of the list of its ids */
    uint64_t features;  /* bits of features 0 to 63; other features are not read */
    uint32_t event_count;
    uint64_t *ids; /* owned: ids of the event that is counted, in ascending order */
    size_t id_count;
};

/* Reads the header, the events and the features. The caller has set file and replay. Returns 0, -errno,
 * PPROFIL_ERROR_DAMAGED, or the reason why this kind of file is not read: PPROFIL_ERROR_PIPED, PPROFIL_ERROR_BYTE_ORDER
 * or PPROFIL_ERROR_COMPRESSED. The caller frees ids in any case. */
int perf_header_read(struct perf_header *header);
/* Does this id belong to the event that is counted? */
bool perf_header_has(const struct perf_header *header, uint64_t id);

#endif
