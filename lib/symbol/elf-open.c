/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdwfl finds and reads everything: .symtab, .dynsym, .gnu_debugdata, debug files by
 * build-id and debuglink, debuginfod. Its own look-up by address scans all symbols, so they
 * are read once into a sorted array. Extents and lines of functions have files of their own.
 *
 * Files are hostile until shown otherwise: libelf checks what it reads, this file checks what
 * it computes from it, and nothing here runs near a target.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/dwarf-functions.h"

#define OVERLAPS_MAX 16 /* symbols looked back over for one that reaches this far */
#define COMPARED 256    /* bytes of names: those of a hostile file are alike for megabytes */
#define ANYWHERE_END 0x7fffffffffffu

static char *debug_path; /* NULL: libdwfl's default; it wants the address of a variable */

static const Dwfl_Callbacks by_file = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = elf_find_debug,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

/* libdwfl would also take compressed files, to which no offset of ours belongs. */
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
        error = elf_check_packed(fd);
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

static Dwfl_Module *report_build_id(Dwfl *dwfl, const char *path, const uint8_t *build_id,
                                    uint32_t size)
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
    elf_names_clear(object);
    elf_functions_clear(object);
    if (object->dwfl != NULL)
        dwfl_end(object->dwfl);
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

/* The segment that holds a file offset. They may share a page of the file, and code is what
 * samples are in. */
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

bool elf_object_segment(const struct elf_object *object, uint64_t offset,
                        struct elf_segment *segment)
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

/* --- symbols ------------------------------------------------------------------------- */

/* Where the section of a symbol ends, or 0 where it holds no code. */
static uint64_t code_end(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;

    if (gelf_getshdr(elf_getscn(elf, section), &header) == NULL ||
        (header.sh_flags & SHF_EXECINSTR) == 0)
        return 0;
    return header.sh_addr + header.sh_size;
}

bool elf_is_name(const char *name)
{
    return name != NULL && name[0] != '\0' &&
           strnlen(name, ELF_NAME_SIZE_MAX) < ELF_NAME_SIZE_MAX;
}

/* "$x", "$d.12": marks for disassemblers on Arm. */
static bool is_mark(const char *name)
{
    return name[0] == '$' && name[1] != '\0' && strchr("xadt", name[1]) != NULL &&
           (name[2] == '\0' || name[2] == '.');
}

/* Several names at one address: sized ones first, then global, then the plainest. */
static uint32_t prefer(const GElf_Sym *symbol, const char *name)
{
    static const uint32_t binding[] = {[STB_LOCAL] = 1, [STB_GLOBAL] = 3, [STB_WEAK] = 2};
    uint32_t bind = GELF_ST_BIND(symbol->st_info), underscores = 0;

    while (underscores < 7 && name[underscores] == '_')
        underscores++;
    return (symbol->st_size > 0 ? 64u : 0) + (bind <= STB_WEAK ? binding[bind] : 0) * 16 +
           (7 - underscores);
}

static bool wanted(const GElf_Sym *symbol, const char *name, Elf *elf, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);

    if (!elf_is_name(name) || section == SHN_UNDEF || is_mark(name))
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && elf != NULL && section < SHN_LORESERVE &&
           code_end(elf, section) != 0;
}

static int elf_object_compare(const void *left, const void *right)
{
    const struct elf_symbol *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->preference != b->preference)
        return a->preference > b->preference ? -1 : 1;
    return strncmp(a->name, b->name, COMPARED);
}

/* Symbols without a size (assembler) get one: to the next symbol, at most to the end of their
 * section. Inside a sized symbol they are but labels. */
static void close_gaps(struct elf_object *object)
{
    struct elf_symbol *symbols = object->symbols;
    uint64_t covered = 0; /* sized symbols reach to here */
    size_t kept = 0;

    for (size_t i = 0; i < object->symbol_count; i++) {
        struct elf_symbol symbol = symbols[i];
        if (!symbol.sized && symbol.start < covered)
            continue;
        if (!symbol.sized && i + 1 < object->symbol_count &&
            symbols[i + 1].start - symbol.start < symbol.size)
            symbol.size = symbols[i + 1].start - symbol.start;
        if (symbol.sized && symbol.start + symbol.size > covered)
            covered = symbol.start + symbol.size;
        symbols[kept++] = symbol;
    }
    object->symbol_count = kept;
}

static void sort_symbols(struct elf_object *object)
{
    size_t kept = 0;

    if (object->symbol_count > 0)
        qsort(object->symbols, object->symbol_count, sizeof *object->symbols, elf_object_compare);
    for (size_t i = 0; i < object->symbol_count; i++)
        if (kept == 0 || object->symbols[kept - 1].start != object->symbols[i].start)
            object->symbols[kept++] = object->symbols[i];
    object->symbol_count = kept;
    close_gaps(object);
}

static void read_symbols(struct elf_object *object)
{
    object->read = true;
    int count = dwfl_module_getsymtab(object->module);
    if (count <= 0)
        return;
    object->symbols = malloc((size_t)count * sizeof *object->symbols);
    for (int i = 0; object->symbols != NULL && i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        const char *name =
            dwfl_module_getsym_info(object->module, i, &symbol, &address, &section, &elf, NULL);
        if (!wanted(&symbol, name, elf, section))
            continue;
        bool sized = symbol.st_size > 0;
        uint64_t end = sized ? 0 : code_end(elf, section);
        uint64_t guess = end > symbol.st_value ? end - symbol.st_value : 0;
        object->symbols[object->symbol_count++] =
            (struct elf_symbol){.start = address,
                                .size = sized ? symbol.st_size : guess,
                                .name = name,
                                .preference = prefer(&symbol, name),
                                .sized = sized};
    }
    sort_symbols(object);
}

bool elf_object_has_symbols(struct elf_object *object)
{
    if (!object->read)
        read_symbols(object);
    return object->symbol_count > 0;
}

size_t elf_object_count_below(const void *table, size_t count, size_t size, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint64_t *start = (const void *)((const char *)table + middle * size);
        if (*start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address)
{
    if (!elf_object_has_symbols(object))
        return NULL;
    size_t below = elf_object_count_below(object->symbols, object->symbol_count,
                                          sizeof *object->symbols, address);
    for (size_t i = below, seen = 0; i > 0 && seen < OVERLAPS_MAX; i--, seen++)
        if (address - object->symbols[i - 1].start < object->symbols[i - 1].size)
            return &object->symbols[i - 1];
    return NULL;
}
