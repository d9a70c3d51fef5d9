/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes calls that fail with EINTR if a tracer stops their thread, although no handler of a signal has run.
 *
 *   eintr calls SECONDS [MICROSECONDS]
 *
 * Makes calls with a time limit of 1 ms, and works between them. With MICROSECONDS, a child sends an ignored signal
 * once every MICROSECONDS. Prints how many calls failed with EINTR, and how many ended in another way than at their
 * limit: "calls N eintr 0 broken 0".
 *
 *   eintr limit SECONDS
 *
 * Waits once, in epoll_wait(2) with a limit of SECONDS. When the process is traced, a child sends it an ignored signal.
 * The signal interrupts the call, but only the tracer notices this. Prints what the call returned, and how many seconds
 * after the signal the call ended: "ended 0 after 4.000".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"

/* --- calls: each ends at its time limit of 1 ms, because nothing else ever happens ---------- */

static int epoll, semaphores, pair[2];
static sigset_t nothing_sent;

static int wait_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, 1);
}

static int wait_semaphore(void)
{
    struct sembuf take = {.sem_num = 0, .sem_op = -1};
    struct timespec limit = {.tv_nsec = 1000000};
    return semtimedop(semaphores, &take, 1, &limit);
}

static int wait_signal(void)
{
    struct timespec limit = {.tv_nsec = 1000000};
    return sigtimedwait(&nothing_sent, NULL, &limit);
}

static int wait_socket(void)
{
    char byte;
    return (int)recv(pair[0], &byte, 1, 0);
}

static int wait_sleep(void)
{
    struct timespec length = {.tv_nsec = 1000000};
    return nanosleep(&length, NULL);
}

static void make_what_is_waited_for(void)
{
    struct timeval limit = {.tv_usec = 1000};

    epoll = epoll_create1(0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sigemptyset(&nothing_sent);
    sigaddset(&nothing_sent, SIGUSR2);
    sigprocmask(SIG_BLOCK, &nothing_sent, NULL);
}

/* Forks a process that sends SIGWINCH once every `period` microseconds. SIGWINCH is ignored by default, so without a
 * tracer it wakes no thread, and interrupts no call. */
static pid_t send_ignored(useconds_t period)
{
    pid_t parent = getpid(), child = fork();

    while (child == 0) {
        usleep(period);
        if (kill(parent, SIGWINCH) < 0)
            _exit(0);
    }
    return child;
}

static int wait_often(double seconds, useconds_t period)
{
    static int (*const waits[])(void) = {wait_epoll, wait_sleep, wait_semaphore, wait_signal, wait_socket};
    volatile unsigned long sum = 0;
    long calls = 0, interrupted = 0, broken = 0;
    pid_t sender = period > 0 ? send_ignored(period) : 0;
    int kinds = sender != 0 ? 2 : 5; /* a tracer knows the time limit only of the first two kinds */

    make_what_is_waited_for();
    double end = now() + seconds;
    do {
        errno = 0;
        int result = waits[calls % kinds]();
        bool at_limit = result == 0 || (result == -1 && errno == EAGAIN);
        interrupted += result < 0 && errno == EINTR;
        broken += !at_limit && errno != EINTR;
        calls++;
        for (long i = 0; i < 20000 + calls % 7 * 30000; i++)
            sum += (unsigned long)i;
    } while (now() < end);
    semctl(semaphores, 0, IPC_RMID);
    if (sender != 0)
        kill(sender, SIGKILL);
    printf("calls %ld eintr %ld broken %ld\n", calls, interrupted, broken);
    return interrupted + broken > 0;
}

/* --- limit --------------------------------------------------------------------------------- */

/* Reads the line of /proc/PID/status that begins with the text `start`. If there is no such line, sets `line` to "". */
static void read_status(pid_t pid, const char *start, char line[64])
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, 64, file) != NULL)
        if (strncmp(line, start, strlen(start)) == 0)
            break;
        else
            line[0] = '\0';
    if (file != NULL)
        fclose(file);
}

static bool sleeps_and_is_traced(pid_t pid)
{
    char state[64] = "", tracer[64] = "";

    read_status(pid, "State:", state);
    read_status(pid, "TracerPid:", tracer);
    return strstr(state, "S (") != NULL && atoi(tracer + strcspn(tracer, "0123456789")) > 0;
}

static int wait_once(int seconds)
{
    double *sent = mmap(NULL, sizeof *sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid(), child = fork();
    struct epoll_event event;

    if (child == 0) {
        while (!sleeps_and_is_traced(parent))
            usleep(10000);
        *sent = now();
        kill(parent, SIGWINCH);
        pause(); /* the end of this process would send SIGCHLD, which interrupts the call, too */
    }
    printf("begun\n");
    fflush(stdout);
    int result = epoll_wait(epoll_create1(0), &event, 1, seconds * 1000);
    double end = now();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("ended %d after %.3f\n", result, end - *sent);
    return result != 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "limit") == 0)
        return wait_once(atoi(argv[2]));
    if (argc < 3 || strcmp(argv[1], "calls") != 0)
        return 2;
    return wait_often(atof(argv[2]), argc > 3 ? (useconds_t)atoi(argv[3]) : 0);
}
