/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* listing: a function's instructions with the text of the source lines that they were made of. */
#ifndef PPROFIL_LISTING_H
#define PPROFIL_LISTING_H

#include <stdbool.h>

#include "symbol/code.h"

struct listing_row {
    const char *text; /* borrowed from the listing */
    const char *file; /* source: its path; borrowed */
    uint32_t line;    /* source: its number; instruction: the one it was made of; 0 not known */
    bool newer;       /* source: written after the program, so the line may be another by now */
    const struct symbol_instruction *instruction; /* NULL: it is a source line */
};

struct listing {
    struct symbol_code *code; /* owned */
    char **sources;           /* owned: text by file of the code, its lines cut; or NULL */
    struct listing_row *rows; /* owned: each source line before the instructions made of it */
    uint32_t row_count;
};

/* Takes the code over, also where it fails, and reads its source files: those that are not there
 * have no lines. 0 or -ENOMEM. */
int listing_new(struct symbol_code *code, struct listing **listing);
void listing_free(struct listing *listing);

#endif
