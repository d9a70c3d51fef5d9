/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of process numbers: see pids.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pids.h"

bool pids_have(const struct pids *pids, pid_t pid)
{
    for (unsigned i = 0; i < pids->count; i++)
        if (pids->pids[i] == pid)
            return true;
    return false;
}

bool pids_add(struct pids *pids, pid_t pid)
{
    if (pids_have(pids, pid))
        return true;
    if (pids->count == PIDS_MAX)
        return false;
    pids->pids[pids->count++] = pid;
    return true;
}

pid_t pid_parse(const char *text, size_t length)
{
    if (length == 0 || strspn(text, "0123456789") < length)
        return 0;
    errno = 0;
    long pid = strtol(text, NULL, 10);
    return errno == 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

bool pids_parse(struct pids *pids, const char *text)
{
    for (;; text++) {
        size_t length = strcspn(text, ",");
        pid_t pid = pid_parse(text, length);
        if (pid == 0 || !pids_add(pids, pid))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}
