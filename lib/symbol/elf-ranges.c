/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ranges of code of an entry of the debug information.
 *
 * Lists of ranges lie in a section of their own. Entries may share them, and libdw passes over
 * what is no range in them without coming back: reading those of a hostile file takes its size
 * squared, and no count of entries or ranges sees that. So the time is bounded that it takes.
 */
#include "config.h"

#include <time.h>

#include "base/clock.h"
#include "symbol/elf-internal.h"

#define ALL_LISTS_NS_MAX 5000000000   /* for all lists of a file: those of 10 million entries take less */
#define ONE_LIST_NS_MAX 100000000 /* for one of them: more, and we were stopped meanwhile */

struct elf_ranges elf_ranges_of(struct elf_object *object, Dwarf_Die *die)
{
    return (struct elf_ranges){.object = object, .die = die, .since = (int64_t)time_now()};
}

bool elf_ranges_next(struct elf_ranges *ranges, Dwarf_Addr *start, Dwarf_Addr *end)
{
    if (ranges->object->ranges_ns >= ALL_LISTS_NS_MAX)
        return false;
    while ((ranges->at = dwarf_ranges(ranges->die, ranges->at, &ranges->base, start, end)) > 0)
        if (*start < *end)
            return true;
    int64_t took = (int64_t)time_now() - ranges->since;
    ranges->object->ranges_ns += took < ONE_LIST_NS_MAX ? took : ONE_LIST_NS_MAX;
    return false;
}
