/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/wall-time.h"

#define WAIT_MIN_NS 100000u /* shorter waits are told together */

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

uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now)
{
    uint64_t slept = wall_time_left(wall, now);

    wall->at += slept;
    return slept;
}
