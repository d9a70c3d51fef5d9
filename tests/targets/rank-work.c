/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A rank of a job of Slurm or Open MPI:
 *
 *    rank-work STEP [STATUS]
 *
 * Rank N computes for STEP seconds in the function even(), and for N + 1 times STEP in uneven(). It writes its pid to
 * the file pid-N, and a line "N NS NS" to own-N: how long both took, by its own clock. The last rank exits with STATUS.
 *
 * The functions take ROUNDS turns. On full CPUs one sample may represent some tenths of a second, which is all the time
 * of a function that has one turn only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clocks.h"

#define ROUNDS 20

/* the numbers differ, so that the compiler does not make one function of both */
__attribute__((noinline)) static void even(double end)
{
    while (cpu_now() < end)
        for (volatile int i = 0; i < 100000; i++)
            ;
}

__attribute__((noinline)) static void uneven(double end)
{
    while (cpu_now() < end)
        for (volatile int i = 0; i < 100001; i++)
            ;
}

static int rank_variable(const char *open_mpi, const char *slurm)
{
    const char *value = getenv(open_mpi);

    if (value == NULL)
        value = getenv(slurm);
    return value == NULL ? 0 : atoi(value);
}

static FILE *rank_create(const char *name, int rank)
{
    char path[64];

    snprintf(path, sizeof path, "%s-%d", name, rank);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(99);
    }
    return file;
}

int main(int argc, char **argv)
{
    int rank = rank_variable("OMPI_COMM_WORLD_RANK", "SLURM_PROCID");
    int last = rank_variable("OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS") - 1;
    double step = argc > 1 ? atof(argv[1]) : 0.1, in_even = 0, in_uneven = 0;
    FILE *file = rank_create("pid", rank);

    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_now();
        even(start + step / ROUNDS);
        double between = cpu_now();
        uneven(between + step * (rank + 1) / ROUNDS);
        in_even += between - start;
        in_uneven += cpu_now() - between;
    }
    file = rank_create("own", rank);
    fprintf(file, "%d %.0f %.0f\n", rank, in_even * 1e9, in_uneven * 1e9);
    fclose(file);
    return argc > 2 && rank == last ? atoi(argv[2]) : 0;
}
