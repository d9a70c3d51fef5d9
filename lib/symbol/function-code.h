/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code: the instructions of one function, disassembled, and the source lines they were made of. */
#ifndef PPROFIL_SYMBOL_CODE_H
#define PPROFIL_SYMBOL_CODE_H

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

/* The function around a location of the symbolizer's profile. -ENODATA: there is no code to be
 * had, and *problem (never to be freed) says why in a few words; -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, uint32_t location, struct symbol_code **code,
                    const char **problem);
void symbol_code_free(struct symbol_code *code);

#endif
