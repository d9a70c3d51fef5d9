/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/accounting.h"
#include "supervisor/proc/procfs.h"

/* Interrupts and the host of a virtual machine take time that is in neither run_ns nor wait_ns. Such time counts as a
 * wait only if it is longer than UNCOUNTED_NS plus 1/UNCOUNTED_PART of the time since the last cpu_wait_look or
 * cpu_wait_note. */
#define UNCOUNTED_NS 50000u
#define UNCOUNTED_PART 16u
/* The thread counts as having run until the tick (parameter `due`) if run_ns and wait_ns account for almost all of the
 * time since the last look: at most RAN_NS plus 1/RAN_PART of that time may be missing. With larger values, a thread
 * that gave up its CPU just before the tick would also count. Threads often give up the CPU in a system call, so system
 * calls would get too many samples. */
#define RAN_NS 20000u
#define RAN_PART 1024u
/* If a thread lost the CPU later than RAN_AFTER_NS after the tick was due, the verdict is UNKNOWN instead of RAN. In
 * this case the tracer came late, or lost the CPU during the tick. So the thread may have got the CPU only after the
 * tick was due. */
#define RAN_AFTER_NS 150000u
/* If the thread got the CPU exactly once since the last look (one turn), the verdict may be that it waits now. After
 * ONE_TURN_WAITS_MAX such verdicts in a row, the next verdict is UNKNOWN. Then the thread is interrupted, and its stop
 * shows what it did. */
#define ONE_TURN_WAITS_MAX 4u
/* The debt of a thread is the CPU time that no sample represents yet. Each sample of the thread also represents 1/n of
 * the debt. n is the number of samples in DEBT_NS of CPU time, limited to DEBT_SHARES_MIN..DEBT_SHARES_MAX. */
#define DEBT_NS 32000000
#define DEBT_SHARES_MIN 8
#define DEBT_SHARES_MAX 32
/* A thread is young until it has this many samples. The CPU time that fewer samples represent may differ much from the
 * CPU time that the thread has used. */
#define YOUNG_SAMPLES_MAX 16
#define WAIT_MIN_NS 100000u /* shorter waits are added up and reported together */

/* --- did it have a CPU? ---------------------------------------------------------------------- */

static void cpu_wait_begin(struct cpu_wait *wait, uint64_t at, uint64_t lost_at, const struct procfs_cpu *cpu)
{
    *wait = (struct cpu_wait){
        .at = at, .lost_at = lost_at, .run_ns = cpu->run_ns, .wait_ns = cpu->wait_ns, .turns = cpu->turns};
}

void cpu_wait_note(struct cpu_wait *wait, uint64_t lost_at, const struct procfs_cpu *cpu)
{
    cpu_wait_begin(wait, lost_at, lost_at, cpu);
    wait->certain = true;
}

void cpu_wait_forget(struct cpu_wait *wait)
{
    *wait = (struct cpu_wait){0};
}

bool cpu_wait_goes_on(struct cpu_wait *wait, uint64_t now, const struct procfs_cpu *cpu)
{
    bool goes_on = wait->turns != 0 && wait->turns == cpu->turns && wait->run_ns == cpu->run_ns;

    if (goes_on)
        wait->at = now;
    return goes_on;
}

/* Returns true if the last cpu_wait_look was right to conclude that the thread waited. `cpu` was read later, when the
 * thread had got a CPU again. If the thread did wait from last->lost_at to last->at, the wait that has ended since then
 * is at least that long. */
static bool cpu_wait_was_right(const struct cpu_wait *last, const struct procfs_cpu *cpu)
{
    return cpu->wait_ns - last->wait_ns + UNCOUNTED_NS >= last->at - last->lost_at;
}

enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu)
{
    struct cpu_wait last = *wait;

    bool goes_on = cpu_wait_goes_on(wait, now, cpu);
    if (!goes_on)
        cpu_wait_begin(wait, now, now, cpu);
    wait->runnable = true;
    if (goes_on)
        return CPU_WAIT_WAITS;
    if (last.turns == 0 || cpu->turns == last.turns)
        return CPU_WAIT_UNKNOWN;
    uint64_t lost_at = last.lost_at + (cpu->wait_ns - last.wait_ns) + (cpu->run_ns - last.run_ns);
    if (last.certain && lost_at + RAN_NS + (now - last.at) / RAN_PART >= due) {
        wait->lost_at = lost_at > due ? lost_at : due;
        wait->certain = true;
        return lost_at <= due + RAN_AFTER_NS ? CPU_WAIT_RAN : CPU_WAIT_UNKNOWN;
    }
    if (cpu->turns - last.turns != 1 || last.one_turn_waits >= ONE_TURN_WAITS_MAX || !cpu_wait_was_right(&last, cpu) ||
        lost_at + UNCOUNTED_NS + (now - last.at) / UNCOUNTED_PART >= due)
        return CPU_WAIT_UNKNOWN;
    wait->lost_at = lost_at;
    wait->certain = last.certain;
    wait->one_turn_waits = last.one_turn_waits + 1;
    return CPU_WAIT_WAITS;
}

/* --- CPU time -------------------------------------------------------------------------------- */

/* Returns over how many samples the debt of a thread is spread. The debt is the CPU time that no sample of the thread
 * represents yet. */
static int64_t weight_debt_shares(int64_t stretch)
{
    int64_t shares = stretch > 0 ? DEBT_NS / stretch : DEBT_SHARES_MAX;

    if (shares < DEBT_SHARES_MIN)
        return DEBT_SHARES_MIN;
    return shares < DEBT_SHARES_MAX ? shares : DEBT_SHARES_MAX;
}

/* Adjusts `share`, the CPU time that a sample represents, and returns the adjusted share. How much CPU time the samples
 * of a young thread represent depends on chance. If there are more threads than CPUs, this is true of every thread.
 * With the adjusted shares, the time that all samples of the process represent approaches the CPU time of the process,
 * and does not become much larger. */
static int64_t weight_within_process(const struct weight *weight, int64_t share)
{
    /* if share is 0, the thread's samples already represent more CPU time than it has used */
    bool unsettled = weight->samples < YOUNG_SAMPLES_MAX || share == 0;

    if (unsettled && weight->process_left > share)
        share += (weight->process_left - share) / (int64_t)weight->process_shares;
    if (share > weight->process_left + weight->process_lag)
        share = weight->process_left + weight->process_lag;
    return share > 0 ? share : 0;
}

uint64_t weight_of_sample(const struct weight *weight)
{
    int64_t share = weight->stretch;

    if (weight->samples < YOUNG_SAMPLES_MAX)
        share += weight->late;
    else
        share += (weight->debt - share) / weight_debt_shares(share);
    if (share > weight->debt + weight->ahead)
        share = weight->debt + weight->ahead;
    if (share < 0)
        share = 0;
    if (weight->process_known)
        share = weight_within_process(weight, share);
    return (uint64_t)share;
}

uint64_t weight_for_others(const struct weight *weight)
{
    int64_t left = weight->others_left, room = weight->others_room;
    int64_t taken = left < room ? left : room;

    return weight->process_known && taken > 0 ? (uint64_t)taken : 0;
}

/* --- elapsed time ---------------------------------------------------------------------------- */

static uint64_t wall_time_left(const struct wall_time *wall, uint64_t now)
{
    return now > wall->at ? now - wall->at : 0;
}

uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns)
{
    uint64_t waited = wait_ns > wall->wait_ns ? wait_ns - wall->wait_ns : 0;
    uint64_t left = wall_time_left(wall, now);

    if (waited > left)
        waited = left;
    if (waited < WAIT_MIN_NS)
        return 0;
    wall->wait_ns += waited;
    wall->at += waited;
    return waited;
}

void wall_time_book_run(struct wall_time *wall, uint64_t ns)
{
    wall->at += ns;
}

void wall_time_leave_out_stop(struct wall_time *wall, uint64_t ns)
{
    wall->at += ns;
}

uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now)
{
    uint64_t slept = wall_time_left(wall, now);

    wall->at += slept;
    return slept;
}
