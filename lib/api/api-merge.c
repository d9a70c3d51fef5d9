/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public face of lib/profile/merge. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "api/api.h"
#include "profile/merge.h"

int pprofil_profile_new(pprofil_profile **result)
{
    struct pprofil_profile *profile = calloc(1, sizeof *profile);

    if (profile == NULL)
        return -ENOMEM;
    profile->profile = profile_new();
    if (profile->profile == NULL) {
        free(profile);
        return -ENOMEM;
    }
    *result = profile;
    return 0;
}

int pprofil_profile_merge(pprofil_profile *into, const pprofil_profile *from, unsigned how)
{
    return profile_merge(into->profile, from->profile,
                         (how & PPROFIL_MERGE_CPU) != 0 ? PROFILE_MERGE_CPU : 0);
}
