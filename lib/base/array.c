/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grows arrays, and searches sorted arrays: see array.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Reallocates an array for `capacity` elements. The parameter `array` is the address of the pointer to the array. The
 * type of that pointer is not known here, so memcpy reads and writes the pointer. */
static int array_set_capacity(void *array, size_t capacity, size_t element_size)
{
    void *elements;
    size_t size;

    if (__builtin_mul_overflow(capacity, element_size, &size))
        return -ENOMEM;
    memcpy(&elements, array, sizeof elements);
    elements = realloc(elements, size);
    if (elements == NULL)
        return -ENOMEM;
    memcpy(array, &elements, sizeof elements);
    return 0;
}

int array_grow(void *array, size_t count, size_t element_size)
{
    if (count >= UINT32_MAX - 1)
        return -EOVERFLOW;
    if ((count & (count - 1)) != 0)
        return 0; /* count is no power of two, so the array has room for another element */
    return array_set_capacity(array, count == 0 ? 1 : 2 * count, element_size);
}

int array_extend(void *array, uint32_t *count, uint32_t wanted, size_t element_size)
{
    size_t capacity = 1;
    void *elements;

    if (wanted <= *count)
        return 0;
    if (wanted == UINT32_MAX)
        return -EOVERFLOW;
    while (capacity < wanted)
        capacity *= 2;
    if (*count <= capacity / 2) {
        int error = array_set_capacity(array, capacity, element_size);
        if (error != 0)
            return error;
    }
    memcpy(&elements, array, sizeof elements);
    memset((char *)elements + *count * element_size, 0, (wanted - *count) * element_size);
    *count = wanted;
    return 0;
}

size_t array_count_up_to(const void *array, size_t count, size_t element_size, uint64_t key)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint64_t *found = (const void *)((const char *)array + middle * element_size);
        if (*found <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
