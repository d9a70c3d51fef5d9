/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits in epoll_wait(2) with a time limit. When it is traced, a signal that it ignores breaks the call, which only a
 * tracer notices. "ended 0 after 4.000": what the call returned, and seconds from the signal to its end.
 *
 *   time-limit SECONDS
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A line of its status, proc_pid_status(5), that begins with start. Empty: there is none. */
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

int main(int argc, char **argv)
{
    double *sent = mmap(NULL, sizeof *sent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int limit = (argc > 1 ? atoi(argv[1]) : 1) * 1000, epoll = epoll_create1(0);
    pid_t parent = getpid(), child = fork();
    struct epoll_event event;

    if (child == 0) {
        while (!sleeps_and_is_traced(parent))
            usleep(10000);
        *sent = now();
        kill(parent, SIGWINCH);
        pause(); /* SIGCHLD would break the call, too */
    }
    printf("begun\n");
    fflush(stdout);
    int result = epoll_wait(epoll, &event, 1, limit);
    double end = now();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("ended %d after %.3f\n", result, end - *sent);
    return result != 0;
}
