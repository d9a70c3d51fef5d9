/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tru64 profil(2): "different profiling mechanisms can operate on separate threads simultaneously", and a call of one
 * form stops what the same thread has begun with the other. And "to determine the interval for your system, use the
 * getsysinfo(2) system call with GSI_CLK_TCK".
 */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <machine/hal_sysinfo.h>

#include "work.h"

static unsigned short own[1];
static unsigned int ranged[1], later[1];
static pthread_barrier_t barrier;

static void *extended_thread(void *unused)
{
    struct profil_args range;

    (void)unused;
    range.buffer = ranged;
    range.highpc = (void *)-1l;
    range.lowpc = range.offset = 0;
    range.scale = 2;
    profil(&range, 1, -1, 0);
    pthread_barrier_wait(&barrier);
    work_run();
    profil(0, 0, 0, 0);
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void)
{
    pthread_t thread;
    struct profil_args range = {later, (void *)-1l, 0, 0, 2};
    unsigned short before;
    int ticks = 0, start = 0;

    work_expect("GSI_CLK_TCK: one item", getsysinfo(GSI_CLK_TCK, (char *)&ticks, sizeof ticks, &start, 0) == 1);
    work_expect("GSI_CLK_TCK: 1024", ticks == 1024);
    work_expect("another operation is refused", getsysinfo(1, (char *)&ticks, sizeof ticks, &start, 0) == -1);

    pthread_barrier_init(&barrier, 0, 2);
    profil(own, sizeof own, 0, 2);
    pthread_create(&thread, 0, extended_thread, 0);
    pthread_barrier_wait(&barrier);
    work_begin();
    work_run();
    pthread_barrier_wait(&barrier);
    /* both threads have worked at the same time, for the same CPU time */
    work_expect_ticks("the sum of both forms", (unsigned long)own[0] + ranged[0], 977);
    work_expect("the first form has counted", own[0] > 100);
    work_expect("and the second", ranged[0] > 100);
    pthread_join(thread, 0);

    profil(&range, 1, -1, 0);
    before = own[0];
    work_run();
    profil(0, 0, 0, 0);
    work_expect("the other form takes over", later[0] > 100);
    work_expect("and ends the first", own[0] == before);
    return work_failures();
}
