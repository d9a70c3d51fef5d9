/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kprof: the files of Inferno's kprof(3) device for a process. cmd-kprof.c has the command and its loop, kprof-files.c
 * the files, kprof-guard.c what happens when a server of kpctl is killed.
 */
#ifndef PPROFIL_KPROF_H
#define PPROFIL_KPROF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"

#define KPROF_CELL 4          /* bytes of a count */
#define KPROF_SPECIAL_CELLS 6 /* at the start of kpdata, which are no counts */
#define KPROF_CONTROL "kpctl"
#define KPROF_DATA "kpdata"

struct kprof {
    pid_t pid;
    const char *object; /* path, or its last part; NULL: the program itself */
    const char *directory;
    bool by_call; /* time in the kernel, by call */
    double hz;

    pprofil_session *session;
    uint64_t low, high; /* text */
    uint32_t *cells;    /* as kpdata has them, in our byte order; the first ones unused */
    size_t cell_count;
    int directory_fd; /* in which the files are made, whatever its path leads to meanwhile */
    char control[PATH_MAX], data[PATH_MAX]; /* for people */
    int control_fd;
    int leased_fd; /* -1: there is no lease */
    bool complained; /* of a disk that is full */
    bool ended;      /* the process, and not we */
    int guard_fd;    /* to the guard of kpctl; -1: there is none */
};

/* Writes kpdata as it is now into a file. 0 or -errno. */
int kprof_data_write(const struct kprof *kprof, int fd);
/* Puts a new kpdata in the place of the one there is, with a lease on it if that can be had. 0 or -errno. */
int kprof_data_replace(struct kprof *kprof);
/* Writes what kpdata has no room for, or removes it. 0 or -errno. */
int kprof_data_write_meta(const struct kprof *kprof);

/* Makes kpctl, which the caller closes. 0, or what the command exits with: it has been said. */
int kprof_control_make(struct kprof *kprof);
/* Obeys all that was written to it. */
void kprof_control_read(struct kprof *kprof);

/* --- the guard -------------------------------------------------------------------------------
 * A FIFO whose reader was killed keeps whoever opens it waiting for ever. The guard is a process that outlives a server
 * of kpctl by a moment, and puts a socket in the place of its FIFO. open(2) refuses a socket with ENXIO, "No such
 * device or address": what a device answers whose driver is gone. */

/* Starts the guard of the FIFO of that name in a directory, of which control is a descriptor. Returns a descriptor that
 * is closed when this process ends, or -errno: there is no guard then. */
int kprof_guard_begin(int directory, int control, const char *name);

/* The server ends. all_well: the guard goes, and leaves everything as it is; else it does its work. */
void kprof_guard_end(int guard, bool all_well);

#endif
