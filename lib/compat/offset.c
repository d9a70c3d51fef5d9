/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offsets of 32 bits. */
#include "config.h"

#include <stdbool.h>

#include "compat/offset.h"
#include "compat/own-maps.h"

#define HALF (UINT64_C(1) << 32)
#define BELOW_MAX (UINT64_C(1) << 20) /* by so much a program may round the beginning of its text down */

struct offset_search {
    uint64_t given, end; /* the text covered by the offset as it is */
    uint64_t caller;
    bool reaches;        /* some text is there */
    bool covers;         /* and it is meant as it is */
    uint64_t found;      /* the first that was completed */
    unsigned count;      /* objects that could be meant */
    bool callers;        /* found is in the object of the caller */
};

/* Addresses of the object whose lower half is that of the offset. An object may be larger than 4 GiB; the lowest is
 * meant then. */
static bool offset_in(const struct own_object *object, uint64_t offset, uint64_t *address)
{
    uint64_t lowest = object->start < BELOW_MAX ? 0 : object->start - BELOW_MAX;

    *address = (lowest & ~(HALF - 1)) | (offset & (HALF - 1));
    if (*address < lowest)
        *address += HALF;
    return *address < object->end;
}

static bool offset_try(void *context, const struct own_object *object)
{
    struct offset_search *search = context;
    bool callers = search->caller >= object->start && search->caller < object->end;
    uint64_t address;

    /* what reaches everything covers all text, but its offset may still be half of an address */
    bool within = search->given >= object->start && search->given < object->text_end;
    bool overlaps = search->given < object->text_end && search->end > object->text_start;
    search->reaches = search->reaches || overlaps;
    if (within || search->given == 0 || (overlaps && search->end != UINT64_MAX)) {
        search->covers = true;
        return false;
    }
    if (!object->is_file || !offset_in(object, search->given, &address))
        return true;
    search->count++;
    if (search->count == 1 || callers)
        search->found = address;
    search->callers = search->callers || callers;
    return true;
}

enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller)
{
    struct offset_search search = {.given = *offset, .end = *offset + reach, .caller = caller};

    if (search.end < search.given)
        search.end = UINT64_MAX;
    if (sizeof(void *) < sizeof(uint64_t) || own_maps_objects(offset_try, &search) != 0 || search.covers)
        return OFFSET_AS_GIVEN;
    if (*offset >= HALF && *offset < -HALF) /* a whole one, of text that may come later */
        return search.reaches ? OFFSET_AS_GIVEN : OFFSET_NOWHERE_YET;
    if (search.count == 0)
        return search.reaches ? OFFSET_AS_GIVEN : OFFSET_NOWHERE;
    if (search.count > 1 && !search.callers)
        return OFFSET_AMBIGUOUS;
    *offset = search.found;
    return OFFSET_COMPLETED;
}
