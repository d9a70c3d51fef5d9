/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf-data-header: what a file of perf says before its records, and behind them. */
#ifndef PPROFIL_PERF_DATA_HEADER_H
#define PPROFIL_PERF_DATA_HEADER_H

#include "format/perf-data/perf-data-file.h"
#include "format/perf-data/perf-data-replay.h"

struct perf_header {
    struct perf_file *file;     /* borrowed */
    struct perf_replay *replay; /* borrowed: gets the event, build-ids and totals */
    struct perf_section attrs, data;
    uint64_t attr_size; /* with where its ids are */
    uint64_t features;  /* bits; of more than 64 none concerns us */
    uint32_t event_count;
    uint64_t *ids; /* owned: of the event that counts, sorted */
    size_t id_count;
};

/* Header, events and features; file and replay are given. 0, -ENOMEM, PPROFIL_ERROR_DAMAGED, -errno of reading, or
 * why such a file is not read: PPROFIL_ERROR_PIPED, PPROFIL_ERROR_BYTE_ORDER, PPROFIL_ERROR_COMPRESSED. ids are to
 * be freed in any case. */
int perf_header_read(struct perf_header *header);
/* Is a sample with this id of the event that counts? */
bool perf_header_has(const struct perf_header *header, uint64_t id);

#endif
