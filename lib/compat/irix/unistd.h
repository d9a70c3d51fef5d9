/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system's <unistd.h>, with IRIX's profil(2) in the place of its own. */
#ifndef PPROFIL_IRIX_UNISTD_H
#define PPROFIL_IRIX_UNISTD_H

#define profil pprofil_not_this_profil
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

#include <sys/profil.h>

#ifdef __cplusplus
}
#endif

#endif
