/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris profil(2), NOTES: "In Solaris releases prior to 2.6, calling profil() in a multithreaded program would impact
 * only the calling LWP; the profile state was not inherited at LWP creation time." With an argument, the program
 * expects this old behaviour. Without an argument, it expects that a call affects all threads.
 */
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static unsigned short first[1], second[1];

static void *work_alone(void *unused)
{
    (void)unused;
    work_run();
    return 0;
}

static void *work_profiled(void *unused)
{
    (void)unused;
    profil(second, sizeof second, 0, 2);
    work_run();
    profil(second, 0, 0, 0);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned short before;
    pthread_t thread;

    (void)argv;
    profil(first, sizeof first, 0, 2);
    work_run_short();
    before = first[0];
    pthread_create(&thread, 0, work_alone, 0);
    pthread_join(thread, 0);
    if (argc > 1) {
        work_expect("a new thread is not counted", first[0] < before + 8);
        pthread_create(&thread, 0, work_profiled, 0);
        pthread_join(thread, 0);
        work_expect("one that calls it is, for itself", second[0] > 20);
        before = first[0];
        work_run();
        work_expect("and the caller's goes on", first[0] > before + 20);
    } else {
        work_expect("all threads are counted", first[0] > before + 20);
    }
    profil(0, 0, 0, 0);
    return work_failures();
}
