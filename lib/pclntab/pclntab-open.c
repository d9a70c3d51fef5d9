/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the table in an ELF file: in a section of its own, or, if there is no such section, by its first bytes anywhere
 * in the data. In position-independent programs of Go before 1.26, the section has another name, because the loader
 * writes an address into the table.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pclntab/pclntab-internal.h"

#define SECTIONS_MAX 1024u
#define MEMORY_MAX (UINT64_C(512) << 20) /* bytes; what is beyond them in a segment is not read */
#define TABLE_ALIGNMENT 8u               /* bytes; 32 before Go 1.26 */
#define CANDIDATES_MAX 64u               /* so many places of a segment are tried that begin like a table */

/* --- memory ------------------------------------------------------------------------------------- */

struct pclntab_memory pclntab_segment(Elf *elf, size_t index, GElf_Phdr *header)
{
    if (gelf_getphdr(elf, (int)index, header) == NULL || header->p_type != PT_LOAD || (header->p_flags & PF_X) != 0 ||
        header->p_filesz == 0 || header->p_offset > INT64_MAX)
        return (struct pclntab_memory){NULL, 0};
    uint64_t size = header->p_filesz < MEMORY_MAX ? header->p_filesz : MEMORY_MAX;
    /* libelf keeps what it has read, and returns it again */
    const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header->p_offset, size, ELF_T_BYTE);
    return data == NULL ? (struct pclntab_memory){NULL, 0} : (struct pclntab_memory){data->d_buf, data->d_size};
}

static size_t segment_count(Elf *elf)
{
    size_t count;

    if (elf_getphdrnum(elf, &count) != 0)
        return 0;
    return count < PCLNTAB_SEGMENTS_MAX ? count : PCLNTAB_SEGMENTS_MAX;
}

struct pclntab_memory pclntab_memory_at(Elf *elf, uint64_t address)
{
    size_t count = segment_count(elf);
    GElf_Phdr header;

    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || address - header.p_vaddr >= header.p_filesz)
            continue;
        struct pclntab_memory memory = pclntab_segment(elf, i, &header);
        uint64_t into = address - header.p_vaddr;
        if (memory.bytes != NULL && into < memory.size)
            return (struct pclntab_memory){memory.bytes + into, memory.size - into};
    }
    return (struct pclntab_memory){NULL, 0};
}

/* --- the table ---------------------------------------------------------------------------------- */

/* Reads a table from some memory. False: it does not begin there. */
static bool table_is_at(struct pclntab *table, Elf *elf, uint64_t address, struct pclntab_memory memory)
{
    *table = (struct pclntab){.elf = elf, .bytes = memory.bytes, .size = memory.size, .address = address};
    return memory.bytes != NULL && pclntab_read_header(table) && pclntab_read_module(table);
}

/* Finds a section by its name. False: the file has none of this name. */
static bool find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (unsigned i = 0; i < SECTIONS_MAX && (section = elf_nextscn(elf, section)) != NULL; i++) {
        const char *name = gelf_getshdr(section, header) != NULL ? elf_strptr(elf, names, header->sh_name) : NULL;
        if (name != NULL && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

static bool find_by_section(struct pclntab *table, Elf *elf)
{
    GElf_Shdr header;

    if (!find_section(elf, ".gopclntab", &header) && !find_section(elf, ".data.rel.ro.gopclntab", &header))
        return false;
    struct pclntab_memory memory = pclntab_memory_at(elf, header.sh_addr);
    if (memory.size > header.sh_size)
        memory.size = header.sh_size;
    return table_is_at(table, elf, header.sh_addr, memory);
}

/* Returns whether the table may be in no section of its own. GNU ld puts it into .data.rel.ro, but programs of Go
 * always have a section .go.buildinfo (Go 1.13 and later). */
static bool may_have_no_section(Elf *elf)
{
    GElf_Shdr header;
    size_t count;

    return elf_getshdrnum(elf, &count) == 0 && (count == 0 || find_section(elf, ".go.buildinfo", &header));
}

static bool find_in_segment(struct pclntab *table, Elf *elf, uint64_t address, struct pclntab_memory memory)
{
    static const uint8_t rest[] = {0xff, 0xff, 0xff, 0, 0}; /* all magic numbers end so, and two zeros follow */
    unsigned tried = 0;

    for (size_t at = -address % TABLE_ALIGNMENT; at + TABLE_ALIGNMENT <= memory.size; at += TABLE_ALIGNMENT) {
        if (memcmp(memory.bytes + at + 1, rest, sizeof rest) != 0)
            continue;
        if (table_is_at(table, elf, address + at, (struct pclntab_memory){memory.bytes + at, memory.size - at}))
            return true;
        if (++tried == CANDIDATES_MAX)
            break;
    }
    return false;
}

static bool find_by_magic(struct pclntab *table, Elf *elf)
{
    size_t count = segment_count(elf);
    GElf_Phdr header;

    if (!may_have_no_section(elf))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct pclntab_memory memory = pclntab_segment(elf, i, &header);
        if (memory.bytes != NULL && find_in_segment(table, elf, header.p_vaddr, memory))
            return true;
    }
    return false;
}

int pclntab_open(Elf *elf, struct pclntab **table)
{
    const char *ident = elf_getident(elf, NULL);

    *table = NULL;
    if (elf_kind(elf) != ELF_K_ELF || ident == NULL || ident[EI_DATA] != ELFDATA2LSB)
        return -ENOENT;
    struct pclntab *found = calloc(1, sizeof *found);
    if (found == NULL)
        return -ENOMEM;
    if (!find_by_section(found, elf) && !find_by_magic(found, elf)) {
        free(found);
        return -ENOENT;
    }
    *table = found;
    return 0;
}

void pclntab_close(struct pclntab *table)
{
    free(table);
}
