/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The argument of -p: process numbers with commas between them. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "pids.h"

bool pids_parse(struct pids *pids, const char *text)
{
    const char *at = text;

    do {
        char *end;
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (end == at || errno != 0 || pid <= 0 || pid > INT_MAX || pids->count == PIDS_MAX)
            return false;
        if (*end != '\0' && *end != ',')
            return false;
        pids->pids[pids->count++] = (pid_t)pid;
        at = *end == ',' ? end + 1 : end;
    } while (*at != '\0');
    return true;
}
