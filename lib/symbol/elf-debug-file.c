/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the separate debug file of an ELF file, by name or by build-id.
 *
 * The code here searches by name (.gnu_debuglink), in the directories where gdb and libdwfl look too. libdwfl itself
 * would open any file that has the name. But opening a FIFO would block, and a small file may unpack to more than all
 * memory. libdwfl makes the search by build-id, below /usr/lib/debug and through debuginfod.
 */
#include "config.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/path.h"
#include "launch/file-opener.h"
#include "symbol/elf-internal.h"

#define SYSTEM_DIRECTORY "/usr/lib/debug"
#define CRC_PIECE 65536u /* how many bytes are read at a time */

/* What identifies the debug file: its build-id, or, if that is not known, the checksum in .gnu_debuglink. A file that
 * is shared by several debug files is identified by its build-id only. */
struct wanted {
    const uint8_t *build_id; /* borrowed */
    ssize_t build_id_size;   /* bytes; 0 or less: the build-id is not known */
    bool has_crc;
    uint32_t crc;
};

static bool has_crc(int fd, uint32_t wanted)
{
    unsigned char *bytes = malloc(CRC_PIECE);
    uLong crc = crc32(0, NULL, 0);
    ssize_t got = -1;

    for (off_t at = 0; bytes != NULL && (got = pread(fd, bytes, CRC_PIECE, at)) > 0; at += got)
        crc = crc32(crc, bytes, (uInt)got);
    free(bytes);
    return got == 0 && crc == wanted;
}

static bool has_build_id(int fd, const struct wanted *wanted)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const void *build_id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);
    bool same = size > 0 && size == wanted->build_id_size && memcmp(build_id, wanted->build_id, (size_t)size) == 0;

    elf_end(elf);
    return same;
}

/* Returns a descriptor of the file at `path` if that is the wanted file; otherwise -1. */
static int try_path(const char *path, const struct wanted *wanted)
{
    int fd = file_opener_open(path, 0);

    if (fd < 0)
        return -1;
    if (elf_check_unpacked_size(fd) == 0 &&
        (wanted->build_id_size > 0 ? has_build_id(fd, wanted) : !wanted->has_crc || has_crc(fd, wanted->crc)))
        return fd;
    close(fd);
    return -1;
}

/* Opens the debug file that has the name `link`. If `link` is an absolute path, tries only that
 * path. Otherwise looks in the directory of `file`, in the subdirectory .debug of that directory,
 * and in the directory with the same path below SYSTEM_DIRECTORY. Returns a descriptor, or -1.
 * *name becomes the path of the file that was opened. The caller owns the descriptor and the
 * path. */
static int find_by_name(const char *file, const char *link, const struct wanted *wanted, char **name)
{
    static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s", SYSTEM_DIRECTORY "%.*s/%s"};
    const char *slash = strrchr(file, '/'), *directory = slash == NULL ? "." : file;
    int size = slash == NULL ? 1 : (int)(slash - file);
    bool whole = link[0] == '/';

    for (size_t i = 0; i < (whole ? 1 : sizeof patterns / sizeof *patterns); i++) {
        if (whole ? (*name = strdup(link)) == NULL : asprintf(name, patterns[i], size, directory, link) < 0)
            break;
        /* `link` may be the name of `file`, but a file is not its own debug file */
        int fd = strcmp(*name, file) == 0 ? -1 : try_path(*name, wanted);
        if (fd >= 0)
            return fd;
        free(*name);
    }
    *name = NULL;
    return -1;
}

/* Returns whether libdwfl asks for a file that several debug files share (DW_FORM_GNU_ref_alt). It
 * does if `link` and `crc` are not those of the section .gnu_debuglink of the ELF file. */
static bool is_shared(Dwfl_Module *module, const char *link, GElf_Word crc)
{
    GElf_Addr bias;
    GElf_Word own_crc = 0;
    const char *own = dwelf_elf_gnu_debuglink(dwfl_module_getelf(module, &bias), &own_crc);

    return link != NULL && (own == NULL || own_crc != crc || strcmp(own, link) != 0);
}

static void choose_wanted(Dwfl_Module *module, const char *link, GElf_Word crc, struct wanted *wanted)
{
    const void *shared = NULL;
    const char *name;
    GElf_Addr where;

    *wanted = (struct wanted){.has_crc = crc != 0, .crc = crc};
    if (!is_shared(module, link, crc)) {
        wanted->build_id_size = dwfl_module_build_id(module, &wanted->build_id, &where);
        return;
    }
    Dwarf *dwarf = dwfl_module_getdwarf(module, &where);
    wanted->build_id_size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &shared);
    wanted->build_id = shared;
}

/* Returns the name that the debug file of `file` usually has: "FILE.debug". It is used if `file`
 * has no section .gnu_debuglink. The caller frees the name. NULL: no memory. */
static char *usual_name(const char *file)
{
    char *name;

    return asprintf(&name, "%s.debug", path_base_name(file)) < 0 ? NULL : name;
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
    char *usual = link == NULL && file != NULL ? usual_name(file) : NULL;
    struct wanted wanted;
    int fd = -1;

    choose_wanted(module, link, crc, &wanted);
    *name = NULL;
    if (link == NULL)
        link = usual;
    if (file != NULL && link != NULL)
        fd = find_by_name(file, link, &wanted, name);
    free(usual);
    if (fd >= 0)
        return fd;
    /* both functions search by build-id only, because the file name and the link are NULL */
    return has_servers() ? dwfl_standard_find_debuginfo(module, userdata, module_name, base, NULL, NULL, 0, name)
                         : dwfl_build_id_find_debuginfo(module, userdata, module_name, base, NULL, NULL, 0, name);
}
