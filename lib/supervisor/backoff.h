/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * backoff: leaving a thread alone whose call is broken by one stop after the other.
 *
 * Some calls take long, look for signals, and undo all that they have done if there is one: fallocate on
 * tmpfs before Linux 6.11, the verifier of BPF programs, mm_take_all_locks. Begun anew after
 * each stop such a call never ends where it takes longer than the time between two of them. So the thread goes on to
 * the call's entry stop and exit stop (PTRACE_SYSCALL), and no tick interrupts it before that.
 */
#ifndef PPROFIL_BACKOFF_H
#define PPROFIL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* in a row that a call at this place was broken */
    enum {
        BACKOFF_NONE,
        BACKOFF_BEFORE_CALL, /* the call's entry stop is awaited */
        BACKOFF_IN_CALL,     /* its exit stop is */
    } phase;
};

/* A stop of ours has broken a call, which begins anew when the thread runs on. Returns true if the thread is to be left
 * alone until that call has ended. */
bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp);
/* A stop of ours has broken none. */
void backoff_reset(struct backoff *backoff);
/* Is the thread left alone? Then it is to run on with PTRACE_SYSCALL. */
bool backoff_holds(const struct backoff *backoff);
/* The thread, which is left alone, stands at the entry or at the exit of a call. Returns true at the exit: it is left
 * alone no longer. */
bool backoff_meets_call(struct backoff *backoff);
/* The call is broken by another stop, or will not be entered: the thread is left alone no longer. */
void backoff_end(struct backoff *backoff);

#endif
