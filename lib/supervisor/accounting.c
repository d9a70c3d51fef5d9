/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "supervisor/accounting.h"

/* The debt of a thread is the CPU time that no sample represents yet. Each sample of the thread also represents 1/n of
 * the debt. n is the number of samples in DEBT_NS of CPU time, limited to DEBT_SHARES_MIN..DEBT_SHARES_MAX. */
#define DEBT_NS 32000000
#define DEBT_SHARES_MIN 8
#define DEBT_SHARES_MAX 32
/* A thread is young until it has this many samples. The CPU time that fewer samples represent may differ much from the
 * CPU time that the thread has used. */
#define YOUNG_SAMPLES_MAX 16
#define WAIT_MIN_NS 100000u /* shorter waits are added up and reported together */

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
