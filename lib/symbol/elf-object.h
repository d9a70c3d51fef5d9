/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf-object: the symbols, source lines, inlined functions and function boundaries of an ELF file,
 * and of its separate debug file where it has one. Addresses are those of elf_object_address, which
 * are the file's own (p_vaddr) unless it was found by its build-id.
 */
#ifndef PPROFIL_ELF_OBJECT_H
#define PPROFIL_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_object;

struct elf_symbol {
    uint64_t start, size;
    const char *name;    /* borrowed from the file */
    uint32_t preference; /* among symbols at one address the highest wins */
    uint32_t function;   /* for the symbolizer: the index that it gave it, or 0 */
    bool sized;          /* the file says its size; otherwise size is a guess */
    bool defined;        /* for the symbolizer: it has looked up where this is defined */
};

/* Opens the file behind fd (not consumed), or where fd is -1 the file that has this build-id. Debug
 * files are looked for beside path. 0 or -errno; -ENOENT: there is no file; -ENOEXEC: it is no ELF
 * file; -EFBIG: its compressed sections are too large. */
int elf_object_open(int fd, const char *path, const uint8_t *build_id, uint32_t build_id_size,
                    struct elf_object **object);
void elf_object_close(struct elf_object *object);

/* Does the file have this build-id? False where it has none. */
bool elf_object_is(const struct elf_object *object, const uint8_t *build_id, uint32_t size);

/* The file itself, for its headers, whose addresses are as linked; borrowed. */
struct Elf *elf_object_elf(const struct elf_object *object);
/* Its build-id, borrowed; *size is 0 where it has none. */
const uint8_t *elf_object_build_id(const struct elf_object *object, uint32_t *size);

/* When the file was last written, ns since 1970; 0: not known. */
int64_t elf_object_written(const struct elf_object *object);

bool elf_object_has_symbols(struct elf_object *object);
/* The address of a file offset. False: no segment holds it. */
bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address);

/* A segment, as far as its bytes are in the file. It ends below 2^64. */
struct elf_segment {
    uint64_t address;     /* of the first byte */
    uint64_t offset;      /* in the file */
    uint64_t size;        /* 0: the file ends before the segment */
    const uint8_t *bytes; /* borrowed */
};
/* The segment that holds a file offset. False: none does. */
bool elf_object_segment(const struct elf_object *object, uint64_t offset,
                        struct elf_segment *segment);
/* Turns an address into the file's own, as linked, which people know: libdwfl may move a file that
 * was found by its build-id. */
uint64_t elf_object_linked(const struct elf_object *object, uint64_t address);

/* The symbol of the function around an address, or NULL. */
struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address);
/* Where the function around an address begins and ends, by the unwind table or its index. *end is
 * UINT64_MAX where it is not known and no function follows. False: no function is known there. */
bool elf_object_function(struct elf_object *object, uint64_t address, uint64_t *start,
                         uint64_t *end);
/* Is the address in a section .plt or .plt.*? */
bool elf_object_in_plt(const struct elf_object *object, uint64_t address);
/* Narrows [*start, *end) around an address that no symbol covers to the code between the symbols
 * before and after it, and to its section. */
void elf_object_narrow(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end);

/* A source line. Texts are borrowed from the file; equal ones have the same pointer most of the
 * time. */
struct elf_line {
    const char *directory; /* that file is relative to; "": file is absolute, or it is not known */
    const char *file;
    uint32_t number; /* 0: none */
};

/* The source line of an address, in the innermost function that was inlined there. Cheap for
 * addresses near the one that was asked about before. False: not known. */
bool elf_object_line(struct elf_object *object, uint64_t address, struct elf_line *line);
/* The path of a line's file, without "." and "..", absolute where the debug information allows. */
void elf_line_path(const struct elf_line *line, char *path, size_t size);

/* A range of code that a call of an inlined function became. */
struct elf_inlined {
    uint64_t start, end;
    uint64_t die;              /* offset of its entry in the debug information */
    uint32_t depth;            /* how many scopes are around it */
    struct elf_origin *origin; /* borrowed; NULL: elf_object_inlined_origin was not called yet */
};
/* All such ranges in the function around an address, outer ones before those that were inlined into
 * them. The list stays the object's, and is empty where there is no debug information. 0 or
 * -ENOMEM. */
int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list,
                       uint32_t *count);

#define ELF_INLINED_MAX 63u /* inlined functions around one address; deeper ones are left out */

/* The ranges around an address, outermost first: each was inlined into the one before it, and the
 * first into the function that the code belongs to. Borrowed from the object. 0 or -ENOMEM. Cheap
 * once another address of that function was asked about. */
int elf_object_inlined_at(struct elf_object *object, uint64_t address,
                          struct elf_inlined *chain[ELF_INLINED_MAX], uint32_t *count);
/* Where the inlined function was called. file is "" and number 0 where that is not known. */
void elf_object_inlined_call(struct elf_object *object, const struct elf_inlined *inlined,
                             struct elf_line *call);
/* A function that was inlined in one or many places. */
struct elf_origin {
    const char *name; /* borrowed; mangled where the linker's name is known, or else with the names
                       * of the scopes that it is declared in */
    struct elf_line declared; /* file "" and number 0: not known */
    uint32_t function;        /* for the symbolizer: the index that it gave it, or 0 */
};
/* The function that a range comes from, which is one for all its ranges. It stays the object's. 0
 * or -ENOMEM. */
int elf_object_inlined_origin(struct elf_object *object, struct elf_inlined *inlined,
                              struct elf_origin **origin);

#endif
