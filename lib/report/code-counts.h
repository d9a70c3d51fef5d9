/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code-counts: what each row of a listing has, from all samples of its object. */
#ifndef PPROFIL_CODE_COUNTS_H
#define PPROFIL_CODE_COUNTS_H

#include "report/report.h"
#include "symbol/function-code.h"

struct code_count {
    uint64_t samples, ns;             /* what ran was there */
    uint64_t total_samples, total_ns; /* it, or what it called: each sample once */
};

struct code_counts {
    struct code_count *rows; /* owned: by row; of a source line what the instructions up to the
                              * next one have */
    struct code_count all;
    uint32_t *instructions; /* owned: rows of instructions, in the order of their places */
    uint32_t instruction_count;
};

/* Counts what options let through. 0 or -ENOMEM; clear it in both cases. */
int code_counts_make(const struct profile *profile, const struct report_options *options,
                     const struct listing *listing, struct code_counts *counts);
void code_counts_clear(struct code_counts *counts);

/* The row of the instruction around a place of the object, or UINT32_MAX; of the one that begins
 * at an address as linked. */
uint32_t code_counts_find(const struct code_counts *counts, const struct listing *listing,
                          uint64_t place);
uint32_t code_counts_at(const struct code_counts *counts, const struct listing *listing,
                        uint64_t address);

#endif
