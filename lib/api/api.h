/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * api: functions of pprofil.h that check and copy what the rooms below take and make. Those of sessions are in
 * lib/session, and those of live views in lib/live.
 */
#ifndef PPROFIL_API_H
#define PPROFIL_API_H

#include <string.h>

#include "pprofil.h"
#include "report/report.h"
#include "session/session.h"

/* Copies the part of a structure that both sides know: the program may have been compiled with another pprofil.h. */
static inline void api_copy(void *to, size_t size, const void *from, size_t from_size)
{
    memcpy(to, from, size < from_size ? size : from_size);
}

/* Makes the profile's symbolizer if it has none. 0 or -ENOMEM. */
int api_need_symbolizer(struct pprofil_profile *profile);

#endif
