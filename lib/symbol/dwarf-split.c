/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the entries of a compilation unit that was compiled with -gsplit-dwarf. The file with the code has only the
 * lines and the ranges of such a unit, in a "skeleton". All other entries are in a file of their own, FILE.dwo
 * (DWARF 5, 3.1.2; gcc's wiki, "DebugFission", for DWARF 4).
 *
 * libdw opens that file, but it would block in a FIFO, and unpack sections of any size. So libdw is only asked if all
 * files that it may open are harmless. A file may be replaced in between, but only by a user who may write to the
 * directory of the program.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debuginfo/debuginfo.h"
#include "launch/file-opener.h"
#include "symbol/elf-internal.h"

/* Returns whether libdw may open a path: it leads to a regular file that unpacks to no more than is allowed, or to
 * nothing. *exists becomes true if it leads to a file. */
static bool is_harmless(const char *path, bool *exists)
{
    struct stat status;
    int fd = file_opener_open(path, 0);

    if (fd < 0)
        return fd == -ENOENT || fd == -ENOTDIR || fd == -EACCES;
    /* the copy of a file that another process serves has no name. libdw would read the file itself, and may hang */
    bool harmless = fstat(fd, &status) == 0 && status.st_nlink > 0 && elf_check_unpacked_size(fd) == 0;
    close(fd);
    *exists = true;
    return harmless;
}

/* Returns a string of a unit, or NULL. The attribute had the number `old` before DWARF 5. */
static const char *unit_string(Dwarf_Die *unit, unsigned attribute, unsigned old)
{
    Dwarf_Attribute value;

    if (dwarf_attr(unit, attribute, &value) == NULL && dwarf_attr(unit, old, &value) == NULL)
        return NULL;
    return dwarf_formstring(&value);
}

/* As is_harmless, for the file that has the entries of all units of a program. */
static bool dwp_is_harmless(const struct elf_object *object, bool *exists)
{
    char path[PATH_MAX];

    if (object->dwarf_path == NULL)
        return true;
    snprintf(path, sizeof path, "%s.dwp", object->dwarf_path);
    return is_harmless(path, exists);
}

/* Returns whether libdw may look for the entries of a skeleton, and may find some. It looks in the directory of the
 * file that has the skeleton, and in the directory where the unit was compiled. Since version 0.191 it also opens
 * FILE.dwp, where FILE is the file that has the skeleton. */
static bool may_look(const struct elf_object *object, Dwarf_Die *skeleton)
{
    const char *name = unit_string(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
    const char *compiled = unit_string(skeleton, DW_AT_comp_dir, DW_AT_comp_dir);
    const char *file = object->dwarf_path;
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    char path[PATH_MAX];
    bool exists = false;

    if (name == NULL || slash == NULL || !dwp_is_harmless(object, &exists))
        return false;
    int directory = (int)(slash - file);
    if (name[0] == '/')
        return is_harmless(name, &exists) && exists;
    snprintf(path, sizeof path, "%.*s/%s", directory, file, name);
    if (!is_harmless(path, &exists))
        return false;
    if (compiled == NULL)
        return exists;
    if (compiled[0] == '/')
        snprintf(path, sizeof path, "%s/%s", compiled, name);
    else
        snprintf(path, sizeof path, "%.*s/%s/%s", directory, file, compiled, name);
    return is_harmless(path, &exists) && exists;
}

Dwarf_Die elf_unit_entries(struct elf_object *object, struct elf_unit *unit, const Dwarf_Die *die)
{
    Dwarf_Die entries, self = *die;
    uint8_t type;

    if (dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 || type != DW_UT_skeleton)
        return *die;
    if (!unit->looked)
        unit->has_entries = may_look(object, &self);
    unit->looked = true;
    if (unit->has_entries && dwarf_cu_info(die->cu, NULL, NULL, NULL, &entries, NULL, NULL, NULL) == 0 &&
        entries.addr != NULL)
        return entries;
    /* a skeleton of clang's -fsplit-dwarf-inlining has entries for inlined functions itself */
    object->lacks_entries |= dwarf_haschildren(&self) == 0;
    return *die;
}

bool elf_object_lacks_entries(const struct elf_object *object)
{
    return object->lacks_entries;
}

bool elf_object_has_unreadable_dwp(const struct elf_object *object)
{
    bool exists = false;
    unsigned minor = 0;

    dwp_is_harmless(object, &exists);
    return exists && sscanf(dwfl_version(NULL), "0.%u", &minor) == 1 && minor < 191;
}
