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

#endif
