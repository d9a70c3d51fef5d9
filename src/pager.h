/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pager: what is long goes through $PAGER on a terminal, as git has it. */
#ifndef PPROFIL_PAGER_H
#define PPROFIL_PAGER_H

#include <stdbool.h>
#include <stdio.h>

struct pager {
    FILE *out; /* where to print */
    bool runs; /* out leads to a pager */
};

/* Standard output, or a pager before it if that is a terminal and one is wanted: $PAGER, or less
 * with LESS=FRX unless that is set. "" and cat are none. */
struct pager pager_open(bool wanted);

/* Waits until its reader has left. 0 or a negative errno: what could not be written, for any other
 * reason than that the reader has seen enough; -ENOENT: there is no such pager. */
int pager_close(struct pager *pager);

#endif
