/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdwfl finds and reads everything: .symtab, .dynsym, .gnu_debugdata, debug files by
 * build-id and debuglink, debuginfod. Its own look-up by address scans all symbols, so they
 * are read once into a sorted array.
 *
 * Files are hostile until shown otherwise: libelf checks what it reads, this file checks what
 * it computes from it, and nothing here runs near a target.
 */
#include "config.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf-object.h"

#define OVERLAPS_MAX 16 /* symbols looked back over for one that reaches this far */
#define ANYWHERE_END 0x7fffffffffffu

struct elf_object {
    Dwfl *dwfl;
    Dwfl_Module *module; /* borrowed from dwfl */
    Elf *elf;            /* borrowed; its addresses are the module's minus bias */
    GElf_Addr bias;
    bool read; /* symbols have been */
    struct elf_symbol *symbols;
    size_t symbol_count;
};

static char *debug_path; /* NULL: libdwfl's default; it wants the address of a variable */

static const Dwfl_Callbacks by_file = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

static Dwfl_Module *report_file(Dwfl *dwfl, int fd, const char *path)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return NULL;
    Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, own, 0, true);
    if (module == NULL)
        close(own);
    return module;
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
    int error = fd >= 0 ? -ENOEXEC : -ENOENT;

    if (object == NULL)
        return -ENOMEM;
    object->dwfl = dwfl_begin(&by_file);
    if (object->dwfl != NULL) {
        dwfl_report_begin(object->dwfl);
        if (fd >= 0)
            object->module = report_file(object->dwfl, fd, path);
        else if (build_id_size > 0)
            object->module = report_build_id(object->dwfl, path, build_id, build_id_size);
        dwfl_report_end(object->dwfl, NULL, NULL);
    }
    if (object->module != NULL)
        object->elf = dwfl_module_getelf(object->module, &object->bias);
    if (object->elf == NULL) {
        elf_object_close(object);
        return error;
    }
    *result = object;
    return 0;
}

void elf_object_close(struct elf_object *object)
{
    if (object == NULL)
        return;
    if (object->dwfl != NULL)
        dwfl_end(object->dwfl);
    free(object->symbols);
    free(object);
}

bool elf_object_differs(const struct elf_object *object, const uint8_t *build_id, uint32_t size)
{
    const unsigned char *own;
    GElf_Addr where;
    int own_size = dwfl_module_build_id(object->module, &own, &where);

    return own_size > 0 && size > 0 &&
           ((uint32_t)own_size != size || memcmp(own, build_id, size) != 0);
}

bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address)
{
    size_t count;

    if (elf_getphdrnum(object->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
            continue;
        *address = offset - header.p_offset + header.p_vaddr + object->bias;
        return true;
    }
    return false;
}

/* --- symbols ------------------------------------------------------------------------- */

static bool in_code(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;

    return gelf_getshdr(elf_getscn(elf, section), &header) != NULL &&
           (header.sh_flags & SHF_EXECINSTR) != 0;
}

/* "$x", "$d.12": marks for disassemblers on Arm. */
static bool is_mark(const char *name)
{
    return name[0] == '$' && strchr("xadt", name[1]) != NULL &&
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

    if (name == NULL || name[0] == '\0' || section == SHN_UNDEF || is_mark(name))
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && elf != NULL && section < SHN_LORESERVE && in_code(elf, section);
}

static int compare(const void *left, const void *right)
{
    const struct elf_symbol *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->preference != b->preference)
        return a->preference > b->preference ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_symbols(struct elf_object *object)
{
    size_t kept = 0;

    if (object->symbol_count > 0)
        qsort(object->symbols, object->symbol_count, sizeof *object->symbols, compare);
    for (size_t i = 0; i < object->symbol_count; i++)
        if (kept == 0 || object->symbols[kept - 1].start != object->symbols[i].start)
            object->symbols[kept++] = object->symbols[i];
    object->symbol_count = kept;
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
        const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address, &section,
                                                   &elf, NULL);
        if (!wanted(&symbol, name, elf, section))
            continue;
        object->symbols[object->symbol_count++] =
            (struct elf_symbol){.start = address,
                                .size = symbol.st_size,
                                .name = name,
                                .preference = prefer(&symbol, name)};
    }
    sort_symbols(object);
}

bool elf_object_has_symbols(struct elf_object *object)
{
    if (!object->read)
        read_symbols(object);
    return object->symbol_count > 0;
}

struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address)
{
    if (!elf_object_has_symbols(object))
        return NULL;
    size_t low = 0, high = object->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct elf_symbol *open_ended = NULL;
    for (size_t i = low, seen = 0; i > 0 && seen < OVERLAPS_MAX; i--, seen++) {
        struct elf_symbol *symbol = &object->symbols[i - 1];
        if (address - symbol->start < symbol->size)
            return symbol;
        if (symbol->size == 0 && i == low)
            open_ended = symbol;
    }
    return open_ended;
}

/* --- what stripped files still tell -------------------------------------------------- */

/* The section index of a name pattern: which kind of code an address is in. */
bool elf_object_in_plt(const struct elf_object *object, uint64_t address)
{
    size_t names;

    if (elf_getshdrstrndx(object->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL ||
            address - object->bias - header.sh_addr >= header.sh_size)
            continue;
        const char *name = elf_strptr(object->elf, names, header.sh_name);
        if (name != NULL && strncmp(name, ".plt", 4) == 0)
            return true;
    }
    return false;
}

/* .eh_frame_hdr as every linker writes it: version 1, pointers relative to itself in four
 * bytes each, sorted by function (LSB core, "Exception Frame Header"). */
struct unwind_index {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
    struct {
        int32_t function, entry;
    } table[];
};
#define UDATA4 0x03
#define DATAREL_SDATA4 0x3b

static const struct unwind_index *find_unwind_index(const struct elf_object *object,
                                                    uint64_t *address)
{
    size_t count;

    if (elf_getphdrnum(object->elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL ||
            header.p_type != PT_GNU_EH_FRAME)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(object->elf, (int64_t)header.p_offset,
                                              header.p_filesz, ELF_T_BYTE);
        if (data == NULL || data->d_size < sizeof(struct unwind_index))
            return NULL;
        const struct unwind_index *index = data->d_buf;
        size_t room = (data->d_size - sizeof *index) / sizeof *index->table;
        if (index->version != 1 || index->count_encoding != UDATA4 ||
            index->table_encoding != DATAREL_SDATA4 || index->count > room)
            return NULL;
        *address = header.p_vaddr + object->bias;
        return index;
    }
    return NULL;
}

bool elf_object_function_start(const struct elf_object *object, uint64_t address, uint64_t *start)
{
    uint64_t base;
    const struct unwind_index *index = find_unwind_index(object, &base);
    if (index == NULL)
        return false;

    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (base + (uint64_t)(int64_t)index->table[middle].function <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *start = base + (uint64_t)(int64_t)index->table[low - 1].function;
    return true;
}

/* --- lines --------------------------------------------------------------------------- */

bool elf_object_line(const struct elf_object *object, uint64_t address, char *path, size_t size,
                     uint32_t *number)
{
    Dwfl_Line *line = dwfl_module_getsrc(object->module, address);
    int found = 0;
    if (line == NULL)
        return false;

    const char *file = dwfl_lineinfo(line, NULL, &found, NULL, NULL, NULL);
    if (file == NULL)
        return false;
    const char *directory = file[0] == '/' ? NULL : dwfl_line_comp_dir(line);
    snprintf(path, size, "%s%s%s", directory ? directory : "", directory ? "/" : "", file);
    *number = found > 0 ? (uint32_t)found : 0;
    return true;
}
