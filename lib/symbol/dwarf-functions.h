/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elf-functions: what the debug information of a compilation unit has of functions: where their
 * code is, and in which namespaces, classes and functions they are declared. */
#ifndef PPROFIL_ELF_FUNCTIONS_H
#define PPROFIL_ELF_FUNCTIONS_H

#include "symbol/elf-internal.h"

#define ELF_DEEPEST 64u /* scopes in scopes that are looked at */

/* A range of a function's code; a function may have several. */
struct elf_function {
    uint64_t start, end; /* as in the debug information */
    Dwarf_Off die;
    bool walked;                 /* the rest is dwarf-inlined.c's */
    struct elf_inlined *inlined; /* owned */
    uint32_t count;
};

/* An entry that a function may be declared in, or that declares one. */
struct elf_scope {
    Dwarf_Die die;
    uint32_t parent; /* index, less than its own; ELF_TOP: the unit itself */
    bool callable;   /* a class with operator(): if it has no name, a lambda's */
};
#define ELF_TOP UINT32_MAX

/* The code of a function that is also inlined elsewhere. */
struct elf_copy {
    const void *origin; /* the entry that all of them refer to */
    uint64_t start;
};

struct elf_functions {
    const void *unit;
    uint64_t budget;          /* entries that may be looked at still */
    struct elf_function *all; /* owned; sorted by start */
    uint32_t count;
    struct elf_scope *scopes; /* owned; as they lie in the file */
    uint32_t scope_count;
    struct elf_copy *copies; /* owned; sorted by origin; of units in C none, nor are scopes */
    uint32_t copy_count;
    int error;
};

/* Those of a unit, which stay the object's. -ENOMEM. */
int elf_functions_of(struct elf_object *object, Dwarf_Die *unit, struct elf_functions **functions);
/* Those that elf_functions_of made go. */
void elf_functions_clear(struct elf_object *object);

/* The function around an address of the debug information; not one that was inlined there. */
struct elf_function *elf_functions_around(const struct elf_functions *functions, uint64_t address);
/* The scope of an entry, or ELF_TOP: it lies in none, or that is not known. */
uint32_t elf_functions_scope(const struct elf_functions *functions, const Dwarf_Die *die);

/* Where the code of a function begins, in *start; origin is what one that was inlined refers to.
 * False: it was inlined everywhere. */
bool elf_functions_copy(const struct elf_functions *functions, const void *origin, uint64_t *start);

/* May another entry be looked at? False also after an error. */
bool elf_functions_spend(struct elf_functions *functions);

#endif
