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

/* Finds the supervisor. The environment variable PPROFIL_SUPERVISE may contain its path. If this variable is not set,
 * and beside is true, searches the directory of the running program for a trusted supervisor, for builds that are not
 * installed. If none is found, or if beside is false, finds the installed supervisor. */
void spawn_find_supervisor(bool beside, struct spawn_supervisor *found);

/* Returns a descriptor for the same open file as fd, with a number above 2. A program that has closed its standard
 * descriptors would otherwise get their numbers for new files. If fd has a number up to 2, closes it. A negative fd is
 * an error, and is returned. Returns a negative errno if no number is free. */
int spawn_above_standard(int fd);

/* Opens the file for the supervisor's debug log, if PPROFIL_DEBUG requests one: standard error, or a path. *fd: the
 * descriptor, which the caller closes, and which is not a standard one; -1: no log is requested. Returns 0 or a
 * negative errno. */
int spawn_open_debug_log(int *fd);

/* Runs a program. The program has only those descriptors of the caller that are in the array kept. None of these may be
 * a standard descriptor. The program's standard descriptors are /dev/null. The calling thread waits until the program
 * runs. None of the caller's memory is copied, unless the caller is init. The program becomes a child of init, or of a
 * subreaper above the caller, at once. If the caller itself is init, it gets a child that only wait calls with __WCLONE
 * or __WALL find. Returns 0, or the error of clone or execv as a negative errno. */
int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count);

#endif
