/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the compilation unit and the source line of an address. libdwfl's own look-up of a unit needs .debug_aranges,
 * which clang does not write. So this file finds units by the ranges of code that each unit lists.
 */
#include "config.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "symbol/elf-internal.h"

/* Longest time for reading all lists of ranges of a file, ns. A real file takes less, even if its
 * lists have 10 million elements. */
#define ALL_LISTS_NS_MAX 5000000000
/* The longest time that is counted for reading one list, ns. A longer time means that this thread
 * was not running for a while, so the rest of the time is not counted. */
#define ONE_LIST_NS_MAX 100000000
/* At most this many ranges of code are kept, for all units together. In a hostile file, all units
 * may share one long list of ranges. */
#define UNITS_MAX (1u << 22)

/* --- ranges of code ------------------------------------------------------------------------ */

/* Begins to read the list of ranges of an entry of the debug information. All lists are in one
 * section, and entries may share a list. If an element of a list is no range, libdw skips it and
 * reads on. So a hostile file may make it read a long list of such elements again and again, once
 * for each of many entries, and find hardly any ranges. Therefore the time is limited. */
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

/* --- compilation units --------------------------------------------------------------------- */

static bool add_unit(struct elf_object *object, uint64_t start, uint64_t end, Dwarf_Off die)
{
    if (object->unit_count == UNITS_MAX || array_grow(&object->units, object->unit_count, sizeof *object->units) != 0)
        return false;
    object->units[object->unit_count++] = (struct elf_unit){.start = start, .end = end, .die = die};
    return true;
}

static int compare_units(const void *left, const void *right)
{
    const struct elf_unit *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->die < b->die ? -1 : a->die > b->die;
}

/* Returns the path of the file that has the debug information, without symbolic links. The caller frees it. */
static char *find_dwarf_path(const struct elf_object *object)
{
    const char *file = NULL, *debug_file = NULL;

    dwfl_module_info(object->module, NULL, NULL, NULL, NULL, NULL, &file, &debug_file);
    if (debug_file == NULL && object->path != NULL)
        return strdup(object->path);
    return realpath(debug_file != NULL ? debug_file : file, NULL);
}

static void read_units(struct elf_object *object)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    bool more = true;

    object->units_read = true;
    object->dwarf = dwfl_module_getdwarf(object->module, &object->dwarf_bias);
    object->dwarf_path = find_dwarf_path(object);
    while (more && dwarf_get_units(object->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        struct elf_ranges ranges = elf_ranges_of(object, &die);
        Dwarf_Addr start, end;
        while (more && elf_ranges_next(&ranges, &start, &end))
            more = add_unit(object, start, end, dwarf_dieoffset(&die));
    }
    if (object->unit_count > 0)
        qsort(object->units, object->unit_count, sizeof *object->units, compare_units);
}

/* Sets object->unit to the compilation unit that contains the code at `address`, from which dwarf_bias has been
 * subtracted. Returns false if there is no such unit. */
static bool find_unit(struct elf_object *object, uint64_t address)
{
    size_t below = array_count_up_to(object->units, object->unit_count, sizeof *object->units, address);
    struct elf_unit_found *found = &object->unit;
    Dwarf_Attribute attribute;

    if (below == 0 || address >= object->units[below - 1].end)
        return false;
    struct elf_unit *unit = &object->units[below - 1];
    found->start = found->end = 0;
    if (dwarf_offdie(object->dwarf, unit->die, &found->die) == NULL)
        return false;
    found->entries = elf_unit_entries(object, unit, &found->die);
    const char *directory = dwarf_formstring(dwarf_attr(&found->die, DW_AT_comp_dir, &attribute));
    found->directory = directory != NULL ? directory : "";
    found->start = unit->start;
    found->end = unit->end;
    if (below < object->unit_count && object->units[below].start < found->end)
        found->end = object->units[below].start;
    return true;
}

bool elf_object_find_unit(struct elf_object *object, uint64_t address)
{
    if (!object->units_read)
        read_units(object);
    address -= object->dwarf_bias;
    return address - object->unit.start < object->unit.end - object->unit.start || find_unit(object, address);
}

/* --- lines --------------------------------------------------------------------------------- */

bool elf_object_line(struct elf_object *object, uint64_t address, struct elf_line *line)
{
    int number = 0;

    if (!elf_object_find_unit(object, address))
        return elf_go_line(object, address, line);
    Dwarf_Line *found = dwarf_getsrc_die(&object->unit.die, address - object->dwarf_bias);
    const char *file = found == NULL ? NULL : dwarf_linesrc(found, NULL, NULL);
    if (file == NULL || strcmp(file, "???") == 0) /* libdw's name for an unknown file */
        return false;
    dwarf_lineno(found, &number);
    *line = (struct elf_line){.directory = file[0] == '/' ? "" : object->unit.directory,
                              .file = file,
                              .number = number > 0 ? (uint32_t)number : 0};
    return true;
}

bool elf_object_lacks_lines(const struct elf_object *object)
{
    return object->units_read && object->unit_count == 0;
}

/* Turns "/a/./b/../c" into "/a/c". Symbolic links are not followed, because the file need not be on this machine. */
static void clean_path(char *path)
{
    char *out = path;

    if (path[0] != '/')
        return;
    for (const char *in = path; *in != '\0';) {
        in += strspn(in, "/");
        size_t length = strcspn(in, "/");
        if (length == 2 && in[0] == '.' && in[1] == '.') {
            while (out > path && *--out != '/')
                ;
        } else if (length > 0 && !(length == 1 && in[0] == '.')) {
            *out++ = '/';
            memmove(out, in, length);
            out += length;
        }
        in += length;
    }
    *out = '\0';
}

void elf_line_path(const struct elf_line *line, char *path, size_t size)
{
    const char *directory = line->directory;

    snprintf(path, size, "%s%s%s", directory, directory[0] != '\0' ? "/" : "", line->file);
    clean_path(path);
}
