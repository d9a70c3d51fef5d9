/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code: the instructions of one function, disassembled, and the source lines they were made of. */
#ifndef PPROFIL_SYMBOL_CODE_H
#define PPROFIL_SYMBOL_CODE_H

#include <stdbool.h>

#include "pprofil/error.h"
#include "symbol/symbol.h"

struct symbol_instruction {
    uint64_t address; /* as linked: for people */
    uint64_t place;   /* as a profile's locations have it: what counts are kept by */
    uint32_t size;    /* bytes */
    char *text;       /* owned: "mov    %rax,%rbx"; bytes in hex where nothing can disassemble */
    uint32_t file;    /* index into files; of the innermost inlined function's line */
    uint32_t line;    /* 0: not known */
    uint32_t inlined; /* index into inlined; of the innermost inlined function that it is of */
    uint64_t target;  /* as linked: where it jumps to, or what it calls; 0: not known */
};

struct symbol_code {
    uint32_t object;  /* index in the profile */
    struct symbol_instruction *instructions; /* owned; by address */
    uint32_t instruction_count;
    int64_t written_ns; /* when the object's file was, since 1970; 0: not known */
    char **files; /* owned: paths; the first is "" */
    uint32_t file_count;
    char **inlined; /* owned: functions; the first is "" */
    uint32_t inlined_count;
};

/* The function around a location of the symbolizer's profile. PPROFIL_ERROR_NO_CODE: there is no code to be
 * had, and *problem (never to be freed) says why in a few words; -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code,
                    const char **problem);
void symbol_code_free(struct symbol_code *code);

/* --- listing: the instructions with the text of the source lines that they were made of ------- */

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

/* What a request for the code of a function gave. */
struct code_listing {
    uint32_t location;       /* that it was requested by */
    struct listing *listing; /* owned; NULL: the code cannot be had */
    char *problem;           /* owned: why; may be NULL */
};
void code_listing_clear(struct code_listing *code);

#endif
