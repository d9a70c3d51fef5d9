/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * symbol: finds the function, source file and line of an address in an object.
 *
 * A symbolizer works on a profile, and stores what it finds in the profile. So each address is looked up only once, and
 * code that prints or saves a profile makes no look-ups. A look-up may read hundreds of megabytes or ask a debuginfod
 * server. So sampling never waits for a look-up.
 *
 * The files in lib/symbol:
 *   symbolizer.c, symbol-source.c: look up locations of a profile; find the file with their names
 *   elf-*.c: read an ELF file's segments, symbols and frame descriptions; find its debug file
 *   dwarf-*.c: read its compilation units, source lines, functions and inlined functions
 *   function-*.c, disassemble.c, source-listing.c: show a function's code with its source lines
 *   async-*.c: make all these look-ups in a thread of its own, for live views
 *   text-segments.c, elf-sections.c, variable.c, style-symbols.c, leak-sanitizer.c, demangle.c: work on one ELF file or
 *     one name
 */
#ifndef PPROFIL_SYMBOL_H
#define PPROFIL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct symbolizer;

/* Creates a symbolizer for a profile. The profile must outlive the symbolizer. NULL: no memory. The
 * file of an object is opened at the first look-up that needs the file, and stays open. */
struct symbolizer *symbolizer_new(struct profile *profile);
void symbolizer_free(struct symbolizer *symbolizer);

/* Looks up the name or the lines of a location, unless they were looked up before. `what` is
 * PROFILE_LOOKED_NAME or PROFILE_LOOKED_LINE. A function without a symbol gets a made-up name, such
 * as "object+0x1f30", so that every location has a name. Returns 0 or -ENOMEM. If a file is
 * unreadable, hostile or missing, this is no error: its code gets made-up names. */
int symbolizer_look_up(struct symbolizer *symbolizer, uint32_t location, uint32_t what);

/* Finds the variable at an address of a process, in which the byte at `offset` of the file `fd` is mapped at `start`.
 * Writes its name, as in "locks+0x28", cut after size - 1 bytes. Returns false if the file has no such symbol. */
bool symbol_find_variable(int fd, uint64_t start, uint64_t offset, uint64_t address, char *name, size_t size);

/* Returns whether the name of a function is only a place in its object, as code without a symbol gets it:
 * "libc.so.6+0x96120" or "[libc.so.6]". `path` is the path of the object. If a profile is read from a file, such a
 * location does not count as looked up, because its name may be known by now. */
bool symbol_is_place(const char *name, const char *path);

/* Finds where the function around a location is defined, and stores the place in the function
 * (profile_function.file and .line). 0 or -ENOMEM. */
int symbolizer_define(struct symbolizer *symbolizer, uint32_t location);

/* Looks up every location. 0 or -ENOMEM. */
int symbolizer_look_up_all(struct symbolizer *symbolizer, uint32_t what);

/* Gives an object the descriptor of its file. The descriptor came after look-ups in the object were made, so the
 * results of these look-ups are discarded. The profile owns the descriptor from then on. */
void symbolizer_take_file(struct symbolizer *symbolizer, uint32_t object, int fd);

/* Returns why an object gave no symbols, in a few words for people: "no symbol table", "file is gone", "not an ELF
 * file". The text is borrowed. NULL: the object gave symbols, or no look-up in it was made. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t object);

/* Returns whether an object gave no symbols, or no source lines at all. False: it gave both, or was not asked. */
bool symbolizer_lacks(const struct symbolizer *symbolizer, uint32_t object);
/* Returns what an object lacks and what would bring it, in a few words for people: "no source lines; compile with -g".
 * The text is borrowed. NULL: it lacks nothing. The first call for an object may read 10 MB of files. */
const char *symbolizer_missing(struct symbolizer *symbolizer, uint32_t object);

/* The names of code made at run time (JIT) come from a list: a file that grows while the process runs. */

/* Returns whether a name for the location was looked for in the list of its object, but was not found. */
bool symbolizer_unlisted(const struct symbolizer *symbolizer, uint32_t location);
/* Reads an object's list again if it has grown. True: locations that had no name may have one now. */
bool symbolizer_renew(struct symbolizer *symbolizer, uint32_t object);
/* Looks up the name of a location again, after symbolizer_renew has read the list. 0 or -ENOMEM. */
int symbolizer_rename(struct symbolizer *symbolizer, uint32_t location);

/* --- demangling ----------------------------------------------------------------------------- */

/* Returns a mangled C++, Rust or Fortran name as its author wrote it, for the caller to free. Supports both mangling
 * schemes of Rust. NULL: the name is not mangled, cannot be demangled or gets too long, or this build has no libiberty,
 * which demangles C++ and Rust. */
char *demangle(const char *name);

/* --- text: where the code of an object lies ------------------------------------------------- */

#define SYMBOL_SEGMENTS_MAX 64u /* largest number of segments of an object; others are ignored */

struct symbol_segment {
    uint64_t offset, size; /* offset in the file, and size, bytes */
    uint64_t address;      /* link-time address */
    bool code;
};

/* The segments of an object, from its program headers. All addresses in the structure, and the
 * addresses of the object's symbols, are link-time addresses. */
struct symbol_text {
    uint64_t low, high; /* all code is in [low, high) */
    uint64_t base;      /* lowest address, rounded down to a page: where the first mapping begins */
    uint32_t pointer_size; /* 4 or 8 */
    bool big_endian;
    uint32_t build_id_size;
    uint8_t build_id[PROFILE_BUILD_ID_MAX];
    struct symbol_segment segments[SYMBOL_SEGMENTS_MAX];
    uint32_t segment_count;
};

/* Reads the segments of an object of kind FILE or VDSO, or of the file behind fd, which stays open.
 * Returns 0 or -errno; -ENOEXEC: it is no ELF file, or has no code. */
int symbol_text(const struct profile *profile, uint32_t object, struct symbol_text *text);
int symbol_text_of_file(int fd, const char *path, struct symbol_text *text);

/* Converts an offset in the file to a link-time address, and an address to an offset. False: no
 * segment holds the offset or address. */
bool symbol_text_address(const struct symbol_text *text, uint64_t offset, uint64_t *address);
bool symbol_text_offset(const struct symbol_text *text, uint64_t address, uint64_t *offset);
/* Finds the link-time address at which a mapping of the file begins. The mapping has `size` bytes
 * of the file, and begins at `offset` in the file. It begins at a page, so it may begin before the
 * code. False: there is no code in the mapping. */
bool symbol_text_mapped(const struct symbol_text *text, uint64_t offset, uint64_t size, uint64_t *address);

/* --- sections: what an ELF file itself has -------------------------------------------------- */

struct symbol_sections {
    unsigned bits; /* 32 or 64 */
    bool symbols;  /* a symbol table, plain or compressed (.gnu_debugdata); that for dynamic linking does not count */
    bool lines;    /* a line table */
};

/* Looks at the sections of the file behind fd, which stays open. 0; -ENOEXEC: it is no ELF file. */
int symbol_sections_read(int fd, struct symbol_sections *found);
/* Returns whether libelf can unpack sections that are compressed with zstd. */
bool symbol_can_unpack_zstd(void);

/* --- symbol table: the names in an ELF file for its code -------------------------------------- */

/* A table for reports in the styles of old profilers (report/style.h). They ignore the sizes of symbols: the code of a
 * symbol reaches up to the next symbol. Addresses are link-time addresses. No debug file is read. */

struct symbol {
    uint64_t address, size; /* size 0: the size is not in the file */
    /* borrowed from the table; has no control characters. "" means that this is not a symbol, but
     * the mark that symbol_table_add puts at the end of an added table */
    const char *name;
    uint32_t order;        /* index in the file's symbol table */
    uint32_t rest;         /* how many bytes may be read at `name`; 0: the name is not in a file */
    uint8_t type, binding; /* STT_ and STB_ of elf.h */
};

struct symbol_table {
    /* owned; sorted by `address`; symbols with the same address are sorted by `order` */
    struct symbol *symbols;
    size_t count;
    uint64_t end; /* address of the end of the code; 0: not known */
    /* owned; the ELF file, whose memory holds the names. NULL: the names are in memory of the caller */
    struct Elf *elf;
    int fd; /* owned; the descriptor from which `elf` reads; 0: none */
    /* owned; the tables whose symbols symbol_table_add has added. They are kept because they hold the names of these
     * symbols */
    struct symbol_table *added;
};

/* Reads the functions and labels in the code of the file behind fd, which stays open. The symbols come from .symtab,
 * or, if .symtab has none, from .dynsym. Returns 0 (even if there are no symbols), -ENOEXEC (it is no ELF file),
 * -ENOMEM, or the -errno of duplicating fd. *table need not be initialised, and needs no clearing after an error. */
int symbol_table_read(int fd, struct symbol_table *table);
void symbol_table_clear(struct symbol_table *table);

/* Adds the symbols of *other to *table, and clears *other. Adds `shift` to the address of each
 * symbol, so that it becomes an address in memory. Leaves out symbols whose new address is not in
 * [start, end). Also adds a symbol with the address `end` and the name "". After all calls, the
 * caller sorts the table with symbol_table_sort. 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, struct symbol_table *other, uint64_t shift,
                     uint64_t start, uint64_t end);
void symbol_table_sort(struct symbol_table *table);

/* --- LeakSanitizer, which fails under a tracer ------------------------------------------------ */

/* Exit statuses of a process whose leak check failed because a tracer was attached: with AddressSanitizer, and with
 * LeakSanitizer alone. The user can change them with the sanitizer's option `exitcode`. Source: asan_flags.cpp and
 * lsan.cpp in compiler-rt, of which gcc's libsanitizer is a copy. */
enum {
    LEAK_CHECK_OF_ASAN = 1,
    LEAK_CHECK_OF_LSAN = 23,
};

/* Returns LEAK_CHECK_OF_ASAN or LEAK_CHECK_OF_LSAN for the program in the ELF file behind fd, which
 * stays open. 0: the file was built without LeakSanitizer, or is no ELF file. */
int leak_check_status(int fd);

#endif
