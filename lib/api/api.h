/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * api: the faces of pprofil.h that copy and check, and do nothing else. Those of sessions are in lib/session, those of
 * live views in lib/live.
 */
#ifndef PPROFIL_API_H
#define PPROFIL_API_H

#include <string.h>

#include "pprofil.h"
#include "report/report.h"
#include "session/session.h"

/* Copies what both sides know of a structure: one of them may have an older pprofil.h. */
static inline void api_copy(void *to, size_t size, const void *from, size_t from_size)
{
    memcpy(to, from, size < from_size ? size : from_size);
}

/* Makes the profile's symbolizer where it has none. 0 or -ENOMEM. */
int api_need_symbolizer(struct pprofil_profile *profile);

#endif
