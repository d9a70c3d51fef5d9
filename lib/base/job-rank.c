/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the rank and the job of a process in its environment: see job-rank.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/job-rank.h"

#define ENVIRONMENT_SIZE_MAX (4u << 20) /* bytes; of a longer environment, the beginning is read */

/* The variables of launchers, in the order of preference: a launcher of MPI may itself be run by srun(1).
 *     OMPI_...   Open MPI: mpirun(1), "Exported Environment Variables"
 *     PMI_...    MPICH (Hydra) and its relatives, such as Intel MPI and MVAPICH: the PMI-1 interface
 *     PMIX_RANK  any launcher with the PMIx standard; another launcher's variable has the number of ranks
 *     SLURM_...  srun(1), "OUTPUT ENVIRONMENT VARIABLES". A batch script has SLURM_PROCID and SLURM_NTASKS, too,
 *                although it is not a rank; only srun sets SLURM_STEP_NUM_TASKS. */
static const struct {
    const char *rank, *count; /* count: NULL: none */
    bool needs_count;         /* without its count, the variable is no rank */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
    {"PMI_RANK", "PMI_SIZE", false},
    {"PMIX_RANK", NULL, false},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true},
};

/* The variables that name the job: of Slurm, PBS, LSF and Flux, and of the launcher if there is no batch system. */
static const char *const job_names[] = {
    "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PMIX_NAMESPACE",
};

/* Names of the programs that start ranks as their children, of at most 15 characters. */
static const char *const launcher_names[] = {
    "flux-shell", "hydra_pmi_proxy", "mpiexec",        "mpiexec.hydra", "mpiexec.mpich", "mpiexec.openmpi",
    "mpirun",     "mpirun.mpich",    "mpirun.openmpi", "orted",         "orterun",       "prte",
    "prted",      "prterun",         "slurmstepd",
};

/* Returns the value of a variable; NULL: it is not in the environment. */
static const char *job_find_variable(const char *environment, size_t size, const char *name)
{
    size_t length = strlen(name);

    for (size_t at = 0; at < size;) {
        size_t left = size - at, text = strnlen(environment + at, left);
        if (text == left)
            return NULL; /* it has no NUL, so it was cut off */
        if (text > length && environment[at + length] == '=' && memcmp(environment + at, name, length) == 0)
            return environment + at + length + 1;
        at += text + 1;
    }
    return NULL;
}

/* Returns the number that a variable has as its value, 0 to JOB_RANK_MAX. Returns -1 if there is no such variable, or
 * if its value is something else. name: NULL: none. */
static int32_t job_find_number(const char *environment, size_t size, const char *name)
{
    const char *value = name == NULL ? NULL : job_find_variable(environment, size, name);
    char *end;

    if (value == NULL || *value < '0' || *value > '9')
        return -1;
    unsigned long number = strtoul(value, &end, 10);
    return *end == '\0' && number <= JOB_RANK_MAX ? (int32_t)number : -1;
}

struct job_rank job_rank_find(const char *environment, size_t size)
{
    struct job_rank found = {.rank = -1};
    const char *job = NULL;

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && found.count == 0; i++) {
        int32_t rank = job_find_number(environment, size, launchers[i].rank);
        int32_t count = job_find_number(environment, size, launchers[i].count);
        if (rank < 0 || (launchers[i].needs_count && count <= rank))
            continue;
        if (found.rank < 0)
            found.rank = rank;
        if (found.rank == rank && count > rank)
            found.count = count;
    }
    for (size_t i = 0; i < sizeof job_names / sizeof *job_names && (job == NULL || *job == '\0'); i++)
        job = job_find_variable(environment, size, job_names[i]);
    if (job != NULL)
        snprintf(found.job, sizeof found.job, "%s", job);
    return found;
}

/* Reads a file to its end, or to the size that it may have. Returns how many bytes were read, or -errno. */
static ssize_t job_read(int fd, char *text, size_t size)
{
    size_t used = 0;

    while (used < size) {
        ssize_t got = read(fd, text + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

struct job_rank job_rank_read(int fd)
{
    struct job_rank found = {.rank = -1};
    char *text = fd >= 0 ? malloc(ENVIRONMENT_SIZE_MAX) : NULL;
    ssize_t got = text != NULL ? job_read(fd, text, ENVIRONMENT_SIZE_MAX) : -1;

    if (got > 0)
        found = job_rank_find(text, (size_t)got);
    free(text);
    return found;
}

struct job_rank job_rank_of_process(pid_t pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const struct job_rank found = job_rank_read(fd);
    if (fd >= 0)
        close(fd);
    return found;
}

bool job_is_launcher(const char *comm)
{
    for (size_t i = 0; i < sizeof launcher_names / sizeof *launcher_names; i++)
        if (strcmp(comm, launcher_names[i]) == 0)
            return true;
    return false;
}
