/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of elf-object share: one module of libdwfl, its biases, and what was read. */
#ifndef PPROFIL_ELF_OBJECT_INTERNAL_H
#define PPROFIL_ELF_OBJECT_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "symbol/elf-object.h"

/* A range of code, and the compilation unit that it belongs to. */
struct elf_unit {
    uint64_t start, end;
    Dwarf_Off die;
};

/* The unit that was asked last: the next question is mostly about it too. */
struct elf_unit_found {
    uint64_t start, end; /* as in the debug information; no other unit begins inside */
    Dwarf_Die die;
    const char *directory; /* borrowed; of the compilation, "": not known */
};

/* A function's code. */
struct elf_extent {
    uint64_t start, size;
};

struct elf_object {
    Dwfl *dwfl;
    Dwfl_Module *module; /* borrowed from dwfl */
    Elf *elf;            /* borrowed; its addresses are the module's minus bias */
    GElf_Addr bias;
    int64_t written_ns;
    bool read; /* symbols have been */
    struct elf_symbol *symbols;
    size_t symbol_count;
    bool units_read;
    Dwarf *dwarf;           /* borrowed; NULL: no source lines */
    GElf_Addr dwarf_bias;   /* our addresses are its own plus this */
    struct elf_unit *units; /* sorted by start */
    size_t unit_count;
    int64_t ranges_ns; /* what reading lists of ranges took: elf-ranges.c's */
    struct elf_unit_found unit;
    bool extents_read;
    struct elf_extent *extents; /* sorted by start; elf-frames.c's */
    uint32_t extent_count;
    void *functions; /* tree of tsearch: dwarf-functions.c's */
    void *origins;   /* another: dwarf-inlined-names.c's */
};

/* Makes the compilation unit around an address the one that was found last; false: there is
 * none. */
bool elf_object_find_unit(struct elf_object *object, uint64_t address);

/* The ranges of code of an entry, from first to last; none is empty. Of a file with too many of
 * them there is no more. */
struct elf_ranges {
    struct elf_object *object;
    Dwarf_Die *die;
    ptrdiff_t at;
    Dwarf_Addr base; /* libdw's, from one call to the next */
    int64_t since;   /* the clock when reading began */
};
struct elf_ranges elf_ranges_of(struct elf_object *object, Dwarf_Die *die);
bool elf_ranges_next(struct elf_ranges *ranges, Dwarf_Addr *start, Dwarf_Addr *end);

/* A program has a dozen of each: what a file has beyond is not looked at, for each address is. */
#define ELF_SEGMENTS_MAX 1024u
#define ELF_SECTIONS_MAX 4096u

/* All functions of a hostile file may have the same endless name, or ones without a letter. */
#define ELF_NAME_SIZE_MAX 32768u
bool elf_is_name(const char *name);

/* Where an entry, or what it refers to, says that the function is declared. */
void elf_object_declared(Dwarf_Die *die, struct elf_line *declared);
/* The names that elf_object_inlined_origin made go. */
void elf_names_clear(struct elf_object *object);

/* May libdw read this file? What is compressed in it is unpacked into memory whole. 0; -EFBIG: it
 * would become unbearably much; -ENOEXEC: it is no ELF file; or why it cannot be read. */
int elf_check_packed(int fd);

/* libdwfl's question for the separate debug file of a module, or for what several debug files
 * share (find_debuginfo of Dwfl_Callbacks). A descriptor and its *name, the caller's; or -1. */
int elf_find_debug(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
                   const char *file, const char *link, GElf_Word crc, char **name);


/* elf_object_function where there is no index of the unwind table. */
bool elf_frames_function(struct elf_object *object, uint64_t address, uint64_t *start,
                         uint64_t *end);

/* How many entries of a table start at or below an address: each begins with its start, and
 * they are sorted by it. */
size_t elf_object_count_below(const void *table, size_t count, size_t size, uint64_t address);

#endif
