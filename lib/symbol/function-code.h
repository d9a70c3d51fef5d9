/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * function-code: the instructions of one function, disassembled, with the source lines and the
 * inlined functions that they come from.
 */
#ifndef PPROFIL_SYMBOL_CODE_H
#define PPROFIL_SYMBOL_CODE_H

#include <stdbool.h>

#include "pprofil/error.h"
#include "symbol/symbol.h"

struct symbol_instruction {
    uint64_t address; /* link-time address, which is shown to people */
    /* offset in the file; the address in a profile_location is the same offset, so samples are
     * counted by offset */
    uint64_t place;
    uint32_t size; /* bytes */
    char *text;    /* owned; "mov    %rax,%rbx"; bytes in hexadecimal if there is no disassembler */
    uint32_t file; /* index into symbol_code.files: the source file */
    /* number of the source line, in the code of the innermost inlined function; 0: not known */
    uint32_t line;
    /* index into symbol_code.inlined: the innermost inlined function around the instruction; 0:
     * none */
    uint32_t inlined;
    uint64_t target; /* link-time address that the instruction jumps to or calls; 0: not known */
};

struct symbol_code {
    uint32_t object;                         /* index in the profile */
    struct symbol_instruction *instructions; /* owned; sorted by address */
    uint32_t instruction_count;
    int64_t written_ns; /* when the object's file was last written, ns since 1970; 0: not known */
    char **files;       /* owned; paths, the first is "" */
    uint32_t file_count;
    char **inlined; /* owned; names of functions, the first is "" */
    uint32_t inlined_count;
};

/* Reads the code of the function around a location of the symbolizer's profile. The caller frees
 * *code with symbol_code_free. Returns 0; PPROFIL_ERROR_NO_CODE: the code cannot be found, and
 * *problem (borrowed) says why in a few words; or -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code,
                    const char **problem);
void symbol_code_free(struct symbol_code *code);

/* --- listing: instructions, with the source lines that they come from ------------------------- */

struct listing_row {
    const char *text; /* borrowed from the listing */
    const char *file; /* path of the source file, borrowed; only in rows that are a source line */
    /* number of the source line, or of the line that the instruction comes from; 0: not known */
    uint32_t line;
    bool newer; /* the source file is newer than the program, so the line may have changed */
    const struct symbol_instruction *instruction; /* borrowed; NULL: the row is a source line */
};

/* A source file. */
struct listing_source {
    char *text;          /* owned; lines that end with NUL; NULL: not read, or not readable */
    const char **starts; /* owned; addresses in text at which lines begin */
    uint32_t count;      /* lines */
    bool read;           /* reading the file was tried */
    bool newer;          /* the file was written after the program */
};

struct listing {
    struct symbol_code *code;       /* owned */
    struct listing_source *sources; /* owned; indexed like code->files */
    struct listing_row *rows;       /* owned; each source line comes before its instructions */
    uint32_t row_count;
};

/* Makes a listing of code, and reads its source files. A file that cannot be read has no lines. The
 * listing owns code; after an error, code is freed. 0 or -ENOMEM. */
int listing_new(struct symbol_code *code, struct listing **listing);
/* Returns a line of one of the code's source files, borrowed. The line need not have code. NULL:
 * there is no such line, or the file was not read. */
const char *listing_line(const struct listing *listing, uint32_t file, uint32_t number);
void listing_free(struct listing *listing);

/* The result of a request for the code of a function. */
struct code_listing {
    uint32_t location;       /* the location that was requested */
    struct listing *listing; /* owned; NULL: the code cannot be shown */
    char *problem;           /* owned; why there is no listing; may be NULL */
};
void code_listing_clear(struct code_listing *code);

#endif
