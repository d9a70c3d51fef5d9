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

/* --- names for old programs ------------------------------------------------------------------------- */

/* A library may keep a name only for programs that were linked long ago: libc's free is also cfree@GLIBC_2.2.5. A
 * program that is linked today cannot get such a name, so its author does not know it. In .symtab, such a name has one
 * "@", and a name for today's programs has two. In .dynsym, the version of such a name has the bit VERSYM_HIDDEN (LSB,
 * "Symbol Version Table"). */

#define VERSYM_HIDDEN 0x8000

struct old_name {
    uint64_t value;   /* st_value */
    const char *name; /* borrowed from the file */
};

struct old_names {
    struct old_name *names; /* owned; sorted by value */
    uint32_t count;
};

static int old_name_compare(const void *left, const void *right)
{
    const struct old_name *a = left, *b = right;

    return a->value < b->value ? -1 : a->value > b->value;
}

/* Adds the old names of a dynamic symbol table. versions: its versions, in the order of the symbols. */
static void old_names_add(struct old_names *old, Elf *elf, Elf_Data *symbols, GElf_Word strings, Elf_Data *versions)
{
    GElf_Sym symbol;
    GElf_Versym version;

    for (int i = 0; gelf_getsym(symbols, i, &symbol) != NULL && gelf_getversym(versions, i, &version) != NULL; i++) {
        const char *name = (version & VERSYM_HIDDEN) != 0 && symbol.st_shndx != SHN_UNDEF
                               ? elf_strptr(elf, strings, symbol.st_name)
                               : NULL;
        if (name != NULL && array_grow(&old->names, old->count, sizeof *old->names) == 0)
            old->names[old->count++] = (struct old_name){symbol.st_value, name};
    }
}

/* Reads the old names of a file. If memory is short, some are missing. The caller frees old->names. */
static void old_names_read(struct old_names *old, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header, table;

    *old = (struct old_names){0};
    for (unsigned i = 0; i < ELF_SECTIONS_MAX && (section = elf_nextscn(elf, section)) != NULL; i++) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_GNU_versym)
            continue;
        Elf_Scn *dynamic = elf_getscn(elf, header.sh_link);
        Elf_Data *versions = elf_getdata(section, NULL);
        Elf_Data *symbols = gelf_getshdr(dynamic, &table) != NULL ? elf_getdata(dynamic, NULL) : NULL;
        if (versions != NULL && symbols != NULL)
            old_names_add(old, elf, symbols, table.sh_link, versions);
    }
    if (old->count > 0)
        qsort(old->names, old->count, sizeof *old->names, old_name_compare);
}

/* Returns whether a symbol is only for old programs. */
static bool is_old_name(const struct old_names *old, const GElf_Sym *symbol, const char *name)
{
    const char *version = strchr(name, '@');

    if (version != NULL)
        return version[1] != '@';
    size_t at = array_count_up_to(old->names, old->count, sizeof *old->names, symbol->st_value);
    for (; at > 0 && old->names[at - 1].value == symbol->st_value; at--)
        if (strncmp(old->names[at - 1].name, name, COMPARED) == 0)
            return true;
    return false;
}

/* --- the best name ------------------------------------------------------------------------------------- */

/* Rates a symbol: of the symbols at one address, the one with the highest result is used. Symbols that have a size are
 * better than symbols that have none. Next, global symbols are better than weak ones, and weak ones than local ones.
 * Next, names for today's programs are better than names for old programs. Last, the name with fewer leading
 * underscores is better. */
static uint32_t symbol_preference(const struct old_names *old, const GElf_Sym *symbol, const char *name)
{
    static const uint32_t binding[] = {[STB_LOCAL] = 1, [STB_GLOBAL] = 3, [STB_WEAK] = 2};
    uint32_t bind = GELF_ST_BIND(symbol->st_info), underscores = 0;

    while (underscores < 7 && name[underscores] == '_')
        underscores++;
    return (symbol->st_size > 0 ? 64u : 0) + (bind <= STB_WEAK ? binding[bind] : 0) * 16 +
           (is_old_name(old, symbol, name) ? 0 : 8u) + (7 - underscores);
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

/* Returns whether a symbol is a local label of an assembler function, whose name is that of the function, a dot, and
 * the name of the label (NASM manual, "Local Labels"). Parts of functions of compilers have such names too, as
 * "f.cold", but they have sizes. */
static bool is_local_label(const struct elf_symbol *function, const struct elf_symbol *symbol)
{
    size_t length = strnlen(function->name, COMPARED);

    return !symbol->sized && strncmp(symbol->name, function->name, length) == 0 && symbol->name[length] == '.';
}

/* Removes all but the best symbol of each address, and local labels. */
static void sort_symbols(struct elf_object *object)
{
    size_t kept = 0;

    if (object->symbol_count > 0)
        qsort(object->symbols, object->symbol_count, sizeof *object->symbols, compare_symbols);
    for (size_t i = 0; i < object->symbol_count; i++)
        if (kept == 0 || (object->symbols[kept - 1].start != object->symbols[i].start &&
                          !is_local_label(&object->symbols[kept - 1], &object->symbols[i])))
            object->symbols[kept++] = object->symbols[i];
    object->symbol_count = kept;
    size_labels(object);
}

/* Adds the functions of the table of Go code, unless the file has their symbols. It has either all of them or none. */
static void add_go_symbols(struct elf_object *object)
{
    uint32_t count = elf_go_count(object);
    struct elf_symbol first;

    if (count == 0 || !elf_go_symbol(object, 0, &first) || elf_object_symbol(object, first.start) != NULL)
        return;
    struct elf_symbol *symbols = reallocarray(object->symbols, object->symbol_count + count, sizeof *symbols);
    if (symbols == NULL)
        return;
    object->symbols = symbols;
    for (uint32_t i = 0; i < count; i++)
        object->symbol_count += elf_go_symbol(object, i, &symbols[object->symbol_count]);
    sort_symbols(object);
}

static void read_elf_symbols(struct elf_object *object, int count)
{
    struct old_names old;

    old_names_read(&old, object->elf);
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
                                .preference = symbol_preference(&old, &symbol, name),
                                .sized = sized};
    }
    free(old.names);
    sort_symbols(object);
}

static void read_symbols(struct elf_object *object)
{
    int count = dwfl_module_getsymtab(object->module);

    object->symbols_read = true;
    if (count > 0)
        read_elf_symbols(object, count);
    add_go_symbols(object);
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
