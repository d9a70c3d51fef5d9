/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * code-names: what lies where, told by somebody who made code, threw it away and made other code
 * in its place. What was told last rules, so what was told is cut into pieces that do not
 * overlap, each of the last that covers it.
 */
#ifndef PPROFIL_CODE_NAMES_H
#define PPROFIL_CODE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_line {
    uint64_t address;
    const char *file;
    uint32_t line;
};

struct code_name {
    uint64_t start, end;
    size_t order;
    const char *name;              /* in kept memory */
    const struct code_line *lines; /* in kept memory, by address; NULL: none */
    size_t line_count;
};

struct code_names {
    struct code_name *told; /* owned */
    size_t count;
    struct code_piece {
        uint64_t start, end;
        size_t told;
    } * pieces; /* owned; sorted, disjoint */
    size_t piece_count;
    void **kept; /* owned, and what it points to */
    size_t kept_count;
};

/* Takes a name over what it covers, at least one byte. False: no memory. */
bool code_names_tell(struct code_names *names, const struct code_name *name);
/* Memory that is freed with the names. False: no memory, and it was freed. */
bool code_names_keep(struct code_names *names, void *memory);
/* All is told. False: no memory. */
bool code_names_cut(struct code_names *names);
void code_names_clear(struct code_names *names);

/* What covers an address, NULL: nothing. */
const struct code_name *code_names_find(const struct code_names *names, uint64_t address);

#endif
