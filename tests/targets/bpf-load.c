/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads a BPF program of 400000 instructions again and again. While the kernel verifies it, a pending signal or stop
 * makes the load fail with EAGAIN. Prints how many loads failed: "loads 20 failed 0". Status 77: bpf(2) is not allowed.
 *
 *   bpf-load LOADS
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INSTRUCTIONS 400000u

int main(int argc, char **argv)
{
    long loads = argc > 1 ? atol(argv[1]) : 20, failed = 0;
    struct bpf_insn *code = calloc(INSTRUCTIONS, sizeof *code);

    if (code == NULL)
        return 2;
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
    code[INSTRUCTIONS - 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
                                 .insn_cnt = INSTRUCTIONS,
                                 .insns = (uint64_t)(uintptr_t)code,
                                 .license = (uint64_t)(uintptr_t)"GPL"};
    for (long i = 0; i < loads; i++) {
        long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes);
        if (fd < 0 && errno != EAGAIN)
            return 77;
        failed += fd < 0;
        if (fd >= 0)
            close((int)fd);
    }
    printf("loads %ld failed %ld\n", loads, failed);
    return failed > 0;
}
