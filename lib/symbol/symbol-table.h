/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * symbol-table: what an ELF file calls its code, by address as linked; nothing but its own
 * table. The old systems' reports are made from this: they gave all text up to the next symbol to
 * the one before, whatever its size.
 */
#ifndef PPROFIL_SYMBOL_TABLE_H
#define PPROFIL_SYMBOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t address, size; /* size 0: the file does not say */
    const char *name;       /* borrowed from the table; without control characters; "" only where
                             * symbols of another table end */
    uint32_t order;         /* its place in the file */
    uint32_t rest;          /* bytes of the file's names from this one on, some at least; 0: the
                             * name is not in a file */
    uint8_t type, binding;  /* STT_ and STB_ of elf.h */
};

struct symbol_table {
    struct symbol *symbols; /* owned; by address, those at one address in the file's order */
    size_t count;
    uint64_t end;               /* of the text; 0: not known */
    struct Elf *elf;            /* owned: has the names; NULL: they are the caller's */
    int fd;                     /* owned: elf reads from it; 0: none */
    struct symbol_table *added; /* owned: those whose names are borrowed too; NULL: none */
};

/* Reads the functions and labels in the code of the file behind fd (not consumed): from .symtab,
 * or from .dynsym where that is missing. 0, also where there are none; -ENOEXEC: it is no ELF
 * file; -ENOMEM. table is empty before, and has to be cleared only after success. */
int symbol_table_read(int fd, struct symbol_table *table);
void symbol_table_clear(struct symbol_table *table);

/* Moves the symbols of another table, which is cleared, to where their text was loaded: shift
 * added, those outside [start, end) left out. A symbol without a name ends them. They are not
 * in order before symbol_table_sort. 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, struct symbol_table *other, uint64_t shift,
                     uint64_t start, uint64_t end);
void symbol_table_sort(struct symbol_table *table);

#endif
