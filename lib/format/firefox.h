/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * firefox: both directions of the processed profile of the Firefox Profiler, version 47: the last
 * in which each thread has its own tables, and which every later version of the Profiler upgrades
 * (docs-developer/CHANGELOG-formats.md in its source).
 */
#ifndef PPROFIL_FIREFOX_H
#define PPROFIL_FIREFOX_H

#include "profile/profile.h"

#define FIREFOX_VERSION 47
#define FIREFOX_OWN "pprofil"          /* what our files are said to be imported from */
#define FIREFOX_ELAPSED "elapsed time" /* what is measured in them, if it is no CPU time */

/* By index. */
enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_USER,
    FIREFOX_SYSCALL,
    FIREFOX_WAITING, /* this and the next: a category for each state, in the order of enum profile_state */
    FIREFOX_ASLEEP,
    FIREFOX_UNINTERRUPTIBLE,
};

/* As read and write of struct format. */
int firefox_read(const char *path, struct profile *profile);
int firefox_write(int fd, const struct profile *profile);

#endif
