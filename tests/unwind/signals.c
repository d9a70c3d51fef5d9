/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Works in the handler of a timer's signal and outside it. With an argument, the handler has an alternate stack. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long work(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        sink += i * n;
    return sink;
}

__attribute__((noinline)) static unsigned long deeper(int depth, unsigned long n)
{
    char room[64];

    memset(room, (int)n, sizeof room);
    if (depth > 0)
        return deeper(depth - 1, n + 1) + (unsigned char)room[n % 64];
    return work(n);
}

static void handler(int number)
{
    deeper(number % 7, 200000);
}

static int compare(const void *a, const void *b)
{
    work(20);
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct itimerval timer = {{0, 1000}, {0, 1000}};

    (void)argv;
    if (argc > 1) {
        sigaltstack(&stack, NULL);
        action.sa_flags |= SA_ONSTACK;
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (;;) {
        int numbers[200];
        for (size_t i = 0; i < 200; i++)
            numbers[i] = rand();
        qsort(numbers, 200, sizeof numbers[0], compare);
        deeper(rand() % 20, 500);
    }
}
