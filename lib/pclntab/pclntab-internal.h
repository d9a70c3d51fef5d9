/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations for the files of lib/pclntab only: versions of the table, its parts, and the ELF file around it. */
#ifndef PPROFIL_PCLNTAB_INTERNAL_H
#define PPROFIL_PCLNTAB_INTERNAL_H

#include <gelf.h>

#include "pclntab/pclntab.h"

/* What differs from version to version. */
struct pclntab_version {
    uint32_t magic;
    /* true: addresses are offsets of 4 bytes from the start of the code, and those of trees are offsets from go:func.*.
     * False: addresses are whole words */
    bool relative;
    bool has_units;          /* files have numbers in their compilation unit, and the header has offsets of the parts */
    bool has_lines;          /* a function's entry has the line where the function begins, and so have trees */
    uint8_t inline_funcdata; /* FUNCDATA_InlTree of runtime/funcdata.h */
};

struct pclntab {
    Elf *elf; /* borrowed */
    const struct pclntab_version *version;
    const uint8_t *bytes; /* borrowed from `elf` */
    size_t size;
    uint64_t address; /* of the first byte */
    uint8_t quantum;  /* size of the machine's smallest instruction, bytes */
    uint8_t word;     /* size of a pointer, bytes */
    uint32_t count;   /* number of functions */
    uint64_t text;    /* address from which offsets of code count; 0 if they are whole addresses */
    /* where the parts of the table begin, bytes from its start. Numbers in the table are offsets in these parts */
    size_t functions, names, units, files, values, entries;
    uint64_t trees; /* address of go:func.*; 0: not known, or trees have whole addresses */
};

/* --- bytes and numbers: pclntab-open.c, pclntab.c ----------------------------------------------- */

/* A piece of the file's memory. */
struct pclntab_memory {
    const uint8_t *bytes; /* borrowed; NULL: there is none */
    size_t size;
};
/* Returns the memory from an address to the end of its segment. */
struct pclntab_memory pclntab_memory_at(Elf *elf, uint64_t address);
/* Returns the memory of a segment (PT_LOAD). It has no bytes if the segment is executable, or no part of the file. */
struct pclntab_memory pclntab_segment(Elf *elf, size_t index, GElf_Phdr *header);
#define PCLNTAB_SEGMENTS_MAX 64u

/* Returns a number of `size` bytes, 4 or 8, at an offset of some memory. 0: the memory ends before its last byte. */
uint64_t pclntab_number(struct pclntab_memory memory, uint64_t offset, size_t size);
/* Returns the text at an offset of the table. NULL: it has no end, or is empty or too long. */
const char *pclntab_text(const struct pclntab *table, uint64_t offset);
/* Returns the offset of a number of 4 bytes in a function's entry. index: 0 is the one after the function's address. */
uint64_t pclntab_field(const struct pclntab *table, const struct pclntab_function *function, unsigned index);
struct pclntab_memory pclntab_whole(const struct pclntab *table);

enum { FIELD_NAME, FIELD_FRAME_SIZE = 3, FIELD_FILE, FIELD_LINE, FIELD_PCDATA_COUNT, FIELD_UNIT, FIELD_START_LINE };
/* Returns how many such numbers an entry has, with those that consist of single bytes. Numbers of PCDATA follow. */
unsigned pclntab_field_count(const struct pclntab *table);

/* Reads the start of the table, and checks whether it makes sense. table->text is 0 if the table does not say it. */
bool pclntab_read_header(struct pclntab *table);

/* --- values by address: pclntab.c --------------------------------------------------------------- */

/* A loop over ranges of code that have the same value: line, frame size, and so on. */
struct pclntab_values {
    const struct pclntab *table;
    uint64_t start, end; /* addresses of the current range */
    int32_t value;
    uint64_t limit; /* address of the end of the function */
    uint64_t at;    /* offset of the next range in the table */
    uint32_t steps;
};

/* offset: where the values begin, in their part of the table; 0: there are none. */
struct pclntab_values pclntab_values(const struct pclntab *table, const struct pclntab_function *function,
                                     uint64_t offset);
bool pclntab_values_next(struct pclntab_values *values);

/* --- what the table does not say: pclntab-module.c, pclntab-inlined.c ---------------------------------- */

/* Sets table->text, if the table does not say it, and table->trees, if the file has it. False: the start of the code
 * is not known. */
bool pclntab_read_module(struct pclntab *table);
/* Returns whether the trees of inlined functions make sense if go:func.* is at this address. */
bool pclntab_trees_fit(const struct pclntab *table, uint64_t trees);

#endif
