/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of test-profile share. */
#ifndef PPROFIL_TEST_PROFILE_FIXTURE_H
#define PPROFIL_TEST_PROFILE_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "build-events.h"
#include "profile/profile-internal.h"
#include "wire/wire.h"

#define UNUSED __attribute__((unused)) /* not each file needs all */

static const struct map_spec libx = {.pid = 10,
                                     .kind = WIRE_MAP_FILE,
                                     .start = 0x1000,
                                     .end = 0x5000,
                                     .offset = 0x2000,
                                     .inode = 5,
                                     .name = "/lib/libx.so",
                                     .build_id = 7};

static const struct profile_location *leaf(const struct profile *profile, uint32_t sample)
{
    return &profile->locations[profile->nodes[profile->samples[sample].node].location];
}

static const char *path_of(const struct profile *profile, uint32_t object)
{
    return profile->strings[profile->objects[object].path];
}

#endif
