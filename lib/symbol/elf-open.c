/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens ELF files, and finds their segments. libdwfl finds and reads everything else: .symtab, .dynsym, .gnu_debugdata,
 * and debug files, for which it asks elf-debug-file.c.
 *
 * Files may be hostile. libelf checks what it reads, and this file checks what it computes from
 * that. None of this runs inside a profiled process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debuginfo/debuginfo.h"
#include "symbol/elf-internal.h"

#define ANYWHERE_END 0x7fffffffffffu

/* libdwfl gets the address of this variable. The variable is NULL, so libdwfl searches its default path */
static char *debug_path;

static const Dwfl_Callbacks by_file = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = elf_find_debug_file,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

/* Checks that a file begins like an ELF file. Without this check libdwfl would also open compressed
 * files, in which the offsets of mappings mean nothing. 0 or -errno. */
static int check_magic(int fd)
{
    char magic[SELFMAG];
    ssize_t got = pread(fd, magic, sizeof magic, 0);

    if (got < 0)
        return -errno;
    return got == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0 ? 0 : -ENOEXEC;
}

static int report_file(Dwfl *dwfl, int fd, const char *path, Dwfl_Module **module)
{
    int error = check_magic(fd);
    if (error == 0)
        error = elf_check_unpacked_size(fd);
    if (error != 0)
        return error;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return -errno;
    *module = dwfl_report_elf(dwfl, path, path, own, 0, true);
    if (*module != NULL)
        return 0;
    close(own);
    return -ENOEXEC;
}

static Dwfl_Module *report_build_id(Dwfl *dwfl, const char *path, const uint8_t *build_id, uint32_t size)
{
    Dwfl_Module *module = dwfl_report_module(dwfl, path, 0, ANYWHERE_END);

    if (module == NULL || dwfl_module_report_build_id(module, build_id, size, 0) != 0)
        return NULL;
    return module;
}

int elf_object_open(int fd, const char *path, const uint8_t *build_id, uint32_t build_id_size,
                    struct elf_object **result)
{
    struct elf_object *object = calloc(1, sizeof *object);
    int error = -ENOENT;

    if (object == NULL || (object->dwfl = dwfl_begin(&by_file)) == NULL) {
        free(object);
        return -ENOMEM;
    }
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0)
        object->written_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    if (fd >= 0)
        object->path = debug_file_path_of(fd);
    dwfl_report_begin(object->dwfl);
    if (fd >= 0)
        error = report_file(object->dwfl, fd, path, &object->module);
    else if (build_id_size > 0)
        object->module = report_build_id(object->dwfl, path, build_id, build_id_size);
    dwfl_report_end(object->dwfl, NULL, NULL);
    if (object->module != NULL)
        object->elf = dwfl_module_getelf(object->module, &object->bias);
    if (object->elf == NULL) {
        elf_object_close(object);
        return error == 0 ? -ENOEXEC : error;
    }
    *result = object;
    return 0;
}

void elf_object_close(struct elf_object *object)
{
    if (object == NULL)
        return;
    elf_origins_clear(object);
    elf_functions_clear(object);
    elf_go_close(object);
    if (object->dwfl != NULL)
        dwfl_end(object->dwfl);
    free(object->path);
    free(object->dwarf_path);
    free(object->symbols);
    free(object->units);
    free(object->extents);
    free(object);
}

struct Elf *elf_object_elf(const struct elf_object *object)
{
    return object->elf;
}

int64_t elf_object_written(const struct elf_object *object)
{
    return object->written_ns;
}

const uint8_t *elf_object_build_id(const struct elf_object *object, uint32_t *size)
{
    const unsigned char *own;
    GElf_Addr where;
    int own_size = dwfl_module_build_id(object->module, &own, &where);

    *size = own_size > 0 ? (uint32_t)own_size : 0;
    return own;
}

bool elf_object_is(const struct elf_object *object, const uint8_t *build_id, uint32_t size)
{
    uint32_t own_size;
    const uint8_t *own = elf_object_build_id(object, &own_size);

    return own_size > 0 && own_size == size && memcmp(own, build_id, size) == 0;
}

bool elf_object_has_zstd(const struct elf_object *object)
{
    const GElf_Word zstd = 2; /* ELFCOMPRESS_ZSTD of the System V ABI, which older headers lack */
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Chdr compressed;

    for (unsigned i = 0; i < ELF_SECTIONS_MAX && (section = elf_nextscn(object->elf, section)) != NULL; i++)
        if (gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_COMPRESSED) != 0 &&
            gelf_getchdr(section, &compressed) != NULL && compressed.ch_type == zstd)
            return true;
    return false;
}

/* Finds the segment that holds a file offset. If several segments share a page of the file, prefers the segment with
 * code, because samples are in code. */
static bool find_segment(const struct elf_object *object, uint64_t offset, GElf_Phdr *segment)
{
    size_t count;
    bool found = false;

    if (elf_getphdrnum(object->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count && i < ELF_SEGMENTS_MAX; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
            continue;
        if (!found || (header.p_flags & PF_X) != 0)
            *segment = header;
        found = true;
    }
    return found;
}

bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address)
{
    GElf_Phdr segment;

    if (!find_segment(object, offset, &segment))
        return false;
    *address = offset - segment.p_offset + segment.p_vaddr + object->bias;
    return true;
}

bool elf_object_segment(const struct elf_object *object, uint64_t offset, struct elf_segment *segment)
{
    GElf_Phdr header;
    size_t size;

    if (!find_segment(object, offset, &header))
        return false;
    const char *file = elf_rawfile(object->elf, &size);
    uint64_t in_file = file != NULL && header.p_offset < size ? size - header.p_offset : 0;
    *segment = (struct elf_segment){.address = header.p_vaddr + object->bias,
                                    .offset = header.p_offset,
                                    .size = header.p_filesz};
    if (segment->size > in_file)
        segment->size = in_file;
    if (segment->size > UINT64_MAX - segment->address)
        segment->size = UINT64_MAX - segment->address;
    if (segment->size > 0)
        segment->bytes = (const uint8_t *)file + header.p_offset;
    return true;
}

uint64_t elf_object_linked(const struct elf_object *object, uint64_t address)
{
    return address - object->bias;
}
