/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapped-files: opening what a target maps. */
#ifndef PPROFIL_MAPPED_FILES_H
#define PPROFIL_MAPPED_FILES_H

#include <stdbool.h>
#include <sys/types.h>

struct open_request;

/* Opens what is wanted, for reading; may hang. Returns the descriptor, which is the caller's, or -errno; -EAGAIN: a JIT
 * has no names yet, but its process lives. */
int mapped_file_open(const struct open_request *wanted);
/* Fills in a request for the names of code that a process makes at run time. */
void mapped_file_request_jit_names(pid_t pid, struct open_request *wanted);
/* Copies a vDSO, whose addresses the request has, into a file. Returns the descriptor, which is the caller's, or
 * -errno. Only the tracer of a process may read its memory where Yama's ptrace_scope forbids it to others. */
int mapped_file_copy_vdso(const struct open_request *wanted);
/* Returns true if this path, as /proc/PID/maps has it, is the program of the process. */
bool mapped_file_is_program(pid_t pid, const char *path);

#endif
