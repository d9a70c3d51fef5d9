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
 * The kernel says of a thread that it is runnable, and not whether it runs. A tracer that wakes up on the CPU of a
 * runnable thread has taken that CPU from it, or from another. proc_schedstat(5) tells which: it counts how long a
 * thread has run, how long it has waited for a CPU (a wait counts when it ends), and how often it got one, its turns.
 * At each look the thread was runnable, and the tracer had its CPU, as far as it knew. Since the last look there was
 *
 *     no turn            It still waits, unless its run time grows: then it was on another CPU at the last look.
 *     one turn           It waited, ran, and lost its CPU. The time that is in neither count is the wait that goes on.
 *     more than one      It may have slept in between. Nobody can tell.
 *
 * Interrupts, and the host of a virtual machine, take time that is in no count. That looks like a wait after one
 * turn, so a next look checks what the last one said, and few such looks in a row are believed.
 *
 * If it is certain when the thread lost its CPU before, and all the time since then is in one of the two counts, the
 * thread has just lost its CPU to the tracer, however many turns it had.
 */

struct procfs_cpu;

enum cpu_wait_verdict {
    CPU_WAIT_UNKNOWN,
    CPU_WAIT_WAITS, /* it had no CPU */
    CPU_WAIT_RAN,   /* it had the CPU that the tracer has now */
};

/* The last look. Zero: there was none. */
struct cpu_wait {
    uint64_t at;      /* time */
    uint64_t lost_at; /* time: the thread lost its CPU then */
    bool certain;     /* lost_at is certain; else it may be earlier */
    uint64_t run_ns, wait_ns, turns; /* of struct procfs_cpu */
    unsigned one_turn_waits; /* looks in a row that found a wait after one turn */
};

/* The thread has stopped, and has waited for the tracer's CPU since lost_at. cpu was read after that. */
void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu);
/* Somebody else has its number now, or it had no tracer for a while. */
void cpu_wait_forget(struct cpu_wait *wait);

/* Returns true if the thread has not had a CPU, on any of them, since the last look. */
bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu);
/* Returns what a thread did at time due that is runnable, and on the tracer's CPU. due: since when the tracer may have
 * kept the thread off its CPU. now: when cpu was read. */
enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu);

/*
 * weight: the CPU time that a sample stands for.
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

/*
 * wall_time: wall mode's account of a thread.
 *
 * The elapsed time of a thread has three parts: what it ran, what it waited for a CPU, and the rest, which it slept.
 * Each is booked once, so that their sum is the time that has elapsed.
 */

struct wall_time {
    uint64_t at;      /* time up to which all is booked */
    uint64_t wait_ns; /* run-queue wait of the thread's life that is booked */
};

/* Books the waits for a CPU up to now. wait_ns: run-queue wait of the thread's life, ns. The kernel counts a wait when
 * it is over. Returns what is to be told now, ns. Waits of less than 0.1 ms are told together. No more is told than the
 * time that is not booked yet; the rest is told the next time. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books what the thread ran, ns. The account may be ahead of the clock afterwards. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Books all the rest up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
