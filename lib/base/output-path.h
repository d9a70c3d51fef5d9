/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-path: finds the file that an output path leads to, and checks whether we may safely write it. All code that
 * writes to a path from a user or another program opens the file with these functions. */
#ifndef PPROFIL_BASE_OUTPUT_PATH_H
#define PPROFIL_BASE_OUTPUT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* A new file is first written beside its place under a hidden name that begins so. Files of killed processes stay. */
#define OUTPUT_PART_PREFIX ".pprofil-"

struct output_path {
    int directory;           /* owned; O_PATH descriptor of the directory of the file */
    char name[NAME_MAX + 1]; /* name of the file in directory */
    bool exists;
    bool strangers;     /* set after -EACCES: true if a stranger (another user) may have made the file to mislead us */
    bool opaque;        /* true: the file is a link in /proc that only the kernel can follow */
    struct stat status; /* status of the file, if it exists; if `opaque` is true, the status of the link */
};

/* Finds the file of a path. If the last component is a link, follows it. The file need not exist. Returns 0 or -errno.
 * If it returns 0, the caller calls output_path_close later. */
int output_path_find(const char *path, struct output_path *found);
void output_path_close(struct output_path *found);

/* Opens for writing the file that output_path_find found. Creates the file if it does not exist, and truncates a
 * regular file. Returns a descriptor, which the caller closes, or -errno; -EAGAIN: by now the name belongs to another
 * file. */
int output_path_open_found(const struct output_path *found);

/* Checks whether a new file could replace the file that output_path_find found. If not, checks whether the file itself
 * can be written. Returns 0 or -errno. Permissions may change before the file is opened. */
int output_path_check(const struct output_path *found);

/* Finds and opens a path for writing. Returns a descriptor, which the caller closes, or -errno. */
int output_path_open(const char *path);

/* Creates an empty file at a path where nothing is yet, not even a link. Returns 0 or -errno; -EEXIST: something is
 * there. */
int output_path_create(const char *path);

/* Opens a directory for output files, with O_PATH. Returns a descriptor, which the caller closes, or -errno. */
int output_path_directory(const char *path);

#endif
