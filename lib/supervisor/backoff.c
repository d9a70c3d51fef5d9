/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/backoff.h"
#include "supervisor/proc/procfs.h"

/* After BACKOFF_TIMES broken calls in a row the thread is left alone for BACKOFF_FIRST_NS, and after each further one for
 * twice as long as before, up to 17 minutes. What it loses until then is BACKOFF_TIMES periods, and no more if the call
 * takes less than BACKOFF_FIRST_NS. */
#define BACKOFF_TIMES 3u
#define BACKOFF_FIRST_NS 1000000000u
#define BACKOFF_DOUBLINGS_MAX 10u
#define LOOK_PERIOD_NS 20000000u /* between looks at a thread that is left alone */
/* A thread has left the call when it has used LEFT_TICKS_MIN clock ticks in user mode, since the kernel's figure may be
 * wrong by less. It has when it has slept LEFT_SLEEPS_MIN times, too; but a call that is still broken after
 * SLEEPER_TIMES may sleep as it works. */
#define LEFT_TICKS_MIN 5
#define LEFT_SLEEPS_MIN 10
#define SLEEPER_TIMES (BACKOFF_TIMES + 4)

uint64_t backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp, uint64_t now)
{
    bool same = backoff->syscall == syscall && backoff->pc == pc && backoff->sp == sp;
    unsigned times = same ? backoff->times + 1 : 1;

    *backoff = (struct backoff){.syscall = syscall, .pc = pc, .sp = sp, .times = times};
    if (times < BACKOFF_TIMES)
        return 0;
    unsigned doublings = times - BACKOFF_TIMES;
    if (doublings > BACKOFF_DOUBLINGS_MAX)
        doublings = BACKOFF_DOUBLINGS_MAX;
    backoff->until = now + ((uint64_t)BACKOFF_FIRST_NS << doublings);
    return backoff->until;
}

void backoff_reset(struct backoff *backoff)
{
    backoff->times = 0;
    backoff->until = 0;
}

static bool backoff_has_left(const struct backoff *backoff, long user_ticks, long sleeps)
{
    return user_ticks - backoff->user_ticks >= LEFT_TICKS_MIN ||
           (backoff->times < SLEEPER_TIMES && sleeps - backoff->sleeps >= LEFT_SLEEPS_MIN);
}

bool backoff_holds(struct backoff *backoff, pid_t pid, pid_t tid, uint64_t now)
{
    if (backoff->until <= now)
        return false;
    if (now < backoff->look_at)
        return true;
    long user_ticks = procfs_user_ticks(pid, tid);
    long sleeps = procfs_status_number(tid, "voluntary_ctxt_switches:");
    if (backoff->look_at == 0) {
        backoff->user_ticks = user_ticks;
        backoff->sleeps = sleeps;
    }
    backoff->look_at = now + LOOK_PERIOD_NS;
    if (!backoff_has_left(backoff, user_ticks, sleeps))
        return true;
    backoff->until = 0;
    return false;
}
