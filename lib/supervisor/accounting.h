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
 * looks like a wait after one turn. So each look checks the conclusion of the look before, and only ONE_TURN_WAITS_MAX
 * such conclusions in a row are accepted.
 *
 * Another conclusion is possible if it is certain when the thread last lost its CPU. If all the time since then is in
 * the run and wait times, the thread has just lost its CPU to the tracer, however many turns it had.
 */

struct procfs_cpu;

enum cpu_wait_verdict {
    CPU_WAIT_UNKNOWN,
    CPU_WAIT_WAITS, /* the thread had no CPU */
    CPU_WAIT_RAN,   /* the thread had the CPU that the tracer has now */
};

/* The state of a thread at the last call of cpu_wait_look or cpu_wait_note. All fields are 0 before the first call. */
struct cpu_wait {
    uint64_t at;                     /* time of that call */
    uint64_t lost_at;                /* time at which the thread lost its CPU */
    bool certain;                    /* lost_at is exact; else the thread may have lost its CPU earlier */
    uint64_t run_ns, wait_ns, turns; /* run time, wait time and turns of struct procfs_cpu at the time `at` */
    unsigned one_turn_waits;         /* number of verdicts in a row that concluded a wait from one turn */
};

/* Notes that the thread was resumed after a stop, and has waited for the tracer's CPU since lost_at. cpu: times of the
 * thread, read at about lost_at. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Sets all fields of *wait to 0. To be called when the thread id belongs to another thread now, or when the thread had
 * no tracer for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* Returns true if the thread has had no CPU since wait->at. Then sets wait->at to now. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Decides whether a runnable thread that belongs to the tracer's CPU had that CPU at time `due`. due: the time from
 * which on the tracer may have kept the thread off that CPU. now: the time at which cpu was read. */
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
 * result would be wrong by tens of percent. So the kernel's exact CPU time is only a target. The sum of the credits
 * approaches it so slowly that the position of a sample within a burst does not matter.
 *
 * A tracer that competes for a CPU sometimes comes late, and misses ticks. The instant of its next look is not random:
 * the scheduler has chosen it. If all the missed time were credited at that instant, a single sample would decide how a
 * long time was spent. So the missed time becomes debt, which the following samples pay off. Only a young thread, one
 * with few samples, gets it at once, because it may have no further samples.
 */

/* The input for the weight of a sample. All lengths of time are in ns. */
struct weight {
    int64_t stretch;         /* length of the stretch that the sample represents */
    int64_t late;            /* sampling time before the stretch that was missed because the tracer came late */
    int64_t debt;            /* CPU time of the thread minus the sum of its samples so far; may be negative */
    /* number of earlier samples of the thread; 0 makes any thread count as young */
    uint64_t samples;
    int64_t ahead;           /* largest excess of the sum of the thread's samples over its CPU time */
    bool process_known;      /* the fields below are valid */
    int64_t process_left;    /* CPU time of the process minus the sum of its samples; may be negative */
    int64_t process_lag;     /* largest amount by which process_left may be too low */
    /* 1 or more; a young thread's sample is raised by 1/process_shares of its distance to process_left */
    unsigned process_shares;
    /* sum of process_left of all other processes, including ended ones; 0: the sample takes no CPU time from others */
    int64_t others_left;
    int64_t others_room; /* part of others_left that the process may still take */
};

/* Returns the CPU time that the sample represents, ns, 0 or more. */
uint64_t weight_of_sample(const struct weight *weight);
/* Returns the CPU time of other processes that the sample represents in addition, ns, 0 or more. A process that lives
 * for a few ticks is sampled by chance only, and the CPU time that it uses after its last sample would be lost. */
uint64_t weight_for_others(const struct weight *weight);

/*
 * wall_time: wall mode's account of a thread.
 *
 * The elapsed time of a thread has three parts: the time that it ran, the time that it waited for a CPU, and the rest,
 * in which it slept. Each ns is booked in one part only, so the sum of the parts is the elapsed time.
 */

struct wall_time {
    uint64_t at;      /* the elapsed time is booked up to this time */
    uint64_t wait_ns; /* the part of the thread's run-queue wait that is booked, ns */
};

/* Books the waits for a CPU up to now. wait_ns: run-queue wait of the thread's whole life, ns; the kernel adds a wait
 * when it ends. Returns the wait to report now, ns. It is 0 until at least 0.1 ms of waits has accumulated, and never
 * more than the elapsed time that is not booked yet. Later calls return the rest. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books ns in which the thread ran. Afterwards, wall->at may be later than the present time. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Books the rest of the time up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
