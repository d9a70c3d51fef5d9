/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-path: which file a path given for output leads to, and whether we let ourselves write
 * there. Whatever writes a file by a name that somebody gave finds and opens it through here. */
#ifndef PPROFIL_BASE_OUTPUT_PATH_H
#define PPROFIL_BASE_OUTPUT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct output_path {
    int directory;           /* that holds the file; owned, for *at() calls only */
    char name[NAME_MAX + 1]; /* in there */
    bool exists;
    bool strangers;     /* another user may have laid it there for us: found with -EACCES */
    bool opaque;        /* a link of /proc's, which only the kernel can follow */
    struct stat status; /* of the file that exists; of the link where it is opaque */
};

/* Follows the links at the end of a path. 0, and the caller closes it, or -errno. */
int output_path_find(const char *path, struct output_path *found);
void output_path_close(struct output_path *found);

/* Opens what was found for writing, made if it is not there, and empty if it is a regular file.
 * The descriptor, which is the caller's, or -errno; -EAGAIN: there is another file by now. */
int output_path_open_found(const struct output_path *found);

/* Whether it seems that a new file could take the place of what was found, or that be written to:
 * 0 or -errno. */
int output_path_check(const struct output_path *found);

/* Finds and opens. The descriptor, which is the caller's, or -errno. */
int output_path_open(const char *path);

/* Opens a directory for files of ours, for *at() calls only. The descriptor or -errno. */
int output_path_directory(const char *path);

#endif
