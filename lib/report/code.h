/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code: finds the code of a profiled function, and counts the samples of each row of the code's listing
 * (symbol/function-code.h). */
#ifndef PPROFIL_CODE_INTERNAL_H
#define PPROFIL_CODE_INTERNAL_H

#include "pprofil.h"
#include "report/sums.h"
#include "symbol/function-code.h"

/* --- the code of a function -------------------------------------------------------------- */

#define ANNOTATE_BLOCKS_MAX 64u

struct annotation {
    /* owned; the blocks of the function's code, the block with the hottest location first */
    struct listing *blocks[ANNOTATE_BLOCKS_MAX];
    uint32_t count;
};

/* Finds the code of the function whose row in a report by function has this id. All code with the function's name in
 * the function's object belongs to the function. So there are several blocks if a compiler split the function, or if
 * several source files have a function of this name. The caller clears the annotation. Returns 0, -ENOMEM, -ENOENT if
 * there is no such function, or PPROFIL_ERROR_NO_CODE, with the reason in *problem, which nobody frees. */
int annotate_function(struct profile *profile, struct symbolizer *symbolizer, uint64_t id,
                      struct annotation *annotation, const char **problem);
void annotate_clear(struct annotation *annotation);

/* Keeps only those rows of a report by function whose functions match a pattern. The pattern "OBJECT:NAME" matches the
 * function NAME of OBJECT; name-search.h describes other patterns. Returns 0, -ENOMEM, or -EINVAL if the pattern is not
 * a valid regular expression. After -EINVAL, and also if no row is left, the reason is in `problem`, which has room for
 * `size` bytes. */
int annotate_keep(struct pprofil_report *report, const char *pattern, char *problem, size_t size);

/* --- its samples ------------------------------------------------------------------------- */

struct code_sum {
    struct amount self; /* amount of the samples that ran in the code of this row */
    /* amount of the samples that ran in the code of this row, or in a function that this code called */
    struct amount total;
};

/* The sums of the rows of a listing. */
struct code_sums {
    /* owned; indexed by row of the listing. The sum of a source line is the sum of the instructions that were compiled
     * from it and come before the next source line */
    struct code_sum *rows;
    struct code_sum all;
    /* owned; indexes of the rows that are instructions, sorted by symbol_instruction.place */
    uint32_t *instructions;
    uint32_t instruction_count;
};

/* Sums all samples that count. Returns 0 or -ENOMEM. The caller clears sums in both cases. */
int code_sums_make(const struct profile *profile, const struct report_options *options,
                   const struct listing *listing, struct code_sums *sums);
void code_sums_clear(struct code_sums *sums);

/* Finds the instruction that contains a byte of the object, and returns its row. `place` is the place of the byte, as
 * in symbol_instruction.place. Returns UINT32_MAX if there is no such instruction. */
uint32_t code_row_of_place(const struct code_sums *sums, const struct listing *listing, uint64_t place);
/* Finds the instruction that begins at a link-time address, and returns its row. Returns UINT32_MAX if there is no such
 * instruction. */
uint32_t code_row_of_address(const struct code_sums *sums, const struct listing *listing, uint64_t address);

/* --- the pprofil_code of pprofil.h ------------------------------------------------------- */

struct pprofil_code {
    const struct profile *profile; /* borrowed */
    const struct listing *listing; /* borrowed */
    struct code_sums sums;
};

/* Makes a pprofil_code. The caller frees *code with pprofil_code_free. The profile and the listing must outlive *code.
 * Returns 0 or -ENOMEM. */
int code_new(const struct profile *profile, const struct report_options *options,
             const struct listing *listing, struct pprofil_code **code);

#endif
