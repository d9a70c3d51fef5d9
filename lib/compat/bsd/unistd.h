/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes the system's <unistd.h>, but declares 4.4BSD's profil(2) instead of the system's profil. */
#ifndef PPROFIL_BSD_UNISTD_H
#define PPROFIL_BSD_UNISTD_H

#if defined __GNUC__
#pragma GCC system_header /* #include_next is an extension, which -pedantic-errors would refuse */
#endif

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(char *samples, size_t size, unsigned long offset, unsigned int scale);

#ifdef __cplusplus
}
#endif

#endif
