/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header <machine/hal_sysinfo.h> of OSF/1. The manual page of getsysinfo(2) includes it and <sys/sysinfo.h>. In
 * pprofil all declarations of both headers are in <sys/sysinfo.h>. */
#ifndef PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H
#define PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H

#include <sys/sysinfo.h>

#endif
