/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * accounting: computes how a thread has spent its time, from the kernel's figures and from what ticks see. Does no I/O
 * and reads no clock.
 *
 * It has three parts. cpu_wait decides whether a thread that wants a CPU had one. weight computes the CPU time that a
 * sample represents. wall_time divides up the elapsed time, in wall mode.
 */
#ifndef PPROFIL_ACCOUNTING_H
#define PPROFIL_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * cpu_wait: did a thread that wants a CPU have one?
 *
 * /proc shows that a thread is runnable, but not whether it runs. A tracer that wakes up on the CPU of a runnable
 * thread has taken that CPU from this thread, or from another. The schedstat file of the thread helps to decide which
 * (Documentation/scheduler/sched-stats.rst). It contains how long the thread has run, how long it has waited for a CPU
 * (a wait is added when it ends), and how often it got a CPU (its turns). A look is a call of cpu_wait_look. At each
 * look the thread is runnable, and the tracer runs on the CPU on which the thread was last known to be. The turns since
 * the last look mean:
 *
 *     none               The thread still waits. But if its run time has grown, it was on another CPU at the last look.
 *     one                It waited, ran, and lost its CPU. The rest of the time is the wait under way.
 *     more than one      It may have slept in between, which the file does not show.
 *
 * Interrupts, and the host of a virtual machine, take time that is in neither the run time nor the wait time. That
 * looks like a wait after one turn. So each look checks whether the previous look was right to conclude a wait, and
 * only ONE_TURN_WAITS_MAX such conclusions in a row are accepted.
 *
 * If it is certain when the thread last lost its CPU, a look can also conclude that the thread ran until just now. It
 * concludes this if the run and wait times account for all the time since then. Then the thread has just lost its CPU
 * to the tracer, however many turns it had.
 */

struct procfs_cpu;

enum cpu_wait_verdict {
    CPU_WAIT_UNKNOWN,
    CPU_WAIT_WAITS, /* the thread had no CPU */
    CPU_WAIT_RAN,   /* the thread had the CPU on which the tracer runs now */
};

/* The state of a thread at the last call of cpu_wait_look or cpu_wait_note. All fields are 0 before the first call. */
struct cpu_wait {
    uint64_t at;                     /* time of that call */
    uint64_t lost_at;                /* time at which the thread lost its CPU */
    bool certain;                    /* lost_at is exact; else the thread may have lost its CPU earlier */
    uint64_t run_ns, wait_ns, turns; /* run time, wait time and turns of struct procfs_cpu at the time `at` */
    /* how many verdicts in a row were that the thread waits because it had exactly one turn */
    unsigned one_turn_waits;
};

/* Records that the thread was resumed after a stop. Since the time `lost_at` it has waited for the CPU on which the
 * tracer runs. cpu: run and wait times of the thread, read at about `lost_at`. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Sets all fields of *wait to 0. To be called when the thread id now belongs to another thread, or when no tracer
 * traced the thread for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* If the thread has had no CPU since wait->at, sets wait->at to `now` and returns true. Otherwise returns false. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Decides whether a runnable thread had a CPU at time `due`. The thread was last seen on the CPU on which the tracer
 * runs now. `due` is the time since which the tracer may have kept the thread off that CPU, and `now` is the time at
 * which `cpu` was read. */
enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu);

/*
 * weight: the CPU time that a sample represents.
 *
 * Time is divided into stretches (strata of schedule.h). A tick is a look at the threads at a random instant of its
 * stretch. If a thread is found on a CPU, the whole stretch is credited to it, and to the code that it was executing.
 * Summed over many ticks, the credits are its CPU time, divided correctly over its code. (This is the Horvitz-Thompson
 * estimator: the length of the stretch is the inverse of the probability that an instant is looked at.)
 *
 * It would be wrong to credit the CPU time used since the last sample instead. What a thread did between its last
 * sample and its sleep would be credited to what it does first when it wakes up. For programs that work in bursts the
 * result would be wrong by tens of percent. So the credits need not equal the kernel's exact CPU time at each sample.
 * Their sum only approaches it, so slowly that the position of a sample within a burst does not matter.
 *
 * A tracer that competes for a CPU sometimes comes late, and misses ticks. The instant of its next look is not random:
 * the scheduler has chosen it. If all the missed time were credited at that instant, a single sample would decide how a
 * long time was spent. So the missed time becomes the thread's debt, and each of the following samples is credited with
 * a part of it. Only a young thread, one with few samples, is credited with all of it at once, because it may have no
 * further samples.
 */

/* The input for the weight of a sample. All lengths of time are in ns. */
struct weight {
    int64_t stretch;         /* length of the stretch that the sample represents */
    int64_t late;            /* time before the stretch in which no sample was taken, because the tracer came late */
    /* CPU time of the thread minus the CPU time that its samples represent so far; may be negative */
    int64_t debt;
    /* how many samples of the thread were taken before this one; with 0, any thread counts as young */
    uint64_t samples;
    int64_t ahead;           /* by how much the samples of the thread may represent more CPU time than it has used */
    bool process_known;      /* the fields below are valid */
    /* CPU time of the process minus the CPU time that its samples represent; may be negative */
    int64_t process_left;
    /* process_left may be too low by at most this time, because the clock of the process lags behind */
    int64_t process_lag;
    /* 1 or more; if a young thread's sample would represent less than process_left, 1/process_shares of the difference
     * is added to it */
    unsigned process_shares;
    /* CPU time of all other processes, including ended ones, that no sample represents yet; 0: this sample must not
     * represent CPU time of other processes */
    int64_t others_left;
    int64_t others_room; /* how much of others_left the samples of this process may still represent */
};

/* Returns the CPU time that the sample represents, ns, 0 or more. */
uint64_t weight_of_sample(const struct weight *weight);
/* Returns how much CPU time of other processes the sample represents in addition, ns, 0 or more. Without this, the CPU
 * time that a process uses after its last sample would be lost. That would be much for processes that live for only a
 * few ticks, and get a sample only by chance. */
uint64_t weight_for_others(const struct weight *weight);

/*
 * wall_time: wall mode's account of a thread.
 *
 * The elapsed time of a thread has three parts: the time that it ran, the time that it waited for a CPU, and the rest,
 * in which it slept. Each ns is booked in one part only, so the sum of the parts is the elapsed time.
 */

struct wall_time {
    uint64_t at;      /* the time before this has been booked as run, wait or sleep */
    uint64_t wait_ns; /* how much of the time that the thread waited for a CPU is booked already, ns */
};

/* Books the waits for a CPU up to now. wait_ns: how long the thread has waited for CPUs in its whole life, ns; the
 * kernel adds each wait when it ends. Returns how much waiting time is to be reported now, ns. This is 0 until the
 * waits that were not reported yet are 0.1 ms or more. It is never more than the elapsed time that is not booked yet;
 * later calls return the rest. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books that the thread ran for `ns` nanoseconds. Afterwards, wall->at may be later than the present time. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Books the rest of the time up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
