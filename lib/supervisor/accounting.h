/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * accounting: what a thread has spent its time on, as far as the kernel's figures and the looks of ticks tell. Pure.
 *
 * It has three parts: whether a thread that wants a CPU had one (cpu_wait), the CPU time that a sample stands for
 * (weight), and, in wall mode, the elapsed time (wall_time).
 */
#ifndef PPROFIL_ACCOUNTING_H
#define PPROFIL_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * cpu_wait: did a thread that wants a CPU have one?
 *
 * The kernel says that a thread is runnable, but not whether it runs. A tracer that wakes up on the CPU of a runnable
 * thread has taken that CPU from this thread, or from another. proc_schedstat(5) tells which: it counts how long a
 * thread has run, how long it has waited for a CPU (a wait counts when it ends), and how often it got a CPU, its turns.
 * At each look the thread was runnable, and the tracer had its CPU, as far as it knew. Since the last look there was
 *
 *     no turn            It still waits, unless its run time grows: then it was on another CPU at the last look.
 *     one turn           It waited, ran, and lost its CPU. The time that is in neither count is the wait under way.
 *     more than one      It may have slept in between. Nobody can tell.
 *
 * Interrupts, and the host of a virtual machine, take time that is in no count. That looks like a wait after one turn.
 * So the next look checks what the last one concluded, and only few such looks in a row are believed.
 *
 * If it is certain when the thread lost its CPU before, and all the time since then is in one of the two counts, then
 * the thread has just lost its CPU to the tracer, however many turns it had.
 */

struct procfs_cpu;

enum cpu_wait_verdict {
    CPU_WAIT_UNKNOWN,
    CPU_WAIT_WAITS, /* it had no CPU */
    CPU_WAIT_RAN,   /* it had the CPU that the tracer has now */
};

/* The last look; all 0: there was none. */
struct cpu_wait {
    uint64_t at;                     /* time */
    uint64_t lost_at;                /* time at which the thread lost its CPU */
    bool certain;                    /* lost_at is certain; else the thread may have lost its CPU earlier */
    uint64_t run_ns, wait_ns, turns; /* from struct procfs_cpu */
    unsigned one_turn_waits;         /* number of looks in a row that found a wait after one turn */
};

/* Notes that the thread has stopped, and has waited for the tracer's CPU since lost_at. cpu was read after that. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Forgets the last look: another thread has this number now, or this one had no tracer for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* Returns true if the thread has had no CPU at all since the last look. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Returns what a thread did at time `due`. The thread is runnable, and on the tracer's CPU. due: the time since which
 * the tracer may have kept the thread off its CPU. now: the time at which cpu was read. */
enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu);

/*
 * weight: the CPU time that a sample stands for.
 *
 * A tick is a look at a random instant of a stretch of time. A thread that is found on a CPU stands for that whole
 * stretch: summed over many looks this is its CPU time, and where it was found is where it spent that time. (This is
 * the Horvitz-Thompson estimator: the length of the stretch is the inverse of the chance of being met.)
 *
 * To hand out the CPU time used since the last sample instead would be wrong. It would credit what a thread did after
 * its last look, before it fell asleep, to whatever it does first when it wakes up: programs that work in bursts come
 * out wrong by tens of percent. So the kernel's exact figure is only a target. The sum is drawn to it so slowly that it
 * does not matter where in a burst a look was.
 *
 * A tracer that competes for a CPU sometimes comes late, and misses ticks. The next look is at no random instant, but
 * where the scheduler gave the tracer a CPU, and it alone would decide where a long time was spent. So the missed time
 * becomes debt, which the following samples pay off. Only a young thread, which may have no further samples, gets it at
 * once.
 */

/* What is known when a sample is weighed. All lengths of time are ns of CPU time. */
struct weight {
    int64_t stretch;         /* sampling time that the sample is taken for */
    int64_t late;            /* sampling time before that, in which the tracer came late and did not look */
    int64_t debt;            /* CPU time of the thread, less what its samples stand for so far; may be negative */
    uint64_t samples;        /* number of earlier samples of the thread; 0: it counts as young in any case */
    int64_t ahead;           /* how far the sum may be ahead of the CPU time of the thread */
    bool process_known;      /* the members below are known */
    int64_t process_left;    /* CPU time of the process, less what its samples stand for; may be negative */
    int64_t process_lag;     /* how far that figure may be behind */
    unsigned process_shares; /* 1 or more: the sample of a young thread takes process_left / process_shares */
    /* like process_left, of all other processes, those that have ended too; 0: they are left alone */
    int64_t others_left;
    int64_t others_room; /* how much of others_left the process may still take */
};

/* Returns the CPU time that the sample stands for, ns, 0 or more. */
uint64_t weight_of_sample(const struct weight *weight);
/* Returns the time of other processes that the sample stands for, too, ns, 0 or more. Processes that live for a few
 * ticks are met by chance, and what they use after their last samples would be lost. */
uint64_t weight_for_others(const struct weight *weight);

/*
 * wall_time: wall mode's account of a thread.
 *
 * The elapsed time of a thread has three parts: what it ran, what it waited for a CPU, and the rest, which it slept.
 * Each part is booked once, so that their sum is the time that has elapsed.
 */

struct wall_time {
    uint64_t at;      /* time up to which everything is booked */
    uint64_t wait_ns; /* the part of the thread's run-queue wait that is booked */
};

/* Books the waits for a CPU up to now. wait_ns: run-queue wait of the thread's life, ns; the kernel counts a wait when
 * it is over. Returns the wait that is to be reported now, ns. Waits of less than 0.1 ms are reported together. The
 * result is never more than the time that is not booked yet; the rest is reported the next time. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books what the thread ran, ns. The account may be ahead of the clock afterwards. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Books the rest of the time up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
