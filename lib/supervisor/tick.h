/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tick: a tracer looks at its active tracees (tick-look.c), and interrupts those that run (tick.c), again and again
 * (tick-arm.c).
 */
#ifndef PPROFIL_TICK_H
#define PPROFIL_TICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee;
struct tracer;

#define AWAITED_MAX 64 /* tracees interrupted in one tick */

struct tick {
    uint64_t at;      /* time of the tick under way, or the last */
    uint64_t was_due; /* the time when that was due */
    uint64_t missed_ns; /* time before it that no tick stands for: schedule.h */
    uint64_t due;     /* time of the next; 0: none is set */
    bool late;           /* this one came too late to count for who is on our CPU */
    unsigned late_ticks; /* ticks in a row that came late */
    uint64_t leaving_at; /* time: before that no thread is stopped to be handed over */
    uint64_t carried_ns; /* sampling time of the last tick, which looked at nobody: the next one stands for it, too */
    int64_t left_ns;     /* serving: what the active tracees have used, less what their samples stand for */
    bool resumes;     /* the next is the first after a pause that has moved none: schedule_resume */
    bool idle;        /* the next is a slow one: no tracee is active */
    bool pauses;      /* the next is a slow one: all that want a CPU have yet to stop */
    unsigned running;  /* tracees that the last one found running */
    unsigned runnable; /* that it found to want a CPU: `running`, and those that wait for one */
    pid_t awaited[AWAITED_MAX]; /* interrupted, and polled for */
    unsigned awaited_count;
    uint64_t left_out_ns; /* stop_totals.stopped_ns when stopped time was last left out of the schedule */
    size_t wall_bucket;   /* wall mode: where the round through the sleepers goes on */
};

/* Gives up the lock while it waits for the occupier, while it moves to another CPU and while it polls: tracees may be
 * gone afterwards. */
void tick_run(struct tracer *tracer);

#endif
