/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram: the contents of a file of the profil family, without its layout. Readers and writers (lib/format) and the
 * reports that look like those systems' (lib/report) share it. Counters have 64 bits here; a writer cuts them to the
 * size that its system has.
 */
#ifndef PPROFIL_DIALECT_HISTOGRAM_H
#define PPROFIL_DIALECT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/dialect.h"

/* Counters for one range of text. */
struct histogram {
    uint64_t low, high; /* text [low, high), as the symbols of its object have it */
    uint32_t scale;     /* bytes of buffer per 65536 bytes of text; low is in counter 0 */
    uint32_t counter_size; /* bytes of the system's counter: 2, 4 or 8 */
    uint64_t count;        /* counters */
    uint64_t *counters;    /* owned */
};

struct histogram_arc {
    uint64_t from, self, count; /* calls from an address to a function */
};

struct histogram_calls {
    uint64_t pc, count; /* calls of the function, or runs of the basic block, at pc */
};

struct histogram_module {
    char *path; /* owned */
    uint64_t start, end;
};

/* All 0 is an empty file; histogram_file_clear frees what it owns. */
struct histogram_file {
    const struct dialect *dialect; /* whose rules it was counted by; NULL: not known */
    uint32_t pointer_size;         /* of the target: 4 or 8; 2: a PDP-11 */
    uint32_t pid;                  /* of the process; 0: not known */
    bool big_endian;               /* of the target */
    double rate_hz;                /* ticks per second; 0: not known */
    uint64_t ticks;                /* all ticks: kprof's total; else the sum of the counters below */
    uint64_t outside;              /* ticks in no histogram: kprof's cell for them, osProfile's overflow bin */
    struct histogram *histograms; /* owned */
    size_t histogram_count;
    uint64_t *pcs; /* owned: raw samples (pcsample, Solaris versioned mon.out), in order */
    size_t pc_count;
    struct histogram_arc *arcs; /* owned */
    size_t arc_count;
    struct histogram_calls *calls; /* owned: mon.out's call counts */
    size_t calls_count;
    struct histogram_calls *blocks; /* owned: gmon.out's counts of basic blocks */
    size_t block_count;
    struct histogram_module *modules; /* owned */
    size_t module_count;
    char *object; /* owned: path of the object that has the text; NULL: not known */
    bool by_call;   /* counters are of time in the kernel: one for each system call, behind the special cells */
    bool from_text; /* the file does not say where its text is: low is 0, and means the object's first code */
};

#endif
