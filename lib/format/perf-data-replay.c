/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf's records of processes and threads are the supervisor's events in other words, so the
 * profile takes them as such. Mappings are another thing: a child of perf's has those of its
 * parent without being told. So they are kept here, for each process (perf-data-space.h).
 *
 * Sizes are what the file says. Nothing is read behind a record's end, and as copying the
 * mappings of parents is the one thing that costs more than the file has bytes, it is limited.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "format/bytes.h"
#include "format/perf-data-replay.h"
#include "format/placement.h"

#define MOST_FRAMES (65536u / 8)

/* --- processes ------------------------------------------------------------------------- */

static int need_space(struct perf_replay *replay, uint32_t pid, struct perf_space **space)
{
    struct memory *known;
    int error = memo_recall(&replay->space_index, 0, pid, 0, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        error = profile_grow(&replay->spaces, replay->space_count, sizeof *replay->spaces);
        if (error != 0)
            return error;
        replay->spaces[replay->space_count] = (struct perf_space){0};
        memo_remember(&replay->space_index, known, replay->space_count++);
    }
    *space = &replay->spaces[known->index];
    return 0;
}

static int feed_task(struct perf_replay *replay, enum wire_type type, uint32_t pid, uint32_t tid,
                     uint64_t time)
{
    struct wire_task event = {.header = {type, sizeof event}, .time = time, .pid = pid, .tid = tid};
    return profile_feed(replay->profile, &event.header);
}

static int inherit(struct perf_replay *replay, uint32_t pid, uint32_t ppid)
{
    struct perf_space *parent, *child;
    int error = need_space(replay, pid, &child);

    if (error == 0) /* which may move the child */
        error = need_space(replay, ppid, &parent);
    if (error == 0)
        error = need_space(replay, pid, &child);
    if (error != 0 || parent == child)
        return error;
    return space_copy(child, parent, &replay->copies_left);
}

static int take_fork(struct perf_replay *replay, unsigned misc, struct bytes *bytes)
{
    struct wire_fork event = {.header = {WIRE_FORK, sizeof event}};
    struct perf_space *space;

    event.pid = (uint32_t)bytes_get(bytes, 4);
    event.ppid = (uint32_t)bytes_get(bytes, 4);
    uint32_t tid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.time = bytes_get(bytes, 8);
    if (bytes->missing)
        return -EBADMSG;
    if (event.pid == event.ppid)
        return feed_task(replay, WIRE_THREAD, event.pid, tid, event.time);
    int error = profile_feed(replay->profile, &event.header);
    if (error == 0)
        error = need_space(replay, event.pid, &space);
    if (error != 0)
        return error;
    space_clear(space);
    return misc & PERF_MISC_EXEC ? 0 : inherit(replay, event.pid, event.ppid);
}

static int take_exit(struct perf_replay *replay, struct bytes *bytes)
{
    struct wire_exit event = {.header = {WIRE_EXIT, sizeof event}, .status = -1};

    event.pid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.tid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    event.time = bytes_get(bytes, 8);
    return bytes->missing ? -EBADMSG : profile_feed(replay->profile, &event.header);
}

/* A text up to its end, which must be there. */
static const char *take_text(struct bytes *bytes)
{
    const char *text = (const char *)bytes->at;
    const unsigned char *end = memchr(bytes->at, '\0', (size_t)bytes_left(bytes));

    if (end == NULL)
        return NULL;
    bytes->at = end + 1;
    return text;
}

static int take_comm(struct perf_replay *replay, unsigned misc, uint64_t time, struct bytes *bytes)
{
    struct wire_comm event = {.header = {WIRE_COMM, sizeof event}, .time = time};
    struct perf_space *space;

    event.pid = (uint32_t)bytes_get(bytes, 4);
    event.tid = (uint32_t)bytes_get(bytes, 4);
    const char *comm = take_text(bytes);
    if (bytes->missing || comm == NULL)
        return -EBADMSG;
    strncpy(event.comm, comm, sizeof event.comm - 1);
    int error = 0;
    if (misc & PERF_MISC_EXEC && event.pid == event.tid) {
        error = feed_task(replay, WIRE_EXEC, event.pid, event.tid, time);
        if (error == 0)
            error = need_space(replay, event.pid, &space);
        if (error == 0)
            space_clear(space);
    }
    return error == 0 ? profile_feed(replay->profile, &event.header) : error;
}

/* --- objects --------------------------------------------------------------------------- */

static int find_build_id(struct perf_replay *replay, struct profile_object *object)
{
    struct memory *known;
    int error = memo_recall(&replay->build_id_index, 0, object->path, 0, &known);

    if (error != 0 || !known->used || object->build_id_size > 0)
        return error;
    const struct perf_build_id *found = &replay->build_ids[known->index];
    object->build_id_size = found->size;
    memcpy(object->build_id, found->bytes, found->size);
    return 0;
}

/* What a mapping's path says that it is of. */
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
        error = feed_task(replay, WIRE_THREAD, object->pid, object->pid, 0);
        profile_find_process(replay->profile, object->pid, &object->process);
        object->deleted = false;
    }
    if (object->kind != PROFILE_OBJECT_ANON && object->kind != PROFILE_OBJECT_FILE)
        object->pid = 0;
    if (error == 0)
        error = find_build_id(replay, object);
    return error == 0 ? profile_object(replay->profile, object, index) : error;
}

static void take_file(unsigned misc, struct bytes *bytes, struct profile_object *object)
{
    if (misc & PERF_MISC_BUILD_ID) {
        uint64_t size = bytes_get(bytes, 1);
        bytes_take(bytes, 3);
        const unsigned char *id = bytes_take(bytes, PERF_BUILD_ID_MOST);
        if (id == NULL || size > PERF_BUILD_ID_MOST)
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

static int take_mmap(struct perf_replay *replay, bool second, unsigned misc, struct bytes *bytes)
{
    struct profile_object object = {.fd = -1};
    struct mapping mapping = {0};
    struct perf_space *space;
    uint64_t protection = 1;

    uint32_t pid = object.pid = (uint32_t)bytes_get(bytes, 4);
    bytes_get(bytes, 4);
    object.start = mapping.start = bytes_get(bytes, 8);
    uint64_t size = bytes_get(bytes, 8);
    object.offset = mapping.offset = bytes_get(bytes, 8);
    if (second) {
        take_file(misc, bytes, &object);
        protection = bytes_get(bytes, 4);
        bytes_get(bytes, 4);
    }
    const char *path = take_text(bytes);
    if (bytes->missing || path == NULL)
        return -EBADMSG;
    if (size == 0 || size > UINT64_MAX - mapping.start || misc & PERF_MISC_DATA ||
        (misc & PERF_MISC_MODE) != PERF_MISC_USER)
        return 0; /* of the kernel, a guest, or of data */
    object.end = mapping.end = mapping.start + size;
    int error = find_object(replay, &object, path, protection, &mapping.object);
    mapping.mark = object.kind == PROFILE_OBJECT_MARK;
    if (error == 0)
        error = need_space(replay, pid, &space); /* an object need not have one */
    return error == 0 ? space_add(space, &mapping) : error;
}

/* --- samples ------------------------------------------------------------------------- */

struct sample {
    uint64_t ip, time, period, chain_length;
    uint32_t pid, tid;
    struct bytes chain;
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

/* In the order of perf_event_open(2); what comes behind the stack is not looked at. */
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

static int unmapped(struct perf_replay *replay, enum profile_object_kind kind, const char *path,
                    uint64_t address, uint32_t *location)
{
    struct profile_object object = {.kind = kind, .fd = -1};
    uint32_t index;
    int error = profile_string(replay->profile, path, &object.path);

    object.deleted = kind == PROFILE_OBJECT_FILE; /* there is nothing at this path */
    if (error == 0)
        error = profile_object(replay->profile, &object, &index);
    return error == 0 ? profile_location(replay->profile, index, address, location) : error;
}

static int locate(struct perf_replay *replay, const struct perf_space *space, bool kernel,
                  uint64_t address, uint32_t *location)
{
    struct profile *profile = replay->profile;

    if (kernel)
        return unmapped(replay, PROFILE_OBJECT_FILE, PLACEMENT_KERNEL, address, location);
    const struct mapping *mapping = space_find(space, address);
    if (mapping == NULL)
        return unmapped(replay, PROFILE_OBJECT_UNKNOWN, "[unknown]", address, location);
    const struct profile_object *object = &profile->objects[mapping->object];
    if (mapping->mark)
        return profile_mark(profile, profile->strings[object->path], location);
    if (object->kind != PROFILE_OBJECT_ANON)
        address = address - mapping->start + mapping->offset;
    return profile_location(profile, mapping->object, address, location);
}

/* The locations of a stack, leaf first. The first address of the kernel's and of the user's is
 * where it was; others are return addresses, behind a call that may be the last of its function. */
static int locate_chain(struct perf_replay *replay, const struct perf_space *space,
                        struct sample *sample, uint32_t *count)
{
    bool kernel = false, foreign = false, first = true;
    int error = 0;

    for (uint64_t i = 0; error == 0 && i < sample->chain_length && *count < MOST_FRAMES; i++) {
        uint64_t address = bytes_get(&sample->chain, 8);
        if (address >= PERF_CONTEXT_MOST) {
            kernel = address == PERF_CONTEXT_KERNEL;
            foreign = !kernel && address != PERF_CONTEXT_USER; /* a guest's */
            first = true;
            continue;
        }
        if (foreign)
            continue;
        if (!first && !replay->own && address > 0)
            address--;
        first = false;
        error = locate(replay, space, kernel, address, &replay->stack[(*count)++]);
    }
    return error;
}

static int make_stack(struct perf_replay *replay, uint32_t count, uint32_t *node)
{
    int error = 0;

    *node = PROFILE_NONE;
    while (error == 0 && count > 0)
        error = profile_node(replay->profile, *node, replay->stack[--count], node);
    return error;
}

static int locate_sample(struct perf_replay *replay, unsigned misc, struct sample *sample,
                         uint32_t *node)
{
    struct perf_space *space;
    uint32_t count = 0;
    int error = need_space(replay, sample->pid, &space);

    if (error == 0 && replay->stack == NULL &&
        (replay->stack = calloc(MOST_FRAMES + 2, sizeof *replay->stack)) == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = locate_chain(replay, space, sample, &count);
    if (error == 0 && count == 0)
        error = locate(replay, space, (misc & PERF_MISC_MODE) == PERF_MISC_KERNEL, sample->ip,
                       &replay->stack[count++]);
    if (error == 0 && replay->event.has & PERF_HAS_STACK_USER)
        error = profile_mark(replay->profile, "[stack copy not read]", &replay->stack[count++]);
    return error == 0 ? make_stack(replay, count, node) : error;
}

static int take_sample(struct perf_replay *replay, unsigned misc, struct bytes *bytes)
{
    struct profile *profile = replay->profile;
    struct profile_sample made = {.count = 1};
    struct sample sample;
    uint32_t process;

    if (!parse_sample(&replay->event, bytes, &sample) ||
        sample.period > INT64_MAX - profile->totals.cpu_ns ||
        sample.period > INT64_MAX - profile->totals.wall_ns)
        return -EBADMSG;
    int error = feed_task(replay, WIRE_THREAD, sample.pid, sample.tid, sample.time);
    if (error == 0)
        error = locate_sample(replay, misc, &sample, &made.node);
    if (error != 0)
        return error;
    profile_find_process(profile, sample.pid, &process);
    profile_find_thread(profile, process, sample.tid, &made.thread);
    *(replay->wall ? &made.wall_ns : &made.cpu_ns) = sample.period;
    if (profile->totals.samples == 0 || sample.time < replay->first)
        replay->first = sample.time;
    if (sample.time > replay->last)
        replay->last = sample.time;
    return profile_count(profile, &made);
}

int perf_replay_record(struct perf_replay *replay, const unsigned char *record, size_t size,
                       uint64_t time)
{
    struct bytes bytes = bytes_of(record, size, 8, false);
    uint64_t type = bytes_get(&bytes, 4);
    unsigned misc = (unsigned)bytes_get(&bytes, 2);

    bytes_get(&bytes, 2);
    switch (type) {
    case PERF_FORK:
        return take_fork(replay, misc, &bytes);
    case PERF_EXIT:
        return take_exit(replay, &bytes);
    case PERF_COMM:
        return take_comm(replay, misc, time, &bytes);
    case PERF_MMAP:
    case PERF_MMAP2:
        return take_mmap(replay, type == PERF_MMAP2, misc, &bytes);
    case PERF_SAMPLE:
        return take_sample(replay, misc, &bytes);
    default:
        return 0;
    }
}

void perf_replay_clear(struct perf_replay *replay)
{
    for (uint32_t i = 0; i < replay->space_count; i++)
        space_clear(&replay->spaces[i]);
    free(replay->spaces);
    free(replay->space_index.slots);
    free(replay->build_ids);
    free(replay->build_id_index.slots);
    free(replay->stack);
}
