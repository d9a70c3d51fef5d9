/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* target-options: the options that say what is profiled, which subcommands have in common. */
#ifndef PPROFIL_TARGET_OPTIONS_H
#define PPROFIL_TARGET_OPTIONS_H

#include <argp.h>

#include "options.h"
#include "pids.h"

/* Keys of long options. A subcommand's own begin with the last. */
enum target_key {
    TARGET_KEY_NO_FOLLOW = 256,
    TARGET_KEY_NO_INHERIT,
    TARGET_KEY_END,
};

/* Where it goes. */
struct target_options {
    struct pprofil_options *options;
    struct pids *pids;
    char ***program;
};

/* -p, --no-follow, --no-inherit, and the program, whose arguments end ours. ARGP_ERR_UNKNOWN: the
 * key is another. */
error_t target_option_parse(const struct target_options *target, int key, char *argument,
                            struct argp_state *state);

#endif
