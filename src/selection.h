/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * selection: the options that name a part of a profile, the same for all subcommands that read
 * one. A subcommand has selection_children, with a struct selection_request as the first one's
 * input, and reads its profiles with selection_open.
 */
#ifndef PPROFIL_SELECTION_H
#define PPROFIL_SELECTION_H

#include <argp.h>

#include "pids.h"

struct selection_request {
    struct pprofil_selection selection; /* .object: --object, also of a file of counters */
    struct pids pids;
};

/* --pid, --comm, --thread, --object, --function, --focus, --ignore. */
extern const struct argp selection_parser;
/* It, as the only one below a subcommand's own parser. */
extern const struct argp_child selection_children[];

/* Reads a profile's file, of this format (NULL: it shows), and takes the part. NULL: it cannot be
 * had, and that has been said. */
pprofil_profile *selection_open(const struct selection_request *request, const char *path,
                                const char *format);

/* Puts the part in the place of the whole, which is closed; nothing where nothing was asked for.
 * False: it cannot be had, and that has been said. */
bool selection_apply(const struct selection_request *request, const char *path,
                     pprofil_profile **profile);

#endif
