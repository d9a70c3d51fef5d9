/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Executes a program as on a kernel without close_range(2), with its standard output as descriptor
 * NUMBER too:
 *
 *   old-kernel NUMBER PROGRAM [ARG...]
 *
 * 77: the number is above the limit, or no filter can be set.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int forget_call(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
                   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0
               ? -1
               : 0;
}

int main(int argc, char **argv)
{
    struct rlimit limit;

    if (argc < 3 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 2;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (dup2(STDOUT_FILENO, atoi(argv[1])) < 0 || forget_call() < 0)
        return 77;
    execvp(argv[2], argv + 2);
    return 127;
}
