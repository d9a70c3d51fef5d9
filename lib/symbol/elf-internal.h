/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations for the files behind elf-object.h only. An elf_object is one module of libdwfl, with
 * the data that were read from it so far.
 *
 * Addresses are those of the module. The corresponding address in the file is lower by bias,
 * because libdwfl may move a file. The corresponding address in the debug information is lower by
 * dwarf_bias, because debug files may be prelinked.
 */
#ifndef PPROFIL_ELF_INTERNAL_H
#define PPROFIL_ELF_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "symbol/elf-object.h"

/* A range of code, and the compilation unit that it belongs to. */
struct elf_unit {
    uint64_t start, end; /* addresses in the debug information */
    Dwarf_Off die;
};

/* The unit of the last look-up. It is kept because the next look-up is mostly in the same unit. */
struct elf_unit_found {
    uint64_t start, end; /* addresses in the debug information; no other unit begins between them */
    Dwarf_Die die;
    const char *directory; /* borrowed; where the unit was compiled; "": not known */
};

/* The range of a function's code, from its frame description. */
struct elf_extent {
    uint64_t start, size;
};

struct elf_object {
    Dwfl *dwfl;
    Dwfl_Module *module; /* borrowed from dwfl */
    Elf *elf;            /* borrowed from dwfl */
    GElf_Addr bias;
    int64_t written_ns; /* when the file was last written, ns since 1970; 0: not known */
    bool symbols_read;
    struct elf_symbol *symbols; /* owned; sorted by start */
    size_t symbol_count;
    bool units_read;
    Dwarf *dwarf; /* borrowed from dwfl; NULL: no debug information */
    GElf_Addr dwarf_bias;
    struct elf_unit *units; /* owned; sorted by start */
    size_t unit_count;
    struct elf_unit_found unit;
    int64_t ranges_ns; /* ns spent on reading lists of ranges: dwarf-lines.c */
    bool extents_read;
    struct elf_extent *extents; /* owned; sorted by start: elf-function-bounds.c */
    uint32_t extent_count;
    /* owned; tsearch(3) tree of elf_functions, one for each unit: dwarf-functions.c */
    void *functions;
    void *origins; /* owned; tsearch(3) tree of inlined functions' names: dwarf-inlined-names.c */
};

/* --- the file: elf-open.c, elf-unpacked-size.c, elf-debug-file.c ------------------------------ */

/* A program has a dozen segments, and some dozens of sections. Look-ups go through all of them, so
 * segments and sections past these limits are left out. */
#define ELF_SEGMENTS_MAX 1024u
#define ELF_SECTIONS_MAX 4096u

/* Checks whether libdw may read a file. libdw unpacks whole compressed sections into memory.
 * Returns 0, -EFBIG (the unpacked sections would take too much memory), -ENOEXEC (it is no ELF
 * file), or another -errno (the file cannot be read). */
int elf_check_unpacked_size(int fd);

/* Finds the separate debug file of a module, or the file that several debug files share. This is
 * the callback find_debuginfo of Dwfl_Callbacks. Returns a descriptor, or -1. *name becomes the
 * path of the file. The caller owns both. */
int elf_find_debug_file(Dwfl_Module *module, void **userdata, const char *module_name,
                        Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
                        char **name);

/* --- symbols: elf-symbols.c ------------------------------------------------------------------ */

/* bytes; all functions of a hostile file may have the same endless name */
#define ELF_NAME_SIZE_MAX 32768u
/* Returns whether a name is neither NULL nor empty, and shorter than ELF_NAME_SIZE_MAX. */
bool elf_is_name(const char *name);

/* --- compilation units and ranges of code: dwarf-lines.c -------------------------------------- */

/* Sets object->unit to the compilation unit around an address. False: there is none. */
bool elf_object_find_unit(struct elf_object *object, uint64_t address);

/* Reads the ranges of code of an entry of the debug information, one after the other. Empty ranges
 * are left out. Reading ends early if reading the ranges of this file has taken too long so far. */
struct elf_ranges {
    struct elf_object *object;
    Dwarf_Die *die;
    ptrdiff_t at;
    Dwarf_Addr base; /* what dwarf_ranges stores from one call to the next */
    int64_t since;   /* CLOCK_MONOTONIC ns: when reading began */
};
struct elf_ranges elf_ranges_of(struct elf_object *object, Dwarf_Die *die);
/* Finds the next range; start and end are addresses in the debug information. False: there is
 * none. */
bool elf_ranges_next(struct elf_ranges *ranges, Dwarf_Addr *start, Dwarf_Addr *end);

/* --- functions of a compilation unit: dwarf-functions.c --------------------------------------- */

#define ELF_SCOPE_DEPTH_MAX 64u /* nesting depth of scopes; deeper ones are left out */

/* A range of a function's code; a function may have several. */
struct elf_function {
    uint64_t start, end; /* addresses in the debug information */
    Dwarf_Off die;
    bool inlined_read;           /* inlined was read: dwarf-inlined.c */
    struct elf_inlined *inlined; /* owned */
    uint32_t inlined_count;
};

/* A namespace, class or function: a scope that may be part of a name. */
struct elf_scope {
    Dwarf_Die die;
    uint32_t parent; /* index of the enclosing scope, lower than its own; ELF_NO_SCOPE: the unit */
    /* a class with an operator(); if the class has no name, it is the class of a lambda */
    bool callable;
};
#define ELF_NO_SCOPE UINT32_MAX

/* The code of a function that is also inlined elsewhere: an "out-of-line instance" (DWARF 5,
 * 3.3.8). */
struct elf_out_of_line {
    const void *origin; /* the entry that all instances refer to */
    uint64_t start;     /* address in the debug information */
};

struct elf_functions {
    const void *unit;
    uint64_t budget;                     /* number of entries that may still be read */
    struct elf_function *all;            /* owned; sorted by start */
    struct elf_scope *scopes;            /* owned; in the order of the file; none for C */
    struct elf_out_of_line *out_of_line; /* owned; sorted by origin; none for C */
    uint32_t count, scope_count, out_of_line_count;
    int error;
};

/* Finds the functions of a unit, which are read at the first call. The object owns them. 0 or
 * -ENOMEM. */
int elf_functions_of(struct elf_object *object, Dwarf_Die *unit, struct elf_functions **functions);
/* Frees the functions of all units. */
void elf_functions_clear(struct elf_object *object);

/* Returns the function around an address of the debug information, not a function that was inlined
 * there. NULL: there is none. */
struct elf_function *elf_functions_around(const struct elf_functions *functions, uint64_t address);
/* Returns the index of the scope around an entry. ELF_NO_SCOPE: there is none, or it is not
 * known. */
uint32_t elf_functions_scope(const struct elf_functions *functions, const Dwarf_Die *die);
/* Finds where the code of a function's out-of-line instance begins. origin is the entry that all
 * instances of the function refer to. False: the function was inlined everywhere. */
bool elf_functions_out_of_line(const struct elf_functions *functions, const void *origin,
                               uint64_t *start);
/* Takes one entry from the budget. False: the budget is spent, or there was an error. */
bool elf_functions_spend(struct elf_functions *functions);

/* --- inlined functions: dwarf-inlined.c, dwarf-inlined-names.c -------------------------------- */

/* Finds where a function is declared, from its entry, or from the entry that its entry refers
 * to. */
void elf_declaration(Dwarf_Die *die, struct elf_line *declared);
/* Frees the names that elf_object_inlined_origin made. */
void elf_origins_clear(struct elf_object *object);

#endif
