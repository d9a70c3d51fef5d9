/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds functions of MPI in stacks: see mpi-calls.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/mpi-calls.h"
#include "report/row.h"

/* Returns true for the names of MPI's functions: MPI_Recv and PMPI_Recv in C, mpi_recv_ and pmpi_recv_ in Fortran. */
static bool mpi_has_name(const char *name)
{
    const char *rest = name + (*name == 'P' || *name == 'p');
    size_t length = strlen(name);

    if (strncmp(rest, "MPI_", 4) == 0)
        return rest[4] >= 'A' && rest[4] <= 'Z';
    return strncmp(rest, "mpi_", 4) == 0 && name[length - 1] == '_';
}

/* Returns true for the libraries in which Open MPI and MPICH wait for messages. */
static bool mpi_has_library(const char *path)
{
    static const char *const names[] = {"libmpi", "libmpich", "libpmpi",   "libopen-pal", "libopen-rte", "libucp",
                                        "libuct", "libucs",   "libfabric", "libpsm",      "mca_"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(path_base_name(path), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns true if a function of MPI begins here. is_flat: the profile has no stacks. */
static bool mpi_begins_at(const struct profile *profile, uint32_t node, bool is_flat)
{
    const struct profile_location *location = &profile->locations[profile->nodes[node].location];

    if (mpi_has_name(profile->strings[profile->functions[row_function(location)].name]))
        return true;
    return is_flat && mpi_has_library(profile->strings[profile->objects[location->object].path]);
}

uint32_t *mpi_find_calls(const struct profile *profile)
{
    uint32_t *calls = calloc(profile->node_count + 1u, sizeof *calls);
    bool is_flat = !report_has_stacks(profile);

    /* a caller's node comes before those of its callees */
    for (uint32_t node = 1; calls != NULL && node < profile->node_count; node++) {
        calls[node] = calls[profile->nodes[node].parent];
        if (calls[node] == PROFILE_NONE && mpi_begins_at(profile, node, is_flat))
            calls[node] = node;
    }
    return calls;
}
