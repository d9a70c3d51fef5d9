/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kernel-release: what depends on the version of the kernel, and can be found out in no other way. */
#ifndef PPROFIL_KERNEL_RELEASE_H
#define PPROFIL_KERNEL_RELEASE_H

#include <stdbool.h>

/* Is this kernel older than major.minor, by uname(2)? True also where its release is no number. */
bool kernel_release_is_before(unsigned major, unsigned minor);

#endif
