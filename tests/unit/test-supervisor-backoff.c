/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of struct backoff of supervisor/calls: calls that are left alone because interrupts broke them. */
#include <criterion/criterion.h>

#include "supervisor/calls/calls.h"

static const uint64_t second = 1000000000;

Test(backoff, leaves_alone_what_is_broken_at_the_same_place)
{
    struct backoff backoff = {0};

    cr_assert_not(backoff_note(&backoff, 285, 10, 20));
    cr_assert_not(backoff_note(&backoff, 285, 10, 20));
    cr_assert(backoff_note(&backoff, 285, 10, 20));
    cr_assert_not(backoff_note(&backoff, 285, 10, 24), "another place");
    cr_assert_not(backoff_follows(&backoff));
    backoff_note(&backoff, 285, 10, 24);
    backoff_reset(&backoff);
    cr_assert_not(backoff_note(&backoff, 285, 10, 24));
}

Test(backoff, ends_with_the_call)
{
    struct backoff backoff = {.syscall = 285, .pc = 10, .sp = 20, .times = 2};

    cr_assert(backoff_note(&backoff, 285, 10, 20));
    cr_assert_not(backoff_holds(&backoff, 0), "it does not begin anew");
    backoff_begin(&backoff);
    cr_assert(backoff_holds(&backoff, 1000 * second), "it has not begun yet");
    cr_assert_not(backoff_meets_call(&backoff, false, 5), "its entry");
    cr_assert(backoff_holds(&backoff, 5));
    cr_assert(backoff_meets_call(&backoff, false, 6), "its exit");
    cr_assert_not(backoff_holds(&backoff, 6));
    cr_assert(backoff_note(&backoff, 285, 10, 20), "broken again, it is left alone at once");
    backoff_begin(&backoff);
    backoff_end(&backoff);
    cr_assert_not(backoff_follows(&backoff));
}

/* A call has begun at time 100. Returns true if time 100 + hold is the first at which a tick may stop it. */
static bool is_left_alone_for(struct backoff *backoff, uint64_t hold)
{
    cr_assert(backoff_note(backoff, 285, 10, 20));
    backoff_begin(backoff);
    backoff_meets_call(backoff, false, 100);
    return backoff_holds(backoff, 99 + hold) && !backoff_holds(backoff, 100 + hold) && backoff_follows(backoff);
}

Test(backoff, lets_ticks_look_at_a_long_call)
{
    struct backoff backoff = {.syscall = 285, .pc = 10, .sp = 20, .times = 3};

    for (uint64_t hold = second; hold < 5 * second; hold *= 2) {
        cr_assert(is_left_alone_for(&backoff, hold));
        cr_assert(backoff_meets_call(&backoff, true, 0), "broken at its exit");
    }
    cr_assert(is_left_alone_for(&backoff, 8 * second));
    cr_assert(backoff_meets_call(&backoff, false, 0), "it has ended");
    cr_assert(is_left_alone_for(&backoff, second));
}
