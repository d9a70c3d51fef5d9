/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kprof: serves the files of Inferno's kprof(3) device for a process. kpctl is a FIFO for commands, and kpdata has the
 * counts. cmd-kprof.c has the command and its loop, and kprof-files.c has the files. kprof-guard.c has the guard, a
 * process that replaces kpctl by a socket if the server was killed, or if the sampled process has ended.
 */
#ifndef PPROFIL_KPROF_H
#define PPROFIL_KPROF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"

#define KPROF_CELL 4          /* size of a cell of kpdata in bytes */
#define KPROF_SPECIAL_CELLS 6 /* number of cells at the start of kpdata that have other data than counts */
#define KPROF_CONTROL "kpctl"
#define KPROF_DATA "kpdata"

struct kprof {
    pid_t pid;
    const char *object; /* path of a mapped file, or the last component of this path; NULL: the file of the program */
    const char *directory;
    bool by_call; /* true: each cell counts the kernel time of one system call */
    double hz;

    pprofil_session *session;
    uint64_t low, high; /* first address that the cells cover, and the address after the last one */
    /* owned: the cells of kpdata in this machine's byte order. The first KPROF_SPECIAL_CELLS of
     * them are not written to kpdata, because kpdata has other data there. */
    uint32_t *cells;
    size_t cell_count;
    int directory_fd; /* owned; directory of the files; stays valid if the directory is renamed */
    char control[PATH_MAX], data[PATH_MAX]; /* paths of the files, for messages */
    int control_fd;
    int leased_fd; /* descriptor of kpdata while there is a lease on it; -1: there is no lease */
    bool complained; /* the last write of kpdata failed, and that was reported */
    bool ended;      /* the process that is sampled has ended, so the server must end, too */
    int guard_fd;    /* pipe to the guard, a process that kprof_guard_begin starts; -1: there is no guard */
};

/* Writes the present counts in the form of kpdata to a file. Returns 0 or -errno. */
int kprof_data_write(const struct kprof *kprof, int fd);
/* Replaces kpdata by a new file, with a lease on it if the file system has leases. Returns 0 or
 * -errno. */
int kprof_data_replace(struct kprof *kprof);
/* Writes kpdata.meta if the cells count system calls, because kpdata itself cannot show that.
 * Otherwise removes kpdata.meta. Returns 0 or -errno. */
int kprof_data_write_meta(const struct kprof *kprof);

/* Makes kpctl and opens it as control_fd, which the caller closes. Returns 0. On failure it
 * complains and returns the exit status. */
int kprof_control_make(struct kprof *kprof);
/* Obeys all commands that were written to kpctl. */
void kprof_control_read(struct kprof *kprof);

/* --- the guard -------------------------------------------------------------------------------
 * If a FIFO's reader was killed, a process that opens the FIFO for writing waits without end.
 * The guard is a process that outlives the server of kpctl by a moment, and puts a socket in the
 * place of the FIFO. open(2) of a socket fails with ENXIO, "No such device or address". A device
 * whose driver is gone gives the same error. */

/* Starts the guard of a FIFO. `directory` and `control` are descriptors of the FIFO's directory and
 * of the FIFO. Returns a descriptor, or -errno if there is no guard. The guard acts when the
 * returned descriptor is closed, even if it is closed because this process has died. */
int kprof_guard_begin(int directory, int control, const char *name);

/* Tells the guard that the server ends. If `all_well` is true, the guard leaves the FIFO as it is.
 * Otherwise it puts a socket in the place of the FIFO. */
void kprof_guard_end(int guard, bool all_well);

#endif
