/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kernel: what has to be known of the kernel's version, because no call tells. */
#ifndef PPROFIL_KERNEL_H
#define PPROFIL_KERNEL_H

#include <stdbool.h>

/* Does whoever reads /proc/TID/syscall wait for an exec in the same process to end? release: as
 * uname(2) has it, or anything else that ends in such a version. */
bool kernel_syscall_file_blocks(const char *release);
/* The same of the kernel that we run on. */
bool kernel_syscall_file_blocks_here(void);

#endif
