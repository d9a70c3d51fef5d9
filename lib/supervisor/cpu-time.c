/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the CPU time of processes and threads, and sets the baselines from which CPU time is counted. */
#include "config.h"

#include "base/clock.h"
#include "supervisor/cpu-time.h"
#include "supervisor/proc/procfs.h"
#include "supervisor/supervisor.h"

#define LATELY_SHARE 300u /* at most 1/LATELY_SHARE of the time may be spent on reading the clock of a process */

/* Returns the process's CPU time since its last baseline_take, ns. If baseline_take was never called, returns the CPU
 * time of the whole life of the process. Returns 0 if the clock of the process cannot be read. Sets clock.known_ns to
 * the returned value. Also works after the process has ended, until it is reaped. */
static uint64_t process_cpu(struct process *process)
{
    struct timespec time;

    process->clock.known_ns = 0;
    if (!process->clock.valid || clock_gettime(process->clock.id, &time) < 0)
        return 0;
    uint64_t cpu = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    process->clock.known_ns = cpu > process->clock.base_ns ? cpu - process->clock.base_ns : 0;
    return process->clock.known_ns;
}

uint64_t process_cpu_traced(struct process *process)
{
    uint64_t cpu = process_cpu(process);

    return cpu > process->untraced_ns ? cpu - process->untraced_ns : 0;
}

uint64_t process_cpu_lately(struct process *process, uint64_t now, uint64_t *age_ns)
{
    uint64_t age = now - process->clock.lately_at;

    if (process->clock.lately_at == 0 || age > LATELY_SHARE * process->clock.lately_cost_ns) {
        uint64_t before = time_now();
        process->clock.lately_ns = process_cpu_traced(process);
        process->clock.lately_at = time_now();
        process->clock.lately_cost_ns = process->clock.lately_at - before;
        age = 0;
    }
    *age_ns = age;
    return process->clock.lately_ns;
}

uint64_t process_cpu_known(const struct process *process, bool sampling)
{
    if (process->launching)
        return 0;
    return process->clock.paused_ns + (sampling ? process->clock.known_ns : 0);
}

uint64_t process_cpu_counted(struct process *process, bool sampling)
{
    if (sampling && !process->launching)
        process_cpu(process);
    return process_cpu_known(process, sampling);
}

bool tracee_read_cpu(struct tracee *tracee, struct procfs_cpu *cpu)
{
    if (procfs_read_cpu(&tracee->files, cpu) != 0 || cpu->run_ns < tracee->time.used_ns)
        return false;
    if (tracee->process != NULL)
        tracee->process->search.explained_ns += cpu->run_ns - tracee->time.used_ns;
    tracee->time.used_ns = cpu->run_ns;
    return true;
}

/* --- baselines ------------------------------------------------------------------------------- */

void baseline_take_of(struct tracee *tracee)
{
    struct procfs_cpu cpu;

    if (procfs_read_cpu(&tracee->files, &cpu) == 0) {
        tracee->time.used_ns = cpu.run_ns;
        tracee->sleep.wall.wait_ns = cpu.wait_ns;
    }
    tracee->time.base_ns = tracee->time.used_ns;
    tracee->time.attributed_ns = 0;
    tracee->interrupt.pending_ns = tracee->interrupt.overdue_ns = 0;
    tracee->interrupt.skipped_ns = tracee->interrupt.late_ns = 0;
}

void baseline_take(struct supervisor *supervisor, struct process *process)
{
    process->clock.base_ns = 0;
    process->clock.base_ns = process_cpu(process);
    process->clock.known_ns = 0;
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        baseline_take_of(tracee);
    untraced_read(&supervisor->processes, process);
    process->untraced_ns = 0;
    process->sampled.attributed_ns = process->clock.lately_at = 0;
    process->search.explained_ns = 0;
    process->search.unexplained_ns = 0;
    process->search.next = NULL;
}

void baseline_keep_debts(struct process *process)
{
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next) {
        struct procfs_cpu cpu;
        tracee_read_cpu(tracee, &cpu);
        tracee->time.kept_debt_ns = (int64_t)(tracee->time.used_ns - tracee->time.base_ns - tracee->time.attributed_ns);
    }
    process->sampled.kept_debt_ns = (int64_t)(process_cpu_traced(process) - process->sampled.attributed_ns);
}

/* Adds the debt *kept to a baseline that was just taken, and sets *kept to 0. The debt is CPU time that no sample
 * represents yet. If it is positive, lowers the baseline *base by the debt. If it is negative, raises *attributed_ns,
 * the CPU time that samples represent. */
static void baseline_owe(uint64_t *base, uint64_t *attributed_ns, int64_t *kept)
{
    int64_t debt = *kept;

    *kept = 0;
    if (debt < 0)
        *attributed_ns += (uint64_t)-debt;
    else
        *base -= (uint64_t)debt < *base ? (uint64_t)debt : *base;
}

void baseline_resume(struct supervisor *supervisor, struct process *process)
{
    baseline_take(supervisor, process);
    for (struct tracee *tracee = process->tracees; tracee != NULL; tracee = tracee->process_next)
        baseline_owe(&tracee->time.base_ns, &tracee->time.attributed_ns, &tracee->time.kept_debt_ns);
    baseline_owe(&process->clock.base_ns, &process->sampled.attributed_ns, &process->sampled.kept_debt_ns);
}
