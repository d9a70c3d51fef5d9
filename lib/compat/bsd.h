/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bsd: what the profil(2) of 4.4BSD and of Mac OS X have in common. */
#ifndef PPROFIL_COMPAT_BSD_H
#define PPROFIL_COMPAT_BSD_H

#include <stddef.h>

/* As profil(2): 0, or -1 and errno. caller: the address that the call returns to. */
int bsd_profil(const char *dialect, const char *samples, size_t size, unsigned long offset, unsigned int scale,
               const void *caller);

#endif
