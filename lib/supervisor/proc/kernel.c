/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An exec holds cred_guard_mutex until all other threads of its process have ended, and those that
 * are traced end when their tracer has taken notice. Until Linux 5.7 lock_trace() in fs/proc/base.c
 * took the same mutex, for /proc/TID/syscall, and no signal but a deadly one ended the wait: tracer
 * and exec would wait for each other. Since 2db9dbf71bf9 ("proc: Use new infrastructure to fix
 * deadlocks in execve") it takes exec_update_lock, which an exec does not hold while it waits for others. Of the
 * older series 5.4 has that too, at the latest since 5.4.88.
 *
 * That one, too, is held for as long as it takes to free the former memory and to close descriptors
 * (begin_new_exec() and setup_new_exec() in fs/exec.c): the page tables that a fork has copied take some 25 ms a
 * gigabyte. On 6.18.44 a read of /proc/TID/stat was seen to wait as well. A read of /proc/TID/status was not: that is
 * how tasks that a fork has just made are looked at, until they have executed a program, or do not seem to be about
 * to: procfs_task.unsettled.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "supervisor/proc/kernel.h"

bool kernel_syscall_file_blocks(const char *release)
{
    const char *last = strrchr(release, ' ');
    unsigned major, minor, patch = 0;

    if (sscanf(last != NULL ? last + 1 : release, "%u.%u.%u", &major, &minor, &patch) < 2)
        return true;
    if (major != 5 || minor >= 7)
        return major < 5;
    return minor != 4 || patch < 88;
}

/* Ubuntu's releases are all called 5.4.0; what they are made from is in a file. */
static bool kernel_read_signature(char *text, size_t size)
{
    int fd = open("/proc/version_signature", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, size - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

bool kernel_syscall_file_blocks_here(void)
{
    struct utsname names;
    char signature[256];

    if (kernel_read_signature(signature, sizeof signature))
        return kernel_syscall_file_blocks(signature);
    return uname(&names) < 0 || kernel_syscall_file_blocks(names.release);
}
