/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wall-time: wall mode's account of a thread. Pure.
 *
 * The elapsed time of a thread has three parts: what it ran, what it waited for a CPU, and the rest, which it slept.
 * Each is booked once, so that their sum is the time that has elapsed.
 */
#ifndef PPROFIL_WALL_TIME_H
#define PPROFIL_WALL_TIME_H

#include <stdint.h>

struct wall_time {
    uint64_t at;      /* time up to which all is booked */
    uint64_t wait_ns; /* run-queue wait of the thread's life that is booked */
};

/* Books the waits for a CPU up to now. wait_ns: run-queue wait of the thread's life, ns. The kernel counts a wait when
 * it is over. Returns what is to be told now, ns. Waits of less than 0.1 ms are told together. No more is told than the
 * time that is not booked yet; the rest is told the next time. */
uint64_t wall_time_book_wait(struct wall_time *wall, uint64_t now, uint64_t wait_ns);
/* Books what the thread ran, ns. The account may be ahead of the clock afterwards. */
void wall_time_book_run(struct wall_time *wall, uint64_t ns);
/* Books all the rest up to now as sleep, and returns it, ns. */
uint64_t wall_time_book_sleep(struct wall_time *wall, uint64_t now);

#endif
