/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * symbol: object and address become function, file and line.
 *
 * Works on a profile: looks up what is asked for and stores it there, so that each distinct address
 * is looked up once, and everything that prints or saves reads one place. Never called while
 * sampling depends on it: a look-up may read hundreds of megabytes, or ask a debuginfod server.
 *
 * The files of the room:
 *   symbolizer.c, symbol-source.c: locations of a profile, and which file names an object
 *   elf-*.c: an ELF file's segments, symbols and frame descriptions, and its debug file
 *   dwarf-*.c: its compilation units, their source lines, functions and inlined functions
 *   jit-*.c, perf-map.c, jitdump.c: names of code made at run time
 *   function-*.c, disassemble.c, source-listing.c: the code of a function, with its source lines
 *   async-*.c: all of this in a thread of its own, for live views
 *   text-segments.c, symbol-table.c, leak-sanitizer.c, demangle.c: what one ELF file or one name
 *     says, without a profile
 */
#ifndef PPROFIL_SYMBOL_H
#define PPROFIL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct symbolizer;

/* A symbolizer for one profile, which must outlive it; NULL where there is no memory. Objects are
 * opened at the first look-up that needs them, and kept. */
struct symbolizer *symbolizer_new(struct profile *profile);
void symbolizer_free(struct symbolizer *symbolizer);

/* Looks up what (enum profile_lookup) of one location, unless that was done already. An address
 * without a symbol gets a function too, "object+0x1f30", so that every location has a name. 0 or
 * -ENOMEM: unreadable, hostile and missing files are no error, they only give no names. */
int symbolizer_look_up(struct symbolizer *symbolizer, uint32_t location, uint32_t what);

/* Fills in where a function is defined (profile_function.file and .line), by one location inside
 * it. 0 or -ENOMEM. */
int symbolizer_define(struct symbolizer *symbolizer, uint32_t location);

/* Looks up every location. 0 or -ENOMEM. */
int symbolizer_look_up_all(struct symbolizer *symbolizer, uint32_t what);

/* Gives an object a descriptor that came after the object was asked about; the profile closes it at
 * its end. Forgets what was looked up in the object. */
void symbolizer_take_file(struct symbolizer *symbolizer, uint32_t object, int fd);

/* Why an object gave no symbols, in a few words for people ("no symbol table", "file is gone", "not
 * an ELF file", ...), borrowed; NULL where it gave some, or was not asked. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t object);

/* Code made at run time is named by a list that grows while its process runs. */

/* Was a location looked up, and not in the list? */
bool symbolizer_unlisted(const struct symbolizer *symbolizer, uint32_t location);
/* Reads the list of an object again if it has grown. True: unlisted locations may have a name now.
 */
bool symbolizer_renew(struct symbolizer *symbolizer, uint32_t object);
/* Looks up the name of an unlisted location again. 0 or -ENOMEM. */
int symbolizer_rename(struct symbolizer *symbolizer, uint32_t location);

/* --- demangling ----------------------------------------------------------------------------- */

/* The name as its author wrote it: C++, and Rust in both manglings. The caller frees it. NULL where
 * the name is not mangled, or libiberty was left out. */
char *demangle(const char *name);

/* --- text: where the code of an object lies ------------------------------------------------- */

#define SYMBOL_SEGMENTS_MAX 64u /* a file with more is no program */

struct symbol_segment {
    uint64_t offset, size; /* in the file */
    uint64_t address;      /* as linked */
    bool code;
};

/* What an object's program headers say. Addresses are as linked, as those of its symbols are. */
struct symbol_text {
    uint64_t low, high;    /* all its code is in [low, high) */
    uint64_t base;         /* its lowest address, rounded down to a page: that of its mapping */
    uint32_t pointer_size; /* 4 or 8 */
    bool big_endian;
    uint32_t build_id_size;
    uint8_t build_id[PROFILE_BUILD_ID_MAX];
    struct symbol_segment segments[SYMBOL_SEGMENTS_MAX];
    uint32_t segment_count;
};

/* Reads the text of an object of kind FILE or VDSO, or of a file, whose fd stays open. 0 or -errno;
 * -ENOEXEC: it is no ELF file, or has no code. */
int symbol_text(const struct profile *profile, uint32_t object, struct symbol_text *text);
int symbol_text_of_file(int fd, const char *path, struct symbol_text *text);

/* From an offset in the file to an address, and back. False where nothing is loaded there. */
bool symbol_text_address(const struct symbol_text *text, uint64_t offset, uint64_t *address);
bool symbol_text_offset(const struct symbol_text *text, uint64_t address, uint64_t *offset);
/* The address at which a mapping of size bytes of the file begins. A mapping begins with a page,
 * which may begin before the code. False: the mapping has no code. */
bool symbol_text_mapped(const struct symbol_text *text, uint64_t offset, uint64_t size,
                        uint64_t *address);

/* --- symbol table: what an ELF file calls its code ------------------------------------------- */

/* Addresses are as linked, and no debug file is asked. The old systems' reports are made from this:
 * they count all text up to the next symbol for the symbol before it, whatever its size. */

struct symbol {
    uint64_t address, size; /* size 0: the file does not say */
    const char *name;       /* borrowed from the table; without control characters; "" only where
                             * the symbols of another table end (symbol_table_add) */
    uint32_t order;         /* its index in the file */
    uint32_t rest; /* how many bytes of the file's names may be read from name on; 0: the name
                    * is not in a file */
    uint8_t type, binding; /* STT_ and STB_ of elf.h */
};

struct symbol_table {
    struct symbol *symbols; /* owned; by address, those at one address in the file's order */
    size_t count;
    uint64_t end;               /* of the text; 0: not known */
    struct Elf *elf;            /* owned: has the names; NULL: they are the caller's */
    int fd;                     /* owned: elf reads from it; 0: none */
    struct symbol_table *added; /* owned: tables whose names are borrowed too; NULL: none */
};

/* Reads the functions and labels in the code of the file behind fd (not consumed), from .symtab, or
 * from .dynsym where that is missing. 0, also where there are none; -ENOEXEC: it is no ELF file;
 * -ENOMEM. *table need not be initialised, and needs no clearing after an error. */
int symbol_table_read(int fd, struct symbol_table *table);
void symbol_table_clear(struct symbol_table *table);

/* Moves the symbols of another table, which is cleared, to where their text was loaded: adds shift
 * to each address, and leaves out those outside of [start, end). A symbol without a name ends them.
 * The symbols are not in order before symbol_table_sort. 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *table, struct symbol_table *other, uint64_t shift,
                     uint64_t start, uint64_t end);
void symbol_table_sort(struct symbol_table *table);

/* --- LeakSanitizer, which works under no tracer ---------------------------------------------- */

/* The exit status of a process in which LeakSanitizer found that another process traces it, with
 * and without AddressSanitizer, unless the option exitcode says otherwise. Source: asan_flags.cpp
 * and lsan.cpp in compiler-rt, of which gcc's libsanitizer is a copy. */
enum {
    LEAK_CHECK_OF_ASAN = 1,
    LEAK_CHECK_OF_LSAN = 23,
};

/* Returns that status for the ELF file behind fd, which stays open; 0: it was built without
 * LeakSanitizer, or is no ELF file. */
int leak_check_status(int fd);

#endif
