/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where functions begin and end when no symbol tells: stripped files still have the index of the
 * unwind tables, and sections. What the file says is checked before it is used, and it may be cut
 * off anywhere.
 */
#include "config.h"

#include <string.h>

#include "symbol/elf-internal.h"

bool elf_object_in_plt(const struct elf_object *object, uint64_t address)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(object->elf, &names) != 0)
        return false;
    for (unsigned i = 0;
         i < ELF_SECTIONS_MAX && (section = elf_nextscn(object->elf, section)) != NULL; i++) {
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
    for (size_t i = 0; i < count && i < ELF_SEGMENTS_MAX; i++) {
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
    for (size_t i = 0; i < count && i < ELF_SEGMENTS_MAX; i++) {
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

static uint64_t function_at(const struct unwind_index *index, size_t i)
{
    return index->address + (uint64_t)(int64_t)unwind_entry(index, i).function;
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

bool elf_object_function(struct elf_object *object, uint64_t address, uint64_t *start,
                         uint64_t *end)
{
    struct unwind_index index;
    if (!find_unwind_index(object, &index))
        return elf_frames_function(object, address, start, end);

    size_t low = 0, high = index.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (function_at(&index, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *start = function_at(&index, low - 1);
    uint64_t frame = index.address + (uint64_t)(int64_t)unwind_entry(&index, low - 1).frame;
    uint64_t reach = frame_reach(object, frame, *start);
    if (address - *start >= reach)
        return false;
    *end = reach > UINT64_MAX - *start ? UINT64_MAX : *start + reach;
    if (low < index.count && function_at(&index, low) < *end)
        *end = function_at(&index, low);
    return true;
}

/* --- what lies around ---------------------------------------------------------------- */

static void narrow_to_section(const struct elf_object *object, uint64_t address, uint64_t *start,
                              uint64_t *end)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(object->elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        uint64_t into = address - object->bias - header.sh_addr;
        if (into >= header.sh_size)
            continue;
        if (address - *start > into)
            *start = address - into;
        if (*end - address > header.sh_size - into)
            *end = address + (header.sh_size - into);
    }
}

void elf_object_narrow(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end)
{
    narrow_to_section(object, address, start, end);
    if (!elf_object_has_symbols(object))
        return;
    size_t below = elf_object_count_below(object->symbols, object->symbol_count,
                                          sizeof *object->symbols, address);
    if (below < object->symbol_count && object->symbols[below].start < *end)
        *end = object->symbols[below].start;
    if (below == 0)
        return;
    const struct elf_symbol *before = &object->symbols[below - 1];
    if (before->size <= address - before->start && before->start + before->size > *start)
        *start = before->start + before->size;
}
