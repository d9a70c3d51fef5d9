/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code: which code a function of a profile has, and how many samples each row of its listing
 * has. */
#ifndef PPROFIL_CODE_INTERNAL_H
#define PPROFIL_CODE_INTERNAL_H

#include "pprofil.h"
#include "report/sums.h"
#include "symbol/function-code.h"

/* --- the code of a function -------------------------------------------------------------- */

#define ANNOTATE_BLOCKS_MAX 64u

struct annotation {
    struct listing *blocks[ANNOTATE_BLOCKS_MAX]; /* owned; the one with the most time first */
    uint32_t count;
};

/* Finds the code of the function with this row id BY_FUNCTION. Everything that has its name in one
 * object belongs to it: there are several blocks if a compiler split it, or if several source files
 * have a function of this name. The caller clears the annotation. 0; PPROFIL_ERROR_NO_CODE, and
 * *problem, which is never freed, says why; -ENOENT: there is no such function; -ENOMEM. */
int annotate_function(struct profile *profile, struct symbolizer *symbolizer, uint64_t id,
                      struct annotation *annotation, const char **problem);
void annotate_clear(struct annotation *annotation);

/* Keeps those rows of a report BY_FUNCTION that a pattern means: "OBJECT:NAME" means one row, other
 * patterns are those of match.h. 0, -ENOMEM, or -EINVAL: it is not a regular expression. After
 * -EINVAL, and if no row is left, problem (of size bytes) says why. */
int annotate_keep(struct pprofil_report *report, const char *pattern, char *problem, size_t size);

/* --- its samples ------------------------------------------------------------------------- */

struct code_sum {
    struct amount self;  /* of samples that ran there */
    struct amount total; /* of samples that ran there, or in what was called there */
};

/* The sums of a listing. */
struct code_sums {
    struct code_sum *rows; /* owned; by row of the listing. A source line has what the instructions
                            * between it and the next source line have */
    struct code_sum all;
    uint32_t *instructions; /* owned; rows of instructions, in the order of their places */
    uint32_t instruction_count;
};

/* Sums all samples that count. 0 or -ENOMEM; clear it in both cases. */
int code_sums_make(const struct profile *profile, const struct report_options *options,
                   const struct listing *listing, struct code_sums *sums);
void code_sums_clear(struct code_sums *sums);

/* Returns the row of the instruction that has the byte at a place of the object, or UINT32_MAX. */
uint32_t code_row_of_place(const struct code_sums *sums, const struct listing *listing,
                           uint64_t place);
/* Returns the row of the instruction that begins at an address as linked, or UINT32_MAX. */
uint32_t code_row_of_address(const struct code_sums *sums, const struct listing *listing,
                             uint64_t address);

/* --- as pprofil.h hands it out ----------------------------------------------------------- */

struct pprofil_code {
    const struct profile *profile; /* borrowed */
    const struct listing *listing; /* borrowed */
    struct code_sums sums;
};

/* The profile and the listing must outlive it. 0 or -ENOMEM. */
int code_new(const struct profile *profile, const struct report_options *options,
             const struct listing *listing, struct pprofil_code **code);

#endif
