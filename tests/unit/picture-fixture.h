/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of test-picture share. */
#ifndef PPROFIL_TEST_PICTURE_FIXTURE_H
#define PPROFIL_TEST_PICTURE_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-events.h"
#include "format/format.h"
#include "picture/picture.h"

#define UNUSED __attribute__((unused)) /* not each file needs all */

UNUSED static void count(struct profile *profile, uint32_t thread, uint32_t node, uint64_t samples)
{
    struct profile_sample sample = {
        .thread = thread, .node = node, .count = samples, .cpu_ns = samples * 1000000};

    cr_assert_eq(profile_count(profile, &sample), 0);
}

#endif
