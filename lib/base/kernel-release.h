/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kernel-release: compares the release of the running kernel with a given release. Used for features of the kernel that
 * cannot be detected in another way. */
#ifndef PPROFIL_BASE_KERNEL_RELEASE_H
#define PPROFIL_BASE_KERNEL_RELEASE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/utsname.h>

/* Returns true if the running kernel is older than the release major.minor, or if its own release is not known. */
static inline bool kernel_release_is_before(unsigned major, unsigned minor)
{
    struct utsname names;
    unsigned found_major, found_minor;

    if (uname(&names) < 0 || sscanf(names.release, "%u.%u", &found_major, &found_minor) < 2)
        return true;
    return found_major < major || (found_major == major && found_minor < minor);
}

#endif
