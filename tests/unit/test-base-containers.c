/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* --- array ------------------------------------------------------------------------------- */

Test(array, keeps_its_elements_as_it_grows)
{
    uint32_t *items = NULL, count = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(array_grow(&items, count, sizeof *items), 0);
        items[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(items[i], i);
    free(items);
}

Test(array, extends_with_zeros)
{
    uint64_t *items = NULL;
    uint32_t count = 0, before = 0;

    for (uint32_t wanted = 0; wanted < 5000; wanted += wanted / 3 + 1) {
        cr_assert_eq(array_extend(&items, &count, wanted, sizeof *items), 0);
        cr_assert_eq(count, wanted);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert_eq(items[i], i < before ? i + 1u : 0);
            items[i] = i + 1u;
        }
        before = count;
    }
    cr_assert_eq(array_extend(&items, &count, 1, sizeof *items), 0);
    cr_assert_eq(count, before, "nothing is taken away");
    free(items);
}

/* If `count` is lowered, the array keeps its memory and the old bytes in it. Elements that are added again must still
 * be 0. */
Test(array, may_be_cut_and_go_on)
{
    uint32_t *items = NULL, count = 0;

    for (uint32_t cut = 100; cut > 0; cut--) {
        uint32_t before = count;
        cr_assert_eq(array_extend(&items, &count, 100, sizeof *items), 0);
        for (uint32_t i = before; i < 100; i++)
            cr_assert_eq(items[i], 0);
        count = cut;
        cr_assert_eq(array_grow(&items, count, sizeof *items), 0);
        items[count++] = 7;
    }
    free(items);
}

Test(array, says_what_cannot_be)
{
    char *items = NULL;
    uint32_t count = 0;

    cr_assert_eq(array_grow(&items, UINT32_MAX - 1, 1), -EOVERFLOW);
    cr_assert_eq(array_grow(&items, (size_t)1 << 31, SIZE_MAX / 16), -ENOMEM);
    cr_assert_eq(array_extend(&items, &count, UINT32_MAX, 1), -EOVERFLOW);
    cr_assert_eq(array_extend(&items, &count, 1u << 31, SIZE_MAX / 16), -ENOMEM);
    cr_assert_eq(count, 0);
    cr_assert_null(items);
}

/* --- hash -------------------------------------------------------------------------------- */

/* Many pairs of numbers have the same distance between their two numbers. Two such pairs must rarely get the same
 * slot. */
Test(hash, pairs_of_neighbours_differ)
{
    enum { COUNT = 4096 };
    static const uint32_t distances[] = {0, 1, 100, COUNT, 1u << 20};
    static unsigned char hit[COUNT * 16];

    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        unsigned taken = 0;
        memset(hit, 0, sizeof hit);
        for (uint32_t i = 0; i < COUNT; i++) {
            unsigned char *slot = &hit[hash_pair(i, i + distances[d]) % sizeof hit];
            taken += *slot;
            *slot = 1;
        }
        cr_assert_lt(taken, COUNT / 8, "distance %u: %u taken", distances[d], taken);
    }
}

static bool has_place(const struct hash_index *index, uint32_t hash, uint32_t entry)
{
    uint32_t at = hash, found;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (found == entry)
            return true;
    return false;
}

/* The entries have few different hashes, so searches are long, cross each other, and wrap around the end of the
 * index. */
Test(hash, finds_what_was_added_and_not_removed)
{
    enum { ENTRIES = 200, HASHES = 30 };
    struct hash_index index = {0};
    bool there[ENTRIES] = {false};

    srand(11);
    for (int step = 0; step < 20000; step++) {
        uint32_t entry = (uint32_t)rand() % ENTRIES, hash = 0u - entry % HASHES;
        if (there[entry])
            hash_remove(&index, hash, entry);
        else
            cr_assert_eq(hash_add(&index, hash, entry), 0);
        there[entry] = !there[entry];
        for (uint32_t i = step % 16 == 0 ? 0 : ENTRIES; i < ENTRIES; i++)
            cr_assert_eq(has_place(&index, 0u - i % HASHES, i), there[i]);
    }
    hash_free(&index);
}

/* A cleared index is empty, but finds what is added later. */
Test(hash, is_empty_once_cleared)
{
    struct hash_index index = {0};
    uint32_t at = 1;

    cr_assert_eq(hash_next(&index, 1, &at), HASH_NONE);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(hash_add(&index, hash_bytes(&i, sizeof i), i), 0);
    hash_clear(&index);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert(!has_place(&index, hash_bytes(&i, sizeof i), i));
    cr_assert_eq(hash_add(&index, 1, 5), 0);
    cr_assert(has_place(&index, 1, 5));
    hash_free(&index);
    cr_assert(!has_place(&index, 1, 5));
}

Test(array, counts_the_elements_up_to_a_key)
{
    const struct {
        uint64_t key, other;
    } elements[] = {{3, 0}, {5, 0}, {5, 0}, {UINT64_MAX, 0}};
    const size_t size = sizeof elements[0];

    cr_expect_eq(array_count_up_to(NULL, 0, size, 5), 0);
    cr_expect_eq(array_count_up_to(elements, 4, size, 2), 0);
    cr_expect_eq(array_count_up_to(elements, 4, size, 3), 1);
    cr_expect_eq(array_count_up_to(elements, 4, size, 5), 3);
    cr_expect_eq(array_count_up_to(elements, 4, size, 6), 3);
    cr_expect_eq(array_count_up_to(elements, 4, size, UINT64_MAX), 4);
}
