/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own-maps: reads the mappings of the calling process from /proc/self/maps (proc_pid_maps(5)). Nothing is allocated, so
 * signal handlers may call these functions.
 */
#ifndef PPROFIL_COMPAT_OWN_MAPS_H
#define PPROFIL_COMPAT_OWN_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_PATH_MAX 1024 /* size of own_object.path, bytes */

/* A file that is mapped, or executable memory without a file. Consecutive mappings of a file are one object, together
 * with the gaps between them. */
struct own_object {
    uint64_t start, end;            /* the object is at addresses [start, end) */
    uint64_t text_start, text_end; /* its executable part is at addresses [text_start, text_end); both 0: it has none */
    bool is_file;                   /* false: executable memory without a file */
    char path[OWN_PATH_MAX];        /* path as the kernel prints it; "": no path, or a path that is too long */
};

/* Calls `visit` for each object that has text, in the order of addresses, until `visit` returns false. Executable
 * memory without a file is an object with an empty path. Returns 0, or a negative errno if /proc cannot be read. */
int own_maps_objects(bool (*visit)(void *context, const struct own_object *object), void *context);

/* Returns true if all memory at [address, address + size) can be written, or if /proc cannot be read. */
bool own_maps_writable(uint64_t address, uint64_t size);

/*
 * Offsets of 32 bits. The manual pages of IRIX and Solaris have "unsigned int offset", and an old program passes
 * (unsigned)main. Today's programs and libraries are loaded above 4 GiB. If only one object contains an address with
 * the same lower 32 bits as the offset, the upper half is taken from that address.
 */
enum offset_found {
    /* the offset was not changed: the histogram already covers text, or the offset is 0, or the mappings cannot be
     * read */
    OFFSET_AS_GIVEN,
    OFFSET_COMPLETED, /* the upper half of *offset was filled in */
    /* several objects contain an address with the lower 32 bits of the offset, but the object that calls profil
     * contains none */
    OFFSET_AMBIGUOUS,
    OFFSET_NOWHERE,   /* the offset has only 32 bits, and no object contains an address with these lower 32 bits */
    OFFSET_NOWHERE_YET, /* the offset is a complete address, and there is no text now. Text may be loaded there later */
};

/* Completes *offset if its upper 32 bits are all 0, or all 1 as after a sign extension. reach: how many bytes of text
 * the histogram covers, from the offset on; UINT64_MAX: all text. caller: an address in the object that calls profil.
 * If several objects contain an address with the lower 32 bits of *offset, that object is preferred. */
enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller);

#endif
