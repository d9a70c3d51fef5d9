/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives each object of a profile its own range of addresses. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/address-layout.h"
#include "pprofil/error.h"

#define PAGE 4096u
/* objects that cannot keep their first address are moved to this address or above it */
#define FREE_FROM (UINT64_C(1) << 32)

/* A range of addresses, [start, end), that is taken. No object may be moved there. */
struct range {
    uint64_t start, end;
};
struct ranges {
    struct range *sorted; /* owned; ranges_merge sorts them by address, and joins those that overlap or touch */
    size_t count;
};

/* The address at which an object was first mapped. The object gets this address if it is free. */
struct wish {
    uint64_t start;
    uint32_t object;
};

struct layout {
    const struct profile *profile;
    struct mapped_object *mapped;
    struct ranges taken;
    struct wish *wishes; /* owned; one for each object that can be moved */
    size_t wish_count;
};

/* Returns true for kernel code and for code in no object. Such code has no mapping, so its addresses cannot be
 * changed. */
static bool has_fixed_addresses(const struct profile *profile, uint32_t object)
{
    return profile->objects[object].kind == PROFILE_OBJECT_UNKNOWN || profile_is_kernel(profile, object);
}

static uint64_t page_of(uint64_t address)
{
    return address / PAGE * PAGE;
}

static uint64_t page_after(uint64_t address)
{
    return address > UINT64_MAX - PAGE ? UINT64_MAX : page_of(address) + PAGE;
}

uint64_t layout_address(const struct profile *profile, const struct mapped_object *mapped, uint32_t location)
{
    const struct profile_location *where = &profile->locations[location];

    if (mapped[where->object].size == 0)
        return where->address;
    return where->address - mapped[where->object].low + mapped[where->object].start;
}

/* --- what each object needs ---------------------------------------------------------- */

/* Finds the range that each object needs: its first mapping, widened until it contains all locations of the object. */
static void measure_objects(const struct layout *layout)
{
    const struct profile *profile = layout->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        bool absolute = object->kind == PROFILE_OBJECT_ANON;
        if (has_fixed_addresses(profile, i) || object->end <= object->start)
            continue;
        layout->mapped[i].low = page_of(absolute ? object->start : object->offset);
        layout->mapped[i].size = page_after(object->end - object->start - 1);
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        struct mapped_object *mapped = &layout->mapped[location->object];
        if (has_fixed_addresses(profile, location->object))
            continue;
        uint64_t low = mapped->low, high;
        if (__builtin_add_overflow(low, mapped->size, &high))
            high = UINT64_MAX;
        if (mapped->size == 0 || location->address < low)
            low = page_of(location->address);
        if (mapped->size == 0 || location->address >= high)
            high = page_after(location->address);
        *mapped = (struct mapped_object){.low = low, .size = high - low};
    }
}

static int add_taken(struct layout *layout, uint64_t start, uint64_t end)
{
    struct range **sorted = &layout->taken.sorted;

    if (layout->taken.count >= UINT32_MAX - 1)
        return PPROFIL_ERROR_ADDRESSES;
    int error = array_grow(sorted, (uint32_t)layout->taken.count, sizeof **sorted);
    if (error == 0)
        (*sorted)[layout->taken.count++] = (struct range){start, end};
    return error;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void ranges_merge(struct ranges *ranges)
{
    size_t kept = 0;

    if (ranges->count > 0)
        qsort(ranges->sorted, ranges->count, sizeof *ranges->sorted, compare_ranges);
    for (size_t i = 0; i < ranges->count; i++) {
        const struct range *next = &ranges->sorted[i];
        struct range *last = kept > 0 ? &ranges->sorted[kept - 1] : NULL;
        if (last == NULL || next->start > last->end)
            ranges->sorted[kept++] = *next;
        else if (next->end > last->end)
            last->end = next->end;
    }
    ranges->count = kept;
}

/* Returns the index of the first range that ends above an address; ranges->count if there is none. */
static size_t range_above(const struct ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->sorted[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- fixed and movable objects -------------------------------------------------------------- */

static int map_fixed(struct layout *layout)
{
    const struct profile *profile = layout->profile;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < profile->object_count; i++) {
        struct mapped_object *mapped = &layout->mapped[i];
        if (profile->objects[i].kind != PROFILE_OBJECT_ANON || mapped->size == 0)
            continue;
        mapped->start = mapped->low;
        error = add_taken(layout, mapped->start, mapped->start + mapped->size);
    }
    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++) {
        uint64_t address = profile->locations[i].address;
        if (has_fixed_addresses(profile, profile->locations[i].object))
            error = add_taken(layout, address, address < UINT64_MAX ? address + 1 : UINT64_MAX);
    }
    ranges_merge(&layout->taken);
    return error;
}

static int compare_wishes(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

static void list_wishes(struct layout *layout)
{
    const struct profile *profile = layout->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        if (object->kind == PROFILE_OBJECT_ANON || layout->mapped[i].size == 0)
            continue;
        layout->wishes[layout->wish_count++] = (struct wish){
            .start = object->start - object->offset + layout->mapped[i].low, .object = i};
    }
    qsort(layout->wishes, layout->wish_count, sizeof *layout->wishes, compare_wishes);
}

/* Gives each object in layout->wishes the address at which it was first mapped, if the whole range there is free. Only
 * the other objects stay in layout->wishes. */
static int grant_wishes(struct layout *layout)
{
    const size_t fixed = layout->taken.count;
    uint64_t free_from = PAGE; /* nothing is mapped at 0 */
    size_t refused = 0;
    int error = 0;

    for (size_t i = 0; error == 0 && i < layout->wish_count; i++) {
        struct mapped_object *mapped = &layout->mapped[layout->wishes[i].object];
        uint64_t start = layout->wishes[i].start, end = start + mapped->size;
        const struct ranges immovable = {layout->taken.sorted, fixed};
        size_t above = range_above(&immovable, start);
        if (start < free_from || end < start || start % PAGE != 0 ||
            (above < fixed && immovable.sorted[above].start < end)) {
            layout->wishes[refused++] = layout->wishes[i];
            continue;
        }
        mapped->start = start;
        free_from = end;
        error = add_taken(layout, start, end);
    }
    layout->wish_count = refused;
    ranges_merge(&layout->taken);
    return error;
}

/* Gives free addresses from FREE_FROM upwards to the objects in layout->wishes, which could not get their first
 * address. */
static int layout_rest(const struct layout *layout)
{
    const struct ranges *taken = &layout->taken;
    uint64_t start = FREE_FROM;
    size_t above = range_above(taken, start);

    for (size_t i = 0; i < layout->wish_count; i++) {
        struct mapped_object *mapped = &layout->mapped[layout->wishes[i].object];
        for (; above < taken->count && (taken->sorted[above].start < start ||
                                        taken->sorted[above].start - start < mapped->size);
             above++)
            start = page_after(taken->sorted[above].end - 1);
        if (start > UINT64_MAX - PAGE || mapped->size > UINT64_MAX - PAGE - start)
            return PPROFIL_ERROR_ADDRESSES;
        mapped->start = start;
        start += mapped->size;
    }
    return 0;
}

bool layout_has_code(const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->location_count; i++) {
        const struct profile_object *object = &profile->objects[profile->locations[i].object];
        if (object->kind != PROFILE_OBJECT_MARK && !object->invented)
            return true;
    }
    return profile->sample_count == 0;
}

int layout_make(const struct profile *profile, struct mapped_object **mapped)
{
    struct layout layout = {.profile = profile};
    int error = -ENOMEM;

    layout.mapped = calloc(profile->object_count + 1u, sizeof *layout.mapped);
    layout.wishes = calloc(profile->object_count + 1u, sizeof *layout.wishes);
    if (layout.mapped != NULL && layout.wishes != NULL) {
        measure_objects(&layout);
        error = map_fixed(&layout);
        list_wishes(&layout);
        if (error == 0)
            error = grant_wishes(&layout);
        if (error == 0)
            error = layout_rest(&layout);
    }
    free(layout.wishes);
    free(layout.taken.sorted);
    if (error != 0)
        free(layout.mapped);
    else
        *mapped = layout.mapped;
    return error;
}
