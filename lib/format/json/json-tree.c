/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads JSON files into trees of the library jansson, with a limit on their memory, and reads values from trees with
 * checks. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "format/json/json.h"

/* limit for the memory of a tree, bytes. The tree of an ordinary file takes 15 times the size of the file */
#define TREE_SIZE_MAX (UINT64_C(1) << 31)

/* --- the memory of a tree -------------------------------------------------------------------- */

/* How many bytes jansson allocates at most for an array, an object, a member and an element. In the text, each of these
 * is found by one character: '[', '{', the ':' in a member, and the ',' before an element. The bytes include the
 * overhead of malloc, and the unused part of arrays, which double when they grow. The name of a member costs as much as
 * any other text. */
static const uint16_t costs[256] = {['['] = 144, ['{'] = 272, [':'] = 40, [','] = 24};
#define TEXT_COST 80u
#define NUMBER_COST 32u

static bool in_number(unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || (byte | 0x20) == 'e';
}

static size_t skip_text(const unsigned char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] != '"')
        at += bytes[at] == '\\' ? 2 : 1;
    return at < size ? at + 1 : size;
}

uint64_t json_cost(const unsigned char *bytes, size_t size)
{
    uint64_t cost = 0;

    for (size_t at = 0; at < size;) {
        unsigned char byte = bytes[at++];
        size_t start = at;
        cost += costs[byte];
        if (byte == '"') {
            at = skip_text(bytes, size, at);
            cost += TEXT_COST + (at - start);
        } else if (in_number(byte) && byte != 'e') { /* no number begins with e, but the word "true" ends with it */
            while (at < size && in_number(bytes[at]))
                at++;
            cost += NUMBER_COST;
        }
    }
    return cost;
}

/* --- files ------------------------------------------------------------------------------------ */

static int read_tree(const unsigned char *bytes, size_t size, json_t **root)
{
    json_error_t problem;

    if (json_cost(bytes, size) > TREE_SIZE_MAX)
        return -EFBIG;
    *root = json_loadb((const char *)bytes, size, JSON_ALLOW_NUL, &problem);
    if (*root == NULL)
        return json_error_code(&problem) == json_error_out_of_memory ? -ENOMEM : PPROFIL_ERROR_DAMAGED;
    return json_is_object(*root) ? 0 : PPROFIL_ERROR_DAMAGED;
}

int json_read_file(const char *path, json_t **root)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    int error = bytes_load(path, &bytes, &size);

    *root = NULL;
    if (error == 0)
        error = read_tree(bytes, size, root);
    free(bytes);
    return error;
}

/* --- values ----------------------------------------------------------------------------------- */

const char *json_text(const json_t *object, const char *key, const char *instead)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : instead;
}

const json_t *json_list(const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);
    return json_is_array(list) ? list : NULL;
}

bool json_whole(const json_t *value, uint64_t most, uint64_t *number)
{
    *number = 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return *number <= most;
}

bool json_member(const json_t *object, const char *key, uint64_t most, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);

    *number = 0;
    return value == NULL || json_whole(value, most, number);
}
