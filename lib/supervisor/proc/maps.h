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

/* A table of the mappings of one address space that were sent to the client. Its size is fixed. If it is full, a new
 * mapping replaces an old one. The replaced mapping is sent to the client again at the next sample in it. */
struct maps {
    int fd;              /* /proc/PID/maps; -1: not open */
    /* the mappings are read as text, because the kernel has no PROCMAP_QUERY, or because descriptors are scarce */
    bool listed;
    /* id that the client uses for the file with the names of the process's run-time code; 0: not requested yet */
    uint32_t jit_object;
    unsigned count;      /* how many elements of `known` are in use */
    unsigned next;       /* index of the element of `known` that the next new mapping replaces */
    uint64_t scanned_at; /* time of the last scan of all executable mappings, CLOCK_MONOTONIC ns */
    uint64_t scan_cost_ns;
    unsigned scans;
    unsigned copy_searches; /* how often maps_find_copied_file has searched */
    bool changed; /* since the last scan, a sample was in a mapping that the client did not know */
    struct mapping known[MAPS_REMEMBERED_MAX];
};

enum maps_result {
    MAPS_KNOWN, /* the client knows this mapping */
    MAPS_NEW,   /* the mapping is new: the caller must send *details to the client */
    MAPS_NONE,  /* the process is gone, or no mapping (if maps->listed: no known mapping) contains the address */
};

/* Initializes *maps, with no known mappings and no open file. */
void maps_init(struct maps *maps);
/* Closes the file, and forgets all mappings. Must be called after an exec, and at the end of the process. */
void maps_close(struct maps *maps);

/* Opens /proc/PID/maps if it is not open. The file stays open until maps_close. Even after an exec it shows the address
 * space that the process had when the file was opened. parse: the file will be read as text even if the kernel has
 * PROCMAP_QUERY. Returns true if the file is open; false if it cannot be opened, or was closed again because
 * descriptors are scarce. */
bool maps_open(struct maps *maps, pid_t pid, bool parse);
bool maps_is_open(const struct maps *maps);

/* Finds the mapping of process `pid` that contains an address. If the result is MAPS_NEW, all of *details is set; if it
 * is MAPS_KNOWN, only details->mapping; if it is MAPS_NONE, *details is undefined. `mounts` is used to find out whether
 * reading a file may hang; then the build-id of that file is not read. If maps->listed, this function searches only the
 * known mappings, and only maps_scan_next finds new ones. parse: as in maps_open, which this function calls. */
enum maps_result maps_look_up(struct maps *maps, struct mounts *mounts, pid_t pid,
                              uint64_t address, bool parse, struct mapping_details *details);

/* A program may copy its code into huge pages, and put the copy at the address at which its file was mapped. The kernel
 * shows such code as memory without a file. If the memory lies between two mappings of one file, and is as large as the
 * part of the file between them, this function changes *details to those of a mapping of this part of the file.
 * Otherwise *details stay the same. *details must be a result of maps_look_up or
 * maps_scan_next. `mounts` is used as in maps_look_up. */
void maps_find_copied_file(struct maps *maps, struct mounts *mounts, pid_t pid, struct mapping_details *details);

/* The state of a scan, which finds all executable mappings that the client does not know. */
struct maps_scan {
    struct maps *maps;
    struct mounts *mounts;
    pid_t pid;
    uint64_t address;      /* address at which the scan continues */
    struct maps_list list; /* open only if maps->listed */
};

/* Begins a scan. `maps` and `mounts` must exist until maps_scan_end, which the caller must call. parse: as in
 * maps_open. */
void maps_scan_begin(struct maps_scan *scan, struct maps *maps, struct mounts *mounts, pid_t pid, bool parse);
/* Finds the next mapping that the client does not know, sets *details, and returns MAPS_NEW. Returns MAPS_NONE if there
 * are no more. */
enum maps_result maps_scan_next(struct maps_scan *scan, struct mapping_details *details);
void maps_scan_end(struct maps_scan *scan);

/* Returns true if the process has no page at this address, neither in memory nor in swap. False: it has one, or this is
 * not known. Waits for an exec if reading /proc/TID/syscall does (system.c). */
bool maps_page_is_missing(pid_t pid, uint64_t address);

/* Forgets that the client knows this mapping, and all known mappings that overlap it. To be called if the mapping could
 * not be sent to the client. */
void maps_forget(struct maps *maps, const struct mapping *mapping);

#endif
