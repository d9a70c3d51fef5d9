/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* housekeeping: what is done now and then. */
#ifndef PPROFIL_HOUSEKEEPING_H
#define PPROFIL_HOUSEKEEPING_H

#include <stdint.h>

struct tracer;

/* The first tracer's: what is to be done now and then for all. Returns when it is to be done again. */
uint64_t housekeeping_run(struct tracer *tracer);

#endif
