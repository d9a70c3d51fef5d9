/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-map: the names that a JIT writes to /tmp/perf-PID.map for its code. */
#ifndef PPROFIL_PERF_MAP_H
#define PPROFIL_PERF_MAP_H

#include "symbol/jit-names.h"

/* Reads the names in the first size bytes of a map. False: no memory. */
bool perf_map_read(int fd, size_t size, struct code_names *names);

#endif
