/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mpi-calls: which stacks are in functions of MPI.
 *
 * A rank that waits for others in MPI polls, that is, it uses CPU time in functions deep in the libraries of MPI. So
 * all that a function of MPI calls belongs to that function. A profile without stacks shows only in which library that
 * was.
 */
#ifndef PPROFIL_REPORT_MPI_CALLS_H
#define PPROFIL_REPORT_MPI_CALLS_H

#include <stdint.h>

#include "profile/profile.h"

/* Returns an array with an element for each node of the profile, whose names have been looked up: the node of the
 * outermost function of MPI in which it is, or PROFILE_NONE. The caller frees it. NULL: no memory. */
uint32_t *mpi_find_calls(const struct profile *profile);

#endif
