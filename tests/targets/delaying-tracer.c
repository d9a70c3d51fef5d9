/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tracer that only delays. It stops a program at the beginning and the end of each system call, and continues it
 * immediately.
 *
 *   delaying-tracer PROGRAM [ARGUMENT...]
 *
 * It ends no call early, and neither reads nor writes the memory and registers of the program. So it changes the
 * program only by the delay, some tens of microseconds for each stop. Only the program's first thread is traced. Ends
 * with the program's status, or 125.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 125

static pid_t delay_start(char **argv)
{
    pid_t child = fork();

    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP); /* waits until main() has set the options */
        execvp(argv[0], argv);
        _exit(FAILED);
    }
    return child;
}

/* Returns the signal to deliver when the program goes on, or 0. */
static int delay_signal(int status)
{
    int signal = WSTOPSIG(status);

    if (signal == (SIGTRAP | 0x80) || status >> 16 != 0) /* a stop at a system call or at an event: ptrace(2) */
        return 0;
    return signal;
}

int main(int argc, char **argv)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int status, signal = 0;

    if (argc < 2)
        return FAILED;
    pid_t child = delay_start(argv + 1);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, 0, options) != 0) {
        perror("delaying-tracer");
        return FAILED;
    }
    for (;;) {
        ptrace(PTRACE_SYSCALL, child, 0, (long)signal);
        if (waitpid(child, &status, 0) != child)
            return FAILED;
        if (!WIFSTOPPED(status))
            return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
        signal = delay_signal(status);
    }
}
