/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * weight: the CPU time that a sample stands for. Pure.
 *
 * A tick is a look at a random instant of a stretch of time, and a thread found on a CPU stands for that whole
 * stretch: summed over many looks that is its CPU time, and where it was found is where it spent it (the
 * Horvitz-Thompson estimator: the length of the stretch is the inverse of the chance of being met). Handing out
 * the CPU time used since the last sample instead would credit what a thread did after its last look, before it
 * fell asleep, to whatever it does first when it wakes up. Programs that work in bursts come out wrong by tens of
 * percent. So the kernel's exact figure is only a target to which the sum is drawn, slowly enough that it does
 * not matter where in a burst a look was.
 *
 * A tracer that competes for a CPU comes late at times, and misses ticks. The look after that is at no random instant,
 * but where the scheduler gave the tracer a CPU, and would decide alone where a long time was spent. So that time is
 * left to be paid off, by the samples that follow. Only a young thread, which may have none, is given it at once.
 */
#ifndef PPROFIL_WEIGHT_H
#define PPROFIL_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* What is known when a sample is weighed. All times in ns of CPU time. */
struct weight {
    int64_t stretch;    /* sampling time that the sample is of */
    int64_t late;       /* sampling time before that in which the tracer came late, and did not look */
    int64_t debt;       /* what the thread has used, less what its samples stand for so far; may be negative */
    uint64_t samples;   /* of the thread, before this one; 0: it counts as young in any case */
    int64_t ahead;      /* the sum may be ahead of what the thread has used by so much */
    bool process_known; /* what follows is known */
    int64_t process_left; /* what the process has used, less what its samples stand for; may be negative */
    int64_t process_lag;  /* by so much that figure may be behind */
    unsigned process_shares; /* 1 or more: the sample of a young thread takes process_left / process_shares */
    int64_t others_left; /* the same of all other processes, those that have ended too; 0: others are left alone */
    int64_t others_room; /* so much of that the process may still take */
};

/* Returns what the sample stands for, ns, 0 or more. */
uint64_t weight_of_sample(const struct weight *weight);
/* Returns what the sample stands for beyond that, ns, 0 or more: time of other processes. Those that live for a few
 * ticks are met by chance, and what they use after their last samples would be lost. */
uint64_t weight_for_others(const struct weight *weight);

#endif
