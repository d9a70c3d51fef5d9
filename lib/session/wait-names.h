/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wait-names: finds names for what threads wait for, which the supervisor has no time to find: the process at the other
 * end of a pipe or socket, the address of a socket, and the variable in which a lock is.
 */
#ifndef PPROFIL_WAIT_NAMES_H
#define PPROFIL_WAIT_NAMES_H

#include "profile/profile.h"
#include "session/descriptor-owners.h"
#include "session/socket-table.h"
#include "wire/wire.h"

#define WAIT_VARIABLES 64u /* so many variables are remembered */

/* An empty structure is all 0. */
struct wait_names {
    struct descriptor_owners owners;
    struct socket_table sockets;
    /* the variables that were looked for, the oldest one is replaced first; name "": there is none */
    struct {
        uint32_t pid;
        uint64_t address;
        char name[192];
    } variables[WAIT_VARIABLES];
    unsigned next_variable;
    struct wire_wait *event; /* owned: the last result */
};

/* Returns an event like *event, with names in its texts: "7 socket to 10.0.0.1:443" for "7 socket:[4711]", and, for a
 * lock or futex, one text with the name of the variable: "account_lock in bank". The result is valid until the next
 * call, and may be *event itself. */
const struct wire_wait *wait_names_find(struct wait_names *names, const struct profile *profile,
                                        const struct wire_wait *event);
/* Forgets the variables of a process, which is new or has executed another program. */
void wait_names_forget_process(struct wait_names *names, uint32_t pid);
void wait_names_clear(struct wait_names *names);

#endif
