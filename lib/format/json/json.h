/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json: what the reader and the writer of our own JSON share, and trees of JSON.
 *
 * The format is a profile's tables as they are: pprofil-formats(5). Entries of a table are numbered from 1; 0 is none.
 */
#ifndef PPROFIL_JSON_H
#define PPROFIL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "profile/profile.h"

#define JSON_VERSION 1

/* The names of the kinds of objects, by enum profile_object_kind. */
extern const char *const json_kinds[PROFILE_OBJECT_MARK + 1];

/* The members of struct profile_totals that are not sums over the samples. */
struct json_total {
    const char *name;
    size_t offset;
    size_t size; /* of a uint64_t or a uint32_t */
};
extern const struct json_total json_totals[];
size_t json_total_count(void);

/* As read of struct format. */
int json_read(const char *path, struct profile *profile);

/* --- trees (json-tree.c) -------------------------------------------------------------- */

/* Reads a whole file of up to 256 MiB, whose tree takes up to 2 GiB: a few bytes of text may become many of memory. 0,
 * -errno, PPROFIL_ERROR_DAMAGED (it is no JSON) or -EFBIG. The caller frees the tree with json_decref. */
int json_read_file(const char *path, json_t **root);
/* The most bytes of memory that the tree of a text takes. The text need not be JSON. */
uint64_t json_cost(const unsigned char *bytes, size_t size);

/* The text of a member, borrowed; `instead` if it has none. */
const char *json_text(const json_t *object, const char *key, const char *instead);
/* A member that is an array; NULL, which has no elements, if it is none. */
const json_t *json_list(const json_t *object, const char *key);
/* Reads a whole number from 0 to most. False: it is something else. A member that is not there is 0. */
bool json_whole(const json_t *value, uint64_t most, uint64_t *number);
bool json_member(const json_t *object, const char *key, uint64_t most, uint64_t *number);

#endif
