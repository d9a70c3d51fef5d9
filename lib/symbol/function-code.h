/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * function-code: the instructions of one function, disassembled, with the source lines and the
 * inlined functions that they were made from.
 */
#ifndef PPROFIL_SYMBOL_CODE_H
#define PPROFIL_SYMBOL_CODE_H

#include <stdbool.h>

#include "pprofil/error.h"
#include "symbol/symbol.h"

struct symbol_instruction {
    uint64_t address; /* as linked, for people */
    uint64_t place; /* offset in the file, as in a profile's locations, which counts are kept by */
    uint32_t size;  /* bytes */
    char *text;     /* owned: "mov    %rax,%rbx"; bytes in hex where nothing can disassemble */
    uint32_t file;  /* index into files; of the innermost inlined function's line */
    uint32_t line;  /* 0: not known */
    uint32_t inlined; /* index into inlined: the innermost inlined function that it belongs to */
    uint64_t target;  /* where it jumps to, or what it calls, as linked; 0: not known */
};

struct symbol_code {
    uint32_t object;                         /* index in the profile */
    struct symbol_instruction *instructions; /* owned; by address */
    uint32_t instruction_count;
    int64_t written_ns; /* when the object's file was last written, ns since 1970; 0: not known */
    char **files;       /* owned; paths, the first is "" */
    uint32_t file_count;
    char **inlined; /* owned; names of functions, the first is "" */
    uint32_t inlined_count;
};

/* The function around a location of the symbolizer's profile. PPROFIL_ERROR_NO_CODE: there is no
 * code to be had, and *problem (never to be freed) says why in a few words; -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code,
                    const char **problem);
void symbol_code_free(struct symbol_code *code);

/* --- listing: instructions with the text of the source lines that they were made from ------------
 */

struct listing_row {
    const char *text; /* borrowed from the listing */
    const char *file; /* of a source line: its path, borrowed */
    uint32_t line; /* number of the source line, or of that which the instruction was made from; 0:
                    * not known */
    bool newer; /* the source file was written after the program, so the line may be another now */
    const struct symbol_instruction *instruction; /* borrowed; NULL: the row is a source line */
};

/* A source file. */
struct listing_source {
    char *text; /* owned; lines that end with NUL; NULL: it cannot be read, or nobody asked */
    const char **starts; /* owned; where its lines begin */
    uint32_t count;      /* lines */
    bool read;           /* it was tried */
    bool newer;          /* it was written after the program */
};

struct listing {
    struct symbol_code *code;       /* owned */
    struct listing_source *sources; /* owned; by index into code->files */
    struct listing_row *rows; /* owned; each source line before the instructions made from it */
    uint32_t row_count;
};

/* Takes the code over, also after an error, and reads its source files; those that cannot be read
 * have no lines. 0 or -ENOMEM. */
int listing_new(struct symbol_code *code, struct listing **listing);
/* A line of one of the code's files, also one that no code was made from. NULL: it is not there. */
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
