/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pclntab: the table of functions that the Go linker writes into every program, because Go's runtime needs it for its
 * own tracebacks. Strip and "go build -ldflags -s -w" leave it in. It has the name, file, line, frame size and inlined
 * functions of all Go code.
 *
 * Read pclntab.c first: functions, and values by address. pclntab-open.c finds the table in an ELF file.
 * pclntab-module.c finds what the table itself does not say. pclntab-inlined.c reads trees of inlined functions.
 *
 * The format is that of runtime/symtab.go and cmd/link/internal/ld/pcln.go in Go 1.2 to 1.27. It has changed with Go
 * 1.16, 1.18 and 1.20. Nothing in a file is trusted: each offset is checked when it is used, and each loop is bounded.
 * Addresses are link-time addresses. All strings are borrowed from the ELF file.
 */
#ifndef PPROFIL_PCLNTAB_H
#define PPROFIL_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct pclntab;

/* Opens the table in an ELF file. The ELF file must outlive the table. 0; -ENOENT: the file has no table, or one that
 * makes no sense; -ENOMEM. */
int pclntab_open(struct Elf *elf, struct pclntab **table);
void pclntab_close(struct pclntab *table);

struct pclntab_function {
    uint64_t start, end; /* the end includes what fills the gap to the next function */
    const char *name;    /* with its package: "net/http.(*Server).Serve"; shorter than PCLNTAB_TEXT_MAX */
    uint32_t line;       /* line of the word "func"; 0: not known, because Go was older than 1.20 */
    uint32_t entry;      /* for the functions below: offset of the function's entry in the table */
};
#define PCLNTAB_TEXT_MAX 32768u /* bytes; a longer name or path is ignored */

/* Returns the number of functions. */
uint32_t pclntab_count(const struct pclntab *table);
/* Reads a function. The functions are sorted by address. False: this entry of the table makes no sense. */
bool pclntab_function(const struct pclntab *table, uint32_t index, struct pclntab_function *function);
/* Finds the function around an address. False: no Go function is there. */
bool pclntab_find(const struct pclntab *table, uint64_t address, struct pclntab_function *function);

/* Finds how many bytes a function has pushed when it comes to an address. The return address is above them on machines
 * whose calls push it. False: the function has no code at the address. */
bool pclntab_frame_size(const struct pclntab *table, const struct pclntab_function *function, uint64_t address,
                        uint32_t *size);
/* Finds the source line of an address, in the innermost function that was inlined there. False: it is not known. */
bool pclntab_line(const struct pclntab *table, const struct pclntab_function *function, uint64_t address,
                  const char **file, uint32_t *line);

/* A range of code that the compiler has put in place of a call. */
struct pclntab_inlined {
    uint64_t start, end;
    const char *name; /* name of the inlined function */
    uint32_t line;    /* line of its word "func"; 0: not known */
    uint32_t depth;   /* how many inlined functions are around this one */
    /* an address with the source line of the call, and an address in a line of the inlined function itself */
    uint64_t call, body;
};
#define PCLNTAB_DEPTH_MAX 63u /* functions that are inlined deeper are ignored */

/* Lists the ranges of inlined functions in a function. Outer ranges come before the ranges inside them. The caller
 * frees *list. The list is empty if the function has none, or if the file does not say where they are. 0 or -ENOMEM. */
int pclntab_inlined(const struct pclntab *table, const struct pclntab_function *function, struct pclntab_inlined **list,
                    uint32_t *count);

#endif
