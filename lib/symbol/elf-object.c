/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdwfl finds and reads everything: .symtab, .dynsym, .gnu_debugdata, debug files by
 * build-id and debuglink, debuginfod. Its own look-up by address scans all symbols, so they
 * are read once into a sorted array; and its look-up of lines needs .debug_aranges, which
 * clang does not write, so compilation units are found by their own ranges.
 *
 * Files are hostile until shown otherwise: libelf checks what it reads, this file checks what
 * it computes from it, and nothing here runs near a target.
 *
 * Longer than most files: symbols, unwind index and lines share one module and its biases.
 */
#include "config.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf-object.h"

#define OVERLAPS_MAX 16      /* symbols looked back over for one that reaches this far */
#define UNITS_MAX (1u << 22) /* ranges of code; a hostile file may share one list in all units */
#define ANYWHERE_END 0x7fffffffffffu

struct unit {
    uint64_t start, end;
    Dwarf_Off die;
};

struct elf_object {
    Dwfl *dwfl;
    Dwfl_Module *module; /* borrowed from dwfl */
    Elf *elf;            /* borrowed; its addresses are the module's minus bias */
    GElf_Addr bias;
    bool read; /* symbols have been */
    struct elf_symbol *symbols;
    size_t symbol_count;
    bool units_read;
    Dwarf *dwarf;         /* borrowed; NULL: no source lines */
    GElf_Addr dwarf_bias; /* our addresses are its own plus this */
    struct unit *units;   /* sorted by start */
    size_t unit_count;
};

static char *debug_path; /* NULL: libdwfl's default; it wants the address of a variable */

static const Dwfl_Callbacks by_file = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
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
    if (object->dwfl != NULL)
        dwfl_end(object->dwfl);
    free(object->symbols);
    free(object->units);
    free(object);
}

struct Elf *elf_object_elf(const struct elf_object *object)
{
    return object->elf;
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

/* Segments may share a page of the file, and code is what samples are in. */
bool elf_object_address(const struct elf_object *object, uint64_t offset, uint64_t *address)
{
    size_t count;
    bool found = false;

    if (elf_getphdrnum(object->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
            continue;
        if (!found || (header.p_flags & PF_X) != 0)
            *address = offset - header.p_offset + header.p_vaddr + object->bias;
        found = true;
    }
    return found;
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

    if (name == NULL || name[0] == '\0' || section == SHN_UNDEF || is_mark(name))
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && elf != NULL && section < SHN_LORESERVE &&
           code_end(elf, section) != 0;
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
        qsort(object->symbols, object->symbol_count, sizeof *object->symbols, compare);
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

/* How many entries of a table start at or below an address: each begins with its start, and
 * they are sorted by it. */
static size_t count_below(const void *table, size_t count, size_t size, uint64_t address)
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
    size_t below =
        count_below(object->symbols, object->symbol_count, sizeof *object->symbols, address);
    for (size_t i = below, seen = 0; i > 0 && seen < OVERLAPS_MAX; i--, seen++)
        if (address - object->symbols[i - 1].start < object->symbols[i - 1].size)
            return &object->symbols[i - 1];
    return NULL;
}

/* --- what stripped files still tell -------------------------------------------------- */

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

/* The bytes of the file at an address, and how many follow in its segment. */
static const char *bytes_at(const struct elf_object *object, uint64_t address, size_t *room)
{
    size_t count, size;
    const char *file = elf_rawfile(object->elf, &size);

    if (file == NULL || elf_getphdrnum(object->elf, &count) != 0)
        return NULL;
    address -= object->bias;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_LOAD ||
            address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
            continue;
        uint64_t into = address - header.p_vaddr;
        if (header.p_offset >= size || into >= size - header.p_offset)
            return NULL;
        size_t in_file = size - header.p_offset - into;
        *room = header.p_filesz - into < in_file ? header.p_filesz - into : in_file;
        return file + header.p_offset + into;
    }
    return NULL;
}

/* .eh_frame_hdr as every linker writes it: version 1, pointers relative to itself in four
 * bytes each, sorted by function (LSB core, "Exception Frame Header"). Nothing is aligned. */
struct unwind_index {
    uint64_t address;
    uint32_t count;
    const char *table; /* of unwind_entry */
};
struct unwind_entry {
    int32_t function, frame;
};
#define UDATA4 0x03
#define DATAREL_SDATA4 0x3b
#define TABLE_AT 12 /* behind four bytes of encodings, the frames' address and the count */

static bool find_unwind_index(const struct elf_object *object, struct unwind_index *index)
{
    size_t count, room;

    if (elf_getphdrnum(object->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(object->elf, (int)i, &header) == NULL || header.p_type != PT_GNU_EH_FRAME)
            continue;
        index->address = header.p_vaddr + object->bias;
        const char *bytes = bytes_at(object, index->address, &room);
        if (bytes == NULL || room < TABLE_AT || bytes[0] != 1 || bytes[2] != UDATA4 ||
            bytes[3] != DATAREL_SDATA4)
            return false;
        memcpy(&index->count, bytes + TABLE_AT - 4, 4);
        index->table = bytes + TABLE_AT;
        return index->count <= (room - TABLE_AT) / sizeof(struct unwind_entry);
    }
    return false;
}

static struct unwind_entry unwind_entry(const struct unwind_index *index, size_t i)
{
    struct unwind_entry entry;

    memcpy(&entry, index->table + i * sizeof entry, sizeof entry);
    return entry;
}

/* How many bytes of code a frame description covers: its fourth word, if the third is the
 * function's start relative to itself, as nearly all are; else there is no telling. */
static uint64_t frame_reach(const struct elf_object *object, uint64_t frame, uint64_t function)
{
    size_t room;
    const char *bytes = bytes_at(object, frame, &room);
    int32_t start;
    uint32_t size;

    if (bytes == NULL || room < 16)
        return UINT64_MAX;
    memcpy(&start, bytes + 8, 4);
    memcpy(&size, bytes + 12, 4);
    return frame + 8 + (uint64_t)(int64_t)start == function ? size : UINT64_MAX;
}

bool elf_object_function_start(const struct elf_object *object, uint64_t address, uint64_t *start)
{
    struct unwind_index index;
    if (!find_unwind_index(object, &index))
        return false;

    size_t low = 0, high = index.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index.address + (uint64_t)(int64_t)unwind_entry(&index, middle).function <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    struct unwind_entry entry = unwind_entry(&index, low - 1);
    *start = index.address + (uint64_t)(int64_t)entry.function;
    uint64_t frame = index.address + (uint64_t)(int64_t)entry.frame;
    return address - *start < frame_reach(object, frame, *start);
}

/* --- lines --------------------------------------------------------------------------- */

static bool add_unit(struct elf_object *object, uint64_t start, uint64_t end, Dwarf_Off die)
{
    size_t count = object->unit_count;

    if (count == UNITS_MAX)
        return false;
    if ((count & (count - 1)) == 0) {
        struct unit *larger =
            reallocarray(object->units, count == 0 ? 1 : 2 * count, sizeof *larger);
        if (larger == NULL)
            return false;
        object->units = larger;
    }
    object->units[object->unit_count++] = (struct unit){start, end, die};
    return true;
}

static int compare_units(const void *left, const void *right)
{
    const struct unit *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->die < b->die ? -1 : a->die > b->die;
}

static void read_units(struct elf_object *object)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    bool more = true;

    object->units_read = true;
    object->dwarf = dwfl_module_getdwarf(object->module, &object->dwarf_bias);
    while (more && dwarf_get_units(object->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Addr base, start, end;
        ptrdiff_t at = 0;
        while (more && (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0)
            if (start < end)
                more = add_unit(object, start, end, dwarf_dieoffset(&die));
    }
    if (object->unit_count > 0)
        qsort(object->units, object->unit_count, sizeof *object->units, compare_units);
}

/* The compilation unit around an address of the debug information. */
static bool find_unit(const struct elf_object *object, uint64_t address, Dwarf_Die *die)
{
    size_t below = count_below(object->units, object->unit_count, sizeof *object->units, address);

    return below > 0 && address < object->units[below - 1].end &&
           dwarf_offdie(object->dwarf, object->units[below - 1].die, die) != NULL;
}

bool elf_object_line(struct elf_object *object, uint64_t address, char *path, size_t size,
                     uint32_t *number)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    int found = 0;

    if (!object->units_read)
        read_units(object);
    address -= object->dwarf_bias;
    if (!find_unit(object, address, &unit))
        return false;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
    const char *file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    if (file == NULL || strcmp(file, "???") == 0) /* libdw's word for no file */
        return false;
    const char *directory = NULL;
    if (file[0] != '/')
        directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    snprintf(path, size, "%s%s%s", directory ? directory : "", directory ? "/" : "", file);
    dwarf_lineno(line, &found);
    *number = found > 0 ? (uint32_t)found : 0;
    return true;
}
