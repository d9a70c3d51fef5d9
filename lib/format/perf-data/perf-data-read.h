/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-read: reads perf.data. These are the declarations that the source files of the reader share. */
#ifndef PPROFIL_PERF_DATA_READ_H
#define PPROFIL_PERF_DATA_READ_H

#include "format/bytes.h"
#include "format/memo.h"
#include "format/perf-data/perf-data.h"
#include "wire/wire.h"

/* --- the file (perf-data-file.c) ------------------------------------------------------ */

/* A perf.data file that is read. The file may be far larger than memory, so only a part of it, the window, is in
 * memory. */
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

/* Returns the `size` bytes at an offset of the file. They are valid until the next call. Returns NULL if the file ends
 * before them, or if `size` is above 3 MiB. */
const unsigned char *perf_file_at(struct perf_file *file, uint64_t offset, size_t size);
/* Finds `size` bytes as perf_file_at does, and sets *bytes so that little-endian numbers can be read from them. Returns
 * false if perf_file_at would return NULL. */
bool perf_file_bytes(struct perf_file *file, uint64_t offset, size_t size, struct bytes *bytes);

/* Allocates memory for a section of the file and for one more byte, reads the section into this memory, and puts a zero
 * after it. The caller frees *copy. Returns 0, -errno, or PPROFIL_ERROR_DAMAGED (the section is not in the file, or is
 * larger than 16 MiB). */
int perf_file_load(const struct perf_file *file, const struct perf_section *section, unsigned char **copy);
/* Reads the offset and the size of a section, two numbers, and returns them. */
struct perf_section perf_get_section(struct bytes *bytes);

/* --- mappings of processes (perf-data-mappings.c) ------------------------------------- */

struct perf_mapping {
    uint64_t start, end; /* [start, end) */
    uint64_t offset;     /* offset of the address `start` in the object */
    uint32_t object;
    bool mark; /* the mapping is not code: pprofil wrote it to show why the callers in a stack are not known */
};

/* The mappings of a process. They are in a search tree, sorted by address, in which two mappings that overlap compare
 * equal. So a search for a new mapping finds the old mappings that it replaces. */
struct perf_space {
    void *tree; /* tree of struct perf_mapping, made by tsearch(3); NULL: there are no mappings */
};

/* Returns the mapping that contains an address, or NULL if there is none. The result is valid until a mapping is
 * added. */
const struct perf_mapping *perf_space_find(const struct perf_space *space, uint64_t address);
/* Adds a mapping of at least one byte. It replaces the parts of old mappings that it overlaps. Returns 0 or -ENOMEM. */
int perf_space_add(struct perf_space *space, const struct perf_mapping *mapping);
/* Adds copies of the mappings of another process. *left is the number of mappings that may still be copied, and becomes
 * lower with every copy. Returns 0, -ENOMEM, or PPROFIL_ERROR_DAMAGED if there are more than *left mappings. */
int perf_space_copy(struct perf_space *to, const struct perf_space *from, uint64_t *left);
void perf_space_clear(struct perf_space *space);

/* --- records (perf-data-replay.c, perf-data-sample.c) --------------------------------- */

/* At a fork, the mappings of the parent are copied for the child. This is the limit for the number of copies in a file.
 * They take some hundred megabytes and some seconds. */
#define PERF_COPIES_MAX (1u << 23)

/* The build-id of the file at a path. The features of a perf.data contain these build-ids. */
struct perf_build_id {
    uint32_t path; /* index in the profile's table strings */
    uint32_t size;
    uint8_t bytes[PERF_BUILD_ID_SIZE_MAX];
};

/* The members of perf_event_attr that the reader needs. They show which fields the records of an event have. */
struct perf_event {
    uint32_t type;
    uint64_t config, period, has, read_format, flags;
};

#define PERF_STACKS 256u /* a power of two */

/* An entry of the cache of stacks. The cache saves time, because most samples have one of a few stacks. */
struct perf_stack {
    unsigned char *bytes; /* owned: the addresses of the stack, as they are in the record */
    size_t size;
    uint64_t epoch;
    uint32_t pid, node;
};

struct perf_stacks {
    struct perf_stack known[PERF_STACKS]; /* the index of a stack comes from a hash of its addresses */
    uint32_t *locations;                  /* owned: locations of the current sample, leaf first */
};

struct perf_replay {
    struct profile *profile;
    struct perf_event event;         /* the event whose samples are counted */
    /* pprofil wrote the file. In such a file the address of a caller is within its call instruction, not after it as
     * in files of perf. */
    bool own;
    bool wall;                       /* the periods of samples are elapsed time, not CPU time */
    struct perf_build_id *build_ids; /* owned */
    uint32_t build_id_count;
    struct memo build_id_index; /* finds a build-id by its path */
    /* owned; the mappings of each process. space_index finds the index of a process by its pid */
    struct perf_space *spaces;
    uint32_t space_count;
    struct memo space_index;
    uint64_t copies_left; /* how many mappings may still be copied from parents to children */
    /* increased when a mapping or a process may have changed, which makes the cache of stacks invalid */
    uint64_t epoch;
    struct perf_stacks stacks;
    uint64_t first, last; /* times of the first and the last sample */
};

/* Finds the mappings of a process, or adds an empty set of mappings for it. *space is valid until the next call of this
 * function. Returns 0, -ENOMEM or -EOVERFLOW. */
int perf_find_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space);
/* Tells the profile that there is a new thread (type WIRE_THREAD) or that a process has executed a program (WIRE_EXEC).
 * Returns 0, -ENOMEM or -EOVERFLOW. */
int perf_feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid, uint64_t time);

/* Adds what a record contains to the profile. The record has `size` bytes, including its header. The records must come
 * in the order of their times. Returns 0 or an error. */
int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size, uint64_t time);
/* Frees everything in *replay except the profile. */
void perf_replay_clear(struct perf_replay *replay);

/* Counts the sample in a record. `misc` is the field misc of the record's header, and `bytes` has the part of the
 * record after its header. Returns 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. */
int perf_count_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes);
void perf_stacks_clear(struct perf_stacks *stacks);

/* --- what is before and after the records (perf-data-header.c) ------------------------ */

struct perf_header {
    struct perf_file *file;     /* borrowed */
    struct perf_replay *replay; /* borrowed; gets what the header contains: the event, the build-ids and the totals */
    struct perf_section attrs, data;
    /* bytes that the file has for each event: a perf_event_attr, and the offset and size of the event's list of ids */
    uint64_t attr_size;
    uint64_t features;  /* set of the features 0 to 63 that the file has; other features are not read */
    uint32_t event_count;
    uint64_t *ids; /* owned: ids of the event whose samples are counted, in ascending order */
    size_t id_count;
};

/* Reads the header, the events and the features. The caller has set the fields file and replay. Returns 0, -errno,
 * PPROFIL_ERROR_DAMAGED, or the reason why files of this kind are not read: PPROFIL_ERROR_PIPED,
 * PPROFIL_ERROR_BYTE_ORDER or PPROFIL_ERROR_COMPRESSED. The caller frees header->ids in any case. */
int perf_header_read(struct perf_header *header);
/* Returns true if this id belongs to the event whose samples are counted. */
bool perf_header_has(const struct perf_header *header, uint64_t id);

#endif
