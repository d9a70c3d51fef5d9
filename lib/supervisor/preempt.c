/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes the CPU from a thread before the thread is interrupted.
 *
 * PTRACE_INTERRUPT marks a thread immediately, but the CPU on which the thread runs notices the mark some microseconds
 * later. If the thread leaves the kernel in between, it stops at that point. So a thread with many short system calls
 * or page faults gets far too many samples at the ends of these (measured: 34 % of the samples at a call that takes 2.5
 * % of the time). This does not happen if the thread has lost its CPU before the interrupt: then it stops at the place
 * where it lost the CPU, as soon as it gets a CPU again.
 *
 * So a second thread of ours, the occupier, sleeps on the thread's CPU until the tick. When its timer expires, it takes
 * that CPU, and holds it while the tracer, awake on another CPU, sends the interrupt. The tracer cannot do this itself:
 * the scheduler resumes a tracee on an idle CPU rather than on the CPU of its tracer, so the tracee would move to
 * another CPU at each stop.
 *
 * The occupier costs the thread two more context switches than an interrupt from another CPU. So it is used only for
 * threads whose samples show that they often enter the kernel. If the sampling rate is low, and only one thread runs,
 * the occupier is used for that thread even if it rarely enters the kernel. If several threads on different CPUs need
 * the occupier, it takes one of these CPUs at each tick, chosen at random.
 *
 * The occupier is started while a CPU is idle, and keeps the priority that its tracer has at that time. If no CPU is
 * idle, the occupier is not used. Then the tracer itself moves to the thread's CPU, and so takes that CPU from the
 * thread (tracer-affinity.c).
 */
#include "config.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/preempt.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"

/* The first JUDGED_LOOKS samples of a thread are taken without the occupier. If in ENTERED_MIN of these the thread was
 * just leaving the kernel, then it enters the kernel often, so its next PREEMPT_LOOKS samples are taken with the
 * occupier. Afterwards the thread is judged again in the same way. */
#define JUDGED_LOOKS 64
#define ENTERED_MIN 4
#define PREEMPT_LOOKS 1024u
/* The occupier is used for a thread only if more than PRESENCE_MIN/256 of the recent ticks found the thread running
 * (struct preempt_judgement, presence). For a thread that mostly sleeps, the occupier would often wake up for
 * nothing. */
#define PRESENCE_MIN 128
/* A thread loses about OCCUPIER_COST_NS to the occupier at each sample. The occupier is used for a thread that runs
 * alone if this cost is at most 1/CHEAP_PART of the budget (budget.h). For a program that profiles itself, the cost may
 * be as much as the whole budget: the program may count only the samples outside of the kernel, and without the
 * occupier too many of these would be at the ends of system calls. */
#define OCCUPIER_COST_NS 12000.0
#define CHEAP_PART 4
/* If the occupier comes too late for a tick, no sample is taken until the next tick. After OCCUPIER_LATE_TICKS_MAX such
 * ticks in a row, the sample is taken without the occupier. */
#define OCCUPIER_LATE_TICKS_MAX 8
/* The occupier is meant for threads for which preempt_wanted returns true. If more than MISSED_TICKS_MAX ticks in a row
 * have found no such thread on the occupier's CPU, and this tick finds none on any CPU, the occupier takes no CPU at
 * the next tick. */
#define MISSED_TICKS_MAX 1
/* Limits of preempt.early_ns: how long before a tick the tracer wakes up, ns. */
#define EARLY_MIN_NS 60000u
#define EARLY_MAX_NS 300000u
/* Time from the sending of an interrupt to its arrival, ns. */
#define SENDING_NS 10000u
/* The longest wait for the occupier, and the longest time for which the occupier holds the CPU. */
#define OCCUPIER_MAX_NS 80000u

void preempt_note(struct tracee *tracee, bool running)
{
    tracee->judgement.presence += running ? (256 - tracee->judgement.presence) / 8 : 0;
    tracee->judgement.presence -= running ? 0 : tracee->judgement.presence / 8;
}

/* Returns true if the occupier costs little, and at most one thread runs. If several threads ran, a tick with the
 * occupier would reach only those on one CPU. */
static bool preempt_is_cheap(const struct tracer *tracer)
{
    const struct supervisor *supervisor = tracer->supervisor;
    double share = supervisor->budget.share / (supervisor->options.serve ? 1 : CHEAP_PART);

    return supervisor->cpus.may_poll && tracer->tick.runnable <= 1 &&
           supervisor->budget.rate_hz * OCCUPIER_COST_NS <= share * 1e9;
}

bool preempt_wanted(const struct tracee *tracee)
{
    const struct preempt_judgement *judgement = &tracee->judgement;
    bool wanted = judgement->preempt_looks > 0 || preempt_is_cheap(tracee->tracer);

    return wanted && judgement->presence > PRESENCE_MIN;
}

void preempt_judge(struct tracee *tracee, bool entered)
{
    if (preempt_wanted(tracee)) {
        tracee->judgement.preempt_looks -= tracee->judgement.preempt_looks > 0;
        return;
    }
    tracee->judgement.judged_looks++;
    tracee->judgement.judged_entries += entered;
    if (tracee->judgement.judged_entries >= ENTERED_MIN)
        tracee->judgement.preempt_looks = PREEMPT_LOOKS;
    else if (tracee->judgement.judged_looks < JUDGED_LOOKS)
        return;
    tracee->judgement.judged_looks = tracee->judgement.judged_entries = 0;
}

static void preempt_bind(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static void preempt_sleep(uint64_t due)
{
    struct timespec when = {.tv_sec = (time_t)(due / 1000000000u),
                            .tv_nsec = (long)(due % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* The occupier's thread. The tracer gives it orders. An order says which CPU the occupier must take, and at what time.
 * The tracer gives the next order while the occupier still holds the CPU of the present order, so that the occupier
 * wakes up only once per tick. */
static void *preempt_occupy(void *context)
{
    struct preempt *preempt = context;
    uint32_t order = 0;
    int bound = -1;
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_TIMERSLACK, 1ul);
    for (;;) {
        atomic_store(&preempt->waits, true);
        while (atomic_load(&preempt->orders) == order)
            syscall(SYS_futex, &preempt->orders, FUTEX_WAIT_PRIVATE, order, NULL, NULL, 0);
        atomic_store(&preempt->waits, false);
        order = atomic_load(&preempt->orders);
        int cpu = atomic_load(&preempt->cpu);
        uint64_t due = atomic_load(&preempt->due);
        if (cpu != bound)
            preempt_bind(cpu);
        bound = cpu;
        preempt_sleep(due);
        atomic_store(&preempt->arrived, order);
        while (atomic_load(&preempt->orders) == order && !atomic_load(&preempt->cancelled) &&
               time_now() < due + OCCUPIER_MAX_NS)
            ;
    }
    return NULL;
}

static bool preempt_have_occupier(struct preempt *preempt)
{
    pthread_t occupier;

    if (!preempt->started)
        preempt->refused = pthread_create(&occupier, NULL, preempt_occupy, preempt) != 0;
    preempt->started = true;
    return !preempt->refused;
}

/* Adapts preempt->early_ns, that is, how long before a tick the tracer wakes up. in_time: at this tick, the tracer was
 * ready in time. On a virtual machine it may take long until an idle CPU wakes up and runs the tracer. Then the tracer
 * must set its timer for an earlier time. */
static void preempt_adapt_early(struct preempt *preempt, bool in_time)
{
    uint64_t early = preempt->early_ns;

    early = in_time ? early - early / 64 : early + early / 4;
    if (early < EARLY_MIN_NS)
        early = EARLY_MIN_NS;
    preempt->early_ns = early < EARLY_MAX_NS ? early : EARLY_MAX_NS;
}

bool preempt_await(struct tracer *tracer)
{
    struct preempt *preempt = &tracer->preempt;
    uint64_t latest = atomic_load(&preempt->due) + OCCUPIER_MAX_NS;
    bool arrived;

    if (!preempt->ordered)
        return false;
    for (struct tracee *tracee = tracer->tracees.active; tracee != NULL; tracee = tracee->activity.next) {
        struct procfs_state state = {0};
        if (preempt_wanted(tracee))
            procfs_look(&tracee->files, &state);
        tracee->judgement.asleep_before = state.doing == PROCFS_SLEEPING;
    }
    supervisor_unlock(tracer->supervisor);
    while (!(arrived = atomic_load(&preempt->arrived) == atomic_load(&preempt->orders)) && time_now() < latest)
        ;
    supervisor_lock(tracer->supervisor);
    /* if false, the occupier has given up its CPU already, or will give it up before an interrupt can arrive there */
    bool in_time = time_now() + SENDING_NS < latest;
    preempt_adapt_early(preempt, in_time);
    return arrived && in_time;
}

static int preempt_draw_cpu(struct schedule *schedule, const cpu_set_t *cpus)
{
    unsigned drawn = schedule_random(schedule, (uint32_t)CPU_COUNT(cpus));

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, cpus) && drawn-- == 0)
            return cpu;
    return -1;
}

unsigned preempt_choose(struct tracer *tracer, struct tracee *wanted[], unsigned count, bool held, unsigned *stands_for)
{
    struct preempt *preempt = &tracer->preempt;
    unsigned here = 0, choices = preempt->cpu_choices;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    for (unsigned i = 0; i < count; i++) {
        struct tracee *tracee = wanted[i];
        int cpu = tracee->files.may_exec ? tracee->look.cpu : procfs_last_cpu(&tracee->files, false);
        if (cpu >= 0 && cpu < CPU_SETSIZE)
            CPU_SET(cpu, &cpus);
        if (held && cpu == atomic_load(&preempt->cpu)) {
            wanted[i] = wanted[here];
            wanted[here++] = tracee;
        }
    }
    CPU_AND(&cpus, &cpus, &tracer->supervisor->cpus.set);
    if (CPU_COUNT(&cpus) > 0) {
        preempt->cpu_choices = (unsigned)CPU_COUNT(&cpus);
        preempt->next = preempt_draw_cpu(&tracer->schedule, &cpus);
    } else if (preempt->missed_ticks > MISSED_TICKS_MAX) {
        preempt->next = -1;
    }
    preempt->taken = here > 0;
    preempt->missed_ticks = preempt->taken ? 0 : preempt->missed_ticks + 1;
    if (here > 0) {
        *stands_for = choices;
        return here;
    }
    bool late = preempt->ordered && !held;
    preempt->late_ticks = late ? preempt->late_ticks + 1 : 0;
    if (count == 0 || (late && preempt->late_ticks <= OCCUPIER_LATE_TICKS_MAX))
        return 0;
    /* none of the threads wanted[0..count-1] is on the occupier's CPU, so this tick interrupts one of them without the
     * occupier */
    wanted[0] = wanted[schedule_random(&tracer->schedule, count)];
    *stands_for = count;
    return 1;
}

void preempt_expect(struct tracer *tracer, int cpu)
{
    struct preempt *preempt = &tracer->preempt;

    if (preempt->next < 0 && cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &tracer->supervisor->cpus.set)) {
        preempt->next = cpu;
        preempt->cpu_choices = 1;
        preempt->missed_ticks = 0;
    }
}

/* Moves the tracer off `cpu`, so that the occupier can take that CPU. cpu -1: lets the tracer run on all CPUs again. */
static void preempt_make_room(struct tracer *tracer, int cpu)
{
    cpu_set_t cpus = tracer->supervisor->cpus.set;

    if (cpu < 0 && tracer->affinity.bound_cpu >= 0)
        return; /* the tracer is bound to the CPU of its tracees, because no CPU is idle any more */
    if (cpu >= 0)
        CPU_CLR(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    tracer->affinity.bound_cpu = -1;
    tracer->preempt.has_room = cpu >= 0;
}

uint64_t preempt_order(struct tracer *tracer, uint64_t due)
{
    struct preempt *preempt = &tracer->preempt;
    uint64_t early = preempt->early_ns > EARLY_MIN_NS ? preempt->early_ns : EARLY_MIN_NS;
    uint64_t earliest = time_now() + early;
    bool wanted = due != 0 && preempt->next >= 0 && !tracer->supervisor->cpus.full && preempt_have_occupier(preempt);

    bool same = preempt->has_room && preempt->next == atomic_load(&preempt->cpu);
    if (wanted != preempt->ordered || (wanted && !same))
        preempt_make_room(tracer, wanted ? preempt->next : -1);
    if (!wanted) {
        preempt->ordered = false;
        atomic_store(&preempt->cancelled, true);
        return due;
    }
    if (due < earliest)
        due = earliest;
    atomic_store(&preempt->cpu, preempt->next);
    atomic_store(&preempt->due, due);
    atomic_store(&preempt->cancelled, false);
    atomic_fetch_add(&preempt->orders, 1);
    if (atomic_load(&preempt->waits))
        syscall(SYS_futex, &preempt->orders, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    preempt->ordered = true;
    return due - early;
}
