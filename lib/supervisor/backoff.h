/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * backoff: leaving a thread alone whose call is broken by one stop after the other.
 *
 * Some calls take long, look for signals, and undo all that they have done if there is one: fallocate on
 * tmpfs before Linux 6.10, the verifier of BPF programs, mm_take_all_locks. Begun anew after each stop
 * such a call never ends where it takes longer than the time between two of them.
 */
#ifndef PPROFIL_BACKOFF_H
#define PPROFIL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* in a row that a call at this place was broken */
    uint64_t until; /* time: before that its thread is not interrupted; 0: it may be */
    /* a thread that is left alone for long is looked at: */
    uint64_t look_at; /* time of the next look; 0: there was none */
    long user_ticks;  /* its CPU time in user mode at the first one */
};

/* A stop of ours at time now has broken a call, which begins anew. Returns backoff->until. */
uint64_t backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp, uint64_t now);
/* A stop of ours has broken none. */
void backoff_reset(struct backoff *backoff);
/* Must the thread be left alone at time now? One that is left alone for longer than a second is looked at
 * once a second: a thread that computes has left the call, and the backoff is over. */
bool backoff_holds(struct backoff *backoff, pid_t pid, pid_t tid, uint64_t now);

#endif
