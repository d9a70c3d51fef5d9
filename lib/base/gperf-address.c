/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes socket addresses for pprofil gperf: see gperf-address.h. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/gperf-address.h"

static socklen_t gperf_address(struct sockaddr_un *address, const char *kind, unsigned long number)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "pprofil-%.64s-%lu", kind, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

socklen_t gperf_program_address(struct sockaddr_un *address, pid_t pid)
{
    return gperf_address(address, "osprofile", (unsigned long)pid);
}

socklen_t gperf_server_address(struct sockaddr_un *address, uid_t user)
{
    const char *name = secure_getenv("PPROFIL_GPERF");

    return gperf_address(address, name != NULL ? name : "gperf", user);
}
