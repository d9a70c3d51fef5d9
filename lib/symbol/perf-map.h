/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-map: the names that a JIT writes to /tmp/perf-PID.map for its code. */
#ifndef PPROFIL_PERF_MAP_H
#define PPROFIL_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct perf_map;

/* Reads the map behind fd, or where it is -1 that of process pid, from its own /tmp or ours.
 * NULL: there is none, or it cannot be trusted. */
struct perf_map *perf_map_open(int fd, uint32_t pid);
/* Was the file of a map longer when this was asked than when the map was read? map NULL: there was
 * none that could be read. */
bool perf_map_grown(const struct perf_map *map, int fd, uint32_t pid);
void perf_map_close(struct perf_map *map);

/* The name of the code at address, valid while the map is; NULL: not covered. */
const char *perf_map_find(const struct perf_map *map, uint64_t address);

#endif
