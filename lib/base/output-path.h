/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output-path: finds the file that an output path leads to, and checks whether we may safely write it. All code that
 * writes to a path that somebody gave finds and opens the file here. */
#ifndef PPROFIL_BASE_OUTPUT_PATH_H
#define PPROFIL_BASE_OUTPUT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct output_path {
    int directory;           /* the directory of the file; owned, O_PATH */
    char name[NAME_MAX + 1]; /* name of the file in directory */
    bool exists;
    bool strangers;     /* after -EACCES: another user may have made the file to mislead us */
    bool opaque;        /* a link in /proc that only the kernel can follow */
    struct stat status; /* of the file, if it exists; of the link, if it is opaque */
};

/* Follows the links at the end of a path. The file itself need not exist. Returns 0 or -errno. After 0 the caller calls
 * output_path_close. */
int output_path_find(const char *path, struct output_path *found);
void output_path_close(struct output_path *found);

/* Opens the file that output_path_find found, for writing. Creates the file if it does not exist, and truncates a
 * regular file. Returns a descriptor, which the caller closes, or -errno; -EAGAIN: another file has taken its place
 * since. */
int output_path_open_found(const struct output_path *found);

/* Checks whether a new file could replace the file that was found. If not, checks whether the file itself can be
 * written. Returns 0 or -errno. Permissions may change before the file is opened. */
int output_path_check(const struct output_path *found);

/* Finds and opens a path for writing. Returns a descriptor, which the caller closes, or -errno. */
int output_path_open(const char *path);

/* Opens a directory that will get output files, with O_PATH. Returns a descriptor, which the caller closes, or
 * -errno. */
int output_path_directory(const char *path);

#endif
