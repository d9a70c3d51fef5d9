/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the mapping that contains an address. Linux 6.11 and later have an ioctl on /proc/PID/maps for this, which
 * takes a quarter of a microsecond. So we ask the kernel at every sample. This avoids wrong results after dlopen and
 * dlclose, and with code that is made at run time. Older kernels can only print the whole list of mappings
 * (procfs-lists.h). We read the list at intervals, and sooner if a sample was in no known mapping. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/procmap-query.h"
#include "supervisor/proc/maps.h"
#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs.h"

/* Without PROCMAP_QUERY, a search for copied code reads the whole list. A JIT compiler may make thousands of mappings,
 * so only the first ones of a process are searched for. */
#define COPY_SEARCHES_MAX 16u

/* Does not clear the array of known mappings, which has 12 KiB for each process: only its first `count` elements are
 * valid. */
void maps_init(struct maps *maps)
{
    maps->fd = -1;
    maps->listed = false;
    maps->jit_object = 0;
    maps->count = maps->next = maps->scans = maps->copy_searches = 0;
    maps->scanned_at = maps->scan_cost_ns = 0;
    maps->changed = false;
}

void maps_close(struct maps *maps)
{
    if (maps->fd >= 0)
        close(maps->fd);
    maps_init(maps);
}

static bool maps_is_same(const struct mapping *a, const struct mapping *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static bool maps_has_address(const struct mapping *mapping, uint64_t address)
{
    return address >= mapping->start && address < mapping->end;
}

void maps_forget(struct maps *maps, const struct mapping *mapping)
{
    for (unsigned i = 0; i < maps->count; i++) {
        struct mapping *known = &maps->known[i];
        if (known->start < mapping->end && mapping->start < known->end)
            *known = (struct mapping){0};
    }
}

static void maps_remember(struct maps *maps, const struct mapping *mapping)
{
    maps_forget(maps, mapping); /* a known mapping that overlaps the new one does not exist any more */
    maps->known[maps->next] = *mapping;
    maps->next = (maps->next + 1) % MAPS_REMEMBERED_MAX;
    if (maps->count < MAPS_REMEMBERED_MAX)
        maps->count++;
}

static bool maps_is_known(const struct maps *maps, const struct mapping *mapping)
{
    for (unsigned i = 0; i < maps->count; i++)
        if (maps_is_same(&maps->known[i], mapping))
            return true;
    return false;
}

/* What maps_query reads about a mapping. NAME: the numbers and the name. NAME_AND_BUILD_ID: everything. */
enum extent { NUMBERS, NAME, NAME_AND_BUILD_ID };

static int maps_query(int fd, uint64_t flags, uint64_t address, struct mapping_details *details, enum extent extent)
{
    struct procmap_query_arguments query = {.size = sizeof query, .flags = flags, .address = address};

    if (extent >= NAME) {
        query.name = (uintptr_t)details->name;
        query.name_size = sizeof details->name;
    }
    if (extent == NAME_AND_BUILD_ID) {
        query.build_id = (uintptr_t)details->build_id;
        query.build_id_size = sizeof details->build_id;
    }
    if (ioctl(fd, PROCMAP_QUERY_IOCTL, &query) < 0)
        return -errno;
    details->mapping = (struct mapping){.start = query.start,
                                        .end = query.end,
                                        .offset = query.offset,
                                        .inode = query.inode,
                                        .dev_major = query.dev_major,
                                        .dev_minor = query.dev_minor};
    if (extent == NUMBERS)
        return 0;
    details->build_id_size = query.build_id_size;
    if (query.name_size == 0)
        details->name[0] = '\0';
    return 0;
}

/* Reads all details of the mapping that contains `address`; details->mapping must be set already. To find the build-id,
 * the kernel reads the file, and meanwhile keeps the target's mappings locked (do_procmap_query() in
 * fs/proc/task_mmu.c). So if reading the file may hang, the build-id is not read. */
static int maps_query_in_full(const struct maps *maps, struct mounts *mounts, pid_t pid, uint64_t address,
                              struct mapping_details *details)
{
    const struct mapping *mapping = &details->mapping;
    bool readable = mapping->inode != 0 && !mounts_may_hang(mounts, pid, mapping->dev_major, mapping->dev_minor);

    return maps_query(maps->fd, 0, address, details, readable ? NAME_AND_BUILD_ID : NAME);
}

static enum maps_result maps_query_address(struct maps *maps, struct mounts *mounts, pid_t pid,
                                           uint64_t address, struct mapping_details *details)
{
    if (maps_query(maps->fd, 0, address, details, NUMBERS) != 0)
        return MAPS_NONE;
    if (maps_is_known(maps, &details->mapping))
        return MAPS_KNOWN;
    if (maps_query_in_full(maps, mounts, pid, address, details) != 0)
        return MAPS_NONE;
    maps_remember(maps, &details->mapping);
    return MAPS_NEW;
}

static enum maps_result maps_query_next_executable(const struct maps_scan *scan, struct mapping_details *details)
{
    uint64_t address = scan->address, flags = PROCMAP_QUERY_EXECUTABLE | PROCMAP_QUERY_THIS_OR_NEXT;
    struct maps *maps = scan->maps;

    do {
        if (maps_query(maps->fd, flags, address, details, NUMBERS) != 0)
            return MAPS_NONE;
        address = details->mapping.end;
    } while (maps_is_known(maps, &details->mapping));
    if (maps_query_in_full(maps, scan->mounts, scan->pid, details->mapping.start, details) != 0)
        return MAPS_NONE;
    maps_remember(maps, &details->mapping);
    return MAPS_NEW;
}

static enum maps_result maps_find_known(const struct maps *maps, uint64_t address, struct mapping_details *details)
{
    for (unsigned i = 0; i < maps->count; i++)
        if (maps_has_address(&maps->known[i], address)) {
            details->mapping = maps->known[i];
            return MAPS_KNOWN;
        }
    return MAPS_NONE;
}

bool maps_open(struct maps *maps, pid_t pid, bool parse)
{
    char path[64];

    if (maps->fd >= 0)
        return true;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool kept = procfs_may_keep(fd);
    maps->listed = parse || !kept || !procmap_query_is_known(fd);
    if (kept)
        maps->fd = fd;
    else
        close(fd);
    return kept;
}

bool maps_is_open(const struct maps *maps)
{
    return maps->fd >= 0;
}

enum maps_result maps_look_up(struct maps *maps, struct mounts *mounts, pid_t pid,
                              uint64_t address, bool parse, struct mapping_details *details)
{
    maps_open(maps, pid, parse);
    return maps->listed ? maps_find_known(maps, address, details)
                        : maps_query_address(maps, mounts, pid, address, details);
}

/* --- copied code ----------------------------------------------------------------------------- */

/* Reads the numbers and the name of the mapping that contains `address`. Returns false if there is none. */
static bool maps_read_at(const struct maps *maps, pid_t pid, uint64_t address, struct mapping_details *details)
{
    struct maps_list list;
    bool found = false, executable;

    if (!maps->listed)
        return maps_query(maps->fd, 0, address, details, NAME) == 0;
    maps_list_begin(&list, maps->fd, pid);
    while (!found && maps_list_next(&list, details, &executable))
        found = maps_has_address(&details->mapping, address);
    maps_list_end(&list);
    details->build_id_size = 0;
    return found;
}

static bool maps_is_anonymous(const struct mapping_details *details)
{
    return (details->mapping.inode == 0 && (details->name[0] == '\0' || strncmp(details->name, "[anon:", 6) == 0)) ||
           strcmp(details->name, "/anon_hugepage (deleted)") == 0;
}

/* Returns whether the mappings `before` and `after`, which enclose `hole`, are of the same file, and the hole is as
 * large as the part of the file between them. */
static bool maps_enclose(const struct mapping *before, const struct mapping *hole, const struct mapping *after)
{
    return before->inode != 0 && before->inode == after->inode && before->dev_major == after->dev_major &&
           before->dev_minor == after->dev_minor && before->end == hole->start && after->start == hole->end &&
           after->offset - before->offset == after->start - before->start;
}

void maps_find_copied_file(struct maps *maps, struct mounts *mounts, pid_t pid, struct mapping_details *details)
{
    const struct mapping hole = details->mapping;
    char name[128]; /* the kernel's names of anonymous memory have at most 80 characters: prctl(2) */

    if (!maps_is_anonymous(details) || (maps->listed && maps->copy_searches >= COPY_SEARCHES_MAX))
        return;
    maps->copy_searches++;
    snprintf(name, sizeof name, "%.127s", details->name);
    bool found = maps_read_at(maps, pid, hole.end, details);
    const struct mapping after = details->mapping;
    found = found && maps_read_at(maps, pid, hole.start - 1, details) &&
            maps_enclose(&details->mapping, &hole, &after) &&
            (maps->listed || maps_query_in_full(maps, mounts, pid, hole.start - 1, details) == 0);
    if (found) {
        details->mapping.offset += hole.start - details->mapping.start;
        details->mapping.start = hole.start;
        details->mapping.end = hole.end;
    } else {
        details->mapping = hole;
        details->build_id_size = 0;
        snprintf(details->name, sizeof details->name, "%s", name);
    }
}

void maps_scan_begin(struct maps_scan *scan, struct maps *maps, struct mounts *mounts, pid_t pid, bool parse)
{
    scan->maps = maps;
    scan->mounts = mounts;
    scan->pid = pid;
    scan->address = 0;
    maps_open(maps, pid, parse);
    if (maps->listed)
        maps_list_begin(&scan->list, maps->fd, pid);
}

static enum maps_result maps_scan_list(struct maps_scan *scan, struct mapping_details *details)
{
    bool executable;

    while (maps_list_next(&scan->list, details, &executable))
        if (executable && !maps_is_known(scan->maps, &details->mapping)) {
            maps_remember(scan->maps, &details->mapping);
            return MAPS_NEW;
        }
    return MAPS_NONE;
}

enum maps_result maps_scan_next(struct maps_scan *scan, struct mapping_details *details)
{
    if (scan->maps->listed)
        return maps_scan_list(scan, details);
    enum maps_result result = maps_query_next_executable(scan, details);
    scan->address = details->mapping.end;
    return result;
}

void maps_scan_end(struct maps_scan *scan)
{
    if (scan->maps->listed)
        maps_list_end(&scan->list);
}

/* The bits of an entry of /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst. */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)

bool maps_page_is_missing(pid_t pid, uint64_t address)
{
    char path[64];
    uint64_t entry = 0;
    off_t place = (off_t)(address / (uint64_t)sysconf(_SC_PAGESIZE) * sizeof entry);

    snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool known = pread(fd, &entry, sizeof entry, place) == (ssize_t)sizeof entry;
    close(fd);
    return known && (entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) == 0;
}
