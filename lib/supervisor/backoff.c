/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/backoff.h"

/* A thread that often waits is broken in a call twice in a row by chance. What a call that undoes its work loses until
 * it is left alone is BACKOFF_TIMES periods. */
#define BACKOFF_TIMES 3u

bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp)
{
    bool same = backoff->syscall == syscall && backoff->pc == pc && backoff->sp == sp;
    unsigned times = !same ? 1 : backoff->times < BACKOFF_TIMES ? backoff->times + 1 : BACKOFF_TIMES;

    *backoff = (struct backoff){.syscall = syscall, .pc = pc, .sp = sp, .times = times};
    if (times == BACKOFF_TIMES)
        backoff->phase = BACKOFF_BEFORE_CALL;
    return backoff_holds(backoff);
}

void backoff_reset(struct backoff *backoff)
{
    backoff->times = 0;
    backoff->phase = BACKOFF_NONE;
}

bool backoff_holds(const struct backoff *backoff)
{
    return backoff->phase != BACKOFF_NONE;
}

bool backoff_meets_call(struct backoff *backoff)
{
    bool ends = backoff->phase == BACKOFF_IN_CALL;

    backoff->phase = ends ? BACKOFF_NONE : BACKOFF_IN_CALL;
    return ends;
}

void backoff_end(struct backoff *backoff)
{
    backoff->phase = BACKOFF_NONE;
}
