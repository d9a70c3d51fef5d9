/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * forward: the signals that reach pprofil while it runs a program, or is attached.
 *
 * As a wrapper it must not be felt: a signal sent to us alone is meant for the program, and is
 * passed on to it. One that was sent to the whole process group, by a terminal, kill(1) or
 * timeout(1), or to all processes of a control group, one by one, has reached the program without
 * us, and is not sent twice. Which of them it was is decided FORWARD_ECHO_MS after it came, when
 * all have theirs.
 *
 * The second signal that asks for an end, so much after the first, ends us at once. The first
 * process of a container it does not end, for the kernel would kill all others with it.
 */
#ifndef PPROFIL_FORWARD_H
#define PPROFIL_FORWARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "witness.h"

#define FORWARD_ECHO_MS 200
#define FORWARD_SIGNALS 64

struct forward {
    bool attached; /* there is no program of ours */
    bool init;     /* we are the first process of a container */
    pid_t program; /* 0: not yet, or not any more */
    int notes;     /* what the handler wrote, owned */
    struct witness witness;
    uint64_t witnessed; /* bit SIGNAL - 1: what the witness has got, and we have not decided on */
    uint64_t waiting;   /* to be decided on */
    uint64_t from_user; /* of these: sent by kill(2) or its like, not by the kernel */
    int64_t due_ms[FORWARD_SIGNALS]; /* by SIGNAL - 1, CLOCK_MONOTONIC */
    unsigned leaves;  /* so often were we told to end */
    int leave_signal; /* by this one last */
    int64_t leave_ms; /* at that time first */
};

/* Takes the signals that may come: to run a program all that a process may want to be told by,
 * else those that ask for an end. 0 or -errno. */
int forward_open(struct forward *forward, bool program);

/* The program runs. argv: our own command line. */
void forward_to(struct forward *forward, pid_t program, char **argv);

/* Takes what has come, and passes on what is due. True: sampling shall end now. */
bool forward_serve(struct forward *forward);

/* Milliseconds until it has something to do, at most most. */
int forward_wait_ms(const struct forward *forward, int most);

/* From now on what asks for an end ends us, or (true) is taken again. */
void forward_catch(const struct forward *forward, bool caught);

/* The program has ended, or is left to itself. */
void forward_end(struct forward *forward);

#endif
