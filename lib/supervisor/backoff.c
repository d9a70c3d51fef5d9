/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/backoff.h"
#include "supervisor/proc/procfs.h"

/* After BACKOFF_TIMES broken calls in a row the thread is left alone for BACKOFF_FIRST_NS. Each further
 * one doubles that, up to 2^16 times as long: 11 minutes. */
#define BACKOFF_TIMES 3u
#define BACKOFF_FIRST_NS 10000000u
#define BACKOFF_DOUBLINGS_MAX 16u
#define LOOK_PERIOD_NS 1000000000u /* between looks at a thread that is left alone */
/* A thread has left the call when it has used LEFT_TICKS_MIN clock ticks in user mode. The kernel's figure may be
 * wrong by less. */
#define LEFT_TICKS_MIN 5

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

bool backoff_holds(struct backoff *backoff, pid_t pid, pid_t tid, uint64_t now)
{
    if (backoff->until <= now)
        return false;
    if (now < backoff->look_at || (backoff->look_at == 0 && backoff->until - now < LOOK_PERIOD_NS))
        return true;
    long ticks = procfs_user_ticks(pid, tid);
    if (backoff->look_at == 0)
        backoff->user_ticks = ticks;
    backoff->look_at = now + LOOK_PERIOD_NS;
    if (ticks - backoff->user_ticks < LEFT_TICKS_MIN)
        return true;
    backoff_reset(backoff);
    return false;
}
