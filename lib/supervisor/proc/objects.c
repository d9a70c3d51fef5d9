/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports mappings to the client. Requests each mapped file from an opener (opener.h), which opens it for the
 * client. */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/proc/mapped-files.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/objects.h"
#include "supervisor/proc/opener.h"
#include "supervisor/proc/procfs-lists.h"
#include "supervisor/python/python.h"
#include "supervisor/supervisor.h"
#include "wire/open-request.h"
#include "wire/wire.h"

#define PRIVATE_IDS 0x80000000u /* ids from this one on belong to objects that are not files, such as the vDSO */
#define COMPAT_END (UINT64_C(1) << 32)
/* A scan reads all executable mappings of a process. The first EARLY_SCANS scans of a process are made whenever they
 * are asked for, unless the scan before took EARLY_COST_NS or more of CPU time. Only the first scan may take longer: it
 * may start an opener, and comes before the program has mapped its libraries. Later scans take at most
 * 1/SCAN_SHARE of the time; after a sample in a mapping that the client did not know, at most 1/SCAN_SHARE_CHANGED. */
#define EARLY_SCANS 8u
#define EARLY_COST_NS 2000000u
#define SCAN_SHARE 200u
#define SCAN_SHARE_CHANGED 20u

static uint32_t objects_private_id(struct objects *objects)
{
    return PRIVATE_IDS + objects->next_private_id++;
}

/* Finds a file in the table of files, or adds it. Returns its element of the table; NULL: it is not there, and the
 * table is full. */
static struct object_key *objects_find_key(struct objects *objects, uint64_t device, uint64_t inode)
{
    size_t slot = (size_t)((device * 31 + inode) * 0x9e3779b97f4a7c15u >> 40) % OBJECT_SLOTS;

    while (objects->seen[slot].inode != 0) {
        if (objects->seen[slot].inode == inode && objects->seen[slot].device == device)
            return &objects->seen[slot];
        slot = (slot + 1) % OBJECT_SLOTS;
    }
    if (objects->count >= OBJECTS_MAX)
        return NULL;
    objects->seen[slot] = (struct object_key){.device = device, .inode = inode};
    objects->count++;
    return &objects->seen[slot];
}

/* Requests the file of the mapping in supervisor->objects.details from an opener. Returns false if the queue of
 * requests is full. Then the caller must send the mapping to the client without this id, because otherwise the client
 * would wait for a descriptor that never comes. */
static bool objects_request_file(struct supervisor *supervisor, uint32_t id, pid_t pid)
{
    const struct mapping_details *details = &supervisor->objects.details;
    const struct mapping *mapping = &details->mapping;
    struct open_request wanted = {.kind = OPEN_MAPPING,
                                  .pid = pid,
                                  .inode = mapping->inode,
                                  .start = mapping->start,
                                  .end = mapping->end};
    bool slow = mounts_may_hang(&supervisor->objects.mounts, pid, mapping->dev_major, mapping->dev_minor);

    snprintf(wanted.path, sizeof wanted.path, "%s", details->name);
    supervisor->openers.requests++;
    return opener_add(&supervisor->openers, slow ? OPENER_SLOW : OPENER_SURE, id, &wanted,
                      makedev(mapping->dev_major, mapping->dev_minor));
}

static uint32_t objects_want_file(struct supervisor *supervisor, pid_t pid)
{
    const struct mapping *mapping = &supervisor->objects.details.mapping;
    struct objects *objects = &supervisor->objects;
    uint64_t device = makedev(mapping->dev_major, mapping->dev_minor);
    struct object_key *key = objects_find_key(objects, device, mapping->inode);

    if (key == NULL)
        return 0;
    uint32_t id = (uint32_t)(key - objects->seen) + 1;
    key->asked = key->asked || objects_request_file(supervisor, id, pid);
    return key->asked ? id : 0;
}

/* Returns the element of a file, or NULL: no file has this id. */
static struct object_key *objects_key_of(struct objects *objects, uint32_t id)
{
    return id > 0 && id <= OBJECT_SLOTS ? &objects->seen[id - 1] : NULL;
}

void objects_note_go(struct supervisor *supervisor, const struct wire_message *message)
{
    struct process *process = process_find(&supervisor->processes, message->pid);
    struct object_key *key = objects_key_of(&supervisor->objects, message->object);

    if (key != NULL)
        key->has_go = true;
    if (process != NULL) /* it is followed */
        atomic_store(&process->has_go, true);
}

void objects_note_python(struct supervisor *supervisor, const struct wire_message *message)
{
    struct process *process = process_find(&supervisor->processes, message->pid);
    struct object_key *key = objects_key_of(&supervisor->objects, message->object);

    if (process != NULL)
        python_begin(process, message->value, message->flags);
    if (key != NULL)
        key->python = (struct python_place){message->flags, message->offset, message->distance};
}

/* A process has mapped a file. Notes which language runtime the process has, if the file is known to have one. */
static void objects_note_runtime(struct objects *objects, struct process *process, uint32_t id,
                                 const struct mapping *mapping)
{
    const struct object_key *key = objects_key_of(objects, id);

    if (key != NULL && key->has_go)
        atomic_store(&process->has_go, true);
    if (key != NULL && key->python.version != 0 && key->python.offset == mapping->offset)
        python_begin(process, mapping->start + key->python.distance, key->python.version);
}

/* Returns true if this mapping of a vDSO belongs to a 32-bit program. All mappings of such a program are below 4 GiB.
 * In a 64-bit program the kernel maps the vDSO near the stack, far above 4 GiB. */
static bool objects_is_compat_vdso(const struct mapping *mapping)
{
    return mapping->end <= COMPAT_END;
}

static uint32_t objects_want_vdso(struct supervisor *supervisor, pid_t pid, bool compat)
{
    const struct mapping *mapping = &supervisor->objects.details.mapping;
    uint32_t *id = &supervisor->objects.vdso_ids[compat];
    const struct open_request wanted = {
        .kind = OPEN_VDSO, .pid = pid, .start = mapping->start, .end = mapping->end};

    if (*id == 0) {
        uint32_t next = objects_private_id(&supervisor->objects);
        supervisor->openers.requests++;
        *id = opener_add(&supervisor->openers, OPENER_SURE, next, &wanted, 0) ? next : 0;
    }
    return *id;
}

static uint32_t objects_want_jit_map(struct supervisor *supervisor, struct process *process)
{
    struct maps *maps = &process->maps;
    struct open_request wanted;

    if (maps->jit_object == 0) {
        uint32_t next = objects_private_id(&supervisor->objects);
        mapped_file_request_jit_names(process->pid, &wanted);
        supervisor->openers.requests++;
        bool added = opener_add(&supervisor->openers, OPENER_SLOW, next, &wanted, 0);
        maps->jit_object = added ? next : 0;
    }
    return maps->jit_object;
}

/* Sends the mapping in supervisor->objects.details to the client. If the ring is full, forgets the mapping and returns
 * false. Then it will be sent at a later sample in this mapping. */
static bool objects_emit_details(struct supervisor *supervisor, struct process *process)
{
    struct mapping_details *details = &supervisor->objects.details;
    const struct mapping *mapping = &details->mapping;

    maps_find_copied_file(&process->maps, &supervisor->objects.mounts, process->memory_tid, details);
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
        event->flags = mapped_file_is_program(process->memory_tid, details->name) ? WIRE_MAP_PROGRAM : 0;
        event->object = objects_want_file(supervisor, process->memory_tid);
        objects_note_runtime(&supervisor->objects, process, event->object, mapping);
    } else if (strcmp(details->name, "[vdso]") == 0) {
        event->kind = WIRE_MAP_VDSO;
        event->inode = objects_is_compat_vdso(mapping);
        event->object = objects_want_vdso(supervisor, process->memory_tid, event->inode != 0);
    } else {
        event->kind = WIRE_MAP_ANON;
        event->object = objects_want_jit_map(supervisor, process);
    }
    ring_commit(supervisor->ring);
    return true;
}

/* We read the mappings of a process from /proc/TID of its thread process->memory_tid, which is the leader at first.
 * After a thread has ended, its files in /proc show no mappings, while the files of another thread still show them. If
 * memory_tid has ended, sets it to `tid` and returns true. */
static bool objects_use_other_thread(struct process *process, pid_t tid)
{
    char link[32], first;

    snprintf(link, sizeof link, "/proc/%d/exe", process->memory_tid);
    if (tid == process->memory_tid || readlink(link, &first, 1) >= 0)
        return false;
    process->memory_tid = tid;
    maps_close(&process->maps);
    return true;
}

void objects_emit_mapping(struct supervisor *supervisor, const struct tracee *tracee, uint64_t pc)
{
    bool parse = supervisor->options.parse_maps;
    struct process *process = tracee->process;
    struct maps *maps = &process->maps;
    enum maps_result result;

    do
        result = maps_look_up(maps, &supervisor->objects.mounts, process->memory_tid, pc, parse,
                              &supervisor->objects.details);
    while (result == MAPS_NONE && objects_use_other_thread(process, tracee->tid));
    if (result == MAPS_KNOWN || (result == MAPS_NONE && !maps->listed))
        return;
    maps->changed = true;
    if (maps->listed)
        objects_emit_executable(supervisor, tracee);
    else
        objects_emit_details(supervisor, process);
}

bool objects_are_listed(const struct process *process)
{
    return process->maps.listed;
}

void objects_open_mappings(struct supervisor *supervisor, const struct tracee *tracee)
{
    struct process *process = tracee->process;

    if (supervisor->ring != NULL) /* if there is no ring, there is no client to which mappings could be sent */
        maps_open(&process->maps, process->memory_tid, supervisor->options.parse_maps);
}

void objects_emit_executable(struct supervisor *supervisor, const struct tracee *tracee)
{
    struct process *process = tracee->process;
    struct maps *maps = &process->maps;
    struct maps_scan scan;
    uint64_t now = time_now();
    uint64_t period = maps->scan_cost_ns * (maps->changed ? SCAN_SHARE_CHANGED : SCAN_SHARE);

    if (tracee->files.may_exec && !maps_is_open(maps))
        return;
    /* `early` is for a program that has just started, which maps its libraries one after the other */
    bool early = maps->scans < 2 || (maps->scans < EARLY_SCANS && maps->scan_cost_ns < EARLY_COST_NS);
    if (!early && now - maps->scanned_at < period)
        return;
    maps->scans++;
    maps->changed = false;
    uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    maps_scan_begin(&scan, maps, &supervisor->objects.mounts, process->memory_tid, supervisor->options.parse_maps);
    while (opener_has_room(&supervisor->openers) && maps_scan_next(&scan, &supervisor->objects.details) == MAPS_NEW &&
           objects_emit_details(supervisor, process))
        ;
    /* if there is no room for requests, some mappings were not sent, so the next scan must come sooner */
    maps->changed = !opener_has_room(&supervisor->openers);
    maps_scan_end(&scan);
    maps->scanned_at = time_now();
    /* the cost is measured as CPU time, because the elapsed time would include waits for a CPU */
    maps->scan_cost_ns = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
}
