/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapped-files: opens the files that a target maps, and files with the names of code that the target makes at run
 * time. */
#ifndef PPROFIL_MAPPED_FILES_H
#define PPROFIL_MAPPED_FILES_H

#include <stdbool.h>
#include <sys/types.h>

struct open_request;

/* Opens the requested file for reading; may hang. Returns a descriptor, which the caller owns, or -errno. -EAGAIN means
 * that a file with the names of run-time code does not exist yet, but may come, because the process lives. */
int mapped_file_open(const struct open_request *wanted);
/* Fills in *wanted, so that it requests the file with the names of the code that a process makes at run time. */
void mapped_file_request_jit_names(pid_t pid, struct open_request *wanted);
/* Copies the vDSO at the addresses of the request into a file in memory. Returns a descriptor of this file, which the
 * caller owns, or -errno. The supervisor calls this, not an opener: under Yama's ptrace_scope only the tracer may read
 * the memory of a process. */
int mapped_file_copy_vdso(const struct open_request *wanted);
/* Returns true if `path` is the program that the process executes. path: a path from /proc/PID/maps. */
bool mapped_file_is_program(pid_t pid, const char *path);

#endif
