/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/spawn.h"

#define WANTED "supervisor" /* what PPROFIL_DEBUG says, and perhaps ":FILE" */

int spawn_open_debug_log(int *fd)
{
    const char *what = secure_getenv("PPROFIL_DEBUG");
    size_t length = strlen(WANTED);

    *fd = -1;
    if (what == NULL || strncmp(what, WANTED, length) != 0)
        return 0;
    if (what[length] == ':')
        *fd = spawn_above_standard(
            open(what + length + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666));
    else if (what[length] == '\0')
        *fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        return 0;
    return *fd < 0 ? -errno : 0;
}
