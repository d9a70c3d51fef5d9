/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pids: a list of process numbers, each of which it has once. */
#ifndef PPROFIL_PIDS_H
#define PPROFIL_PIDS_H

#include <stdbool.h>
#include <sys/types.h>

#define PIDS_MAX 1024

struct pids {
    pid_t pids[PIDS_MAX];
    unsigned count;
};

bool pids_have(const struct pids *pids, pid_t pid);
/* Adds a number, unless the list has it already. Returns false if the list is full. */
bool pids_add(struct pids *pids, pid_t pid);

/* Reads the number of a process, which is all of the `length` bytes of the text. Returns 0 if it is none. */
pid_t pid_parse(const char *text, size_t length);
/* Adds the numbers in a text, which are separated by commas. Returns false for any other text, or if there are more
 * than PIDS_MAX numbers. */
bool pids_parse(struct pids *pids, const char *text);

#endif
