/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json: pprofil's own JSON format, and trees of JSON, which its reader needs.
 *
 * The format contains all tables of a profile; see pprofil-formats(5). The entries of a table are numbered from 1. The
 * number 0 stands for "none".
 */
#ifndef PPROFIL_JSON_H
#define PPROFIL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "profile/profile.h"

#define JSON_VERSION 1

/* The names of the kinds of objects. The index is an enum profile_object_kind. */
extern const char *const json_kinds[PROFILE_OBJECT_MARK + 1];

/* Describes a member of struct profile_totals: an integer that is not a sum over the samples. */
struct json_total {
    const char *name;
    size_t offset;
    size_t size; /* 8 for a uint64_t, 4 for a uint32_t */
};
extern const struct json_total json_totals[];
size_t json_total_count(void);

/* The field `write` of format_json points to this function. */
int json_write(int fd, const struct profile *profile);

/* --- trees (json-tree.c) -------------------------------------------------------------- */

/* Reads a whole file into a tree. A few bytes of text may take many bytes of memory, so both are limited: the file to
 * 256 MiB, and the tree to 2 GiB. Returns 0, -errno, PPROFIL_ERROR_DAMAGED (the file is not a JSON object) or -EFBIG.
 * The caller frees the tree with json_decref. */
int json_read_file(const char *path, json_t **root);
/* Returns how many bytes of memory the tree of a text can take at most. The text need not be valid JSON. */
uint64_t json_cost(const unsigned char *bytes, size_t size);

/* Returns the text of a member, which the caller does not free. If there is no such member, or if it is not a text,
 * returns `instead`. */
const char *json_text(const json_t *object, const char *key, const char *instead);
/* Returns a member if it is an array. Otherwise returns NULL, which jansson takes as an array without elements. */
const json_t *json_list(const json_t *object, const char *key);
/* Read an integer from 0 to `most`. json_whole reads it from a value, and json_member from a member of an object. They
 * return false if there is something else. A missing member is read as 0. */
bool json_whole(const json_t *value, uint64_t most, uint64_t *number);
bool json_member(const json_t *object, const char *key, uint64_t most, uint64_t *number);

#endif
