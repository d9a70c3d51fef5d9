/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * api: the functions of pprofil.h that read, save, select and report profiles. They check and copy arguments and
 * results, and call other folders of lib for everything else. The functions of sessions are in lib/session, and the
 * functions of live views are in lib/live.
 */
#ifndef PPROFIL_API_H
#define PPROFIL_API_H

#include <string.h>

#include "pprofil.h"
#include "report/report.h"
#include "session/session.h"

/* Copies the part of a structure that the library and the caller both have. The caller may have been compiled with
 * another version of pprofil.h. */
static inline void api_copy(void *to, size_t size, const void *from, size_t from_size)
{
    memcpy(to, from, size < from_size ? size : from_size);
}

/* Creates the symbolizer of a profile, if the profile has none. Returns 0 or -ENOMEM. */
int api_need_symbolizer(struct pprofil_profile *profile);

#endif
