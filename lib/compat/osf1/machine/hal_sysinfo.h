/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header <machine/hal_sysinfo.h> of OSF/1. The page of getsysinfo(2) names it beside <sys/sysinfo.h>, which has all
 * declarations. */
#ifndef PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H
#define PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H

#include <sys/sysinfo.h>

#endif
