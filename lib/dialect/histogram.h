/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram: what the files of the profil family hold, whatever their bytes look like. Readers
 * and writers (lib/format) and the reports of those systems (lib/report) meet in it. Counters
 * are kept in 64 bits; a writer cuts them to what its system has.
 */
#ifndef PPROFIL_DIALECT_HISTOGRAM_H
#define PPROFIL_DIALECT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialect/dialect.h"

/* Counters over one stretch of text. */
struct histogram {
    uint64_t low, high; /* text [low, high), as the symbols of its object have it */
    uint32_t scale;     /* bytes of buffer per 65536 bytes of text; low is in counter 0 */
    uint32_t counter_size; /* bytes that the system's counter has: 2, 4 or 8 */
    uint64_t count;        /* counters */
    uint64_t *counters;    /* owned */
};

struct histogram_arc {
    uint64_t from, self, count; /* a call from an address to a function */
};

struct histogram_calls {
    uint64_t pc, count; /* of a function, or a basic block */
};

struct histogram_module {
    char *path; /* owned */
    uint64_t start, end;
};

/* All zero is an empty one; histogram_file_clear frees what it owns. */
struct histogram_file {
    const struct dialect *dialect; /* by whose rules it was counted; NULL: not known */
    uint32_t pointer_size;         /* of the target: 4 or 8; 2: a PDP-11 */
    uint32_t pid;                  /* of the process; 0: not known */
    bool big_endian;               /* the target was */
    double rate_hz;                /* ticks per second; 0 where the format does not say */
    uint64_t ticks;                /* all of them: kprof's total; else the sum of what follows */
    uint64_t outside;              /* ticks in no histogram: kprof's, osProfile's overflow bin */
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
    char *object; /* owned: path of the object that the text is of; NULL not known */
    bool by_call;   /* what is counted is time in the kernel, in a cell for each system call behind the special ones */
    bool from_text; /* the file does not say where its text is: low 0 is the object's first code */
};

#endif
