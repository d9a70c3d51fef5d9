/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* maps: which file is mapped at an address of another process. */
#ifndef PPROFIL_MAPS_H
#define PPROFIL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs-text.h"

#define MAPS_REMEMBERED_MAX 256

/* The mappings of one address space that the client knows. Fixed in size: a mapping that was pushed out is simply sent
 * again. */
struct maps {
    int fd;              /* /proc/PID/maps; -1: not open */
    bool listed;         /* it is read as text: there is no PROCMAP_QUERY, or no descriptor to keep */
    uint32_t jit_object; /* id of the JIT's map; 0: it was not asked for */
    unsigned count;      /* number of slots in use */
    unsigned next;       /* the slot that is replaced next */
    uint64_t scanned_at; /* time of the last walk through all executable mappings */
    uint64_t scan_cost_ns;
    unsigned scans;
    bool changed; /* since then a sample was in a mapping that is new */
    struct mapping known[MAPS_REMEMBERED_MAX];
};

enum maps_result {
    MAPS_KNOWN, /* the client knows this mapping */
    MAPS_NEW,   /* details says what the client must be told */
    MAPS_NONE,  /* there is no mapping, or none is known of a list, or the process is gone */
};

/* Knows no mapping; the file is not open. */
void maps_init(struct maps *maps);
/* Closes the file, and forgets all mappings: after an exec, and at the end. */
void maps_close(struct maps *maps);

/* Opens /proc/PID/maps if it is not open. It stays open until maps_close, and shows the memory that the process had
 * when it was opened, also after an exec. parse: it is read as text even where the kernel has PROCMAP_QUERY. Returns
 * true if it is open, and false if it cannot be, or if descriptors are scarce. */
bool maps_open(struct maps *maps, pid_t pid, bool parse);
bool maps_is_open(const struct maps *maps);

/* Finds the mapping of an address in process pid. *details is set in full for MAPS_NEW, only its mapping for
 * MAPS_KNOWN, and nothing in it is valid for MAPS_NONE. mounts: tells which files may hang, so that the kernel is not
 * asked for their build-ids. Where maps->listed, only known mappings are looked through: a walk finds new ones. Calls
 * maps_open. */
enum maps_result maps_look_up(struct maps *maps, struct mounts *mounts, pid_t pid,
                              uint64_t address, bool parse, struct mapping_details *details);

/* A walk through the executable mappings that the client does not know. */
struct maps_scan {
    struct maps *maps;
    struct mounts *mounts;
    pid_t pid;
    uint64_t address;      /* the address at which it goes on */
    struct maps_list list; /* open only where maps->listed */
};

/* Begins a walk, which borrows maps and mounts. maps_scan_end has to follow. */
void maps_scan_begin(struct maps_scan *scan, struct maps *maps, struct mounts *mounts, pid_t pid,
                     bool parse);
/* Finds the next mapping, as maps_look_up gives it; MAPS_NONE: there are no more. */
enum maps_result maps_scan_next(struct maps_scan *scan, struct mapping_details *details);
void maps_scan_end(struct maps_scan *scan);

/* Forgets a mapping that the client could not be told of after all. */
void maps_forget(struct maps *maps, const struct mapping *mapping);

#endif
