/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "base/kernel-release.h"

bool kernel_release_is_before(unsigned major, unsigned minor)
{
    struct utsname names;
    unsigned found_major, found_minor;

    if (uname(&names) < 0 || sscanf(names.release, "%u.%u", &found_major, &found_minor) < 2)
        return true;
    return found_major < major || (found_major == major && found_minor < minor);
}
