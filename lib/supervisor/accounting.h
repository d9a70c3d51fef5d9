/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * accounting: computes how a thread has spent its time, from the kernel's figures and from what ticks see. Does no I/O
 * and reads no clock.
 *
 * It has two parts. weight computes the CPU time that a sample represents. wall_time divides up the elapsed time, in
 * wall mode.
 */
#ifndef PPROFIL_ACCOUNTING_H
#define PPROFIL_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * weight: the CPU time that a sample represents.
 *
 * Time is divided into stretches (strata of schedule.h). In each stretch, at a random instant, a tick looks at the
 * threads. If a thread is found on a CPU, the whole stretch is credited to it, and to the code that it was executing.
 * Summed over many ticks, the credits are its CPU time, divided correctly over its code. (This is the Horvitz-Thompson
 * estimator: the length of the stretch is the inverse of the probability that an instant is looked at.)
 *
 * It would be wrong to credit the CPU time used since the last sample instead. The CPU time that a thread uses between
 * its last sample and its sleep would be credited to the code that it executes when it wakes up. For programs that work
 * in bursts the result would be wrong by tens of percent. So the credits need not equal the kernel's exact CPU time at
 * each sample. Their sum approaches that time, but slowly, so that the position of a sample within a burst does not
 * matter.
 *
 * A tracer that competes for a CPU sometimes comes late, and misses ticks. The instant of its next look is not random:
 * the scheduler has chosen it. If all the missed time were credited at that instant, a single sample would decide how
 * all that time was spent. So the missed time becomes the thread's debt, and each of the next samples is credited with
 * a part of it. But if a thread has few samples (a young thread), its next sample is credited with all of the missed
 * time, because it may be the last.
 *
 * If the tracer got no CPU for very long, samples that come later show nothing of that time. So it does not become
 * debt, but is reported as CPU time that was not sampled (attribution_report_unsampled).
 */

/* The input for the weight of a sample. All lengths of time are in ns. */
struct weight {
    int64_t stretch;         /* length of the stretch that the sample represents */
    int64_t late;            /* time just before the stretch; no sample represents it, because the tracer came late */
    /* CPU time of the thread minus the CPU time that its samples represent so far; may be negative */
    int64_t debt;
    /* number of samples of the thread before this one; 0 if the thread must count as young whatever this number is */
    uint64_t samples;
    /* the samples of the thread may represent its CPU time plus at most this time */
    int64_t ahead;
    bool process_known;      /* the fields below are valid */
    /* CPU time of the process minus the CPU time that its samples represent; may be negative */
    int64_t process_left;
    /* process_left may be too low, by up to this time, because the clock of the process lags behind */
    int64_t process_lag;
    /* 1 or more; if a sample of a young thread represents less time than process_left, 1/process_shares of the
     * difference is added to that time */
    unsigned process_shares;
    /* CPU time of all other processes, including ended ones, that no sample represents yet; 0: this sample must not
     * represent CPU time of other processes */
    int64_t others_left;
    int64_t others_room; /* the samples of this process may represent at most this part of others_left */
};

/* Returns the CPU time that the sample represents, ns, 0 or more. */
uint64_t weight_of_sample(const struct weight *weight);
/* Returns how much CPU time of other processes the sample represents in addition, ns, 0 or more. Without this, the CPU
 * time that a process uses after its last sample would be lost. This is a large part of the CPU time of processes that
 * live for only a few ticks, and get a sample only by chance. */
uint64_t weight_for_others(const struct weight *weight);

/*
 * wall_time: wall mode's account of a thread.
 *
 * The elapsed time of a thread has three parts: the time that it ran, the time that it waited for a CPU, and the rest,
 * in which it slept. Each ns is booked in one part only, or left out. The time for which we stopped the thread is
 * left out: without us, it would not have passed. So the sum of the parts is the elapsed time without our stops.
 */

struct wall_time {
    uint64_t at;      /* elapsed time is booked up to this time, as run, wait or sleep, or left out */
    uint64_t wait_ns; /* waiting time that is booked already, ns */
};

/* Books the waits for a CPU up to now. wait_ns: how long the thread has waited for CPUs in its whole life, ns; the
 * kernel adds each wait when it ends. Returns the waiting time that is to be reported now, ns: all that was not
 * reported yet, but at most the elapsed time that is not booked yet. If this is less than 0.1 ms, returns 0; a later
 * call reports it. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books that the thread ran for `ns` nanoseconds. Afterwards, wall->at may be later than the present time. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Leaves out `ns` nanoseconds, for which we stopped the thread. They are booked in no part. */
void wall_time_leave_out_stop(struct wall_time *wall, uint64_t ns);
/* Books the rest of the time up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
