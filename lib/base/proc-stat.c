/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads /proc/PID/stat: see proc-stat.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/proc-stat.h"

const char *proc_stat_read(pid_t pid, char text[PROC_STAT_SIZE])
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    text[fread(text, 1, PROC_STAT_SIZE - 1, file)] = '\0';
    fclose(file);
    const char *end = strrchr(text, ')'); /* the last one ends the name */
    return end != NULL ? end + 1 : NULL;
}
