/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gperftools: both directions of one format, see gperftools.c. */
#ifndef PPROFIL_GPERFTOOLS_H
#define PPROFIL_GPERFTOOLS_H

#include "format/bytes.h"
#include "profile/profile.h"

/* Does a file begin with 0 3 0 PERIOD 0? Then bytes stands behind it, and *period is in
 * microseconds. */
bool gperftools_shape(const unsigned char *head, size_t size, struct bytes *bytes,
                      uint64_t *period);

/* As read of struct format. */
int gperftools_read(const char *path, struct profile *profile);

#endif
