/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OSF/1 <machine/hal_sysinfo.h>: its getsysinfo(2) names it beside <sys/sysinfo.h>. */
#ifndef PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H
#define PPROFIL_OSF1_MACHINE_HAL_SYSINFO_H

#include <sys/sysinfo.h>

#endif
