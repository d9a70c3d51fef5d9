/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json: both directions of our own JSON, which is a profile's tables as they are: see
 * pprofil-formats(5). Entries of a table are called by their numbers, which begin with 1; 0 is
 * none.
 */
#ifndef PPROFIL_JSON_H
#define PPROFIL_JSON_H

#include <stddef.h>

#include "profile/profile.h"

#define JSON_VERSION 1

/* The kinds of objects, by enum profile_object_kind. */
extern const char *const json_kinds[PROFILE_OBJECT_MARK + 1];

/* Totals but those that are sums over the samples: members of struct profile_totals. */
struct json_total {
    const char *name;
    size_t offset;
    size_t size; /* of a uint64_t or a uint32_t */
};
extern const struct json_total json_totals[];
size_t json_total_count(void);

/* As read of struct format. */
int json_read(const char *path, struct profile *profile);

#endif
