/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/cpu-wait.h"
#include "supervisor/proc/procfs.h"

/* What the counts leave out though the thread had a CPU: so much, and one part in 16 of the time since the last
 * look. */
#define UNCOUNTED_NS 50000u
#define UNCOUNTED_PART 16u
/* After ONE_TURN_WAITS_MAX waits in a row that were told by one turn, the thread is interrupted: the stop shows what
 * it did. */
#define ONE_TURN_WAITS_MAX 4u

void cpu_wait_note(struct cpu_wait *wait, uint64_t at, const struct procfs_cpu *cpu)
{
    *wait = (struct cpu_wait){
        .at = at, .lost_at = at, .run_ns = cpu->run_ns, .wait_ns = cpu->wait_ns, .turns = cpu->turns};
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

/* The thread has had one turn since. If the last look was right that it had waited since lost_at, the wait that has
 * ended since is at least so long. */
static bool cpu_wait_was_right(const struct cpu_wait *last, const struct procfs_cpu *cpu)
{
    return cpu->wait_ns - last->wait_ns + UNCOUNTED_NS >= last->at - last->lost_at;
}

bool cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu)
{
    struct cpu_wait last = *wait;

    if (cpu_wait_goes_on(wait, now, cpu))
        return true;
    cpu_wait_note(wait, now, cpu);
    if (last.turns == 0 || cpu->turns - last.turns != 1 || last.one_turn_waits >= ONE_TURN_WAITS_MAX ||
        !cpu_wait_was_right(&last, cpu))
        return false;
    uint64_t lost_at = last.lost_at + (cpu->wait_ns - last.wait_ns) + (cpu->run_ns - last.run_ns);
    if (lost_at + UNCOUNTED_NS + (now - last.at) / UNCOUNTED_PART >= due)
        return false;
    wait->lost_at = lost_at;
    wait->one_turn_waits = last.one_turn_waits + 1;
    return true;
}
