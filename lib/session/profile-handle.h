/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile-handle: what a pprofil_profile of pprofil.h is. A session makes one, and lib/api reads one from a file. */
#ifndef PPROFIL_PROFILE_HANDLE_H
#define PPROFIL_PROFILE_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "pprofil.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#define PROBLEM_SIZE 512

struct pprofil_profile {
    struct profile *profile;        /* owned */
    struct symbolizer *symbolizer; /* owned; NULL until names are wanted */
    bool counters;                 /* read from a file of them */
    char *selected;                /* owned: what of another profile this is; NULL: all */
    double selected_share;         /* of that one's time */
    uint64_t selected_of;          /* its samples */
    char problem[PROBLEM_SIZE];
};

#endif
