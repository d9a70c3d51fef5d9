/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* speedscope: both directions of one format. */
#ifndef PPROFIL_SPEEDSCOPE_H
#define PPROFIL_SPEEDSCOPE_H

#include "profile/profile.h"

/* As read of struct format. */
int speedscope_read(const char *path, struct profile *profile);

#endif
