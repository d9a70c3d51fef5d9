/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pids: the argument of -p. */
#ifndef PPROFIL_PIDS_H
#define PPROFIL_PIDS_H

#include "command.h"

#define PIDS_MAX 1024

struct pids {
    pid_t pids[PIDS_MAX];
    unsigned count;
};

/* Adds numbers with commas between them. False: they are none, or too many. */
bool pids_parse(struct pids *pids, const char *text);

#endif
