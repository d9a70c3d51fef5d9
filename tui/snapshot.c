/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A snapshot's arrays come from malloc(3); the strings in them belong to others. */
#include "config.h"

#include <stdlib.h>

#include "snapshot.h"

void snapshot_free(struct snapshot *snapshot)
{
    for (unsigned by = 0; by < SNAPSHOT_GROUPINGS; by++)
        free(snapshot->by[by].rows);
    free(snapshot->calls.rows);
    free(snapshot->tasks);
    free(snapshot->processes);
    free(snapshot->code);
    *snapshot = (struct snapshot){.status = -1};
}
