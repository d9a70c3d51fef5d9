/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* name-pattern: file names that depend on what is profiled. In a pattern,
 *
 *     %p  is a process number
 *     %e  is the name of a program
 *     %h  is the name of the host
 *     %t  is a local time, as in 20261128-154500
 *     %n  is a number, chosen by the caller
 *     %r  is the rank of a process in its job (job-rank.h)
 *     %j  is the name of that job
 *     %%  is a percent sign
 *
 * Names of programs, hosts and jobs are chosen by other people. They add neither a slash nor a character that is
 * harmful on a terminal to a path, and they do not begin with a dot or a minus sign. */
#ifndef PPROFIL_BASE_NAME_PATTERN_H
#define PPROFIL_BASE_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NAME_PATTERN_KNOWN                                                                                           \
    "%p pid, %e program, %h host, %t time, %n run number, %r rank, %j job, %% percent"

struct name_pattern_values {
    pid_t pid;
    const char *program, *host, *job;
    time_t time;
    unsigned number;
    int32_t rank;
    /* write "*" for each of %p, %h, %t, %n and %r, which differ between the processes of a job. The result is a pattern
     * of glob(7), if nothing else in it has a meaning there */
    bool glob;
};

/* Returns the first percent sign in the pattern that begins nothing in the list above, or NULL. */
const char *name_pattern_find_wrong(const char *pattern);

/* Returns true if the pattern contains the percent sign and this letter. */
bool name_pattern_has(const char *pattern, char letter);

/* Returns true if the pattern leads to this path at some time or with some number: %t stands for any time, and %n for
 * any number. */
bool name_pattern_matches(const char *pattern, const struct name_pattern_values *values, const char *path);

/* Writes the path to which the pattern leads to `path`, which has room for `size` bytes. Returns 0, -EINVAL if
 * name_pattern_find_wrong finds something, or -ENAMETOOLONG. */
int name_pattern_expand(const char *pattern, const struct name_pattern_values *values, char *path, size_t size);

#endif
