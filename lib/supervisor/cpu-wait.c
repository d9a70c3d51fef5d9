/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/cpu-wait.h"
#include "supervisor/proc/procfs.h"

/* What the counts leave out though the thread had a CPU: so much, and one part in 16 of the time since the last
 * look. */
#define UNCOUNTED_NS 50000u
#define UNCOUNTED_PART 16u
/* If no more than RAN_NS and one part in RAN_PART of the time is in neither count, the thread has not waited since.
 * More would let in threads whose turn ended a little before the tick, and turns often end in a system call. */
#define RAN_NS 20000u
#define RAN_PART 1024u
/* A thread that lost the CPU later than RAN_AFTER_NS after the tick was due got that CPU after the tick was due: the
 * tracer came late, or had lost the CPU amid the tick. */
#define RAN_AFTER_NS 150000u
/* After ONE_TURN_WAITS_MAX waits in a row that were told by one turn, the thread is interrupted: the stop shows what
 * it did. */
#define ONE_TURN_WAITS_MAX 4u

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

/* The thread has had one turn since. If the last look was right that it had waited since lost_at, the wait that has
 * ended since is at least so long. */
static bool cpu_wait_was_right(const struct cpu_wait *last, const struct procfs_cpu *cpu)
{
    return cpu->wait_ns - last->wait_ns + UNCOUNTED_NS >= last->at - last->lost_at;
}

enum cpu_wait_verdict cpu_wait_look(struct cpu_wait *wait, uint64_t due, uint64_t now, const struct procfs_cpu *cpu)
{
    struct cpu_wait last = *wait;

    if (cpu_wait_goes_on(wait, now, cpu))
        return CPU_WAIT_WAITS;
    cpu_wait_begin(wait, now, now, cpu);
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
