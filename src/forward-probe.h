/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
* forward-probe: a child process that shows which signals were sent to our whole process group.
 *
 * The kernel does not tell a receiver whether a signal was sent to it or to its group: kill(2)
 * fills the same siginfo for both. Nobody knows the probe's PID. A signal that it gets was
 * therefore sent to the group, or to each process of a control group in turn.
 */
#ifndef PPROFIL_FORWARD_PROBE_H
#define PPROFIL_FORWARD_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct forward_probe {
    int socket; /* a connection to it, owned; -1: there is no probe */
};

/* Starts the probe. It ends with us, however we end. argv: our own command line, which the probe
 * does not show as its own, for pkill(1) -f would find it there; not kept. On failure
 * probe->socket is -1. */
void forward_probe_start(struct forward_probe *probe, char **argv);

/* Adds the signals that the probe got since the last call to *signals, bit SIGNAL - 1 each.
 * Returns false when there is no probe, or it does not answer within two seconds. */
bool forward_probe_ask(const struct forward_probe *probe, uint64_t *signals);

/* Ends the probe. */
void forward_probe_end(struct forward_probe *probe);

#endif
