/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jit: names, lines and frame descriptions of code made at run time (JIT). They come from the file that the JIT
 * compiler writes: a jitdump (jit-PID.dump), or a map (/tmp/perf-PID.map), which has only names.
 */
#ifndef PPROFIL_JIT_H
#define PPROFIL_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_code;
struct profile;
struct profile_object;

/* The process that made the code, and when the process was profiled. */
struct jit_owner {
    uint32_t pid;
    /* when profiling the process began and ended, CLOCK_REALTIME, ns; 0: not known */
    uint64_t from, until;
};

/* Returns the process that has made the code of an object of kind PROFILE_OBJECT_ANON. */
struct jit_owner jit_owner_of(const struct profile *profile, const struct profile_object *object);
/* Returns whether a file can be trusted: it belongs to us, to root, or to the user of the owner. *size becomes its size
 * in bytes. */
bool jit_file_is_trusted(int fd, const struct jit_owner *owner, size_t *size);

/* The name and source line of the code at an address. */
struct jit_symbol {
    const char *name, *file; /* borrowed; `file` is NULL if it is not known */
    uint32_t line;
};

/* Reads the file behind `fd`, which stays open. If `fd` is -1, looks for the owner's map (perf-PID.map), in the owner's
 * /tmp and in ours. The map is used only if the owner has written it, because another process may have had the same
 * pid. NULL: there is no file, the file cannot be trusted, or there is no memory. */
struct jit_code *jit_code_open(int fd, const struct jit_owner *owner);
/* Returns whether the file that jit_code_open would read now is longer than the file from which `code` was read. If
 * `code` is NULL, because no file could be read, returns true for any file that can be trusted. */
bool jit_code_grown(const struct jit_code *code, int fd, const struct jit_owner *owner);
void jit_code_close(struct jit_code *code);

/* Finds the name of the code at an address. The name is borrowed. False: there is none. */
bool jit_code_find(const struct jit_code *code, uint64_t address, struct jit_symbol *symbol);

/* --- frame descriptions: jit-frames.c ------------------------------------------------------------ */

#define JIT_FRAMES_SIZE_MAX 65536u /* largest .eh_frame of one piece of code, bytes; larger ones are ignored */

struct jit_frames;

/* Opens a jitdump. `fd` stays open. No record is read yet. NULL: the file is no jitdump, it cannot be trusted, or there
 * is no memory. */
struct jit_frames *jit_frames_open(int fd, const struct jit_owner *owner);
void jit_frames_close(struct jit_frames *frames);
/* Returns the e_machine of the code. */
uint16_t jit_frames_machine(const struct jit_frames *frames);
/* Reads the records that were added to the file since the last call. Returns 1 if there were any, 0 if there were none,
 * or -ENOMEM. */
int jit_frames_read_on(struct jit_frames *frames);
/* Finds the frame descriptions of the code around an address. *start becomes the address of its first instruction.
 * bytes: has room for JIT_FRAMES_SIZE_MAX bytes, and gets a section .eh_frame. The addresses in it are not those of the
 * code. Returns the size of the section, bytes; 0: there is none. */
size_t jit_frames_find(const struct jit_frames *frames, uint64_t address, uint64_t *start, void *bytes);

/* --- names by address: jit-names.c ------------------------------------------------------------ */

struct jit_line {
    uint64_t address;
    const char *file; /* NULL: not known */
    uint32_t line;
};

struct jit_name {
    uint64_t start, end;
    /* number of this name, counted in the order in which names were added */
    size_t order;
    const char *name; /* borrowed from a block of jit_names.kept */
    /* borrowed from a block of jit_names.kept; sorted by address; NULL: no lines */
    const struct jit_line *lines;
    size_t line_count;
};

struct jit_names {
    struct jit_name *added; /* owned */
    size_t count;
    struct jit_piece {
        uint64_t start, end;
        size_t name; /* index into `added` */
    } * pieces;      /* owned; sorted; do not overlap */
    size_t piece_count;
    void **kept; /* owned, and so are the blocks of memory to which its elements point */
    size_t kept_count;
};

/* Adds a name. Its code must have at least one byte. At the addresses of its code, the name hides
 * all names that were added earlier. False: no memory. */
bool jit_names_add(struct jit_names *names, const struct jit_name *name);
/* Takes ownership of a block of memory, which is freed with the names. False: no memory is left, and the block was
 * freed. */
bool jit_names_keep(struct jit_names *names, void *memory);
/* Prepares look-ups, once all names are added. False: no memory. */
bool jit_names_finish(struct jit_names *names);
void jit_names_clear(struct jit_names *names);

/* Returns the name of the code at an address. NULL: there is none. */
const struct jit_name *jit_names_find(const struct jit_names *names, uint64_t address);

/* --- the files: perf-map.c, jitdump.c --------------------------------------------------------- */

/* Opens the map (perf-PID.map) of a process, in the process's /tmp or in ours. Returns a descriptor, or -1. */
int perf_map_open(uint32_t pid);
/* Returns whether a map was written by the owner, and not by another process that had or has the same pid. */
bool perf_map_is_of(int fd, const struct jit_owner *owner);
/* Adds the names in the first `size` bytes of a map. False: no memory. */
bool perf_map_read(int fd, size_t size, struct jit_names *names);

enum jitdump_id { JITDUMP_LOAD, JITDUMP_MOVE, JITDUMP_DEBUG_INFO, JITDUMP_CLOSE, JITDUMP_UNWINDING_INFO };

struct jitdump_header {
    uint32_t magic, version;
    uint32_t size; /* bytes; the first record comes after them */
    uint32_t machine, pad, pid;
    uint64_t time, flags;
};
struct jitdump_record {
    uint32_t id;   /* enum jitdump_id */
    uint32_t size; /* bytes, with this header */
    uint64_t time;
};
/* The content of a record: code was made. After this structure come its name and its machine code. */
struct jitdump_load {
    uint32_t pid, tid;
    uint64_t vma, address, size, index;
};
/* The content of a record: code was moved. */
struct jitdump_move {
    uint32_t pid, tid;
    uint64_t vma, from, to, size, index;
};
/* The content of a record: frame descriptions. After this structure come .eh_frame, and .eh_frame_hdr, which has
 * `header_size` bytes. `size` is the size of both. */
struct jitdump_unwinding_info {
    uint64_t size, header_size, mapped_size;
};

/* Returns whether a file is a jitdump in this machine's byte order. */
bool jitdump_is(int fd);
/* Reads the header of a jitdump. False: it makes no sense. */
bool jitdump_begin(int fd, struct jitdump_header *header);
/* Reads the header of the record at offset `at`. False: no whole record is between `at` and `end`, or it is the last
 * one. */
bool jitdump_next(int fd, uint64_t at, uint64_t end, struct jitdump_record *record);
/* Reads `size` bytes at an offset of the file. False: the file does not have so many. */
bool jitdump_read_at(int fd, uint64_t at, void *bytes, size_t size);
/* Adds the names in the first `size` bytes of a jitdump. Ignores a record that is only partly in
 * these bytes. False: no memory. */
bool jitdump_read(int fd, size_t size, struct jit_names *names);

#endif
