/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The live processes of a profile, their mappings, and the objects that are mapped.
 *
 * The mappings of a process never overlap: a new mapping replaces older ones at the same addresses. The descriptor of
 * an object may come before or after the WIRE_MAP event of the object.
 */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "profile/profile-internal.h"
#include "profile/profile.h"
#include "wire/wire.h"

_Static_assert(WIRE_BUILD_ID_MAX <= PROFILE_BUILD_ID_MAX, "a build-id fits");

/* --- live processes ------------------------------------------------------------------ */

static int mappings_compare_live(const void *left, const void *right)
{
    const struct live_process *a = left, *b = right;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

struct live_process *profile_live(const struct profile *profile, uint32_t pid)
{
    const struct live_process wanted = {.pid = pid};
    void **found = tfind(&wanted, &profile->index->live, mappings_compare_live);

    return found == NULL ? NULL : *found;
}

int profile_add_live(struct profile *profile, struct live_process *live)
{
    return tsearch(live, &profile->index->live, mappings_compare_live) == NULL ? -ENOMEM : 0;
}

void profile_drop_live(struct profile *profile, struct live_process *live)
{
    tdelete(live, &profile->index->live, mappings_compare_live);
    profile_free_live(live);
}

/* --- objects ------------------------------------------------------------------------- */

static void mappings_attach(struct profile *profile, uint32_t object, int fd)
{
    struct profile_object *wanted = &profile->objects[object];

    if (fd == -ETIMEDOUT)
        wanted->hangs = true;
    if (fd < 0)
        return;
    if (wanted->fd >= 0)
        close(fd);
    else
        wanted->fd = fd;
}

void profile_set_file(struct profile *profile, uint32_t object, int fd)
{
    mappings_attach(profile, object, fd);
}

/* Searches the table of pending objects for the object with the id wire_object. Returns its entry; NULL: there is none.
 * The descriptor of an object comes through the socket, and the WIRE_MAP event of the object comes through the ring.
 * When the first of them comes, an entry is added to the table. When the second comes, it finds this entry. */
static struct pending_object *mappings_find_pending(const struct profile *profile, uint32_t wire_object)
{
    struct profile_index *index = profile->index;

    for (uint32_t i = 0; i < index->pending_count; i++)
        if (index->pending[i].wire_object == wire_object)
            return &index->pending[i];
    return NULL;
}

static void mappings_add_pending(struct profile *profile, const struct pending_object *pending)
{
    struct profile_index *index = profile->index;

    if (array_grow(&index->pending, index->pending_count, sizeof *index->pending) == 0)
        index->pending[index->pending_count++] = *pending;
    else if (pending->fd >= 0)
        close(pending->fd);
}

void profile_give_object(struct profile *profile, uint32_t wire_object, int fd)
{
    struct pending_object *pending = mappings_find_pending(profile, wire_object);

    if (pending == NULL)
        mappings_add_pending(profile, &(struct pending_object){wire_object, HASH_NONE, fd, fd < 0});
    else if (pending->object != HASH_NONE)
        mappings_attach(profile, pending->object, fd);
    else if (fd >= 0)
        close(fd);
    if (pending != NULL)
        pending->none = fd < 0;
}

static void mappings_want(struct profile *profile, uint32_t wire_object, uint32_t object)
{
    struct pending_object *pending = mappings_find_pending(profile, wire_object);

    if (wire_object == 0)
        return;
    if (pending == NULL) {
        mappings_add_pending(profile, &(struct pending_object){wire_object, object, -1, false});
    } else if (pending->object == HASH_NONE) {
        pending->object = object;
        mappings_attach(profile, object, pending->fd);
        pending->fd = -1;
    }
}

static bool mappings_is_awaited(const struct profile *profile, const struct pending_object *pending)
{
    return pending->object != HASH_NONE && !pending->none && profile->objects[pending->object].fd < 0;
}

bool profile_awaits_object(const struct profile *profile, uint32_t object)
{
    const struct profile_index *index = profile->index;

    for (uint32_t i = 0; profile->objects[object].fd < 0 && i < index->pending_count; i++)
        if (index->pending[i].object == object && mappings_is_awaited(profile, &index->pending[i]))
            return true;
    return false;
}

bool profile_awaits_any_file(const struct profile *profile)
{
    const struct profile_index *index = profile->index;

    for (uint32_t i = 0; i < index->pending_count; i++)
        if (mappings_is_awaited(profile, &index->pending[i]) &&
            profile->objects[index->pending[i].object].kind != PROFILE_OBJECT_ANON)
            return true;
    return false;
}

static int mappings_make_object(struct profile *profile, const struct wire_map *event, uint32_t process,
                                uint32_t *result)
{
    static const char suffix[] = " (deleted)";
    struct profile_object object = {
        .start = event->start, .end = event->end, .offset = event->offset, .pid = event->pid, .fd = -1};
    char path[WIRE_EVENT_MAX];

    snprintf(path, sizeof path, "%s", event->name);
    size_t length = strlen(path), cut = sizeof suffix - 1;
    switch (event->kind) {
    case WIRE_MAP_FILE:
        object.kind = PROFILE_OBJECT_FILE;
        object.device = makedev(event->dev_major, event->dev_minor);
        object.inode = event->inode;
        object.deleted = length > cut && strcmp(path + length - cut, suffix) == 0;
        if (object.deleted)
            path[length - cut] = '\0';
        break;
    case WIRE_MAP_VDSO:
        object.kind = PROFILE_OBJECT_VDSO;
        object.pid = 0;
        object.inode = event->inode;
        break;
    default:
        object.kind = PROFILE_OBJECT_ANON;
        object.process = process;
        if (path[0] == '\0')
            snprintf(path, sizeof path, "//anon");
    }
    object.build_id_size = event->build_id_size;
    memcpy(object.build_id, event->build_id, event->build_id_size);
    int error = profile_string(profile, path, &object.path);
    return error == 0 ? profile_object(profile, &object, result) : error;
}

/* --- address spaces ------------------------------------------------------------------ */

/* Returns the index of the first mapping whose end is above `address`. */
static uint32_t mappings_find(const struct live_process *live, uint64_t address)
{
    uint32_t low = 0, high = live->mapping_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (live->mappings[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct live_mapping *profile_live_mapping(const struct live_process *live, uint64_t address)
{
    uint32_t slot = mappings_find(live, address);

    return slot < live->mapping_count && live->mappings[slot].start <= address ? &live->mappings[slot] : NULL;
}

/* Largest number of mappings of a process; later mappings are ignored. The kernel's default limit, vm.max_map_count, is
 * lower. A hostile recording could contain any number of mappings, and each mapping takes longer to insert than the one
 * before it. */
#define MAPPINGS_MAX 65536u

/* Adds a mapping, and removes the parts of older mappings at the same addresses. These parts have been unmapped, or
 * mprotect(2) has split them off. The parts of older mappings below and above the new mapping stay. Returns 0 or
 * -ENOMEM. */
static int mappings_insert(struct live_process *live, const struct live_mapping *mapping)
{
    uint32_t first = mappings_find(live, mapping->start), last = first;
    struct live_mapping parts[3];
    uint32_t part_count = 0;

    while (last < live->mapping_count && live->mappings[last].start < mapping->end)
        last++;
    if (first < last && live->mappings[first].start < mapping->start) {
        parts[part_count] = live->mappings[first];
        parts[part_count++].end = mapping->start;
    }
    parts[part_count++] = *mapping;
    if (first < last && live->mappings[last - 1].end > mapping->end) {
        struct live_mapping above = live->mappings[last - 1];
        above.offset += mapping->end - above.start;
        above.start = mapping->end;
        parts[part_count++] = above;
    }
    uint32_t count = live->mapping_count - (last - first) + part_count;
    if (count > MAPPINGS_MAX)
        return 0;
    if (count > live->mapping_count) {
        void *larger = realloc(live->mappings, count * sizeof *live->mappings);
        if (larger == NULL)
            return -ENOMEM;
        live->mappings = larger;
    }
    memmove(live->mappings + first + part_count, live->mappings + last,
            (live->mapping_count - last) * sizeof *live->mappings);
    memcpy(live->mappings + first, parts, part_count * sizeof *parts);
    live->mapping_count = count;
    return 0;
}

int profile_live_map(struct profile *profile, struct live_process *live, const struct wire_map *event)
{
    struct live_mapping mapping = {.start = event->start, .end = event->end, .offset = event->offset};
    int error = mappings_make_object(profile, event, live->process, &mapping.object);

    if (error != 0)
        return error;
    mappings_want(profile, event->object, mapping.object);
    return mappings_insert(live, &mapping);
}

bool profile_find_mapping(const struct profile *profile, uint32_t pid, uint64_t address, uint32_t *object,
                          uint64_t *start, uint64_t *offset)
{
    const struct live_process *live = profile_live(profile, pid);
    const struct live_mapping *mapping = live == NULL ? NULL : profile_live_mapping(live, address);

    if (mapping == NULL)
        return false;
    *object = mapping->object;
    *start = mapping->start;
    *offset = mapping->offset;
    return true;
}
