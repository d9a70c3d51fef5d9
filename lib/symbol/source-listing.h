/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* listing: a function's instructions with the text of the source lines that they were made of. */
#ifndef PPROFIL_LISTING_H
#define PPROFIL_LISTING_H

#include <stdbool.h>

#include "symbol/function-code.h"

struct listing_row {
    const char *text; /* borrowed from the listing */
    const char *file; /* source: its path; borrowed */
    uint32_t line;    /* source: its number; instruction: the one it was made of; 0 not known */
    bool newer;       /* source: written after the program, so the line may be another by now */
    const struct symbol_instruction *instruction; /* NULL: it is a source line */
};

/* A source file, as far as it was asked for. */
struct listing_source {
    char *text;          /* owned: its lines cut; NULL: not read, or not to be read */
    const char **starts; /* owned: where its lines begin */
    uint32_t count;      /* of lines */
    bool read;           /* somebody asked */
    bool newer;          /* than the program */
};

struct listing {
    struct symbol_code *code; /* owned */
    struct listing_source *sources; /* owned: by file of the code */
    struct listing_row *rows; /* owned: each source line before the instructions made of it */
    uint32_t row_count;
};

/* Takes the code over, also where it fails, and reads its source files: those that are not there
 * have no lines. 0 or -ENOMEM. */
int listing_new(struct symbol_code *code, struct listing **listing);
/* A line of one of the code's files, also one that no code was made of; NULL: it is not there. */
const char *listing_line(const struct listing *listing, uint32_t file, uint32_t number);
void listing_free(struct listing *listing);

#endif
