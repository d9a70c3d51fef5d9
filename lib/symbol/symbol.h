/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * symbol: object and address become function, file and line.
 *
 * Works on a profile: looks up what is asked for and stores it there, so that
 * each distinct address is looked up once and everything that prints or saves
 * reads one place. Never called while sampling depends on it: a look-up may
 * read hundreds of megabytes, or ask a debuginfod server.
 */
#ifndef PPROFIL_SYMBOL_H
#define PPROFIL_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct symbolizer;

/* A symbolizer for one profile, which must outlive it; NULL where there is no memory. Objects
 * are opened at the first look-up that needs them, and kept. */
struct symbolizer *symbolizer_new(struct profile *profile);
void symbolizer_free(struct symbolizer *symbolizer);

/* Looks up what (enum profile_lookup) of one location, unless that was done already. An
 * address without a symbol gets a function too: "object+0x1f30", so that every location has a
 * name. 0 or -ENOMEM: unreadable, hostile or missing files are no error, only nameless. */
int symbolizer_look_up(struct symbolizer *symbolizer, uint32_t location, uint32_t what);

/* Fills in where a function is defined (profile_function.file and .line), by one location
 * inside it. 0 or -ENOMEM. */
int symbolizer_define(struct symbolizer *symbolizer, uint32_t location);

/* Looks up every location. 0 or -ENOMEM. */
int symbolizer_look_up_all(struct symbolizer *symbolizer, uint32_t what);

/* Gives an object a descriptor that came after the object was asked about; the profile closes it at its end. What was
 * looked up in the object is forgotten. */
void symbolizer_take_file(struct symbolizer *symbolizer, uint32_t object, int fd);

/* Code made at run time is named by a list that grows while its process runs. */

/* Has a location been looked up there that the list did not have? */
bool symbolizer_unlisted(const struct symbolizer *symbolizer, uint32_t location);
/* Reads an object's list once more if it is longer now. True: such locations may have a name. */
bool symbolizer_renew(struct symbolizer *symbolizer, uint32_t object);
/* Looks up the name of such a location again. 0 or -ENOMEM. */
int symbolizer_rename(struct symbolizer *symbolizer, uint32_t location);

/* Why an object gave no symbols, in a few words for people ("no symbol table", "file is
 * gone", "not an ELF file", ...), or NULL where it did or was not asked. Borrowed. */
const char *symbolizer_problem(const struct symbolizer *symbolizer, uint32_t object);

/* --- text: where the code of an object lies ---------------------------------------------- */

#define SYMBOL_SEGMENTS_MAX 64u /* a file with more is no program */

struct symbol_segment {
    uint64_t offset, size; /* in the file */
    uint64_t address;      /* as linked */
    bool code;
};

/* What an object's program headers say. Addresses are as linked, those of its symbols. */
struct symbol_text {
    uint64_t low, high;    /* all its code is in [low, high) */
    uint64_t base;         /* its lowest address, rounded down to a page: that of its mapping */
    uint32_t pointer_size; /* 4 or 8 */
    bool big_endian;
    uint32_t build_id_size;
    uint8_t build_id[WIRE_MAX_BUILD_ID];
    struct symbol_segment segments[SYMBOL_SEGMENTS_MAX];
    uint32_t segment_count;
};

/* Tells the text of an object of kind FILE or VDSO, or of a file, whose fd stays open. 0 or -errno. -ENOEXEC: it is no
 * ELF file, or has no code. */
int symbol_text(const struct profile *profile, uint32_t object, struct symbol_text *text);
int symbol_text_of_file(int fd, const char *path, struct symbol_text *text);

/* From an offset in the file to an address, and back. False where nothing is loaded there. */
bool symbol_text_address(const struct symbol_text *text, uint64_t offset, uint64_t *address);
bool symbol_text_offset(const struct symbol_text *text, uint64_t address, uint64_t *offset);
/* The address at which a mapping of so many bytes from an offset on begins, if it has code: a
 * mapping begins with a page, which may be before the code. */
bool symbol_text_mapped(const struct symbol_text *text, uint64_t offset, uint64_t size,
                        uint64_t *address);

#endif
