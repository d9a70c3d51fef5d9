/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* describe-profile: profiles as texts, for tests that compare profiles. */
#ifndef PPROFIL_TESTS_DESCRIBE_PROFILE_H
#define PPROFIL_TESTS_DESCRIBE_PROFILE_H

#include "profile/profile.h"

/* Returns all that merging sums up or keeps apart, in an order that does not depend on the order in the profile. The
 * caller frees it. */
char *describe_profile(const struct profile *profile);

#endif
