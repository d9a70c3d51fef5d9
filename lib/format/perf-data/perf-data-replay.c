/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adds the records of a perf.data to a profile.
 *
 * Records of processes and threads have the same contents as events that pprofil's supervisor sends. So the reader
 * turns each such record into an event, and hands the event to the profile. Mappings are different: perf writes no
 * records for the mappings that a child inherits from its parent. So the reader keeps the mappings of each process
 * (perf-data-mappings.c).
 *
 * Sizes in the file are not trusted: nothing is read past the end of a record. Time and memory are proportional to the
 * size of the file, except for copies of inherited mappings. The number of these copies is limited.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "format/bytes.h"
#include "format/perf-data/perf-data-read.h"

/* --- processes ------------------------------------------------------------------------- */

static int inherit_mappings(struct perf_replay *replay, uint32_t pid, uint32_t ppid)
{
    struct perf_space *parent, *child;
    int error = perf_find_space(replay, pid, &child);

    if (error == 0)
        error = perf_find_space(replay, ppid, &parent);
    if (error == 0) /* finding the parent may have moved the child in memory, so the child is found again */
        error = perf_find_space(replay, pid, &child);
    if (error != 0 || parent == child)
        return error;
    return perf_space_copy(child, parent, &replay->copies_left);
}

static int read_fork(struct perf_replay *replay, unsigned misc, struct bytes *bytes)
{
    struct wire_fork event = {.header = {WIRE_FORK, sizeof event}};
    struct perf_space *space;

    event.pid = (uint32_t)bytes_get(bytes, 4);
    event.ppid = (uint32_t)bytes_get(bytes, 4);
    uint32_t tid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.time = bytes_get(bytes, 8);
    if (bytes->missing)
        return PPROFIL_ERROR_DAMAGED;
    if (event.pid == event.ppid)
        return perf_feed_task(replay, WIRE_THREAD, event.pid, tid, event.time);
    int error = profile_feed(replay->profile, &event.header);
    if (error == 0)
        error = perf_find_space(replay, event.pid, &space);
    if (error != 0)
        return error;
    perf_space_clear(space);
    return misc & PERF_MISC_EXEC ? 0 : inherit_mappings(replay, event.pid, event.ppid);
}

static int read_exit(struct perf_replay *replay, struct bytes *bytes)
{
    struct wire_exit event = {.header = {WIRE_EXIT, sizeof event}, .status = -1};

    event.pid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.tid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.time = bytes_get(bytes, 8);
    return bytes->missing ? PPROFIL_ERROR_DAMAGED : profile_feed(replay->profile, &event.header);
}

/* Reads a text that ends with a zero. Returns NULL if there is no zero in the rest of the record. */
static const char *read_text(struct bytes *bytes)
{
    const char *text = (const char *)bytes->at;
    const unsigned char *end = memchr(bytes->at, '\0', (size_t)bytes_left(bytes));

    if (end == NULL)
        return NULL;
    bytes->at = end + 1;
    return text;
}

static int read_comm(struct perf_replay *replay, unsigned misc, uint64_t time, struct bytes *bytes)
{
    struct wire_comm event = {.header = {WIRE_COMM, sizeof event}, .time = time};
    struct perf_space *space;

    event.pid = (uint32_t)bytes_get(bytes, 4);
    event.tid = (uint32_t)bytes_get(bytes, 4);
    const char *comm = read_text(bytes);
    if (bytes->missing || comm == NULL)
        return PPROFIL_ERROR_DAMAGED;
    strncpy(event.comm, comm, sizeof event.comm - 1);
    int error = 0;
    if (misc & PERF_MISC_EXEC && event.pid == event.tid) {
        error = perf_feed_task(replay, WIRE_EXEC, event.pid, event.tid, time);
        if (error == 0)
            error = perf_find_space(replay, event.pid, &space);
        if (error == 0)
            perf_space_clear(space);
    }
    return error == 0 ? profile_feed(replay->profile, &event.header) : error;
}

/* --- objects --------------------------------------------------------------------------- */

static int find_build_id(struct perf_replay *replay, struct profile_object *object)
{
    struct memo_entry *known;
    int error = memo_find(&replay->build_id_index, 0, object->path, 0, &known);

    if (error != 0 || !known->used || object->build_id_size > 0)
        return error;
    const struct perf_build_id *found = &replay->build_ids[known->index];
    object->build_id_size = found->size;
    memcpy(object->build_id, found->bytes, found->size);
    return 0;
}

/* Returns the kind of an object, which depends on its path and on the protection of its mapping. */
static enum profile_object_kind kind_of(const char *path, uint64_t protection)
{
    if (strcmp(path, "[vdso]") == 0)
        return PROFILE_OBJECT_VDSO;
    if (path[0] == '[' && protection == 0)
        return PROFILE_OBJECT_MARK;
    if (path[0] != '/' || strncmp(path, "//", 2) == 0 || strcmp(path, "/dev/zero") == 0 ||
        strncmp(path, "/SYSV", 5) == 0)
        return PROFILE_OBJECT_ANON;
    return PROFILE_OBJECT_FILE;
}

static int find_object(struct perf_replay *replay, struct profile_object *object, const char *text,
                       uint64_t protection, uint32_t *index)
{
    static const char suffix[] = " (deleted)";
    size_t length = strlen(text), cut = sizeof suffix - 1;
    char *path = strdup(text);

    if (path == NULL)
        return -ENOMEM;
    if (length > cut && strcmp(path + length - cut, suffix) == 0) {
        object->deleted = true;
        path[length - cut] = '\0';
    }
    object->kind = kind_of(path, protection);
    int error = profile_string(replay->profile, path, &object->path);
    free(path);
    if (error == 0 && object->kind == PROFILE_OBJECT_ANON) {
        error = perf_feed_task(replay, WIRE_THREAD, object->pid, object->pid, 0);
        profile_find_process(replay->profile, object->pid, &object->process);
        object->deleted = false;
    }
    if (object->kind != PROFILE_OBJECT_ANON && object->kind != PROFILE_OBJECT_FILE)
        object->pid = 0;
    if (error == 0)
        error = find_build_id(replay, object);
    return error == 0 ? profile_object(replay->profile, object, index) : error;
}

static void read_file_id(unsigned misc, struct bytes *bytes, struct profile_object *object)
{
    if (misc & PERF_MISC_BUILD_ID) {
        uint64_t size = bytes_get(bytes, 1);
        bytes_take(bytes, 3);
        const unsigned char *id = bytes_take(bytes, PERF_BUILD_ID_SIZE_MAX);
        if (id == NULL || size > PERF_BUILD_ID_SIZE_MAX)
            return;
        object->build_id_size = (uint32_t)size;
        memcpy(object->build_id, id, size);
        return;
    }
    unsigned major = (unsigned)bytes_get(bytes, 4);
    unsigned minor = (unsigned)bytes_get(bytes, 4);
    object->device = makedev(major, minor);
    object->inode = bytes_get(bytes, 8);
    bytes_get(bytes, 8);
}

static int read_mmap(struct perf_replay *replay, bool second, unsigned misc, struct bytes *bytes)
{
    struct profile_object object = {.fd = -1};
    struct perf_mapping mapping = {0};
    struct perf_space *space;
    uint64_t protection = 1;

    uint32_t pid = object.pid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    object.start = mapping.start = bytes_get(bytes, 8);
    uint64_t size = bytes_get(bytes, 8);
    object.offset = mapping.offset = bytes_get(bytes, 8);
    if (second) {
        read_file_id(misc, bytes, &object);
        protection = bytes_get(bytes, 4);
        bytes_get(bytes, 4);
    }
    const char *path = read_text(bytes);
    if (bytes->missing || path == NULL)
        return PPROFIL_ERROR_DAMAGED;
    if (size == 0 || size > UINT64_MAX - mapping.start || misc & PERF_MISC_DATA ||
        (misc & PERF_MISC_MODE) != PERF_MISC_USER)
        return 0; /* the mapping is data, or belongs to the kernel or a guest */
    object.end = mapping.end = mapping.start + size;
    int error = find_object(replay, &object, path, protection, &mapping.object);
    mapping.mark = object.kind == PROFILE_OBJECT_MARK;
    if (error == 0)
        error = perf_find_space(replay, pid, &space); /* not object.pid: find_object may have set it to 0 */
    return error == 0 ? perf_space_add(space, &mapping) : error;
}

int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size, uint64_t time)
{
    struct bytes bytes = bytes_of(record, size, 8, false);
    uint64_t type = bytes_get(&bytes, 4);
    unsigned misc = (unsigned)bytes_get(&bytes, 2);

    bytes_get(&bytes, 2);
    if (type != PERF_SAMPLE)
        replay->epoch++;
    switch (type) {
    case PERF_FORK:
        return read_fork(replay, misc, &bytes);
    case PERF_EXIT:
        return read_exit(replay, &bytes);
    case PERF_COMM:
        return read_comm(replay, misc, time, &bytes);
    case PERF_MMAP:
    case PERF_MMAP2:
        return read_mmap(replay, type == PERF_MMAP2, misc, &bytes);
    case PERF_SAMPLE:
        return perf_count_sample(replay, misc, &bytes);
    default:
        return 0;
    }
}

void perf_replay_clear(struct perf_replay *replay)
{
    for (uint32_t i = 0; i < replay->space_count; i++)
        perf_space_clear(&replay->spaces[i]);
    free(replay->spaces);
    memo_free(&replay->space_index);
    free(replay->build_ids);
    memo_free(&replay->build_id_index);
    perf_stacks_clear(&replay->stacks);
}
