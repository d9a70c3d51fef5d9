/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the debug files that libdwfl asks for: on this machine, as lib/debuginfo finds them, and then on the servers of
 * debuginfod, as libdwfl does. Also finds the file that several debug files share.
 */
#include "config.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/debuginfo.h"
#include "symbol/elf-internal.h"

/* Returns whether libdwfl asks for a file that several debug files share (DW_FORM_GNU_ref_alt). It
 * does if `link` and `crc` are not those of the section .gnu_debuglink of the ELF file. */
static bool is_shared(Dwfl_Module *module, const char *link, GElf_Word crc)
{
    GElf_Addr bias;
    GElf_Word own_crc = 0;
    const char *own = dwelf_elf_gnu_debuglink(dwfl_module_getelf(module, &bias), &own_crc);

    return link != NULL && (own == NULL || own_crc != crc || strcmp(own, link) != 0);
}

/* Sets the build-id of the wanted file. A file that is shared by several debug files has one of its own. */
static void choose_build_id(Dwfl_Module *module, bool shared, struct debug_file_wanted *wanted)
{
    const void *of_shared = NULL;
    const char *name;
    GElf_Addr where;
    ssize_t size;

    if (shared) {
        size = dwelf_dwarf_gnu_debugaltlink(dwfl_module_getdwarf(module, &where), &name, &of_shared);
        wanted->build_id = of_shared;
    } else {
        size = dwfl_module_build_id(module, &wanted->build_id, &where);
    }
    wanted->build_id_size = size > 0 ? (size_t)size : 0;
}

/* Returns whether debuginfod servers are configured. libdwfl would find out too, but would first load libdebuginfod,
 * which loads some 25 other libraries. They are not needed if there is no server. */
static bool has_servers(void)
{
    const char *servers = getenv("DEBUGINFOD_URLS");

    return servers != NULL && servers[0] != '\0';
}

int elf_find_debug_file(Dwfl_Module *module, void **userdata, const char *module_name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **name)
{
    struct debug_file_wanted wanted = {.file = file, .link = link, .has_crc = crc != 0, .crc = crc};

    choose_build_id(module, is_shared(module, link, crc), &wanted);
    int fd = debug_file_find(&wanted, name);
    if (fd >= 0 || !has_servers())
        return fd;
    /* searches by build-id only, because the file name and the link are NULL */
    return dwfl_standard_find_debuginfo(module, userdata, module_name, base, NULL, NULL, 0, name);
}
