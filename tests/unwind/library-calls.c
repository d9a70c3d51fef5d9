/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that call functions of libc: library-calls [SECONDS]. They end when the program has used so much CPU
 * time, or never. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char bytes[1 << 16], others[1 << 16];
static double seconds = 1e9;

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort(void)
{
    static __thread int numbers[4000];

    for (int i = 0; i < 4000; i++)
        numbers[i] = (int)((unsigned)i * 2654435761u >> 8);
    qsort(numbers, 4000, sizeof *numbers, order);
}

__attribute__((noinline)) static void copy(void)
{
    for (int i = 0; i < 100; i++) {
        memcpy(bytes, others, sizeof bytes);
        others[i] = 1;
    }
}

__attribute__((noinline)) static void print(void)
{
    char text[400];

    for (int i = 0; i < 500; i++)
        snprintf(text, sizeof text, "%d %s %f %x", i, "abc", i * 0.37, (unsigned)i);
}

__attribute__((noinline)) static void allocate(void)
{
    void *all[100];

    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 100; i++)
            all[i] = malloc(i * 37 + 1);
        for (size_t i = 0; i < 100; i++)
            free(all[i]);
    }
}

static void *work(void *unused)
{
    while ((double)clock() / CLOCKS_PER_SEC < seconds) {
        sort();
        copy();
        print();
        allocate();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc > 1)
        seconds = atof(argv[1]);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
