/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files behind elf-object.h share. An elf_object is one module of libdwfl, and what was
 * read of it so far.
 *
 * Its addresses are the module's. Those in the file itself are less by bias, and those in the debug
 * information by dwarf_bias, because libdwfl may move a file, and debug files may be prelinked.
 */
#ifndef PPROFIL_ELF_INTERNAL_H
#define PPROFIL_ELF_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "symbol/elf-object.h"

/* A range of code, and the compilation unit that it belongs to. */
struct elf_unit {
    uint64_t start, end; /* as in the debug information */
    Dwarf_Off die;
};

/* The unit that was asked about last: the next question is about it too most of the time. */
struct elf_unit_found {
    uint64_t start, end; /* as in the debug information; no other unit begins inside */
    Dwarf_Die die;
    const char *directory; /* borrowed; of the compilation, "": not known */
};

/* A function's code, by its frame description. */
struct elf_extent {
    uint64_t start, size;
};

struct elf_object {
    Dwfl *dwfl;
    Dwfl_Module *module; /* borrowed from dwfl */
    Elf *elf;            /* borrowed from dwfl */
    GElf_Addr bias;
    int64_t written_ns; /* when the file was last written, since 1970; 0: not known */
    bool symbols_read;
    struct elf_symbol *symbols; /* owned; sorted by start */
    size_t symbol_count;
    bool units_read;
    Dwarf *dwarf; /* borrowed from dwfl; NULL: no debug information */
    GElf_Addr dwarf_bias;
    struct elf_unit *units; /* owned; sorted by start */
    size_t unit_count;
    struct elf_unit_found unit;
    int64_t ranges_ns; /* the time that reading lists of ranges took: dwarf-lines.c */
    bool extents_read;
    struct elf_extent *extents; /* owned; sorted by start: elf-function-bounds.c */
    uint32_t extent_count;
    void *functions; /* owned; a tree of tsearch(3): dwarf-functions.c */
    void *origins;   /* owned; another: dwarf-inlined-names.c */
};

/* --- the file: elf-open.c, elf-unpacked-size.c, elf-debug-file.c -------------------------------
 */

/* A program has a dozen segments, and some dozens of sections. They are gone through for each
 * address, so those past these limits are left out. */
#define ELF_SEGMENTS_MAX 1024u
#define ELF_SECTIONS_MAX 4096u

/* Whether libdw may read this file: it unpacks what is compressed in it into memory, whole. 0;
 * -EFBIG: that would take too much memory; -ENOEXEC: it is no ELF file; or another -errno: it
 * cannot be read. */
int elf_check_unpacked_size(int fd);

/* Finds the separate debug file of a module, or the file with what several debug files share
 * (find_debuginfo of Dwfl_Callbacks). Returns a descriptor and its *name, both the caller's; or -1.
 */
int elf_find_debug_file(Dwfl_Module *module, void **userdata, const char *module_name,
                        Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
                        char **name);

/* --- symbols: elf-symbols.c ------------------------------------------------------------------ */

/* All functions of a hostile file may have the same endless name. */
#define ELF_NAME_SIZE_MAX 32768u
/* Is this a name: neither NULL nor empty, and shorter than that? */
bool elf_is_name(const char *name);

/* --- compilation units and ranges of code: dwarf-lines.c -------------------------------------- */

/* Makes the compilation unit around an address object->unit. False: there is none. */
bool elf_object_find_unit(struct elf_object *object, uint64_t address);

/* Goes through the ranges of code of an entry of the debug information; none of them is empty. When
 * the ranges of a file have taken too long to read, it has no more. */
struct elf_ranges {
    struct elf_object *object;
    Dwarf_Die *die;
    ptrdiff_t at;
    Dwarf_Addr base; /* libdw's, from one call to the next */
    int64_t since;   /* CLOCK_MONOTONIC ns: when reading began */
};
struct elf_ranges elf_ranges_of(struct elf_object *object, Dwarf_Die *die);
/* The next range, as in the debug information. False: there is no more. */
bool elf_ranges_next(struct elf_ranges *ranges, Dwarf_Addr *start, Dwarf_Addr *end);

/* --- functions of a compilation unit: dwarf-functions.c --------------------------------------- */

#define ELF_SCOPE_DEPTH_MAX 64u /* nested scopes that are looked at */

/* A range of a function's code; a function may have several. */
struct elf_function {
    uint64_t start, end; /* as in the debug information */
    Dwarf_Off die;
    bool inlined_read;           /* the rest was: dwarf-inlined.c */
    struct elf_inlined *inlined; /* owned */
    uint32_t inlined_count;
};

/* An entry that a function may be declared in, or that declares one. */
struct elf_scope {
    Dwarf_Die die;
    uint32_t parent; /* index, less than its own; ELF_NO_SCOPE: the unit itself */
    bool callable;   /* a class with operator(): if it has no name, it is a lambda's */
};
#define ELF_NO_SCOPE UINT32_MAX

/* The code of a function that is also inlined elsewhere ("out-of-line instance" in DWARF 5, 3.3.8).
 */
struct elf_out_of_line {
    const void *origin; /* the entry that all instances refer to */
    uint64_t start;     /* as in the debug information */
};

struct elf_functions {
    const void *unit;
    uint64_t budget;                     /* how many more entries may be looked at */
    struct elf_function *all;            /* owned; sorted by start */
    struct elf_scope *scopes;            /* owned; in the order of the file; none for C */
    struct elf_out_of_line *out_of_line; /* owned; sorted by origin; none for C */
    uint32_t count, scope_count, out_of_line_count;
    int error;
};

/* Reads the functions of a unit, once; they stay the object's. 0 or -ENOMEM. */
int elf_functions_of(struct elf_object *object, Dwarf_Die *unit, struct elf_functions **functions);
/* Frees what elf_functions_of made. */
void elf_functions_clear(struct elf_object *object);

/* The function whose code is around an address of the debug information, not one that was inlined
 * there; or NULL. */
struct elf_function *elf_functions_around(const struct elf_functions *functions, uint64_t address);
/* The scope of an entry; ELF_NO_SCOPE: it lies in none, or that is not known. */
uint32_t elf_functions_scope(const struct elf_functions *functions, const Dwarf_Die *die);
/* Where the code of a function begins that was not inlined, by the entry that all its instances
 * refer to. False: it was inlined everywhere. */
bool elf_functions_out_of_line(const struct elf_functions *functions, const void *origin,
                               uint64_t *start);
/* May another entry be looked at? Takes it from the budget. False also after an error. */
bool elf_functions_spend(struct elf_functions *functions);

/* --- inlined functions: dwarf-inlined.c, dwarf-inlined-names.c -------------------------------- */

/* Where an entry, or the entry that it refers to, says that the function is declared. */
void elf_declaration(Dwarf_Die *die, struct elf_line *declared);
/* Frees the names that elf_object_inlined_origin made. */
void elf_origins_clear(struct elf_object *object);

#endif
