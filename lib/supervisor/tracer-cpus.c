/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/budget.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/proc/system.h"
#include "supervisor/schedule.h"
#include "supervisor/supervisor.h"
#include "supervisor/tracer-cpus.h"

#define LOAD_PERIOD_NS 10000000u
#define LOAD_STALE_NS 100000000u
/* After the CPUs were found full for the last time, they still count as full for FULL_MIN_NS, ns. Otherwise tracers
 * would move back and forth. */
#define FULL_MIN_NS 20000000u
#define MOVE_PERIOD_NS 2000000u
/* Mean time for which a tracer stays on each CPU that it visits: STAY_TICKS ticks, but not less than STAY_MIN_NS and
 * not more than STAY_MAX_NS, ns. */
#define STAY_TICKS 4u
#define STAY_MIN_NS 10000000u
#define STAY_MAX_NS 1000000000u
/* If a move to a CPU took AVOID_WAIT_NS or more, a real-time thread may occupy that CPU, or many other threads want it.
 * The tracer does not go there again for AVOID_WAITS times as long, but not longer than AVOID_MAX_NS. Meanwhile the
 * tracees on that CPU get no samples, and the CPU time of those that end then is not represented. */
#define AVOID_WAIT_NS 20000000u
#define AVOID_WAITS 2u
#define AVOID_MAX_NS 1000000000u
/* If the time since an earlier moment is longer by at most STAYED_NS than the CPU time that the tracer has used since
 * then, the tracer has kept its CPU, ns. */
#define STAYED_NS 5000u
#define SLICE_NS 100000u /* the shortest time slice that the scheduler allows, ns */

/* --- is a CPU idle? -------------------------------------------------------------------------- */

/* It matters whether a CPU is idle: if none is, a tracer takes its CPU from a target. */

/* Returns how many tasks of the system run or wait for a CPU. Does not count this tracer, nor its occupier (preempt.c)
 * if the occupier has an order. */
static double cpus_full_others(const struct tracer *tracer)
{
    unsigned ours = 1 + tracer->preempt.ordered, runnable = tracer->supervisor->load.runnable;

    return runnable > ours ? runnable - ours : 0;
}

/* If the mean load is higher than the returned value, the CPUs count as full. */
static double cpus_full_load(const struct supervisor *supervisor)
{
    return (double)supervisor->cpus.count - 0.5;
}

/* Reads the load, at most once in LOAD_PERIOD_NS, and updates its mean. While our own targets fill the CPUs, this
 * function is not called, so the mean may be old. If the mean is older than LOAD_STALE_NS, the new load replaces it.
 * The replacement is limited, so that a single reading does not make the CPUs count as full. */
static void cpus_full_read_load(struct tracer *tracer)
{
    struct cpu_load *load = &tracer->supervisor->cpus.load;
    uint64_t age = tracer->tick.at - load->read_at;

    if (!load->has_all_cpus || age < LOAD_PERIOD_NS)
        return;
    load->read_at = tracer->tick.at;
    if (system_load_read(&tracer->supervisor->load) != 0)
        return;
    double others = cpus_full_others(tracer), full = cpus_full_load(tracer->supervisor);
    if (age >= LOAD_STALE_NS)
        load->mean = others < full ? others : full;
    else
        load->mean += (others - load->mean) / 4;
}

unsigned cpus_full_count_runnable(const struct supervisor *supervisor)
{
    unsigned runnable = 0;

    for (unsigned i = 0; i < supervisor->tracer_count; i++)
        runnable += supervisor->tracers[i]->tick.runnable;
    return runnable;
}

void cpus_full_update(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpus.load;
    uint64_t now = tracer->tick.at;
    bool full = cpus_full_count_runnable(supervisor) >= supervisor->cpus.count;

    if (!full) {
        cpus_full_read_load(tracer);
        full = load->mean > cpus_full_load(supervisor);
    }
    if (full)
        load->full_at = now;
    supervisor->cpus.full = full || (supervisor->cpus.full && now < load->full_at + FULL_MIN_NS);
}

bool cpus_full_by_others(struct tracer *tracer)
{
    struct supervisor *supervisor = tracer->supervisor;
    struct cpu_load *load = &supervisor->cpus.load;

    if (!load->has_all_cpus)
        return false;
    if (tracer->tick.at >= load->counted_at + LOAD_PERIOD_NS) {
        load->counted_at = tracer->tick.at;
        load->counted = system_load_read(&supervisor->load) == 0;
    }
    return load->counted && cpus_full_others(tracer) >= 2.0 * cpus_full_count_runnable(supervisor);
}

/* --- on which CPU a tracer runs -------------------------------------------------------------- */

static void affinity_bind(struct tracer *tracer, int cpu)
{
    cpu_set_t cpus = tracer->supervisor->cpus.set;

    if (cpu >= 0) {
        CPU_ZERO(&cpus);
        CPU_SET(cpu, &cpus);
    }
    if (sched_setaffinity(0, sizeof cpus, &cpus) == 0)
        tracer->affinity.bound_cpu = cpu;
    tracer->preempt.has_room = false;
}

void affinity_unbind(struct tracer *tracer)
{
    tracer->affinity.home_cpu = -1;
    if (tracer->affinity.bound_cpu >= 0)
        affinity_bind(tracer, -1);
}

/* Moves the tracer to a CPU. Gives up the lock meanwhile, because it may take long until the tracer gets a busy CPU. */
static void affinity_go(struct tracer *tracer, int cpu)
{
    struct affinity *affinity = &tracer->affinity;
    uint64_t before = time_now(), after = before;

    if (cpu != affinity->bound_cpu) {
        supervisor_unlock(tracer->supervisor);
        affinity_bind(tracer, cpu);
        after = time_now();
        supervisor_lock(tracer->supervisor);
    }
    affinity->cpu = sched_getcpu();
    uint64_t waited = after - before;
    if (waited >= AVOID_WAIT_NS) {
        affinity->avoided_cpu = cpu;
        affinity->avoided_until = after + (waited < AVOID_MAX_NS / AVOID_WAITS ? AVOID_WAITS * waited : AVOID_MAX_NS);
    }
    if (affinity->home_cpu < 0 || !CPU_ISSET(affinity->home_cpu, &affinity->cpus))
        affinity->home_cpu = cpu;
}

static bool affinity_may_go(const struct tracer *tracer, int cpu)
{
    const struct affinity *affinity = &tracer->affinity;

    return CPU_ISSET(cpu, &affinity->cpus) && CPU_ISSET(cpu, &tracer->supervisor->cpus.set) &&
           (cpu != affinity->avoided_cpu || tracer->tick.at >= affinity->avoided_until);
}

/* Returns the next CPU after `cpu` to which the tracer may go; -1: there is none. */
static int affinity_next(const struct tracer *tracer, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++) {
        int next = (cpu + i) % CPU_SETSIZE;
        if (affinity_may_go(tracer, next))
            return next;
    }
    return -1;
}

unsigned affinity_cpu_count(const struct tracer *tracer)
{
    int count = CPU_COUNT(&tracer->affinity.cpus);

    return count > 0 ? (unsigned)count : 1;
}

/* Returns how long the tracer stays on a CPU, ns: a random time. With equal times, a target that does the same at
 * regular intervals might be seen at the same point again and again. */
static uint64_t affinity_draw_stay(struct tracer *tracer)
{
    uint64_t stay = STAY_TICKS * budget_period(&tracer->supervisor->budget) / affinity_cpu_count(tracer);

    if (stay < STAY_MIN_NS)
        stay = STAY_MIN_NS;
    if (stay > STAY_MAX_NS)
        stay = STAY_MAX_NS;
    return stay / 2 + schedule_random(&tracer->schedule, (uint32_t)stay);
}

bool affinity_rotate(struct tracer *tracer)
{
    struct affinity *affinity = &tracer->affinity;
    int cpu = affinity->cpu, next = affinity_next(tracer, cpu);
    bool stays = cpu >= 0 && CPU_ISSET(cpu, &affinity->cpus) && tracer->tick.at < affinity->leave_at;

    if (next < 0)
        return false;
    affinity_go(tracer, stays ? cpu : next);
    if (!stays)
        affinity->leave_at = time_now() + affinity_draw_stay(tracer);
    return affinity->cpu != cpu;
}

void affinity_move_away(struct tracer *tracer)
{
    cpu_set_t others = tracer->supervisor->cpus.set;
    int cpu = sched_getcpu();

    if (cpu < 0 || tracer->preempt.ordered || tracer->tick.at - tracer->affinity.moved_at < MOVE_PERIOD_NS)
        return;
    tracer->affinity.moved_at = tracer->tick.at;
    CPU_CLR(cpu, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof tracer->supervisor->cpus.set, &tracer->supervisor->cpus.set);
    tracer->affinity.bound_cpu = -1;
}

/* --- how soon a tracer runs ----------------------------------------------------------------------- */

/*
 * If a tracer woke up late for its ticks, the targets would often be asleep again. So code that a target runs just
 * after its own wake-up would be missed.
 *
 * If a CPU is idle, real-time priority is best, if it is permitted. The scheduler wakes a real-time thread on the CPU
 * where it ran last. If that thread wakes up another thread, the scheduler does not move the other thread to the same
 * CPU. Without real-time priority, a tracer and the tracee that it resumes often share a CPU although another is idle.
 * In measurements, a process that forks then lost twice as much time.
 *
 * Real-time priority is also best if other programs want the CPUs as much as the targets do. Without it, the tracer
 * waits for its turn after these programs, and stopped threads wait with it. In measurements, a process that starts
 * threads then lost twice as much time, and only half of the ticks came in time.
 *
 * If the targets themselves fill the CPUs, a short time slice is enough (sched_setattr(2); since Linux 6.12 any user
 * may ask for one). The nice value helps on older kernels, if the scheduler does not divide the CPUs among sessions.
 * With real-time priority each sample would cost as much. But at rates near 10 kHz, there would be so many samples that
 * they would cost more than the limit that the user has set.
 */

/* Same as struct sched_attr of include/uapi/linux/sched/types.h. That header cannot be used, because it conflicts with
 * headers of glibc. */
struct priority_wish {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static void priority_set(struct tracer *tracer, bool realtime)
{
    const int own_nice = getpriority(PRIO_PROCESS, 0);
    const struct priority_wish wishes[] = {
        {.size = sizeof *wishes, .policy = SCHED_FIFO, .priority = 1},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = -10, .runtime = SLICE_NS},
        {.size = sizeof *wishes, .policy = SCHED_OTHER, .nice = own_nice, .runtime = SLICE_NS},
    };

    tracer->asked_for_realtime = realtime;
    for (size_t i = realtime ? 0 : 1; i < sizeof wishes / sizeof *wishes; i++)
        if (syscall(SYS_sched_setattr, 0, &wishes[i], 0u) == 0)
            return;
}

void priority_ask(struct tracer *tracer)
{
    priority_set(tracer, !tracer->supervisor->cpus.full);
}

bool priority_realtime_is_best(struct tracer *tracer)
{
    if (!tracer->supervisor->cpus.full)
        return true;
    /* the load says nothing about targets that all sleep at this moment */
    return cpus_full_count_runnable(tracer->supervisor) > 0 ? cpus_full_by_others(tracer) : tracer->asked_for_realtime;
}

void priority_follow(struct tracer *tracer, bool realtime)
{
    if (tracer->asked_for_realtime != realtime)
        priority_set(tracer, realtime);
}

/* --- how long a tracer waits ---------------------------------------------------------------------- */

struct procfs_task *tracer_files(struct tracer *tracer)
{
    if (tracer->files.tid != tracer->wakeup.tid)
        procfs_task_init(&tracer->files, getpid(), tracer->wakeup.tid);
    return &tracer->files;
}

uint64_t tracer_read_wait(struct tracer *tracer)
{
    struct procfs_cpu cpu;

    return procfs_read_cpu(tracer_files(tracer), &cpu) == 0 ? cpu.wait_ns : 0;
}

bool tracer_read_clock(struct tracer *tracer)
{
    uint64_t before_at = tracer->clock.at, before_ns = tracer->clock.cpu_ns;

    uint64_t called_at = time_now();
    tracer->clock.cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
    tracer->clock.at = time_now();
    if (tracer->clock.call_ns == 0 || tracer->clock.at - called_at < tracer->clock.call_ns)
        tracer->clock.call_ns = tracer->clock.at - called_at;
    return tracer->clock.at - before_at > tracer->clock.cpu_ns - before_ns + STAYED_NS;
}

void tracer_note_cpu(struct tracer *tracer)
{
    uint64_t before_at = tracer->clock.at, before_ns = tracer->clock.cpu_ns;
    bool gave_up_cpu = tracer_read_clock(tracer);

    if (!gave_up_cpu && tracer->sleep.cpu_at != 0)
        return;
    uint64_t used = tracer->clock.cpu_ns - before_ns, awake = tracer->sleep.began_at - before_at;
    tracer->sleep.cpu_at = before_at == 0 ? 0 : tracer->clock.at - (used > awake ? used - awake : 0);
}
