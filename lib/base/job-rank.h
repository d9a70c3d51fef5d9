/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * job-rank: which part of which job a process is. A job runs one program as many processes, often on many machines. The
 * launcher numbers these processes, and gives each of them its number, the rank, in the environment.
 */
#ifndef PPROFIL_BASE_JOB_RANK_H
#define PPROFIL_BASE_JOB_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOB_NAME_SIZE 128u
#define JOB_RANK_MAX 99999999 /* larger numbers are not taken for ranks */

struct job_rank {
    int32_t rank;            /* 0 to JOB_RANK_MAX; -1: the process has none */
    int32_t count;           /* number of ranks in the job; 0: not known */
    char job[JOB_NAME_SIZE]; /* what the batch system or the launcher calls the job; "": not known */
};

/* the launchers whose variables job_rank_find knows, for messages */
#define JOB_LAUNCHERS "Open MPI, MPICH or Slurm"

/* Finds the rank in an environment. environment: `size` bytes with texts such as "NAME=VALUE", each of which ends with
 * a NUL, as in proc_pid_environ(5). If MPI runs under a batch system, the rank is that of MPI, and the job is that of
 * the batch system. The batch script itself is no rank. */
struct job_rank job_rank_find(const char *environment, size_t size);
/* Does the same for the environment in an open file. Returns a struct without a rank and a job if it cannot be read. */
struct job_rank job_rank_read(int fd);
/* Does the same for the environment with which a process executed its program. While another process executes a program
 * from a file that hangs, this function hangs, too: proc_mem_open in fs/proc/base.c waits for the end of the exec. */
struct job_rank job_rank_of_process(pid_t pid);
/* Returns true if this is the name of a program that gives ranks to its children. comm: as in comm of proc_pid_comm(5).
 * */
bool job_is_launcher(const char *comm);

#endif
