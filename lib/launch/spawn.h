/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spawn: starts the supervisor so that the process which starts it notices nothing: no SIGCHLD, no child that its wait
 * calls could find, no descriptor. Used by sessions and by lib/compat.
 */
#ifndef PPROFIL_SPAWN_H
#define PPROFIL_SPAWN_H

#include <limits.h>
#include <stdbool.h>

#define SPAWN_SUPERVISOR "pprofil-supervise"

struct spawn_supervisor {
    char path[PATH_MAX];
    char passed_over[PATH_MAX]; /* a supervisor that is not trusted, because others may have put it there; "": none */
};

/* Finds the supervisor: the path in PPROFIL_SUPERVISE, else, if beside, the directory of the running program (for
 * builds that are not installed), else the place where it was installed. */
void spawn_find_supervisor(bool beside, struct spawn_supervisor *found);

/* Returns a descriptor for the same file whose number is none of the standard ones: a program may have closed those. It
 * closes fd if it returns another number. A negative fd, which is an error, is returned as it is. Returns a negative
 * errno if there is no number left. */
int spawn_above_standard(int fd);

/* Opens the file for the supervisor's debug log if PPROFIL_DEBUG asks for one: standard error, or a path. *fd is the
 * caller's, and none of the standard ones; -1: no log is wanted. 0 or a negative errno. */
int spawn_open_debug_log(int *fd);

/* Runs a program. It has the descriptors kept, of which none is a standard one, and no others; its standard ones are
 * /dev/null. The calling thread waits until the program runs. None of the caller's memory is copied for it. It
 * becomes a child of init at once. If the caller is init itself, it gets a child that only waits with __WCLONE or
 * __WALL find. Returns 0, or the error of clone or execv as a negative errno. */
int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count);

#endif
