/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes the system's <unistd.h>, but declares IRIX's profil(2) instead of the system's profil. */
#ifndef PPROFIL_IRIX_UNISTD_H
#define PPROFIL_IRIX_UNISTD_H

#if defined __GNUC__
#pragma GCC system_header /* #include_next is an extension, which -pedantic-errors would refuse */
#endif

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#include <sys/profil.h>

#endif
