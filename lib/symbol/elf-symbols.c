/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the symbols of an ELF file into an array, sorted by address. libdwfl's own look-up by
 * address would scan all symbols each time.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbol/elf-internal.h"

/* At most this many symbols before an address are looked at, to find one that reaches to the address. */
#define OVERLAPS_MAX 16
/* At most this many bytes of two names are compared. Names in a hostile file may be equal for megabytes. */
#define COMPARED 256

/* Returns the address where the section of a symbol ends. 0: the section has no code. */
static uint64_t code_end(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;

    if (gelf_getshdr(elf_getscn(elf, section), &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0)
        return 0;
    return header.sh_addr + header.sh_size;
}

bool elf_is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strnlen(name, ELF_NAME_SIZE_MAX) < ELF_NAME_SIZE_MAX;
}

/* Returns whether a name is a mark for disassemblers on Arm, such as "$x" or "$d.12", and not the
 * name of a function. */
static bool is_mark(const char *name)
{
    return name[0] == '$' && name[1] != '\0' && strchr("xadt", name[1]) != NULL && (name[2] == '\0' || name[2] == '.');
}

/* Rates a symbol: of the symbols at one address, the one with the highest result is used. Symbols that have a size are
 * better than symbols that have none. Next, global symbols are better than weak ones, and weak ones than local ones.
 * Last, the name with fewer leading underscores is better. */
static uint32_t symbol_preference(const GElf_Sym *symbol, const char *name)
{
    static const uint32_t binding[] = {[STB_LOCAL] = 1, [STB_GLOBAL] = 3, [STB_WEAK] = 2};
    uint32_t bind = GELF_ST_BIND(symbol->st_info), underscores = 0;

    while (underscores < 7 && name[underscores] == '_')
        underscores++;
    return (symbol->st_size > 0 ? 64u : 0) + (bind <= STB_WEAK ? binding[bind] : 0) * 16 + (7 - underscores);
}

static bool is_function_symbol(const GElf_Sym *symbol, const char *name, Elf *elf, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);

    if (!elf_is_name(name) || section == SHN_UNDEF || is_mark(name))
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    return type == STT_NOTYPE && elf != NULL && section < SHN_LORESERVE && code_end(elf, section) != 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct elf_symbol *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->preference != b->preference)
        return a->preference > b->preference ? -1 : 1;
    return strncmp(a->name, b->name, COMPARED);
}

/* Symbols in assembler code may have no size. Gives such a symbol a size: it ends where the next symbol begins, or
 * where its section ends if that comes first. But if the symbol begins inside a symbol with a size, it is only a label,
 * and is removed. */
static void size_labels(struct elf_object *object)
{
    struct elf_symbol *symbols = object->symbols;
    /* the highest end address of the symbols so far that have a size */
    uint64_t covered = 0;
    size_t kept = 0;

    for (size_t i = 0; i < object->symbol_count; i++) {
        struct elf_symbol symbol = symbols[i];
        if (!symbol.sized && symbol.start < covered)
            continue;
        if (!symbol.sized && i + 1 < object->symbol_count && symbols[i + 1].start - symbol.start < symbol.size)
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
        qsort(object->symbols, object->symbol_count, sizeof *object->symbols, compare_symbols);
    for (size_t i = 0; i < object->symbol_count; i++)
        if (kept == 0 || object->symbols[kept - 1].start != object->symbols[i].start)
            object->symbols[kept++] = object->symbols[i];
    object->symbol_count = kept;
    size_labels(object);
}

static void read_symbols(struct elf_object *object)
{
    object->symbols_read = true;
    int count = dwfl_module_getsymtab(object->module);
    if (count <= 0)
        return;
    object->symbols = malloc((size_t)count * sizeof *object->symbols);
    for (int i = 0; object->symbols != NULL && i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address, &section, &elf, NULL);
        if (!is_function_symbol(&symbol, name, elf, section))
            continue;
        bool sized = symbol.st_size > 0;
        uint64_t end = sized ? 0 : code_end(elf, section);
        uint64_t guess = end > symbol.st_value ? end - symbol.st_value : 0;
        object->symbols[object->symbol_count++] =
            (struct elf_symbol){.start = address,
                                .size = sized ? symbol.st_size : guess,
                                .name = name,
                                .preference = symbol_preference(&symbol, name),
                                .sized = sized};
    }
    sort_symbols(object);
}

bool elf_object_has_symbols(struct elf_object *object)
{
    if (!object->symbols_read)
        read_symbols(object);
    return object->symbol_count > 0;
}

struct elf_symbol *elf_object_symbol(struct elf_object *object, uint64_t address)
{
    if (!elf_object_has_symbols(object))
        return NULL;
    size_t below = array_count_up_to(object->symbols, object->symbol_count, sizeof *object->symbols, address);
    for (size_t i = below, seen = 0; i > 0 && seen < OVERLAPS_MAX; i--, seen++)
        if (address - object->symbols[i - 1].start < object->symbols[i - 1].size)
            return &object->symbols[i - 1];
    return NULL;
}

bool elf_object_in_plt(const struct elf_object *object, uint64_t address)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(object->elf, &names) != 0)
        return false;
    for (unsigned i = 0; i < ELF_SECTIONS_MAX && (section = elf_nextscn(object->elf, section)) != NULL; i++) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || address - object->bias - header.sh_addr >= header.sh_size)
            continue;
        const char *name = elf_strptr(object->elf, names, header.sh_name);
        if (name != NULL && strncmp(name, ".plt", 4) == 0)
            return true;
    }
    return false;
}
