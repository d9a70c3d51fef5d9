/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf-object: one ELF file's symbols, source lines and function boundaries, with its separate
 * debug file where there is one. Addresses are the file's own (p_vaddr).
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
    uint32_t preference; /* among symbols at one address */
    uint32_t function;   /* the symbolizer's: index it was given, or 0 */
    bool sized;          /* by the file; else size is a guess */
    bool defined;        /* the symbolizer's: its source was looked up */
};

/* Opens the file behind fd (not consumed), or what has this build-id where fd is -1. path is
 * for finding debug files beside it. 0; -ENOENT: no file; -ENOEXEC: not an ELF file; or why it
 * cannot be read. */
int elf_object_open(int fd, const char *path, const uint8_t *build_id, uint32_t build_id_size,
                    struct elf_object **object);
void elf_object_close(struct elf_object *object);

/* Is this its build-id? False where it has none. */
bool elf_object_is(const struct elf_object *object, const uint8_t *build_id, uint32_t size);

/* The file itself, for its headers, with addresses as linked; borrowed. */
struct Elf *elf_object_elf(const struct elf_object *object);
/* Its build-id, borrowed; *size is 0 where it has none. */
const uint8_t *elf_object_build_id(const struct elf_object *object, uint32_t *size);

/* When the file was last written, nanoseconds since 1970; 0: not known. */
int64_t elf_object_written(const struct elf_object *object);

bool elf_object_has_symbols(struct elf_object *object);
/* The address of a file offset; false where no segment holds it. */
bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address);

/* A loaded part of the file, as far as it is there. Its end is below 2^64. */
struct elf_segment {
    uint64_t address;     /* of the first byte */
    uint64_t offset;      /* in the file */
    uint64_t size;        /* 0: the file ends before it */
    const uint8_t *bytes; /* borrowed */
};
/* The segment of a file offset; false where none holds it. */
bool elf_object_segment(const struct elf_object *object, uint64_t offset,
                        struct elf_segment *segment);
/* An address as people know it, from the file's own headers: those of a file that was found by
 * its build-id may be moved. */
uint64_t elf_object_linked(const struct elf_object *object, uint64_t address);

/* The function symbol around an address, or NULL. */
struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address);
/* The function around an address, by the unwind table or its index: where it starts, and where it or
 * at most the one before the next ends; UINT64_MAX: there is no telling. False where no function
 * there is known. */
bool elf_object_function(struct elf_object *object, uint64_t address, uint64_t *start,
                         uint64_t *end);
bool elf_object_in_plt(const struct elf_object *object, uint64_t address);
/* Narrows [*start, *end), which holds an address that no symbol covers: to what lies between the
 * symbols beside it, and to its section. */
void elf_object_narrow(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end);

/* A source line; borrowed from the file, the same text mostly by the same pointer. */
struct elf_line {
    const char *directory; /* that file is relative to; "": none, or not known */
    const char *file;
    uint32_t number; /* 0: none */
};

/* The source line of an address; where functions were inlined, of the innermost. Cheap for
 * addresses near the last one. */
bool elf_object_line(struct elf_object *object, uint64_t address, struct elf_line *line);
/* The path of its file, absolute where the compiler said enough, without "." and "..". */
void elf_line_path(const struct elf_line *line, char *path, size_t size);

/* A stretch of code that an inlined function became. */
struct elf_inlined {
    uint64_t start, end;
    uint64_t die;              /* its entry in the debug information */
    uint32_t depth;            /* scopes around it */
    struct elf_origin *origin; /* borrowed; NULL: it was not asked about yet */
};
/* Those of the function around an address, outer ones before those that were inlined into them.
 * The list stays the object's. 0 (and none where there is no debug information) or -ENOMEM. */
int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list,
                       uint32_t *count);

#define ELF_INLINED_MAX 63u /* around one address; what is deeper is left out */

/* Those around an address, outermost first: each was inlined into the one before it, the first
 * into the function that the code is of. Borrowed from the object. Errors as above. Cheap once
 * another place of that function was asked about. */
int elf_object_inlined_at(struct elf_object *object, uint64_t address,
                          struct elf_inlined *chain[ELF_INLINED_MAX], uint32_t *count);
/* Where it was called; file "" and number 0: not known. */
void elf_object_inlined_call(struct elf_object *object, const struct elf_inlined *inlined,
                             struct elf_line *call);
/* The function that was inlined in one or many places. */
struct elf_origin {
    const char *name;         /* as the linker would read it, else with what it is declared in;
                               * borrowed */
    struct elf_line declared; /* file "" and number 0: not known */
    uint32_t function;        /* the symbolizer's: index it was given, or 0 */
};
/* That of a stretch; the same for all stretches of a function. It stays the object's. -ENOMEM. */
int elf_object_inlined_origin(struct elf_object *object, struct elf_inlined *inlined,
                              struct elf_origin **origin);

#endif
