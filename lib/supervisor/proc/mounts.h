/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mounts: tells which files may hang whoever looks into them, because another process or machine
 * answers for what is in them.
 */
#ifndef PPROFIL_MOUNTS_H
#define PPROFIL_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOUNTS_CACHED_MAX 16

/* What was found out before; zero at the beginning. */
struct mounts {
    struct mounts_device {
        uint32_t major, minor;
        uint64_t until; /* time: it is looked up again after that; 0: the place is free */
        bool may_hang;
    } known[MOUNTS_CACHED_MAX];
    unsigned next; /* the place that is replaced next */
};

/* May a file hang that a process has mapped, and that is on this device? True also where neither
 * the process nor we see such a device mounted. Reads /proc at most once a second for each device.
 */
bool mounts_may_hang(struct mounts *mounts, pid_t pid, uint32_t major, uint32_t minor);

#endif
