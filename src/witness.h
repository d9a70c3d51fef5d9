/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * witness: a process of our own process group that nobody knows and that takes no signal.
 *
 * The kernel does not say whether a signal was sent to a process or to its group: kill(2) fills
 * the same siginfo for both. What the witness has got as well was sent to the group, or to all
 * processes of a control group one by one.
 */
#ifndef PPROFIL_WITNESS_H
#define PPROFIL_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

struct witness {
    int socket; /* to it, owned; -1: there is none */
};

/* Starts it; it ends with us, however we end. argv: our own, which it does not show as its command
 * line, for pkill(1) looks there for us. Where none can be started socket is -1. */
void witness_start(struct witness *witness, char **argv);

/* Adds to *signals (bit SIGNAL - 1) what it has got since it was asked last. False: there is none,
 * or it does not answer. */
bool witness_ask(const struct witness *witness, uint64_t *signals);

/* Ends it. */
void witness_end(struct witness *witness);

#endif
