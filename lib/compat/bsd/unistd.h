/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system's <unistd.h>, with BSD's profil(2) in the place of its own. */
#ifndef PPROFIL_BSD_UNISTD_H
#define PPROFIL_BSD_UNISTD_H

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(char *samples, size_t size, unsigned long offset, unsigned int scale)
    __asm__("pprofil_bsd_profil");

#ifdef __cplusplus
}
#endif

#endif
