/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is profiled, as pprofil and pprofil top are told. */
#include "config.h"

#include <stdlib.h>

#include "target-options.h"

error_t target_option_parse(const struct target_options *target, int key, char *argument,
                            struct argp_state *state)
{
    switch (key) {
    case 'p':
        if (!pids_parse(target->pids, argument))
            exit(complain("-p takes process numbers with commas between them, not '%s'", argument));
        break;
    case TARGET_KEY_NO_FOLLOW:
        target->options->flags |= PPROFIL_NO_FOLLOW;
        break;
    case TARGET_KEY_NO_INHERIT:
        target->options->flags |= PPROFIL_NO_INHERIT;
        break;
    case ARGP_KEY_ARG: /* the program: what follows is its own */
        *target->program = &state->argv[state->next - 1];
        state->next = state->argc;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}
