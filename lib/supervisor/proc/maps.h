/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps: finds the file that is mapped at an address of another process. */
#ifndef PPROFIL_MAPS_H
#define PPROFIL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs-text.h"

#define MAPS_REMEMBERED_MAX 256

/* The mappings of one address space that were sent to the client. The table has a fixed size. If the table is full, a
 * new mapping replaces an old one, which is sent to the client again at its next sample. */
struct maps {
    int fd;              /* /proc/PID/maps; -1: not open */
    bool listed;         /* fd is read as text: the kernel has no PROCMAP_QUERY, or descriptors are scarce */
    uint32_t jit_object; /* id of the object with a JIT's names; 0: not requested */
    unsigned count;      /* number of slots in use */
    unsigned next;       /* index of the slot that is overwritten next */
    uint64_t scanned_at; /* time of the last scan of all executable mappings, CLOCK_MONOTONIC ns */
    uint64_t scan_cost_ns;
    unsigned scans;
    bool changed; /* a sample since the last scan was in a new mapping */
    struct mapping known[MAPS_REMEMBERED_MAX];
};

enum maps_result {
    MAPS_KNOWN, /* the client knows this mapping */
    MAPS_NEW,   /* the mapping is new: the caller must send *details to the client */
    MAPS_NONE,  /* no mapping has the address (if maps->listed: no known one), or the process is gone */
};

/* Initializes *maps: no known mappings, no open file. */
void maps_init(struct maps *maps);
/* Closes the file, and forgets all mappings. Must be called after an exec, and at the end of the process. */
void maps_close(struct maps *maps);

/* Opens /proc/PID/maps if it is not open. The file stays open until maps_close. It shows the address space that the
 * process had when the file was opened, even after an exec. parse: read the file as text even if the kernel has
 * PROCMAP_QUERY. Returns true if the file is open. Returns false if the open fails, or if descriptors are scarce. */
bool maps_open(struct maps *maps, pid_t pid, bool parse);
bool maps_is_open(const struct maps *maps);

/* Finds the mapping of an address in process pid. For MAPS_NEW sets all of *details. For MAPS_KNOWN sets only
 * details->mapping. For MAPS_NONE, *details is undefined. mounts shows which files may hang; their build-id is left
 * out. If maps->listed, searches only the known mappings, and only a scan finds new ones. Calls maps_open. */
enum maps_result maps_look_up(struct maps *maps, struct mounts *mounts, pid_t pid,
                              uint64_t address, bool parse, struct mapping_details *details);

/* A walk through the executable mappings that the client does not know. */
struct maps_scan {
    struct maps *maps;
    struct mounts *mounts;
    pid_t pid;
    uint64_t address;      /* address at which the walk continues */
    struct maps_list list; /* open only if maps->listed */
};

/* Begins a walk, which borrows maps and mounts. The caller must call maps_scan_end. */
void maps_scan_begin(struct maps_scan *scan, struct maps *maps, struct mounts *mounts, pid_t pid,
                     bool parse);
/* Finds the next new mapping. Returns MAPS_NEW, and sets *details, or MAPS_NONE at the end. */
enum maps_result maps_scan_next(struct maps_scan *scan, struct mapping_details *details);
void maps_scan_end(struct maps_scan *scan);

/* Forgets all known mappings that overlap this one, itself included. To be called if the mapping could not be sent to
 * the client. */
void maps_forget(struct maps *maps, const struct mapping *mapping);

#endif
