/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the symbols of an ELF file's code into a table. Files may be hostile: libelf checks what it
 * reads, and this file checks what it computes from that. The file is read, not mapped, because a
 * mapped file that shrinks would raise SIGBUS.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "symbol/symbol.h"

/* Longest name of a symbol, bytes. All symbols of a hostile file may have the same endless name. */
#define NAME_SIZE_MAX 32768u

/* A symbol table of the file, and the sections of the file that belong to it. All pointers are borrowed. */
struct source {
    Elf *elf;
    Elf_Data *symbols;
    Elf_Data *names;
    /* for symbols with SHN_XINDEX: the numbers of their sections; NULL: the file has no such symbols */
    Elf_Data *sections;
    size_t count;
};

static bool is_code(Elf *elf, size_t section, GElf_Shdr *header)
{
    return section != SHN_UNDEF && gelf_getshdr(elf_getscn(elf, section), header) != NULL &&
           (header->sh_flags & SHF_EXECINSTR) != 0;
}

static uint64_t find_text_end(Elf *elf)
{
    uint64_t end = 0;
    size_t count;

    if (elf_getshdrnum(elf, &count) != 0)
        return 0;
    for (size_t i = 1; i < count; i++) {
        GElf_Shdr header;
        if (is_code(elf, i, &header) && header.sh_size <= UINT64_MAX - header.sh_addr &&
            header.sh_addr + header.sh_size > end)
            end = header.sh_addr + header.sh_size;
    }
    return end;
}

/* Returns the section of type SHT_SYMTAB_SHNDX that belongs to the symbol table with the section
 * number `symbols`. NULL: there is none. */
static Elf_Data *find_sections(Elf *elf, size_t symbols)
{
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB_SHNDX && header.sh_link == symbols)
            return elf_getdata(section, NULL);
    return NULL;
}

/* Finds the first symbol table of the given section type that can be read and is not empty. False:
 * there is none. */
static bool find_source(Elf *elf, GElf_Word type, struct source *source)
{
    size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != type)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        Elf_Data *names = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
        if (data == NULL || data->d_buf == NULL || entry == 0 || data->d_size < entry ||
            names == NULL || names->d_buf == NULL)
            continue;
        *source = (struct source){.elf = elf,
                                  .symbols = data,
                                  .names = names,
                                  .sections = find_sections(elf, elf_ndxscn(section)),
                                  .count = data->d_size / entry};
        if (source->count > INT_MAX) /* libelf's indexes are int */
            source->count = INT_MAX;
        return true;
    }
    return false;
}

/* Finds the name of a symbol. False: there is no name, or the name is too long, or it has control characters, which a
 * terminal would obey. */
static bool find_name(const struct source *source, size_t offset, struct symbol *symbol)
{
    const char *names = source->names->d_buf, *name = names + offset;
    size_t room = offset < source->names->d_size ? source->names->d_size - offset : 0;
    size_t rest = room < NAME_SIZE_MAX ? room : NAME_SIZE_MAX, length = strnlen(name, rest);

    if (length == 0 || length == rest)
        return false;
    for (size_t i = 0; i < length; i++)
        if (utf8_is_control(name[i]))
            return false;
    symbol->name = name;
    symbol->rest = (uint32_t)rest;
    return true;
}

static bool read_symbol(const struct source *source, size_t i, struct symbol *symbol)
{
    GElf_Sym entry;
    GElf_Shdr header;
    Elf32_Word section;

    if (gelf_getsymshndx(source->symbols, source->sections, (int)i, &entry, &section) == NULL)
        return false;
    if (entry.st_shndx != SHN_XINDEX)
        section = entry.st_shndx < SHN_LORESERVE ? entry.st_shndx : SHN_UNDEF;
    else if (source->sections == NULL)
        section = SHN_UNDEF;
    *symbol = (struct symbol){.address = entry.st_value,
                              .size = entry.st_size,
                              .order = (uint32_t)i,
                              .type = GELF_ST_TYPE(entry.st_info),
                              .binding = GELF_ST_BIND(entry.st_info)};
    if (symbol->size > UINT64_MAX - symbol->address)
        symbol->size = UINT64_MAX - symbol->address;
    if (symbol->type != STT_FUNC && symbol->type != STT_NOTYPE && symbol->type != STT_OBJECT &&
        symbol->type != STT_GNU_IFUNC)
        return false;
    if (symbol->binding > STB_WEAK || !is_code(source->elf, section, &header))
        return false;
    return find_name(source, entry.st_name, symbol);
}

static int symbol_table_compare(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void symbol_table_sort(struct symbol_table *table)
{
    if (table->count > 0)
        qsort(table->symbols, table->count, sizeof *table->symbols, symbol_table_compare);
}

static int read_symbols(const struct source *source, struct symbol_table *table)
{
    table->symbols = calloc(source->count, sizeof *table->symbols);
    if (table->symbols == NULL)
        return -ENOMEM;
    for (size_t i = 1; i < source->count; i++)
        table->count += read_symbol(source, i, &table->symbols[table->count]);
    symbol_table_sort(table);
    return 0;
}

static int symbol_table_read_elf(struct symbol_table *table)
{
    static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct source source;
    int error = 0;

    if (elf_kind(table->elf) != ELF_K_ELF)
        return -ENOEXEC;
    table->end = find_text_end(table->elf);
    for (size_t i = 0; error == 0 && i < 2 && table->count == 0; i++) {
        free(table->symbols);
        table->symbols = NULL;
        if (find_source(table->elf, types[i], &source))
            error = read_symbols(&source, table);
    }
    return error;
}

int symbol_table_read(int fd, struct symbol_table *table)
{
    *table = (struct symbol_table){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)};
    if (table->fd < 0)
        return -errno;
    if (elf_version(EV_CURRENT) != EV_NONE)
        table->elf = elf_begin(table->fd, ELF_C_READ, NULL);
    int error = table->elf != NULL ? symbol_table_read_elf(table) : -ENOEXEC;
    if (error != 0)
        symbol_table_clear(table);
    return error;
}

void symbol_table_clear(struct symbol_table *table)
{
    while (table->added != NULL) {
        struct symbol_table *next = table->added->added;
        table->added->added = NULL;
        symbol_table_clear(table->added);
        free(table->added);
        table->added = next;
    }
    free(table->symbols);
    if (table->elf != NULL)
        elf_end(table->elf);
    if (table->fd > 0)
        close(table->fd);
    *table = (struct symbol_table){0};
}

/* Lets *table own *other, because the symbols that come from *other still use the names in it. 0 or
 * -ENOMEM. */
static int symbol_table_adopt(struct symbol_table *table, const struct symbol_table *other)
{
    struct symbol_table *kept = malloc(sizeof *kept);

    if (kept == NULL)
        return -ENOMEM;
    *kept = *other;
    kept->added = table->added;
    table->added = kept;
    return 0;
}

int symbol_table_add(struct symbol_table *table, struct symbol_table *other, uint64_t shift,
                     uint64_t start, uint64_t end)
{
    size_t room = table->count + other->count + 1;
    struct symbol *symbols = reallocarray(table->symbols, room, sizeof *symbols);

    if (symbols != NULL)
        table->symbols = symbols;
    if (symbols == NULL || symbol_table_adopt(table, other) != 0) {
        symbol_table_clear(other);
        return -ENOMEM;
    }
    for (size_t i = 0; i < other->count; i++) {
        struct symbol symbol = other->symbols[i];
        symbol.address += shift;
        if (symbol.address >= start && symbol.address < end)
            symbols[table->count++] = symbol;
    }
    symbols[table->count++] = (struct symbol){
        .address = end, .name = "", .type = STT_NOTYPE, .binding = STB_GLOBAL, .order = 0};
    if (table->end < end)
        table->end = end;
    *other = (struct symbol_table){0};
    return 0;
}
