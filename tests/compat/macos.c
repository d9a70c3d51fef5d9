/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mac OS X: profil(2), which a forked child does not inherit. */
#define CHILD_COUNTS 0
#include "bsd.c"
