/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram.h: the profil(2) family, for other processes. The library counts how often the program counter of a running
 * process is at each place in the code, as profil(2) of an older system did. The counters are in buffers of the caller
 * or in files. The rules by which one older system counts are called a dialect. pprofil-dialects(7) describes the
 * dialects.
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

/* Stores the name of the i-th dialect, the name of its system, and the CPU time of its tick, ns. Each pointer may be
 * NULL. -ENOENT: there is no i-th dialect. */
int pprofil_dialect_at(unsigned i, const char **name, const char **system, uint64_t *period_ns);

/* --- in the caller's buffers --------------------------------------------------------------- */

/*
 * In the functions below, pid is a process that the session follows, or will follow later. pid 0 means all processes of
 * the session, which are counted together. If a function starts a counting for a pid that is counted already, the new
 * counting replaces the earlier one. The time of a child process is not counted for its parent. When a process calls
 * exec, the counting for its pid ends.
 *
 * The caller owns the buffers. Their counters have this machine's byte order. Functions of the session, mainly
 * pprofil_session_pump, write to the buffers. Between calls of these functions the caller may read and write the
 * buffers. A buffer must stay valid until a function starts a new counting for the same pid, until pprofil_profil_stop
 * is called for the pid, or until the session is closed. Nothing is counted while the session does not sample.
 */

/* A range of text and the counters for it: the arguments of profil(2). */
struct pprofil_region {
    void *buffer;
    size_t size;        /* bytes of the buffer */
    uint64_t offset;    /* lowest counted address in the memory of the process */
    /* limits of the counted addresses, [low, high), as in the extended profil of OSF/1. If high is 0, there are no
     * limits */
    uint64_t low, high;
    uint32_t scale;
};

struct pprofil_histogram {
    size_t size;           /* sizeof(struct pprofil_histogram) */
    const char *dialect;   /* a name of pprofil-dialects(7): "solaris", "bsd44", ... */
    unsigned counter_size; /* bytes: 2, 4 or 8; 0: the dialect's own size */
    uint64_t period_ns;    /* CPU time of a tick; 0: the tick of the dialect */
    const struct pprofil_region *regions;
    size_t region_count;
    uint32_t *overflow; /* counter for ticks that fall into no region; NULL: no such counter */
    /* true: the regions are for system calls, not for code. Time in system call n counts at the address
     * PPROFIL_CALL_ADDRESS(n). All other time counts as time outside of all regions */
    bool by_call;
};

/* For the field by_call: the counters have the layout of a kpdata file. Each counter stands for 8 bytes of code, and
 * the first 6 counters are the totals of the kprof device. The counters of system calls come after them. */
#define PPROFIL_CALL_ADDRESS(n) (((uint64_t)(n) + 6) * 8)
#define PPROFIL_CALL_NUMBERS 1024 /* all numbers of system calls are smaller than this */

/* Starts counting in several regions, by any dialect that has counters. If the scales of all regions mean "off" to the
 * dialect, this call stops the counting. -EINVAL: there is no such dialect or counter size, or the dialect refuses a
 * region. -E2BIG: there are more than 65536 regions. */
int pprofil_profil_regions(pprofil_session *session, pid_t pid, const struct pprofil_histogram *histogram);

/* Starts counting in one region, with counters of the dialect's own size. If the scale means "off" to the dialect, this
 * call stops the counting. */
int pprofil_profil(pprofil_session *session, pid_t pid, const char *dialect, void *buffer, size_t size,
                   uint64_t offset, uint32_t scale);

/* Starts counting as IRIX's sprofil(2) does. The regions may have any order. A region with offset 0 and scale 2 is the
 * overflow bin, which counts the ticks that fall into no other region. `counter_size`: bytes of a counter, 2 or 4. If
 * `count` is 0, the call stops the counting. */
int pprofil_sprofil(pprofil_session *session, pid_t pid, const struct pprofil_region *regions, size_t count,
                    unsigned counter_size);

/* Starts storing program counters as Solaris's pcsample(2) does. The storing ends when the array is full. `count` is
 * the number of elements of the array; if it is 0, the call stops the storing. Returns how many program counters are in
 * the array of the previous call. -EINVAL: `count` is negative. */
int64_t pprofil_pcsample(pprofil_session *session, pid_t pid, uint64_t samples[], int64_t count);

/* Stops the counting for pid. */
int pprofil_profil_stop(pprofil_session *session, pid_t pid);

struct pprofil_histogram_state {
    bool on;            /* true: ticks are still counted; false: the counting has ended */
    uint64_t ticks;     /* number of all ticks */
    uint64_t outside;   /* ticks that fell into no region */
    /* ticks that did not fit into their counter (pcsample: into the array), and ticks that ended the counting */
    uint64_t overflows;
    uint64_t stored;    /* pcsample: number of program counters in the array */
    /* pprofil_session_save_dialect sets the fields below when it calls `wrote` for a file. Nothing else sets them. */
    uint64_t cut;        /* number of counters whose value was too large for the file */
    int32_t pid;         /* the process that was counted */
    const char *program; /* name of that process in the kernel (comm); valid only until `wrote` returns */
};

/* Stores the state of the counting for a pid. `size` is sizeof *state. -ENOENT: no counting was started for this
 * pid. */
int pprofil_histogram_state(const pprofil_session *session, pid_t pid, struct pprofil_histogram_state *state,
                            size_t size);

/* --- in files --------------------------------------------------------------------------------- */

/*
 * A session can also count all its processes by one dialect, as the system of that dialect would have counted them.
 * Each program that a process executes has its own histograms. On some systems, a forked child continues with a copy of
 * its parent's histograms.
 */
struct pprofil_dialect_options {
    size_t size; /* sizeof(struct pprofil_dialect_options) */
    const char *dialect;
    /* the counted regions, as texts: "OBJECT" (all code of an object), "LO-HI" (a part of the program) or
     * "OBJECT:LO-HI". LO and HI are hexadecimal link-time addresses */
    const char *const *regions;
    size_t region_count;   /* 0: all code of the program */
    unsigned counter_size; /* bytes: 2, 4 or 8; 0: the dialect's own size */
    /* true: the field `scale` is used. false: the scale is 0x8000 for counters of 2 bytes, and 0x10000 for wider
     * counters */
    bool scaled;
    uint32_t scale;
    uint64_t buffer_size; /* bytes of each region's buffer; 0: as many as the region's text needs */
    uint64_t period_ns;   /* CPU time of a tick; 0: the tick of the dialect */
    /* name of the format of the files that the caller will save; NULL: the format of the dialect's own system.
     * pprofil_session_dialect only checks that this format can hold the counters */
    const char *format;
};

/* Makes the session count by a dialect. The caller calls this function before it launches a program or attaches to a
 * process. -EINVAL: there is no such dialect, or an option is not valid; pprofil_session_problem returns the reason. */
int pprofil_session_dialect(pprofil_session *session, const struct pprofil_dialect_options *options);

/* Writes the counts so far to files. `format` is a name of pprofil-formats(5). If `format` is NULL, the format is that
 * of the extension of `path`, or else that of the dialect's own system. `path` is the path of the first program's
 * file; NULL means the name that the file has on the dialect's system, for example mon.out. The file of a later program
 * is path.PROGRAM.PID, or path.PROGRAM.PID.N if N earlier programs of the process had ticks. If a file of the format
 * holds only one object, the names of further files end with .OBJECT. Calls `wrote` after each file, unless `wrote` is
 * NULL. PPROFIL_ERROR_NO_SAMPLES: nothing was counted; pprofil_session_problem returns the reason. */
int pprofil_session_save_dialect(pprofil_session *session, const char *path, const char *format,
                                 void (*wrote)(void *context, const char *path,
                                               const struct pprofil_histogram_state *state),
                                 void *context);

#ifdef __cplusplus
}
#endif

#endif
