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

/* A mapped file, or executable memory without a file: consecutive mappings, and the gaps between them. */
struct own_object {
    uint64_t start, end;            /* addresses [start, end) */
    uint64_t text_start, text_end;  /* addresses [text_start, text_end) of the executable part; both 0: none */
    bool is_file;                   /* false: executable memory without a file */
    char path[OWN_PATH_MAX];        /* path as the kernel prints it; "": no path, or a path that is too long */
};

/* Calls visit for each object with text, in the order of addresses, until visit returns false. Executable memory
 * without a file is an object with an empty path. Returns 0 or a negative errno: /proc cannot be read. */
int own_maps_objects(bool (*visit)(void *context, const struct own_object *object), void *context);

/* Returns true if all of [address, address + size) can be written, or if /proc cannot be read. */
bool own_maps_writable(uint64_t address, uint64_t size);

/*
 * Offsets of 32 bits. The manual pages of IRIX and Solaris have "unsigned int offset", and an old program passes
 * (unsigned)main. Today's programs and libraries are loaded above 4 GiB. If only one object has an address with these
 * lower 32 bits, the upper half is taken from that address.
 */
enum offset_found {
    /* the offset is kept: there is text at it, or it is 0, or the mappings cannot be read */
    OFFSET_AS_GIVEN,
    OFFSET_COMPLETED, /* the upper half of *offset was added */
    OFFSET_AMBIGUOUS, /* several objects have an address with these lower 32 bits, and the caller is in none of them */
    OFFSET_NOWHERE,   /* the offset has 32 bits, and no object has an address with these lower 32 bits */
    OFFSET_NOWHERE_YET, /* the offset is a complete address without text; text may be loaded there later */
};

/* Completes *offset if its upper half is 0, or is only the sign extension of the lower half. reach: bytes of text that
 * the histogram covers from the offset on; UINT64_MAX: all text. caller: an address in the object that makes the call.
 * If several objects have an address with the same lower 32 bits, the object of the caller is preferred. */
enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller);

#endif
