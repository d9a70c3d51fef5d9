/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mappings, and who is told of them.
 *
 * The client gets a descriptor of each mapped file. Opening may be slow, so it waits until no
 * thread of this tick is stopped.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define PRIVATE_IDS 0x80000000u /* ids of objects that are not files start here */
#define COMPAT_END (UINT64_C(1) << 32)
#define EARLY_SCANS 8u         /* of an image: with each of its first samples */
#define EARLY_COST_NS 500000u  /* that takes no longer */
#define SCAN_SHARE 200u        /* a look at all executable mappings may take 1 in so many, ... */
#define SCAN_SHARE_CHANGED 20u /* ... and where one of them is new */

static uint32_t private_id(struct objects *objects)
{
    return PRIVATE_IDS + objects->next_private_id++;
}

/* The place of a file in the table; NULL: that is full. */
static struct object_key *find_key(struct objects *objects, uint64_t device, uint64_t inode)
{
    size_t slot = (size_t)((device * 31 + inode) * 0x9e3779b97f4a7c15u >> 40) % OBJECTS_MAX;

    while (objects->seen[slot].inode != 0) {
        if (objects->seen[slot].inode == inode && objects->seen[slot].device == device)
            return &objects->seen[slot];
        slot = (slot + 1) % OBJECTS_MAX;
    }
    if (objects->count >= OBJECTS_MAX / 2)
        return NULL;
    objects->seen[slot] = (struct object_key){.device = device, .inode = inode};
    objects->count++;
    return &objects->seen[slot];
}

/* False: there is no room, and the client has to do with the path. */
static bool request(struct objects *objects, uint32_t id, pid_t pid,
                    const struct mapping *mapping, uint64_t inode, const char *path)
{
    if (objects->waiting_count == OBJECTS_WAITING)
        return false;
    struct object_request *wanted = &objects->waiting[objects->waiting_count++];
    *wanted = (struct object_request){
        .id = id,
        .pid = pid,
        .device = makedev(mapping->dev_major, mapping->dev_minor),
        .inode = inode,
        .start = mapping->start,
        .end = mapping->end,
    };
    snprintf(wanted->path, sizeof wanted->path, "%s", path);
    return true;
}

/* Ids are told to the client only of what it will be sent. */
static uint32_t want_file(struct objects *objects, pid_t pid, const struct mapping_details *details)
{
    const struct mapping *mapping = &details->mapping;
    uint64_t device = makedev(mapping->dev_major, mapping->dev_minor);
    struct object_key *key = find_key(objects, device, mapping->inode);

    if (key == NULL)
        return 0;
    uint32_t id = (uint32_t)(key - objects->seen) + 1;
    key->asked = key->asked || request(objects, id, pid, mapping, mapping->inode, details->name);
    return key->asked ? id : 0;
}

/* The kernel puts it next to the stack, so a program of 64 bits has it far above. */
static bool is_compat_vdso(const struct mapping *mapping)
{
    return mapping->end <= COMPAT_END;
}

static uint32_t want_vdso(struct objects *objects, pid_t pid, const struct mapping *mapping,
                          bool compat)
{
    uint32_t *id = &objects->vdso_ids[compat];

    if (*id == 0) {
        uint32_t next = private_id(objects);
        *id = request(objects, next, pid, mapping, OBJECT_VDSO, "") ? next : 0;
    }
    return *id;
}

static uint32_t want_jit_map(struct objects *objects, struct process *process,
                             const struct mapping *mapping)
{
    struct maps *maps = &process->maps;

    if (maps->jit_object == 0) {
        uint32_t next = private_id(objects);
        bool asked = request(objects, next, process->pid, mapping, OBJECT_JIT_NAMES, "");
        maps->jit_object = asked ? next : 0;
    }
    return maps->jit_object;
}

static bool is_program(pid_t pid, const char *name)
{
    char link[32], path[PATH_MAX];

    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    return strcmp(path, name) == 0;
}

/* Tells of the mapping in supervisor->details; false: there is no room, and it is to be told at
 * the next sample. */
static bool tell_mapping(struct supervisor *supervisor, struct process *process)
{
    const struct mapping_details *details = &supervisor->details;
    const struct mapping *mapping = &details->mapping;
    struct objects *objects = &supervisor->objects;

    size_t name_size = strlen(details->name) + 1;
    size_t size = (sizeof(struct wire_map) + name_size + 7) / 8 * 8;
    struct wire_map *event = ring_reserve(supervisor->ring, size);
    if (event == NULL) {
        maps_forget(&process->maps, mapping);
        return false;
    }
    memset(event, 0, size);
    event->header = (struct wire_header){WIRE_MAP, (uint32_t)size};
    event->time = time_now();
    event->pid = (uint32_t)process->pid;
    event->start = mapping->start;
    event->end = mapping->end;
    event->offset = mapping->offset;
    event->dev_major = mapping->dev_major;
    event->dev_minor = mapping->dev_minor;
    event->inode = mapping->inode;
    event->build_id_size = details->build_id_size;
    memcpy(event->build_id, details->build_id, details->build_id_size);
    memcpy(event->name, details->name, name_size);
    if (mapping->inode != 0) {
        event->kind = WIRE_MAP_FILE;
        event->flags = is_program(process->witness, details->name) ? WIRE_MAP_PROGRAM : 0;
        event->object = want_file(objects, process->witness, details);
    } else if (strcmp(details->name, "[vdso]") == 0) {
        event->kind = WIRE_MAP_VDSO;
        event->inode = is_compat_vdso(mapping);
        event->object = want_vdso(objects, process->witness, mapping, event->inode != 0);
    } else {
        event->kind = WIRE_MAP_ANON;
        event->object = want_jit_map(objects, process, mapping);
    }
    ring_commit(supervisor->ring);
    return true;
}

/* Once the leader has ended /proc/PID shows no memory, but /proc/TID does. False: it is not that. */
static bool ask_another(struct process *process, pid_t tid)
{
    char link[32], first;

    snprintf(link, sizeof link, "/proc/%d/exe", process->witness);
    if (tid == process->witness || readlink(link, &first, 1) >= 0)
        return false;
    process->witness = tid;
    maps_close(&process->maps);
    return true;
}

void objects_tell_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc)
{
    bool parse = supervisor->options.parse_maps;
    struct process *process = tracee->process;
    struct maps *maps = &process->maps;
    enum maps_result result;

    do
        result = maps_look_up(maps, process->witness, pc, parse, &supervisor->details);
    while (result == MAPS_NONE && ask_another(process, tracee->tid));
    if (result != MAPS_NEW)
        return;
    maps->changed = true;
    tell_mapping(supervisor, process);
}

void objects_tell_executable(struct supervisor *supervisor, struct process *process)
{
    struct maps *maps = &process->maps;
    struct maps_scan scan;
    uint64_t now = time_now();
    uint64_t period = maps->scan_cost_ns * (maps->changed ? SCAN_SHARE_CHANGED : SCAN_SHARE);

    /* a program that has just started maps its libraries one by one */
    bool early = maps->scans < EARLY_SCANS && maps->scan_cost_ns < EARLY_COST_NS;
    if (!early && now - maps->scanned_at < period)
        return;
    maps->scans++;
    maps->changed = false;
    maps_scan_begin(&scan, maps, process->witness, supervisor->options.parse_maps);
    while (maps_scan_next(&scan, &supervisor->details) == MAPS_NEW &&
           tell_mapping(supervisor, process))
        if (supervisor->objects.waiting_count == OBJECTS_WAITING)
            objects_send(supervisor);
    maps_scan_end(&scan);
    maps->scanned_at = time_now();
    maps->scan_cost_ns = maps->scanned_at - now;
}

/* Is the request done with? It is kept where the client is behind, and while a JIT's names are
 * still to come. */
static bool answer_request(const struct supervisor *supervisor, struct object_request *wanted)
{
    if (wanted->due > time_now())
        return false;
    int fd = object_open(wanted);
    if (fd < 0 && wanted->due != 0)
        return false;
    struct wire_message message = {
        .op = WIRE_OP_OBJECT, .error = fd < 0 ? ENOENT : 0, .value = wanted->id};
    int error = wire_send(supervisor->socket, &message, fd);
    if (fd >= 0)
        close(fd);
    return error != -EAGAIN;
}

void objects_send(struct supervisor *supervisor)
{
    struct objects *objects = &supervisor->objects;
    unsigned kept = 0, later = 0;

    for (unsigned i = 0; i < objects->waiting_count; i++) {
        struct object_request *wanted = &objects->waiting[i];
        if (answer_request(supervisor, wanted))
            continue;
        if (wanted->due == 0 || ++later <= OBJECTS_WAITING / 2) /* room for others is left */
            objects->waiting[kept++] = *wanted;
    }
    objects->waiting_count = kept;
}
