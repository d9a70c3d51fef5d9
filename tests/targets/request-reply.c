/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two servers answer the requests of two clients, over sockets. Each server waits for a request in spend_wait, works in
 * spend_work, and answers in spend_answer. Prints the CPU times of these functions, as both servers have measured them:
 * "cpu NS wait NS work NS answer NS".
 *
 *   request-reply SECONDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clocks.h"

#define SERVERS 2
#define WORK_ROUNDS 10000
#define CLOCK_TRIALS 1000
#define MESSAGE_SIZE 64

static double end;
static double clock_cost; /* CPU time of a call of cpu_now, s */
static struct {
    int sockets[2];
    double wait, work, answer;
} servers[SERVERS];

/* Makes a system call here, and not in the C library: so a sample of the call belongs to the function that makes it. */
__attribute__((always_inline)) static inline long call(long number, long fd, char *buffer)
{
#if defined __x86_64__
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(fd), "S"(buffer), "d"(MESSAGE_SIZE)
                     : "rcx", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long result __asm__("x0") = fd;
    register char *second __asm__("x1") = buffer;
    register long third __asm__("x2") = MESSAGE_SIZE;
    register long which __asm__("x8") = number;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(which) : "memory");
    return result;
#else
    return syscall(number, fd, buffer, MESSAGE_SIZE);
#endif
}

__attribute__((noinline)) static long spend_wait(int fd, char *buffer)
{
    return call(SYS_read, fd, buffer);
}

__attribute__((noinline)) static long spend_answer(int fd, char *buffer)
{
    return call(SYS_write, fd, buffer);
}

__attribute__((noinline)) static void spend_work(void)
{
    for (volatile long i = 0; i < WORK_ROUNDS; i++)
        ;
}

__attribute__((noinline)) static void client_work(void)
{
    for (volatile long i = 0; i < WORK_ROUNDS / 2; i++)
        ;
}

static void *serve(void *argument)
{
    int number = *(int *)argument, fd = servers[number].sockets[0];
    char buffer[MESSAGE_SIZE];

    for (;;) {
        double begin = cpu_now();
        if (spend_wait(fd, buffer) <= 0)
            return NULL;
        double asked = cpu_now();
        spend_work();
        double worked = cpu_now();
        spend_answer(fd, buffer);
        double answered = cpu_now();
        servers[number].wait += asked - begin - clock_cost;
        servers[number].work += worked - asked - clock_cost;
        servers[number].answer += answered - worked - clock_cost;
    }
}

static void *ask(void *argument)
{
    int fd = servers[*(int *)argument].sockets[1];
    char buffer[MESSAGE_SIZE] = {0};

    while (now() < end) {
        if (write(fd, buffer, sizeof buffer) < 0)
            break;
        client_work();
        if (read(fd, buffer, sizeof buffer) <= 0)
            break;
    }
    shutdown(fd, SHUT_RDWR);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2 * SERVERS];
    int numbers[SERVERS];
    double wait = 0, work = 0, answer = 0, before = cpu_now();

    for (int i = 0; i < CLOCK_TRIALS; i++)
        clock_cost = (cpu_now() - before) / (i + 1);
    end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);
    for (int i = 0; i < SERVERS; i++) {
        numbers[i] = i;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, servers[i].sockets) < 0 ||
            pthread_create(&threads[2 * i], NULL, serve, &numbers[i]) != 0 ||
            pthread_create(&threads[2 * i + 1], NULL, ask, &numbers[i]) != 0)
            return 2;
    }
    for (int i = 0; i < 2 * SERVERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SERVERS; i++) {
        wait += servers[i].wait;
        work += servers[i].work;
        answer += servers[i].answer;
    }
    printf("cpu %.0f wait %.0f work %.0f answer %.0f\n", clock_now(CLOCK_PROCESS_CPUTIME_ID) * 1e9, wait * 1e9,
           work * 1e9, answer * 1e9);
    return 0;
}
