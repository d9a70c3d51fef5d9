/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system's <unistd.h>, with OSF1's profil(2) in the place of its own. */
#ifndef PPROFIL_OSF1_UNISTD_H
#define PPROFIL_OSF1_UNISTD_H

/* <sys/resource.h>, whose profil is a macro, may have come first */
#pragma push_macro("profil")
#undef profil
#define profil pprofil_not_this_profil
#include_next <unistd.h>
#pragma pop_macro("profil")

#ifdef __cplusplus
extern "C" {
#endif

#include <sys/resource.h>

#ifdef __cplusplus
}
#endif

#endif
