/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes the system's <unistd.h>, but declares Solaris' profil(2) instead of the system's profil. */
#ifndef PPROFIL_SOLARIS_UNISTD_H
#define PPROFIL_SOLARIS_UNISTD_H

#if defined __GNUC__
#pragma GCC system_header /* #include_next is an extension, which -pedantic-errors would refuse */
#endif

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

/* In the manual page the offset has 32 bits, which is too small for today's addresses. So in C there is no prototype: a
 * program may pass 32 or 64 bits, and may itself declare the function as in the page. C23 and C++ need a prototype. */
#if defined __cplusplus || (defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L)
extern void profil(unsigned short *buff, unsigned int bufsiz, unsigned int offset, unsigned int scale);
#else
extern void profil();
#endif

#ifdef __cplusplus
}
#endif

#endif
