/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations for the files behind elf-object.h only. An elf_object is one module of libdwfl, with
 * the data that were read from it so far.
 *
 * Addresses are those of the module. The corresponding address in the file is lower by `bias`,
 * because libdwfl may move a file. The corresponding address in the debug information is lower by
 * `dwarf_bias`, because debug files may be prelinked.
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
    bool looked;      /* elf_unit_entries has looked for another file with the entries of the unit */
    bool has_entries; /* there is such a file, as far as is known without opening it */
};

/* The unit of the last look-up. It is kept because the next look-up is mostly in the same unit. */
struct elf_unit_found {
    uint64_t start, end; /* addresses in the debug information; no other unit begins between them */
    Dwarf_Die die;
    Dwarf_Die entries; /* the parent of the unit's entries; another one than `die` if they are in another file */
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
    char *path;         /* owned; where the file is, as the kernel says; NULL: not known */
    int64_t written_ns; /* when the file was last written, ns since 1970; 0: not known */
    bool symbols_read;
    struct elf_symbol *symbols; /* owned; sorted by start */
    size_t symbol_count;
    bool units_read;
    Dwarf *dwarf; /* borrowed from dwfl; NULL: no debug information */
    char *dwarf_path; /* owned; the file that has the debug information; NULL: not known */
    GElf_Addr dwarf_bias;
    struct elf_unit *units; /* owned; sorted by start */
    size_t unit_count;
    struct elf_unit_found unit;
    bool lacks_entries; /* see elf_object_lacks_entries */
    int64_t ranges_ns; /* time spent on reading lists of ranges so far, ns (dwarf-lines.c) */
    bool extents_read;
    struct elf_extent *extents; /* owned; sorted by start; read by elf-function-bounds.c */
    uint32_t extent_count;
    /* owned; tsearch(3) tree with one elf_functions for each unit; built by dwarf-functions.c */
    void *functions;
    /* owned; tsearch(3) tree with the names of inlined functions; built by dwarf-inlined-names.c */
    void *origins;
    bool go_looked;
    struct pclntab *go; /* owned; NULL: the file has no Go code */
    /* owned; tsearch(3) trees with functions of Go, and with functions that were inlined; built by go-functions.c */
    void *go_functions, *go_origins;
};

/* --- the file: elf-open.c, elf-debug-file.c --------------------------------------------------- */

/* A real program has a dozen segments, and some dozens of sections. Each look-up goes through all of them. A hostile
 * file could slow it down, so segments and sections past these limits are ignored. */
#define ELF_SEGMENTS_MAX 1024u
#define ELF_SECTIONS_MAX 4096u

/* Finds the separate debug file of a module, or the file that several debug files share. This is
 * the callback find_debuginfo of Dwfl_Callbacks. Returns a descriptor, or -1. *name becomes the
 * path of the file. The caller owns the descriptor and the path. */
int elf_find_debug_file(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **name);

/* --- symbols: elf-symbols.c ------------------------------------------------------------------ */

/* The size of the longest name that is used, in bytes. There is a limit because all functions of a
 * hostile file may have the same endless name. */
#define ELF_NAME_SIZE_MAX 32768u
/* Returns whether a name is neither NULL nor empty, and shorter than ELF_NAME_SIZE_MAX. */
bool elf_is_name(const char *name);

/* --- compilation units and ranges of code: dwarf-lines.c -------------------------------------- */


/* A loop over the ranges of code of one entry of the debug information. Empty ranges are skipped. The loop ends early
 * if reading ranges has already taken too much time for this file. */
struct elf_ranges {
    struct elf_object *object;
    Dwarf_Die *die;
    ptrdiff_t at;
    Dwarf_Addr base; /* state that dwarf_ranges keeps from one call to the next */
    int64_t since;   /* when reading began, CLOCK_MONOTONIC, ns */
};
struct elf_ranges elf_ranges_of(struct elf_object *object, Dwarf_Die *die);
/* Finds the next range. *start and *end become addresses in the debug information. False: there are no more ranges. */
bool elf_ranges_next(struct elf_ranges *ranges, Dwarf_Addr *start, Dwarf_Addr *end);

/* --- units whose entries are in another file: dwarf-split.c ------------------------------------- */

/* Returns the entry of a unit whose children are all entries of the unit. This is `die`, the unit's own entry, or, if
 * the unit was compiled with -gsplit-dwarf, an entry in FILE.dwo. If that file is not found or cannot be read, returns
 * `die`. Then, if `die` has no children, sets object->lacks_entries. */
Dwarf_Die elf_unit_entries(struct elf_object *object, struct elf_unit *unit, const Dwarf_Die *die);

/* --- functions of a compilation unit: dwarf-functions.c --------------------------------------- */

/* how deep scopes may be nested; scopes that are nested deeper are ignored */
#define ELF_SCOPE_DEPTH_MAX 64u

/* One range of a function's code. The code of a function may have several ranges. */
struct elf_function {
    uint64_t start, end; /* addresses in the debug information */
    Dwarf_Off die;
    bool inlined_read;           /* dwarf-inlined.c has set the field `inlined` */
    struct elf_inlined *inlined; /* owned */
    uint32_t inlined_count;
};

/* A namespace, class or function: a scope that may be part of a name. */
struct elf_scope {
    Dwarf_Die die;
    /* index of the enclosing scope; lower than the index of this scope. ELF_NO_SCOPE: the unit
     * itself encloses this scope */
    uint32_t parent;
    /* the scope is a class with an operator(). If such a class has no name, it is the class of a lambda */
    bool callable;
};
#define ELF_NO_SCOPE UINT32_MAX

/* The code of a function that is inlined in some places, but also exists as a function of its own.
 * DWARF calls this code an "out-of-line instance" (DWARF 5, 3.3.8). */
struct elf_out_of_line {
    /* the entry of the debug information that all instances of the function refer to */
    const void *origin;
    uint64_t start; /* address in the debug information */
};

struct elf_functions {
    const void *unit;
    /* how many more entries and ranges of the debug information may be read */
    uint64_t budget;
    struct elf_function *all;            /* owned; sorted by start */
    struct elf_scope *scopes;            /* owned; in the order of the file; empty for C */
    struct elf_out_of_line *out_of_line; /* owned; sorted by origin; empty for C */
    uint32_t count, scope_count, out_of_line_count;
    int error;
};

/* Finds the functions of a unit. They are read from the file when this is first called for the
 * unit. The object owns them. 0 or -ENOMEM. */
int elf_functions_of(struct elf_object *object, Dwarf_Die *unit, struct elf_functions **functions);
/* Frees the functions of all units. */
void elf_functions_clear(struct elf_object *object);

/* Returns the function whose code contains this address, as the debug information states addresses. If another function
 * was inlined at the address, returns the outer function, not the inlined one. NULL: there is none. */
struct elf_function *elf_functions_around(const struct elf_functions *functions, uint64_t address);
/* Returns the index of the scope around an entry of the debug information. ELF_NO_SCOPE: there is
 * no scope around it, or the scope is not known. */
uint32_t elf_functions_scope(const struct elf_functions *functions, const Dwarf_Die *die);
/* Finds where the code of a function's out-of-line instance begins. `origin` is the entry of the debug information that
 * all instances of the function refer to. False: the function was inlined everywhere, so it has no such instance. */
bool elf_functions_out_of_line(const struct elf_functions *functions, const void *origin, uint64_t *start);
/* Call this before one more entry or range is read. False: it must not be read, because the limit
 * is reached or there was an error. */
bool elf_functions_spend(struct elf_functions *functions);

/* --- inlined functions: dwarf-inlined.c, dwarf-inlined-names.c -------------------------------- */

/* Finds where a function is declared: from the function's entry in the debug information, or from
 * another entry to which that entry refers. */
void elf_declaration(Dwarf_Die *die, struct elf_line *declared);
/* Frees the names that elf_object_inlined_origin made. */
void elf_origins_clear(struct elf_object *object);

/* --- Go code without debug information: go-functions.c ----------------------------------------- */

/* Returns how many functions the table of Go code has. 0: the file has no such table. */
uint32_t elf_go_count(struct elf_object *object);
/* Makes the symbol of a function. index: less than elf_go_count. False: this part of the table makes no sense. */
bool elf_go_symbol(struct elf_object *object, uint32_t index, struct elf_symbol *symbol);
/* Like elf_object_line, elf_object_definition and elf_object_inlined, for addresses that no unit covers. */
bool elf_go_line(struct elf_object *object, uint64_t address, struct elf_line *line);
bool elf_go_definition(struct elf_object *object, uint64_t start, struct elf_line *line);
int elf_go_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list, uint32_t *count);
/* Closes the table, and frees what the functions above have kept. */
void elf_go_close(struct elf_object *object);

#endif
