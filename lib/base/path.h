/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* path: functions for the last component of a path. */
#ifndef PPROFIL_PATH_H
#define PPROFIL_PATH_H

#include <stdbool.h>
#include <string.h>

/* Returns the part of `path` behind its last slash; "" if `path` ends with a slash. */
static inline const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Returns true if `name` is the whole path, or its last component. */
static inline bool path_is_called(const char *path, const char *name)
{
    return strcmp(path, name) == 0 || strcmp(path_base_name(path), name) == 0;
}

#endif
