/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jansson reads; what the values must be is checked here. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "format/json-read.h"

#define LARGEST (1u << 25) /* some 40 times that in memory, at worst */

int json_read_file(const char *path, json_t **root)
{
    unsigned char *bytes = NULL;
    json_error_t problem;
    size_t size = 0;
    int error = bytes_load(path, &bytes, &size);

    *root = NULL;
    if (error == 0 && size > LARGEST)
        error = -EFBIG;
    if (error == 0) {
        *root = json_loadb((const char *)bytes, size, JSON_ALLOW_NUL, &problem);
        if (*root == NULL)
            error = json_error_code(&problem) == json_error_out_of_memory ? -ENOMEM : -EBADMSG;
        else if (!json_is_object(*root))
            error = -EBADMSG;
    }
    free(bytes);
    return error;
}

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
