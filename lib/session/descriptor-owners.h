/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * descriptor-owners: finds the processes that have a pipe or a socket open, in /proc/PID/fd of all processes. Without
 * privileges only the caller's own processes can be looked into.
 */
#ifndef PPROFIL_DESCRIPTOR_OWNERS_H
#define PPROFIL_DESCRIPTOR_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct descriptor_owner {
    uint64_t inode; /* of the pipe or socket */
    pid_t pid;
    bool reads, writes; /* how the descriptor may be used */
};

/* An empty structure is all 0. */
struct descriptor_owners {
    struct descriptor_owner *all; /* owned */
    uint32_t count;
    uint64_t look_after; /* /proc is not read again before this time, CLOCK_MONOTONIC, ns */
};

/* Returns a process that has the pipe or socket open; NULL: none is known. The process `self` is preferred, and then
 * processes that do not wait for their children or for a signal. reads, writes: only if the descriptor may be used in
 * one of these ways. The result is valid until the next call. Reads /proc again if nothing is found, but for at most
 * 5 % of the time, so that the client keeps up: it takes some ms for 10000 descriptors. */
const struct descriptor_owner *descriptor_owner_find(struct descriptor_owners *owners, uint64_t inode, pid_t self,
                                                     bool reads, bool writes);
void descriptor_owners_clear(struct descriptor_owners *owners);

#endif
