/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own-maps: the mappings of the calling process, read from /proc/self/maps (proc_pid_maps(5)). Nothing is allocated, so
 * signal handlers may call these functions.
 */
#ifndef PPROFIL_COMPAT_OWN_MAPS_H
#define PPROFIL_COMPAT_OWN_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_PATH_MAX 1024 /* bytes */

/* A file in memory: all its mappings that follow each other, and what is between them. */
struct own_object {
    uint64_t start, end;            /* addresses [start, end) */
    uint64_t text_start, text_end;  /* its executable part; both 0: none */
    bool is_file;                   /* else executable memory without a file */
    char path[OWN_PATH_MAX];        /* as the kernel prints it; "": none, or a longer one */
};

/* Calls visit for each object with text, in the order of addresses, until it returns false. Executable memory without a
 * file is an object with an empty path. Returns 0, or -errno if /proc cannot be read. */
int own_maps_objects(bool (*visit)(void *context, const struct own_object *object), void *context);

/* Can all of [address, address + size) be written? Also true if /proc cannot be read. */
bool own_maps_writable(uint64_t address, uint64_t size);

/*
 * Offsets of 32 bits.
 *
 * The pages of IRIX and Solaris have "unsigned int offset", and an old program passes (unsigned)main. Today's programs
 * and libraries are loaded above 4 GiB. Then the upper half is taken from the one object that has an address with this
 * lower half.
 */
enum offset_found {
    OFFSET_AS_GIVEN,  /* there is text where it is */
    OFFSET_COMPLETED, /* *offset has its upper half now */
    OFFSET_AMBIGUOUS, /* several objects have such an address, and the caller is in none of them */
    OFFSET_NOWHERE,   /* it has 32 bits, and no object has such an address */
    OFFSET_NOWHERE_YET, /* it is a whole address without text, which may be loaded later */
};

/* Completes *offset if its upper half is 0, or only has the sign of the lower half.
 *
 * reach: bytes of text that the histogram covers from the offset on; UINT64_MAX: all. caller: an address in the object
 * that makes the call, which is preferred if several objects have such an address. */
enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller);

#endif
