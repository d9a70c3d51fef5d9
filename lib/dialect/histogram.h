/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram: the contents of a file of the profil family (gmon.out, mon.out, ...), without the layout of its bytes.
 * Readers and writers (lib/format) and the reports that imitate the old systems (lib/report) use these structures. All
 * counters have 64 bits here. A writer cuts them to the size of the counters in the old system.
 */
#ifndef PPROFIL_DIALECT_HISTOGRAM_H
#define PPROFIL_DIALECT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/dialect.h"

/* The counters of one range of text. */
struct histogram {
    /* the text is at [low, high). These are addresses at link time, or in memory if histogram_has_memory_addresses
     * returns true */
    uint64_t low, high;
    uint32_t scale;     /* bytes of buffer for each 65536 bytes of text. Counter 0 counts the text at `low` */
    uint32_t counter_size; /* size of a counter in the old system, bytes: 2, 4 or 8 */
    uint64_t count;        /* number of counters */
    uint64_t *counters;    /* owned */
};

struct histogram_arc {
    /* `count` is the number of calls from the code at address `from` to the function at address `self` */
    uint64_t from, self, count;
};

struct histogram_calls {
    /* `count` says how often the function at `pc` was called, or how often the basic block at `pc` ran */
    uint64_t pc, count;
};

struct histogram_module {
    char *path; /* owned */
    uint64_t start, end;
};

/* The contents of a file. A structure of zeros is an empty file. histogram_file_clear frees the memory that the
 * structure owns. */
struct histogram_file {
    const struct dialect *dialect; /* dialect by whose rules the ticks were counted; NULL: not known */
    uint32_t pointer_size;         /* size of a pointer of the target, bytes: 4 or 8; 2: a PDP-11 */
    uint32_t pid;                  /* pid of the process; 0: not known */
    bool big_endian;               /* the target is big-endian */
    double rate_hz;                /* ticks per second; 0: not known */
    uint64_t ticks;                /* number of all ticks, including the ticks in `outside` */
    /* number of ticks that are in no histogram. kprof has a cell for them, and osProfile has a counter for them */
    uint64_t outside;
    struct histogram *histograms; /* owned */
    size_t histogram_count;
    /* owned: pcs of single samples, in the order of the samples. They come from pcsample, or from a Solaris mon.out
     * that contains a version number */
    uint64_t *pcs;
    size_t pc_count;
    struct histogram_arc *arcs; /* owned */
    size_t arc_count;
    struct histogram_calls *calls; /* owned: how often each function was called, from a mon.out */
    size_t calls_count;
    struct histogram_calls *blocks; /* owned: how often each basic block ran, from a gmon.out */
    size_t block_count;
    struct histogram_module *modules; /* owned */
    size_t module_count;
    char *object; /* owned: path of the object with the text; NULL: not known */
    /* the counters hold time in system calls: first the special cells of kprof, then a counter for each system call */
    bool by_call;
    /* the file does not say at which address its text begins. Then `low` is 0, and means the lowest address of code in
     * the object */
    bool from_text;
};

#endif
