/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system's <unistd.h>, with SOLARIS's profil(2) in the place of its own. */
#ifndef PPROFIL_SOLARIS_UNISTD_H
#define PPROFIL_SOLARIS_UNISTD_H

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern void profil(unsigned short *buff, size_t bufsiz, unsigned long offset, unsigned int scale)
    __asm__("pprofil_solaris_profil");

#ifdef __cplusplus
}
#endif

#endif
