/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jit-code: names of code made at run time, from whichever file its maker writes: a jitdump, or
 * /tmp/perf-PID.map.
 */
#ifndef PPROFIL_JIT_CODE_H
#define PPROFIL_JIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jit_code;

/* Whose code it is, and when it ran. */
struct jit_owner {
    uint32_t pid;
    uint64_t from, until; /* CLOCK_REALTIME ns; 0: not known */
};

struct jit_place {
    const char *name, *file; /* file: NULL: not known */
    uint32_t line;
};

/* Reads the file behind fd, or where it is -1 the map of process pid, from its own /tmp or ours,
 * if it is that process's: pids are used again. NULL: there is none, or it cannot be trusted. */
struct jit_code *jit_code_open(int fd, const struct jit_owner *owner);
/* Was the file longer when this was asked than when it was read? code NULL: there was none that
 * could be read. */
bool jit_code_grown(const struct jit_code *code, int fd, const struct jit_owner *owner);
void jit_code_close(struct jit_code *code);

/* What is at an address, valid while the code is; false: nothing is known. */
bool jit_code_find(const struct jit_code *code, uint64_t address, struct jit_place *place);

#endif
