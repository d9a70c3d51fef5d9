/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * array: arrays that grow at their end.
 *
 * The caller owns a pointer and a count. The capacity is not stored: it is at least the count, rounded up to a power of
 * two. The caller may lower its count at any time, but may raise it only with these functions. A new array has the
 * pointer NULL and the count 0. The caller frees the pointer.
 */
#ifndef PPROFIL_BASE_ARRAY_H
#define PPROFIL_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Makes room for one more element at the end of an array of `count` elements. The caller then writes the element and
 * adds 1 to its count. The parameter `array` is the address of the pointer to the array. The function may change this
 * pointer. On average a call takes constant time. Returns 0, -ENOMEM, or -EOVERFLOW past 2^32 - 2 elements. After an
 * error nothing has changed. */
int array_grow(void *array, size_t count, size_t element_size);

/* Raises *count to `wanted`, unless *count is already that large. All bytes of the new elements are 0. Returns 0,
 * -ENOMEM or -EOVERFLOW, as array_grow does. */
int array_extend(void *array, uint32_t *count, uint32_t wanted, size_t element_size);

/* Returns the number of elements whose keys are at most `key`. The array is sorted by key. Each element begins with its
 * key, which is a uint64_t. */
size_t array_count_up_to(const void *array, size_t count, size_t element_size, uint64_t key);

#endif
