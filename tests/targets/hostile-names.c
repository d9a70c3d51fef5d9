/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes whose names contain control sequences for a terminal: a process, its zombie child, and a child that it
 * traces. Prints "ready PID ZOMBIE TRACED", and works until it is killed.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double number;

static pid_t make_zombie(void)
{
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_NAME, "z\033[31mZ\x07\xc2\x9b" "1m\x9b");
        _exit(0);
    }
    return child;
}

/* Makes a child that is traced, and returns when it is traced. The child closes the pipe at that time. */
static pid_t make_traced(void)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "t\033]0;T\x07\xe2\x80\xae\xff");
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        close(ready[0]);
        close(ready[1]);
        for (;;)
            pause();
    }
    close(ready[1]);
    while (read(ready[0], &byte, 1) > 0)
        ;
    close(ready[0]);
    return child;
}

__attribute__((noinline)) static void burn(void)
{
    for (int i = 0; i < 100000; i++)
        number = number * 1.0001 + 1;
}

int main(void)
{
    prctl(PR_SET_NAME, "a\033[31mX\033]0;Z\x07\x9b\x7f");
    pid_t zombie = make_zombie(), traced = make_traced();
    siginfo_t ended;

    waitid(P_PID, (id_t)zombie, &ended, WEXITED | WNOWAIT);
    printf("ready %d %d %d\n", (int)getpid(), (int)zombie, (int)traced);
    fflush(stdout);
    prctl(PR_SET_PDEATHSIG, 9); /* ends this process if its test is interrupted */
    for (;;)
        burn();
}
