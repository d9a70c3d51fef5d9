/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kernel: what has to be known of the kernel's version, because no call tells. */
#ifndef PPROFIL_KERNEL_H
#define PPROFIL_KERNEL_H

#include <stdbool.h>

/* Returns true if reading /proc/TID/syscall waits for an exec in the same process to end. release: a version as in
 * uname(2), or a text whose last word is one; true if it cannot be parsed. */
bool kernel_syscall_file_blocks(const char *release);
/* The same of the kernel that we run on. */
bool kernel_syscall_file_blocks_here(void);

#endif
