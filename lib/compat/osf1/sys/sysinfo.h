/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes the system's <sys/sysinfo.h>, and declares the part of OSF/1's getsysinfo(2) that the manual page of
 * profil(2) mentions. */
#ifndef PPROFIL_OSF1_SYS_SYSINFO_H
#define PPROFIL_OSF1_SYS_SYSINFO_H

#if defined __GNUC__
#pragma GCC system_header /* #include_next is an extension, which -pedantic-errors would refuse */
#endif

#include_next <sys/sysinfo.h>

#define GSI_CLK_TCK 42 /* clock ticks per second, an int */

#ifdef __cplusplus
extern "C" {
#endif

/* Programs may pass two more arguments, start and arg, which are ignored. */
#if defined __cplusplus || (defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L)
extern int getsysinfo(unsigned long op, void *buffer, unsigned int nbytes, ...);
#else
extern int getsysinfo();
#endif

#ifdef __cplusplus
}
#endif

#endif
