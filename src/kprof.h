/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kprof: the files of Inferno's kprof(3) device for a process. cmd-kprof.c has the command and its
 * loop, kprof-files.c the files, kprof-guard.c the process that acts when a server of kpctl was
 * killed.
 */
#ifndef PPROFIL_KPROF_H
#define PPROFIL_KPROF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"

#define KPROF_CELL 4          /* bytes of a cell, which is a count */
#define KPROF_SPECIAL_CELLS 6 /* cells at the start of kpdata that are not counts */
#define KPROF_CONTROL "kpctl"
#define KPROF_DATA "kpdata"

struct kprof {
    pid_t pid;
    const char *object; /* path of a mapped file, or its last part; NULL: the program itself */
    const char *directory;
    bool by_call; /* counts are time in the kernel, for each system call */
    double hz;

    pprofil_session *session;
    uint64_t low, high; /* addresses of the text */
    uint32_t *cells;    /* owned: the cells of kpdata in our byte order; the special ones are not used */
    size_t cell_count;
    int directory_fd; /* of the directory of the files, whatever its path leads to by now */
    char control[PATH_MAX], data[PATH_MAX]; /* paths of the files, for messages */
    int control_fd;
    int leased_fd; /* -1: there is no lease */
    bool complained; /* the user knows that the disk is full */
    bool ended;      /* the process has ended, and the server has to */
    int guard_fd;    /* to the guard of kpctl; -1: there is no guard */
};

/* Writes the present contents of kpdata into a file. Returns 0 or -errno. */
int kprof_data_write(const struct kprof *kprof, int fd);
/* Puts a new file in the place of kpdata, with a lease on it if the file system has leases.
 * Returns 0 or -errno. */
int kprof_data_replace(struct kprof *kprof);
/* Writes kpdata.meta, with what kpdata has no room for, or removes it. Returns 0 or -errno. */
int kprof_data_write_meta(const struct kprof *kprof);

/* Makes kpctl, which the caller closes. On failure it complains and returns the exit status,
 * else 0. */
int kprof_control_make(struct kprof *kprof);
/* Obeys all commands that were written to kpctl. */
void kprof_control_read(struct kprof *kprof);

/* --- the guard -------------------------------------------------------------------------------
 * A FIFO whose reader was killed keeps whoever opens it waiting for ever. The guard is a process that outlives a server
 * of kpctl by a moment, and puts a socket in the place of its FIFO. open(2) refuses a socket with ENXIO, "No such
 * device or address": what a device answers whose driver is gone. */

/* Starts the guard of a FIFO, given its directory, a descriptor of it, and its name. Returns a
 * descriptor whose end tells the guard that this process has ended, or -errno if there is no
 * guard. */
int kprof_guard_begin(int directory, int control, const char *name);

/* Tells the guard that the server ends. all_well: the guard leaves everything as it is.
 * Otherwise it puts a socket in the place of the FIFO. */
void kprof_guard_end(int guard, bool all_well);

#endif
