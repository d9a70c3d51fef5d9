/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/backoff.h"

/* A thread that often waits is broken in a call twice in a row by chance. What a call that undoes its work loses until
 * it is left alone is BACKOFF_TIMES periods. */
#define BACKOFF_TIMES 3u
#define BACKOFF_HOLD_MAX_NS (UINT64_C(1000) * BACKOFF_HOLD_NS)

bool backoff_note(struct backoff *backoff, int32_t syscall, uint64_t pc, uint64_t sp)
{
    bool same = backoff->syscall == syscall && backoff->pc == pc && backoff->sp == sp;

    if (!same)
        *backoff = (struct backoff){.syscall = syscall, .pc = pc, .sp = sp};
    backoff->phase = BACKOFF_NONE;
    backoff->times += backoff->times < BACKOFF_TIMES;
    return backoff->times == BACKOFF_TIMES;
}

void backoff_reset(struct backoff *backoff)
{
    *backoff = (struct backoff){.syscall = -1};
}

void backoff_begin(struct backoff *backoff)
{
    uint64_t next = backoff->hold_ns == 0 ? BACKOFF_HOLD_NS : 2 * backoff->hold_ns;

    backoff->hold_ns = next < BACKOFF_HOLD_MAX_NS ? next : BACKOFF_HOLD_MAX_NS;
    backoff->phase = BACKOFF_BEFORE_CALL;
}

bool backoff_follows(const struct backoff *backoff)
{
    return backoff->phase != BACKOFF_NONE;
}

bool backoff_holds(const struct backoff *backoff, uint64_t now)
{
    /* the exit stop of a call would not tell that a tick has met the entry stop */
    return backoff->phase == BACKOFF_BEFORE_CALL || (backoff->phase == BACKOFF_IN_CALL && now < backoff->until);
}

bool backoff_meets_call(struct backoff *backoff, bool interrupted, uint64_t now)
{
    bool ends = backoff->phase == BACKOFF_IN_CALL;

    backoff->phase = ends ? BACKOFF_NONE : BACKOFF_IN_CALL;
    if (!ends)
        backoff->until = now + backoff->hold_ns;
    else if (!interrupted)
        backoff->hold_ns = 0;
    return ends;
}

void backoff_end(struct backoff *backoff)
{
    backoff->phase = BACKOFF_NONE;
}
