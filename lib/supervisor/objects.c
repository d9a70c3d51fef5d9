/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mappings and the files behind them.
 *
 * The client gets a descriptor of each mapped file, opened where the target sees it: through
 * /proc/PID/map_files (any file, deleted ones too, but only for the privileged), /proc/PID/exe
 * (the program, deleted or not), or /proc/PID/root and the path. Opening may be slow, so it
 * waits until no thread of this tick is stopped.
 *
 * Names of code made at run time are in a jitdump, which its process maps to show it, or in
 * /tmp/perf-PID.map. Either may be made long after the first code runs, so it is looked for as
 * long as the process lives, and once more when it has ended. A map may be left over from another
 * process with this pid: it is taken if it was written since this one began.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define PRIVATE_IDS 0x80000000u /* ids of objects that are not files start here */
#define COMPAT_END (UINT64_C(1) << 32)
#define VDSO_MOST 65536u        /* bytes; it has two or three pages */
#define JIT_INODE UINT64_MAX    /* requests that are no files of a mapping */
#define VDSO_INODE (UINT64_MAX - 1)
#define EARLY_SCANS 8u         /* of an image: with each of its first samples */
#define EARLY_COST_NS 500000u  /* that takes no longer */
#define SCAN_SHARE 200u        /* a look at all executable mappings may take 1 in so many, ... */
#define SCAN_SHARE_CHANGED 20u /* ... and where one of them is new */
#define SECOND UINT64_C(1000000000)
#define FIRST_PAUSE (SECOND / 100) /* between looks for a JIT's names; doubled up to LAST_PAUSE */
#define LAST_PAUSE SECOND
#define SLACK (SECOND / 10) /* of the kernel's times, which go in ticks */

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
        .pause = FIRST_PAUSE,
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
        *id = request(objects, next, pid, mapping, VDSO_INODE, "") ? next : 0;
    }
    return *id;
}

static uint32_t want_jit_map(struct objects *objects, struct process *process,
                             const struct mapping *mapping)
{
    struct maps *maps = &process->maps;

    if (maps->jit_object == 0) {
        uint32_t next = private_id(objects);
        maps->jit_object = request(objects, next, process->pid, mapping, JIT_INODE, "") ? next : 0;
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

/* Opens a path for reading if it is the file that is wanted. A FIFO or a device in its place
 * is never opened. */
static int open_if_same(const char *path, const struct object_request *wanted)
{
    struct stat status;
    char through[64];
    int fd = -1, place = open(path, O_PATH | O_CLOEXEC);

    if (place < 0)
        return -1;
    /* the device may differ: overlay and btrfs show another one in maps than in stat */
    if (fstat(place, &status) == 0 && S_ISREG(status.st_mode) &&
        (wanted->inode == JIT_INODE || status.st_ino == wanted->inode)) {
        snprintf(through, sizeof through, "/proc/self/fd/%d", place);
        fd = open(through, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    close(place);
    return fd;
}

static int open_mapped(const struct object_request *wanted)
{
    char path[sizeof wanted->path + 64];

    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", wanted->pid,
             (unsigned long)wanted->start, (unsigned long)wanted->end);
    int fd = open_if_same(path, wanted);
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/exe", wanted->pid);
        fd = open_if_same(path, wanted);
    }
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/root%s", wanted->pid, wanted->path);
        fd = open_if_same(path, wanted);
    }
    return fd < 0 ? open_if_same(wanted->path, wanted) : fd;
}

/* --- a JIT's names --------------------------------------------------------------------- */

/* A mapping's inode and path, from a line of maps, if it is of a jitdump of this process. */
static bool is_jitdump(char *line, long inner, struct object_request *dump)
{
    char base[48];
    unsigned long start, end;
    unsigned long long inode;
    int at = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %*s %*s %*s %llu %n", &start, &end, &inode, &at) < 3 || at == 0)
        return false;
    snprintf(base, sizeof base, "/jit-%ld.dump", inner);
    const char *found = strstr(line + at, base);
    if (found == NULL || (found[strlen(base)] != '\0' && found[strlen(base)] != ' '))
        return false;
    dump->start = start;
    dump->end = end;
    dump->inode = inode;
    snprintf(dump->path, sizeof dump->path, "%s", line + at);
    return true;
}

static int open_jitdump(pid_t pid, long inner)
{
    struct object_request dump = {.pid = pid};
    char path[32], line[1024];
    bool found = false;

    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return -1;
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = is_jitdump(line, inner, &dump);
    fclose(maps);
    return found ? open_mapped(&dump) : -1;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

/* CLOCK_REALTIME ns; 0: it is gone. */
static uint64_t process_began(pid_t pid)
{
    struct timespec now, up;
    uint64_t ticks = procfs_began(pid);

    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return ticks == 0 ? 0
                      : nanoseconds(&now) - nanoseconds(&up) +
                            ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Opens a map, if it was written since its process began. */
static int open_written_since(const char *path, const struct object_request *wanted)
{
    struct stat status;
    int fd = open_if_same(path, wanted);

    if (fd < 0 || (fstat(fd, &status) == 0 && nanoseconds(&status.st_mtim) + SLACK >= wanted->began))
        return fd;
    close(fd);
    return -1;
}

static int open_jit_names(struct object_request *wanted)
{
    char path[sizeof wanted->path + 32];
    uint64_t began = process_began(wanted->pid);
    if (wanted->began == 0)
        wanted->began = began;
    uint64_t apart = began > wanted->began ? began - wanted->began : wanted->began - began;

    wanted->due = 0;
    if (wanted->began == 0 || apart > SLACK) /* it has ended */
        return wanted->path[0] == '\0' ? -1 : open_written_since(wanted->path, wanted);
    long inner = procfs_status_number(wanted->pid, "NSpid:");
    if (inner <= 0)
        inner = wanted->pid;
    snprintf(wanted->path, sizeof wanted->path, "/tmp/perf-%ld.map", inner);
    snprintf(path, sizeof path, "/proc/%d/root%s", wanted->pid, wanted->path);
    int fd = open_jitdump(wanted->pid, inner);
    if (fd < 0)
        fd = open_written_since(path, wanted);
    if (fd >= 0)
        return fd;
    wanted->due = time_now() + wanted->pause;
    wanted->pause = wanted->pause * 2 < LAST_PAUSE ? wanted->pause * 2 : LAST_PAUSE;
    return -1;
}

static int copy_vdso(const struct object_request *wanted)
{
    unsigned char image[VDSO_MOST];
    size_t size = wanted->end - wanted->start;

    if (size > sizeof image)
        return -1;
    struct iovec local = {.iov_base = image, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)wanted->start, .iov_len = size};
    if (process_vm_readv(wanted->pid, &local, 1, &remote, 1, 0) != (ssize_t)size)
        return -1;
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd >= 0 && write(fd, image, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_object(struct object_request *wanted)
{
    if (wanted->inode == JIT_INODE)
        return open_jit_names(wanted);
    if (wanted->inode == VDSO_INODE)
        return copy_vdso(wanted);
    return open_mapped(wanted);
}

/* Is the request done with? It is kept where the client is behind, and while a JIT's names are
 * still to come. */
static bool answer_request(const struct supervisor *supervisor, struct object_request *wanted)
{
    if (wanted->due > time_now())
        return false;
    int fd = open_object(wanted);
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
