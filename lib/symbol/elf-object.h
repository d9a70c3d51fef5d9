/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * elf-object: the symbols, source lines, inlined functions and function boundaries of an ELF file
 * and of its separate debug file.
 *
 * The functions below take and return the addresses that elf_object_address returns. The addresses
 * are the file's own (p_vaddr), unless the file was found by its build-id.
 */
#ifndef PPROFIL_ELF_OBJECT_H
#define PPROFIL_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_object;

struct elf_symbol {
    uint64_t start, size;
    const char *name; /* borrowed from the file */
    /* if several symbols have one address, the one with the highest preference is used */
    uint32_t preference;
    uint32_t function; /* set by the symbolizer: index of the function in the profile, or 0 */
    bool sized;        /* `size` is from the file; otherwise it is a guess */
    /* set by the symbolizer, after it has looked up where the function is defined */
    bool defined;
};

/* Opens the ELF file behind `fd`, which stays open. If `fd` is -1, finds the file that has this build-id. The directory
 * of `path` is one of the places where the file's debug file is looked for. Returns 0 or -errno; -ENOENT: there is no
 * file; -ENOEXEC: it is no ELF file; -EFBIG: its compressed sections are too large. */
int elf_object_open(int fd, const char *path, const uint8_t *build_id, uint32_t build_id_size,
                    struct elf_object **object);
void elf_object_close(struct elf_object *object);

/* Returns whether the file has this build-id. False: the file has another build-id, or none at all. */
bool elf_object_is(const struct elf_object *object, const uint8_t *build_id, uint32_t size);

/* Returns libelf's handle of the file, borrowed. It is for reading the headers of the file, whose
 * addresses are link-time addresses. */
struct Elf *elf_object_elf(const struct elf_object *object);
/* Returns the file's build-id, borrowed. *size is 0 if it has none. */
const uint8_t *elf_object_build_id(const struct elf_object *object, uint32_t *size);

/* Returns when the file was last written, ns since 1970; 0: not known. */
int64_t elf_object_written(const struct elf_object *object);

bool elf_object_has_symbols(struct elf_object *object);
/* Finds the address of a file offset. False: no segment holds it. */
bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address);

/* The part of a segment that is in the file. It ends below 2^64. */
struct elf_segment {
    uint64_t address;     /* address of the first byte */
    uint64_t offset;      /* offset of the first byte in the file */
    uint64_t size;        /* bytes; 0: the file ends before the segment */
    const uint8_t *bytes; /* borrowed */
};
/* Finds the segment that holds a file offset. False: none does. */
bool elf_object_segment(const struct elf_object *object, uint64_t offset, struct elf_segment *segment);
/* Converts an address to the file's link-time address, which is what other tools show. The two addresses differ if
 * libdwfl has moved the file to other addresses, as it may if the file was found by its build-id. */
uint64_t elf_object_linked(const struct elf_object *object, uint64_t address);

/* Returns the symbol of the function around an address, or NULL. */
struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address);
/* Finds where the function around an address begins and ends, in the unwind table or in the index
 * of the unwind table. *end becomes UINT64_MAX if the end is not known and no other function begins
 * after this one. False: no function is known at the address. */
bool elf_object_function(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end);
/* Returns whether the address is in a section .plt or .plt.*. */
bool elf_object_in_plt(const struct elf_object *object, uint64_t address);
/* Narrows the range [*start, *end) around an address that no symbol covers, so that it contains neither code of the
 * symbols before and after the address nor code of another section. */
void elf_object_narrow(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end);

/* A source line. Its strings are borrowed from the file. Equal strings have the same pointer most of the time. */
struct elf_line {
    /* path of the directory, if `file` is a relative path; "": `file` is absolute, or the directory is not known */
    const char *directory;
    const char *file;
    uint32_t number; /* 0: not known */
};

/* Finds the source line of an address, in the innermost function that was inlined there. A call is
 * cheap if its address is in the same compilation unit as the address of the previous call. False:
 * the line is not known. */
bool elf_object_line(struct elf_object *object, uint64_t address, struct elf_line *line);
/* Looks for the compilation unit of the code at an address, and reads the debug information first, if that was not done
 * before. Other functions here do it when they need it. Returns false if there is none. */
bool elf_object_find_unit(struct elf_object *object, uint64_t address);
/* Returns whether debug information was looked for, and there is none for any address. */
bool elf_object_lacks_lines(const struct elf_object *object);
/* Returns whether code was looked up that was compiled with -gsplit-dwarf, and the file with most of its debug
 * information was not found or cannot be read. Then the code's inlined functions are not known. */
bool elf_object_lacks_entries(const struct elf_object *object);
/* Returns whether there is a file FILE.dwp with such information, and the libdw that runs cannot read it, because it is
 * older than 0.191. */
bool elf_object_has_unreadable_dwp(const struct elf_object *object);
/* Returns whether the file itself has debug information that is compressed with zstd, which libelf may not support. */
bool elf_object_has_zstd(const struct elf_object *object);
/* Writes the path of a line's file. The path is absolute if the debug information has the
 * directory. An absolute path is without "." and "..". */
void elf_line_path(const struct elf_line *line, char *path, size_t size);

/* Finds where a function is defined. `address` is its first address. The place comes from the function's entry in the
 * debug information (DW_AT_decl_line), because the code at the address may be that of an inlined function. A clone of a
 * function, such as f.constprop.0, is defined where the function is. If there is no entry, the place is the source line
 * of the address. If that is not known either, defined->file is "". 0 or -ENOMEM. */
int elf_object_definition(struct elf_object *object, uint64_t address, struct elf_line *defined);

/* A range of code that the compiler has put in place of a call, because the called function was inlined. */
struct elf_inlined {
    uint64_t start, end;
    uint64_t die;              /* offset of the range's entry in the debug information */
    uint64_t call;             /* an address with the line of the call; 0: the entry says where the call is */
    struct Dwarf *dwarf;       /* borrowed; the debug information that has this entry */
    uint32_t depth;            /* how many scopes of the function are around this range */
    struct elf_origin *origin; /* borrowed; NULL: elf_object_inlined_origin was not called yet */
};
/* Finds all ranges of inlined functions in the function around an address. Outer ranges come before the ranges inside
 * them. The object owns the list. The list is empty if there is no debug information. 0 or -ENOMEM. */
int elf_object_inlined(struct elf_object *object, uint64_t address, struct elf_inlined **list, uint32_t *count);

/* largest number of inlined functions around one address; functions that are nested deeper are ignored */
#define ELF_INLINED_MAX 63u

/* Finds the ranges of inlined functions around an address, outermost first. The function of each range was inlined into
 * the function of the range before it. The function of the first range was inlined into the function that the code
 * belongs to. The ranges are borrowed from the object. The first call for a function takes longer than later ones. 0 or
 * -ENOMEM. */
int elf_object_inlined_at(struct elf_object *object, uint64_t address,
                          struct elf_inlined *chain[ELF_INLINED_MAX], uint32_t *count);
/* Finds where the inlined function was called. If the place is not known, call->file is "" and call->number is 0. */
void elf_object_inlined_call(struct elf_object *object, const struct elf_inlined *inlined, struct elf_line *call);
/* A function that was inlined, in one place or in several. */
struct elf_origin {
    /* borrowed; the mangled name if it is known, otherwise the name with its scopes ("a::b::f") */
    const char *name;
    /* where it is declared. If that is not known, `file` is "" and `number` is 0 */
    struct elf_line declared;
    uint32_t function; /* set by the symbolizer: index of the function in the profile, or 0 */
};
/* Finds the function that was inlined at a range. If the same function was inlined at several
 * ranges, *origin is the same for all of them. The object owns *origin. 0 or -ENOMEM. */
int elf_object_inlined_origin(struct elf_object *object, struct elf_inlined *inlined, struct elf_origin **origin);

#endif
