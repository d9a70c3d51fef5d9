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
 * cpu_wait: finds out whether a thread that wants a CPU had one.
 *
 * /proc shows that a thread is runnable, but not whether it runs. When a tracer wakes up on the CPU of a runnable
 * thread, it takes this CPU from that thread or from another one. To find out which, it reads the schedstat file of the
 * thread (Documentation/scheduler/sched-stats.rst). The file contains how long the thread has run, how long it has
 * waited for a CPU (a wait is added when it ends), and how often it got a CPU (its turns). A look is a call of
 * cpu_wait_look. At each look the thread is runnable, and the tracer runs on the CPU on which the thread was last known
 * to be. The number of turns since the last look shows:
 *
 *     none               The thread still waits. But if its run time has grown, it had another CPU.
 *     one                It waited, ran, lost its CPU, and has waited since then.
 *     more than one      It may also have slept, which the file does not show.
 *
 * Interrupts, and the host of a virtual machine, take time that is in neither the run time nor the wait time. After one
 * turn, such time looks like a wait. So if a look has concluded a wait, the next look checks whether this was right,
 * and only ONE_TURN_WAITS_MAX such conclusions in a row are accepted.
 *
 * If it is certain when the thread last lost its CPU, a look may also conclude that the thread ran until just now. It
 * concludes this if the run and wait times account for all the time since the CPU was lost. Then the tracer has just
 * taken the CPU from the thread, whatever the number of turns.
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
    /* the thread was found to be runnable after they were read. So as long as they stay the same, it is not asleep: it
     * would have to run first */
    bool runnable;
    /* how many looks in a row have concluded that the thread waited, although it got a CPU once since the look before.
     * Looks before which it got no CPU are left out */
    unsigned one_turn_waits;
};

/* Records that the thread was resumed after a stop. Since the time `lost_at` it has waited for the CPU on which the
 * tracer runs. cpu: run and wait times of the thread, read at about `lost_at`. If they were read late, the thread may
 * have run and gone to sleep before. So wait->runnable becomes false. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Sets all fields of *wait to 0. To be called when the thread id now belongs to another thread, or when no tracer
 * traced the thread for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* If the thread has had no CPU since wait->at, sets wait->at to `now` and returns true. Otherwise returns false. The
 * thread may be asleep, unless wait->runnable is true. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Decides whether a thread had a CPU at time `due`. The thread was found to be runnable after `cpu` was read. Since
 * `due`, the tracer may have kept the thread off the CPU on which the tracer runs now, and on which the thread was last
 * seen. now: time at which `cpu` was read. */
enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu);

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
