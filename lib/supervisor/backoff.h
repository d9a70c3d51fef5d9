/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * backoff: leaving a thread alone whose call is broken by one stop after the other.
 *
 * Some calls take long, look for signals, and undo all that they have done if there is one: fallocate on
 * tmpfs before Linux 6.11, the verifier of BPF programs, mm_take_all_locks. Begun anew after each stop
 * such a call never ends where it takes longer than the time between two of them. So the thread goes on to the call's
 * entry stop and exit stop (PTRACE_SYSCALL), and no tick interrupts it before that.
 *
 * A call that undoes nothing may take for ever. So a tick may interrupt it after BACKOFF_HOLD_NS, and if that breaks it
 * again, after twice as long as before.
 */
#ifndef PPROFIL_BACKOFF_H
#define PPROFIL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#define BACKOFF_HOLD_NS 1000000000u

struct backoff {
    int32_t syscall;
    uint64_t pc, sp;
    unsigned times; /* in a row that a call at this place was broken */
    enum {
        BACKOFF_NONE,
        BACKOFF_BEFORE_CALL, /* the call's entry stop is awaited */
        BACKOFF_IN_CALL,     /* its exit stop is */
    } phase;
    uint64_t hold_ns; /* how long ticks leave it alone; 0: it was not left alone at this place yet */
    uint64_t until;   /* IN_CALL: no tick interrupts it before that time */
};

/* A stop of ours has broken a call: its number, the address behind its instruction, and its stack pointer. Returns true
 * if the thread is to be left alone when that call begins anew: backoff_begin. */
bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp);
/* A stop of ours has broken none. */
void backoff_reset(struct backoff *backoff);
/* The call that was noted begins anew when the thread runs on, with PTRACE_SYSCALL. */
void backoff_begin(struct backoff *backoff);
/* Is the exit stop of a call awaited? */
bool backoff_follows(const struct backoff *backoff);
/* Is the thread to be left alone at time now? */
bool backoff_holds(const struct backoff *backoff, uint64_t now);
/* The thread, whose call is followed, stands at the entry or at the exit of a call, at time now. interrupted: by a
 * tick. Returns true at the exit, which is not awaited any more. */
bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now);
/* The call is broken by another stop, or will not be entered. */
void backoff_end(struct backoff *backoff);

#endif
