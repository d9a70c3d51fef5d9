/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known before a session: limits, processes, programs, parts. Argument: the path of known-shares. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#include "check.h"

#define NO_PROCESS 99999999
#define PATIENCE_MS 60000

static void test_limits(void)
{
    struct pprofil_ptrace_limits limits, start;

    check("limits: read", pprofil_ptrace_limits(&limits, sizeof limits) == 0);
    check("limits: seccomp", limits.seccomp == prctl(PR_GET_SECCOMP));
    check("limits: no_new_privs", limits.no_new_privs == (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1));
    check("limits: Yama", limits.yama_scope >= -1 && limits.yama_scope <= 3);
    check("limits: the kernel's own map of users",
          limits.user_namespace || strcmp(limits.uid_map, "0 0 4294967295") == 0);
    memset(&start, 0x55, sizeof start);
    pprofil_ptrace_limits(&start, offsetof(struct pprofil_ptrace_limits, cap_sys_ptrace));
    check("limits: an older caller", start.seccomp == limits.seccomp && memcmp(&start.uid_map, "UUUU", 4) == 0);
}

static void test_process(const char *program)
{
    struct pprofil_candidate process;
    struct pprofil_program found;
    char path[512] = "";
    pid_t pid = fork();

    if (pid == 0) {
        execl(program, program, "600", (char *)NULL);
        _exit(127);
    }
    int64_t until = now_ms() + PATIENCE_MS;
    do /* until it has executed the program */
        usleep(20000);
    while (pprofil_candidate_of(pid, &process, sizeof process) == 0 && strcmp(process.comm, "known-shares") != 0 &&
           now_ms() < until);
    check("a process: its fields", process.pid == (uint32_t)pid && process.ppid == (uint32_t)getpid() &&
                                       process.uid == geteuid() && process.threads == 1 &&
                                       process.refused[0] == '\0' && strstr(process.command, " 600") != NULL);
    check("a program", pprofil_program_of(pid, &found, sizeof found) == 0 && found.error == 0);
    check("a program: its path", realpath(program, path) != NULL && strcmp(found.path, path) == 0);
    check("a program: what is in it", found.bits == 64 && found.symbols && found.lines && !found.go &&
                                          found.python == 0 && !found.other_namespace);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    check("no process", pprofil_candidate_of(NO_PROCESS, &process, sizeof process) == -ESRCH);
    check("no program", pprofil_program_of(NO_PROCESS, &found, sizeof found) == -ESRCH);
    check("this process", pprofil_candidate_of(getpid(), &process, sizeof process) == 0 && process.user[0] != '\0');
}

static void test_library(void)
{
    const char *named = getenv("PPROFIL_SUPERVISE");
    struct pprofil_part part;
    char path[4096];
    unsigned count = 0;
    bool described = true;

    for (; pprofil_part_at(count, &part, sizeof part) == 0; count++)
        described = described && part.name[0] != '\0' && part.purpose[0] != '\0' && part.cure[0] != '\0';
    check("parts: each is described", described && count >= 4);
    check("parts: the end", pprofil_part_at(count, &part, sizeof part) == -ENOENT);
    check("the supervisor", pprofil_supervisor_path(path, sizeof path) == 0 && strcmp(path, named) == 0);
    check("the supervisor: a small buffer", pprofil_supervisor_path(path, 3) == -ENAMETOOLONG);
    setenv("PPROFIL_SUPERVISE", "/no/such", 1);
    check("no supervisor", pprofil_supervisor_path(path, sizeof path) == -ENOENT && strcmp(path, "/no/such") == 0);
}

int main(int argc, char **argv)
{
    if (argc < 2 || getenv("PPROFIL_SUPERVISE") == NULL)
        return 2;
    test_limits();
    test_process(argv[1]);
    test_library();
    return failures != 0;
}
