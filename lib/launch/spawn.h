/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spawn: the supervisor is started so that its starter notices nothing: no SIGCHLD, no child
 * that a wait could find, no descriptor. Used by sessions and by lib/compat.
 */
#ifndef PPROFIL_SPAWN_H
#define PPROFIL_SPAWN_H

#include <limits.h>
#include <stdbool.h>

#define SPAWN_SUPERVISOR "pprofil-supervise"

struct spawn_supervisor {
    char path[PATH_MAX];
    char passed_over[PATH_MAX]; /* one that others may have put there; "": none */
};

/* Where the supervisor is: named by PPROFIL_SUPERVISE, beside the running program (for one that
 * is not installed; only if beside is wanted), or where it was installed. */
void spawn_find_supervisor(bool beside, struct spawn_supervisor *found);

/* The same as fd, which it may close, but none of the standard ones, whose places a program
 * may have left free. fd itself where it is an error, or -errno. */
int spawn_above_standard(int fd);

/* Opens what the supervisor is to write its debug log to, if PPROFIL_DEBUG asks for one: standard error, or a file. *fd
 * is the caller's, and none of the standard ones; -1: nobody asked. 0 or -errno. */
int spawn_open_debug_log(int *fd);

/* Runs a program with the descriptors kept (none a standard one) and no others, its standard
 * ones on /dev/null. The calling thread waits until it runs, and nothing of the caller's memory is
 * copied for it. It becomes a child of init at once. Where the caller is init itself it gets
 * a child that only __WCLONE and __WALL find. 0, or what fork or execv said, -errno. */
int spawn_quietly(const char *path, char *const argv[], const int kept[], unsigned count);

#endif
