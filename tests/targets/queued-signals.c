/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts queued signals. A second process sends numbered signals, about 10000 a second, until SIGTERM. The kernel
 * queues real-time signals and delivers them in order (signal(7)). Each must come once, with its number, after the one
 * before. Prints "sent N received N disordered 0".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_US 50      /* us between two signals */
#define PATIENCE 1000    /* longest wait for the last signals, ms */
#define WORK_ROUNDS 100000

struct shared {
    atomic_int over;
    int sent;
};

static struct shared *shared;
static volatile sig_atomic_t received, disordered;

static void count(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    disordered = disordered + (info->si_value.sival_int != received);
    received = received + 1;
}

static void end(int signal)
{
    (void)signal;
    atomic_store(&shared->over, 1);
}

static void send_all(pid_t to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!atomic_load(&shared->over) && getppid() == to) {
        const union sigval number = {.sival_int = shared->sent};
        if (sigqueue(to, SIGRTMIN, number) == 0)
            shared->sent++;
        else if (errno != EAGAIN) /* EAGAIN: the receiver's queue is full */
            break;
        usleep(PAUSE_US);
    }
    _exit(0);
}

/* Runs in user code and in the kernel, and sleeps, so that signals come in all these states. */
static void work(void)
{
    static volatile unsigned long sum;

    for (int i = 0; i < WORK_ROUNDS; i++)
        sum += (unsigned long)i;
    usleep(PAUSE_US);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};
    pid_t self = getpid();

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    sigaction(SIGRTMIN, &action, NULL);
    pid_t child = fork();
    if (child == 0)
        send_all(self);
    signal(SIGTERM, end);
    while (!atomic_load(&shared->over))
        work();
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    for (int ms = 0; ms < PATIENCE && received < shared->sent; ms++)
        usleep(1000);
    printf("sent %d received %d disordered %d\n", shared->sent, (int)received, (int)disordered);
    return 0;
}
