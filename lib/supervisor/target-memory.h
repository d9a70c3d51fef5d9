/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * target-memory: reading a target's memory, and writing it. Nothing else writes there.
 *
 * It is written for programs that profile themselves (serve/counts.c), and where a call that was cut short has to
 * leave in memory what the whole call would have left there (calls/call-progress.c).
 */
#ifndef PPROFIL_TARGET_MEMORY_H
#define PPROFIL_TARGET_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Copies size bytes from a task's memory. Needs no lock. 0 or -errno: -EFAULT where a part is not there, -ESRCH,
 * -EPERM; process_vm_readv(2). */
int target_memory_read(pid_t tid, uint64_t address, void *to, size_t size);
/* Copies size bytes into it; after an error a part may be written. Needs no lock. 0 or -errno. */
int target_memory_write(pid_t tid, uint64_t address, const void *from, size_t size);

#endif
