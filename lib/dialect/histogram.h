/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram: the contents of a file of the profil family, without the layout of its bytes. Readers and writers
 * (lib/format) and the reports that imitate the old systems (lib/report) use these structures. All counters have 64
 * bits here. A writer cuts the counters to the size that they have in its system.
 */
#ifndef PPROFIL_DIALECT_HISTOGRAM_H
#define PPROFIL_DIALECT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/dialect.h"

/* The counters of one range of text. */
struct histogram {
    /* text at [low, high): addresses at link time, or in memory if histogram_has_memory_addresses returns true */
    uint64_t low, high;
    uint32_t scale;     /* bytes of buffer for each 65536 bytes of text; the address low counts in counter 0 */
    uint32_t counter_size; /* bytes of the system's counter: 2, 4 or 8 */
    uint64_t count;        /* number of counters */
    uint64_t *counters;    /* owned */
};

struct histogram_arc {
    /* count: number of calls that the code at address "from" makes to the function at address "self" */
    uint64_t from, self, count;
};

struct histogram_calls {
    uint64_t pc, count; /* count: number of calls of the function at pc, or of runs of the basic block at pc */
};

struct histogram_module {
    char *path; /* owned */
    uint64_t start, end;
};

/* The contents of a file. A structure of zeros is an empty file. histogram_file_clear frees the memory that the
 * structure owns. */
struct histogram_file {
    const struct dialect *dialect; /* dialect by whose rules the ticks were counted; NULL: not known */
    uint32_t pointer_size;         /* bytes of a pointer of the target: 4 or 8; 2: a PDP-11 */
    uint32_t pid;                  /* number of the process; 0: not known */
    bool big_endian;               /* the target is big-endian */
    double rate_hz;                /* ticks per second; 0: not known */
    uint64_t ticks;                /* number of all ticks, including the ticks in `outside` */
    /* number of ticks in no histogram. kprof counts them in a cell, osProfile in the overflow bin */
    uint64_t outside;
    struct histogram *histograms; /* owned */
    size_t histogram_count;
    uint64_t *pcs; /* owned: pcs of single samples (pcsample, or a Solaris mon.out with a version), in order */
    size_t pc_count;
    struct histogram_arc *arcs; /* owned */
    size_t arc_count;
    struct histogram_calls *calls; /* owned: call counts of a mon.out */
    size_t calls_count;
    struct histogram_calls *blocks; /* owned: counts of basic blocks of a gmon.out */
    size_t block_count;
    struct histogram_module *modules; /* owned */
    size_t module_count;
    char *object; /* owned: path of the object with the text; NULL: not known */
    /* counters hold time in system calls. The special cells of kprof come first, then one counter for each system
     * call */
    bool by_call;
    /* the file does not contain the address of its text. low is 0, which means the lowest address of code in the
     * object */
    bool from_text;
};

#endif
