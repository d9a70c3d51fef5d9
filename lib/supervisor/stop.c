/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "supervisor/stop.h"

/* the signal that wait(2) reports for a syscall-stop: PTRACE_O_TRACESYSGOOD */
#define CALL_STOP_SIGNAL (SIGTRAP | 0x80)

/* Returns true if the default action of the signal is to stop the process: signal(7). */
static bool stop_is_job_control(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

struct stop stop_decode(int status)
{
    struct stop stop = {.kind = STOP_OTHER, .status = status};

    if (!WIFSTOPPED(status)) {
        stop.kind = STOP_ENDED;
        return stop;
    }
    switch (status >> 16) {
    case 0:
        stop.kind = WSTOPSIG(status) == CALL_STOP_SIGNAL ? STOP_CALL : STOP_SIGNAL;
        stop.signal = stop.kind == STOP_SIGNAL ? WSTOPSIG(status) : 0;
        break;
    case PTRACE_EVENT_STOP:
        stop.kind = stop_is_job_control(WSTOPSIG(status)) ? STOP_GROUP : STOP_INTERRUPT;
        break;
    case PTRACE_EVENT_EXEC:
        stop.kind = STOP_EXEC;
        break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        stop.kind = STOP_FORK;
        break;
    case PTRACE_EVENT_CLONE:
        stop.kind = STOP_CLONE;
        break;
    }
    return stop;
}

const char *stop_kind_name(enum stop_kind kind)
{
    static const char *const names[STOP_KINDS] = {
        [STOP_ENDED] = "ENDED", [STOP_SIGNAL] = "SIGNAL", [STOP_GROUP] = "GROUP",
        [STOP_INTERRUPT] = "INTERRUPT", [STOP_CALL] = "CALL", [STOP_EXEC] = "EXEC",
        [STOP_FORK] = "FORK", [STOP_CLONE] = "CLONE", [STOP_OTHER] = "OTHER",
    };

    return names[kind];
}

/* In the status that waitpid(2) returns, the upper bytes are the value that waitid(2) returns in si_status. */
int stop_status(const siginfo_t *news)
{
    return (news->si_status << 8) | 0x7f;
}
