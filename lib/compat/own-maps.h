/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own-maps: what is mapped where in the calling process, read from /proc/self/maps without
 * allocating: a signal handler may ask. proc_pid_maps(5) has the format.
 */
#ifndef PPROFIL_COMPAT_OWN_MAPS_H
#define PPROFIL_COMPAT_OWN_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWN_PATH_MAX 1024 /* bytes */

/* One file as it lies in memory: mappings that follow each other, with what is between them. */
struct own_object {
    uint64_t start, end;            /* addresses [start, end) */
    uint64_t text_start, text_end;  /* what of it is executable; both 0: nothing */
    bool is_file;                   /* else executable memory without one */
    char path[OWN_PATH_MAX];        /* as the kernel prints it; "": there is none, or it is longer */
};

/* Calls visit for each object with text, in the order of addresses, until it returns false. Memory without a file
 * that is executable is an object with an empty path. 0 or -errno: /proc is not there. */
int own_maps_objects(bool (*visit)(void *context, const struct own_object *object), void *context);

/* Can all of [address, address + size) be written? True too where /proc is not there. */
bool own_maps_writable(uint64_t address, uint64_t size);

/*
 * Where a histogram begins whose offset came in 32 bits.
 *
 * The pages of IRIX and Solaris have "unsigned int offset", and an old program says (unsigned)main. Today's programs
 * and libraries are loaded above 4 GiB. The upper half is then that of the one object that has such an address.
 */
enum offset_found {
    OFFSET_AS_GIVEN,  /* it covers some text */
    OFFSET_COMPLETED, /* *offset has got its upper half */
    OFFSET_AMBIGUOUS, /* several objects have such an address, and none of them holds the caller */
    OFFSET_NOWHERE,   /* it has 32 bits, and no object has such an address */
    OFFSET_NOWHERE_YET, /* it is a whole address, and there is no text, or not yet */
};

/* Completes *offset where its upper half is 0 or a sign.
 *
 * reach: bytes of text that the histogram covers from the offset on; UINT64_MAX: all. caller: an address in the object
 * that makes the call. That object is meant where several could be. May be called in a signal handler. */
enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller);

#endif
