/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For programs of the test scripts: CPU time spent in functions in given parts, however fast each of
 * them is on this machine, for equal code takes equal time on few. Each program prints what it
 * measured, "NAME NS" a line.
 */
#include <stdio.h>
#include <time.h>

struct part {
    const char *name;
    void (*work)(void);
    double part; /* of 1 */
    double spent; /* s */
};

static double cpu_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Calls the one that is furthest behind, again and again. A call should take a millisecond or less. */
static void spend_parts(struct part *parts, int count, double seconds)
{
    double start = cpu_now(), now = start;

    while (now < start + seconds) {
        struct part *next = parts;
        for (int i = 1; i < count; i++)
            if (parts[i].spent / parts[i].part < next->spent / next->part)
                next = &parts[i];
        next->work();
        double end = cpu_now();
        next->spent += end - now;
        now = end;
    }
    for (int i = 0; i < count; i++)
        printf("%s %.0f\n", parts[i].name, parts[i].spent * 1e9);
}
