/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * function-code: the instructions of one function, disassembled, with the source lines and the
 * inlined functions that they come from.
 */
#ifndef PPROFIL_SYMBOL_CODE_H
#define PPROFIL_SYMBOL_CODE_H

#include <stdbool.h>

#include "pprofil/error.h"
#include "symbol/source-file.h"
#include "symbol/symbol.h"

struct symbol_instruction {
    uint64_t address; /* link-time address, which is shown to people */
    /* offset in the file. The field `address` of a profile_location is the same offset, so the
     * samples of the instruction are found by it */
    uint64_t place;
    uint32_t size; /* bytes */
    char *text;    /* owned; "mov    %rax,%rbx"; without a disassembler: bytes in hexadecimal */
    uint32_t file; /* index into symbol_code.files: the source file */
    /* number of the source line that the instruction comes from, in the innermost inlined function; 0: not known */
    uint32_t line;
    /* index into symbol_code.inlined: the innermost inlined function that has the instruction. 0:
     * no inlined function has it */
    uint32_t inlined;
    uint64_t target; /* link-time address that the instruction jumps to or calls; 0: not known */
};

struct symbol_code {
    uint32_t object;                         /* index in the profile */
    /* the function is known by names only (profile_object.invented), such as a function of a Python program. Each
     * element of `instructions` stands for a source line, and has no text */
    bool lines_only;
    struct symbol_instruction *instructions; /* owned; sorted by address */
    uint32_t instruction_count;
    int64_t written_ns; /* when the object's file was last written, ns since 1970; 0: not known */
    /* owned; paths of source files; the first one is "", which means that the file is not known */
    char **files;
    uint32_t file_count;
    /* owned; names of inlined functions; the first one is "", which means that there is none */
    char **inlined;
    uint32_t inlined_count;
};

/* Reads the code of the function around a location of the symbolizer's profile. The caller frees
 * *code with symbol_code_free. Returns 0; PPROFIL_ERROR_NO_CODE: the code cannot be found, and
 * *problem (borrowed) says why in a few words; or -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code, const char **problem);
void symbol_code_free(struct symbol_code *code);

/* --- listing: instructions, with the source lines that they come from ------------------------- */

struct listing_row {
    const char *text; /* borrowed from the listing */
    /* path of the source file, borrowed; only set in rows that show a source line */
    const char *file;
    /* In a row with a source line: its number. In a row with an instruction: the number of the
     * source line that it comes from. 0: not known */
    uint32_t line;
    bool newer; /* the source file is newer than the program, so the line may have changed */
    /* borrowed; NULL: the row shows a source line. If code->lines_only is set, the row shows the source line that this
     * element stands for */
    const struct symbol_instruction *instruction;
};

/* A source file. */
struct listing_source {
    struct source_file file;
    bool read;  /* reading the file was tried */
    bool newer; /* the file was written after the program */
};

struct listing {
    struct symbol_code *code;       /* owned */
    struct listing_source *sources; /* owned; indexed like code->files */
    /* owned; the row of a source line comes before the rows of its instructions */
    struct listing_row *rows;
    uint32_t row_count;
};

/* Makes a listing of `code`, and reads the source files. If a source file cannot be read, the listing has no source
 * lines from it. The listing owns `code`; after an error, `code` is freed. 0 or -ENOMEM. */
int listing_new(struct symbol_code *code, struct listing **listing);
/* Returns the text of a line of one of the listing's source files, borrowed. The line need not have
 * any instructions. NULL: the file has no such line, or the file was not read. */
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
