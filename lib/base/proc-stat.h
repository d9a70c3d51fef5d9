/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* proc-stat: the file /proc/PID/stat, whose second field is a name that may contain blanks and parentheses. */
#ifndef PPROFIL_BASE_PROC_STAT_H
#define PPROFIL_BASE_PROC_STAT_H

#include <stddef.h>
#include <sys/types.h>

#define PROC_STAT_SIZE 1024 /* bytes; enough for any text of the file */

/* Reads the file of a process into `text`. Returns the text that follows the name and its ")": it begins with a blank
 * and the third field of proc_pid_stat(5), the state. Returns NULL if there is no such process. */
const char *proc_stat_read(pid_t pid, char text[PROC_STAT_SIZE]);

#endif
