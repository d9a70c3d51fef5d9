/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jit-code: names and lines of code made at run time, from whichever file its maker writes: a
 * jitdump (jit-PID.dump), or /tmp/perf-PID.map.
 */
#ifndef PPROFIL_JIT_CODE_H
#define PPROFIL_JIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_code;

/* The process whose code it is, and when it was profiled. */
struct jit_owner {
    uint32_t pid;
    uint64_t from, until; /* CLOCK_REALTIME ns; 0: not known */
};

/* What is at an address. */
struct jit_symbol {
    const char *name, *file; /* borrowed; file NULL: not known */
    uint32_t line;
};

/* Reads the file behind fd (not consumed). Where fd is -1, reads the map of the owner from the
 * owner's /tmp or from ours, if the owner wrote it: another process may have had this pid. NULL:
 * there is no file, or it cannot be trusted, or there is no memory. */
struct jit_code *jit_code_open(int fd, const struct jit_owner *owner);
/* Is that file longer now than when code was read? code may be NULL: nothing could be read. */
bool jit_code_grown(const struct jit_code *code, int fd, const struct jit_owner *owner);
void jit_code_close(struct jit_code *code);

/* What is at an address; borrowed from the code. False: nothing is known. */
bool jit_code_find(const struct jit_code *code, uint64_t address, struct jit_symbol *symbol);

/* --- names by address: jit-names.c --------------------------------------------------------------
 */

struct jit_line {
    uint64_t address;
    const char *file; /* NULL: not known */
    uint32_t line;
};

struct jit_name {
    uint64_t start, end;
    size_t order;                 /* among all names, as they were added */
    const char *name;             /* in kept memory */
    const struct jit_line *lines; /* in kept memory, by address; NULL: none */
    size_t line_count;
};

struct jit_names {
    struct jit_name *added; /* owned */
    size_t count;
    struct jit_piece {
        uint64_t start, end;
        size_t name; /* index into added */
    } * pieces;      /* owned; sorted, disjoint */
    size_t piece_count;
    void **kept; /* owned, and what it points to */
    size_t kept_count;
};

/* Adds a name of at least one byte of code, which hides what was added before for these addresses.
 * False: no memory. */
bool jit_names_add(struct jit_names *names, const struct jit_name *name);
/* Takes memory over, to be freed with the names. False: no memory, and it was freed. */
bool jit_names_keep(struct jit_names *names, void *memory);
/* To be called once all names are added. False: no memory. */
bool jit_names_finish(struct jit_names *names);
void jit_names_clear(struct jit_names *names);

/* What covers an address; NULL: nothing. */
const struct jit_name *jit_names_find(const struct jit_names *names, uint64_t address);

/* --- the files: perf-map.c, jitdump.c ------------------------------------------------------------
 */

/* Opens the map of a process, from its own /tmp or ours. A descriptor, or -1. */
int perf_map_open(uint32_t pid);
/* Was the map written by this process, and not by another that had or has its pid? */
bool perf_map_is_of(int fd, const struct jit_owner *owner);
/* Adds the names in the first size bytes of a map. False: no memory. */
bool perf_map_read(int fd, size_t size, struct jit_names *names);

/* Is the file a jitdump of this machine's byte order? */
bool jitdump_is(int fd);
/* Adds the names in the first size bytes of a jitdump, as far as they are whole. False: no memory.
 */
bool jitdump_read(int fd, size_t size, struct jit_names *names);

#endif
