/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call-graph: from arcs, how much time a function's callees spent for it. As gprof: a function's
 * time is shared among its callers by how often each called it, and functions that call each
 * other in a circle pass on their time together.
 */
#ifndef PPROFIL_CALL_GRAPH_H
#define PPROFIL_CALL_GRAPH_H

#include "report/tally.h"

/* Counts the calls of each row, other than by itself, and fills below, an array of zeros, with
 * the ticks of its callees on its behalf. Hidden rows take no part. Rows are by address and have
 * their ticks. 0 or -ENOMEM. */
int call_graph(const struct histogram_file *file, struct tally *tally, double *below);

#endif
