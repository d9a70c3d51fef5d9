/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spawn: starts the supervisor so that the calling process notices nothing: no SIGCHLD, no child that its wait calls
 * could find, no open descriptor. Sessions and lib/compat use it.
 */
#ifndef PPROFIL_SPAWN_H
#define PPROFIL_SPAWN_H

#include <limits.h>
#include <stdbool.h>

#define SPAWN_SUPERVISOR "pprofil-supervise"

struct spawn_supervisor {
    char path[PATH_MAX];
    /* path of a supervisor that is not trusted, because another user may have put it there; "": none */
    char passed_over[PATH_MAX];
};

/* Finds the supervisor. If the environment variable PPROFIL_SUPERVISE is set, it contains the path. Otherwise, if
 * `beside` is true, searches the directory of the running program for a trusted supervisor, because the program may be
 * from a build that is not installed. If none is found there, or if `beside` is false, finds the installed
 * supervisor. */
void spawn_find_supervisor(bool beside, struct spawn_supervisor *found);

/* Returns a descriptor above 2 for the same open file as fd. This is for programs that have closed their standard
 * descriptors: there a new file gets one of the numbers 0 to 2. If fd is 2 or lower, closes fd. If fd is negative, it
 * is an error, and is returned. Returns a negative errno if no number is free. */
int spawn_above_standard(int fd);

/* Opens the file for the supervisor's debug log, if PPROFIL_DEBUG requests one. The file is standard error, or has the
 * path that PPROFIL_DEBUG contains. Stores in *fd a descriptor above 2, which the caller closes; -1: no log is
 * requested. Returns 0 or a negative errno. */
int spawn_open_debug_log(int *fd);

/* Runs a program. Of the descriptors of the caller, the program gets only those in the array `kept`, which has `count`
 * elements, and contains no standard descriptor. The standard descriptors of the program are /dev/null. The calling
 * thread waits until the program runs. None of the caller's memory is copied, unless the caller is init. The program is
 * never a child of the caller. It is a child of init, or of a subreaper above the caller. If the caller itself is init,
 * it gets a child that only wait calls with __WCLONE or __WALL find. Returns 0, or the error of clone or execv as a
 * negative errno. */
int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count);

#endif
