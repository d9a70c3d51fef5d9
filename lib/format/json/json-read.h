/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json-read: values of JSON files that must be there, or may be, for readers of such formats. */
#ifndef PPROFIL_JSON_READ_H
#define PPROFIL_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The whole file, up to 256 MiB, and to 2 GiB of tree: a few bytes of text may be many of that.
 * 0, or -errno: PPROFIL_ERROR_DAMAGED where it is no JSON, -EFBIG where it is more. The caller frees it with
 * json_decref. */
int json_read_file(const char *path, json_t **root);
/* Bytes of memory that the tree of a text will take, at most; it need not be JSON. */
uint64_t json_cost(const unsigned char *bytes, size_t size);

/* A member's text; what is said instead where it is none. Borrowed. */
const char *json_text(const json_t *object, const char *key, const char *instead);
/* A member that is an array, or NULL, which has no elements. */
const json_t *json_list(const json_t *object, const char *key);
/* A number from 0 to most, in *number; false: it is something else. An absent member is 0. */
bool json_whole(const json_t *value, uint64_t most, uint64_t *number);
bool json_member(const json_t *object, const char *key, uint64_t most, uint64_t *number);

#endif
