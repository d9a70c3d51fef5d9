/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms: the profil(2) family from outside. Program counters of a running process are counted in buffers of the
 * caller, or in files, by the rules of one of the old systems. pprofil-dialects(7) has the systems and their rules.
 */
#ifndef PPROFIL_PUBLIC_HISTOGRAM_H
#define PPROFIL_PUBLIC_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprofil/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the i-th dialect's name, the system whose rules it has, and the CPU time of its tick, ns. Any of the pointers
 * may be NULL. */
int pprofil_dialect_at(unsigned i, const char **name, const char **system, uint64_t *period_ns);

/* --- in the caller's buffers --------------------------------------------------------------- */

/*
 * pid is a process of the session, which need not be followed yet. pid 0 stands for all processes of the session, which
 * are then counted together. A call for a pid replaces the last one for it. A child is not counted for its parent, and
 * an exec ends the counting.
 *
 * Buffers belong to the caller, and have counters in this machine's byte order. pprofil_session_pump counts in them;
 * between its calls the caller may read and write them. They must stay until the next call for the pid,
 * pprofil_profil_stop, or the end of the session. While the session is stopped nothing is counted.
 */

/* A stretch of text and the counters for it, as profil(2) takes them. */
struct pprofil_region {
    void *buffer;
    size_t size;        /* of the buffer, bytes */
    uint64_t offset;    /* the lowest address in the process that counts */
    uint64_t low, high; /* high not 0: only addresses in [low, high) count, as in the extended form of OSF/1 */
    uint32_t scale;
};

struct pprofil_histogram {
    size_t size;           /* sizeof(struct pprofil_histogram) */
    const char *dialect;   /* a name of pprofil-dialects(7): "solaris", "bsd44", ... */
    unsigned counter_size; /* bytes: 2, 4 or 8; 0: the dialect's */
    uint64_t period_ns;    /* CPU time of a tick; 0: the dialect's */
    const struct pprofil_region *regions;
    size_t region_count;
    uint32_t *overflow; /* a counter for the ticks that fall into no region; NULL: they are not counted */
    /* Count time in the kernel by system call, as if call n were text at PPROFIL_CALL_ADDRESS(n). Time in the program
     * then falls into no region. */
    bool by_call;
};

/* The counters of system calls lie behind 6 others, in which the kprof device counts totals. */
#define PPROFIL_CALL_ADDRESS(n) (((uint64_t)(n) + 6) * 8)
#define PPROFIL_CALL_NUMBERS 1024 /* the numbers of system calls are smaller */

/* Counts by any dialect that has counters. -EINVAL: there is no such dialect, or it refuses a region. */
int pprofil_profil_regions(pprofil_session *session, pid_t pid, const struct pprofil_histogram *histogram);

/* Counts in one region, with counters of the dialect's own size. A scale that means "off" to the dialect stops the
 * counting. */
int pprofil_profil(pprofil_session *session, pid_t pid, const char *dialect, void *buffer, size_t size,
                   uint64_t offset, uint32_t scale);

/* Counts as IRIX's sprofil(2): regions may have any order, and one with offset 0 and scale 2 is the overflow bin.
 * counter_size: bytes, 2 or 4. count 0 stops the counting. */
int pprofil_sprofil(pprofil_session *session, pid_t pid, const struct pprofil_region *regions, size_t count,
                    unsigned counter_size);

/* Stores addresses as Solaris's pcsample(2), until the array is full. count: elements of the array; 0 stops. Returns
 * how many addresses were stored in the array of the last call. -EINVAL: count is negative. */
int64_t pprofil_pcsample(pprofil_session *session, pid_t pid, uint64_t samples[], int64_t count);

/* Stops the counting for pid. */
int pprofil_profil_stop(pprofil_session *session, pid_t pid);

struct pprofil_histogram_state {
    bool on;            /* it still counts */
    uint64_t ticks;     /* in all */
    uint64_t outside;   /* ticks that fell into no region */
    uint64_t overflows; /* ticks that found their counter full, or were refused and ended the counting */
    uint64_t stored;    /* pcsample: addresses in the array */
    /* The rest is set for a file that pprofil_session_save_dialect wrote. */
    uint64_t cut;        /* counters whose value was too large for those of the file */
    int32_t pid;         /* the process that was counted */
    const char *program; /* its name, as the kernel has it; valid during the call */
};

/* -ENOENT: nothing counts for this pid. */
int pprofil_histogram_state(const pprofil_session *session, pid_t pid, struct pprofil_histogram_state *state,
                            size_t size);

/* --- in files --------------------------------------------------------------------------------- */

/*
 * A whole session is counted by one dialect, as that system would have counted it. Each program that a process executes
 * has histograms of its own. A forked child goes on with a copy of its parent's, if that is the system's rule.
 */
struct pprofil_dialect_options {
    size_t size; /* sizeof(struct pprofil_dialect_options) */
    const char *dialect;
    /* Each is "OBJECT", "LO-HI" (of the program) or "OBJECT:LO-HI", with link-time addresses in hexadecimal. */
    const char *const *regions;
    size_t region_count;   /* 0: all code of the program */
    unsigned counter_size; /* bytes: 2, 4 or 8; 0: the dialect's */
    bool scaled;           /* scale is given; otherwise it is 0x8000, and 0x10000 for counters of 4 or 8 bytes */
    uint32_t scale;
    uint64_t buffer_size; /* bytes; 0: what the text needs */
    uint64_t period_ns;   /* CPU time of a tick; 0: the dialect's */
    const char *format;   /* of the file that will be written; NULL: the system's own */
};

/* To be called before a program is launched or a process is attached to. -EINVAL: there is no such dialect, or it
 * refuses an option; pprofil_session_problem says which. */
int pprofil_session_dialect(pprofil_session *session, const struct pprofil_dialect_options *options);

/* Writes what was counted so far. format: a name of pprofil-formats(5); NULL: as path ends, else the system's own. The
 * first program's file is path (NULL: the name that the system gave to it), and those of later programs have the
 * program's name and process number behind that. If the format holds one object, files of further objects are
 * path.OBJECT. wrote is called for each file; it may be NULL. PPROFIL_ERROR_NO_SAMPLES: nothing was counted, and
 * pprofil_session_problem says why. */
int pprofil_session_save_dialect(pprofil_session *session, const char *path, const char *format,
                                 void (*wrote)(void *context, const char *path,
                                               const struct pprofil_histogram_state *state),
                                 void *context);

#ifdef __cplusplus
}
#endif

#endif
