/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where a function begins and ends if it has no symbol. Stripped files still have an unwind table (.eh_frame),
 * most have its index (.eh_frame_hdr), and all have sections. Values from the file are checked before they are used,
 * and the file may end at any byte.
 *
 * Static programs have .eh_frame, because they unwind through it. But they have no index, because gcc does not let the
 * linker make it. In a file without the index, libdw parses the entries of .eh_frame (LSB core, "Exception Frames"),
 * and only the ranges of code in the entries are kept.
 */
#include "config.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbol/elf-internal.h"

/* Returns the bytes of the file that are mapped at an address. *room becomes how many bytes there are up to the end of
 * the segment or of the file, whichever comes first. NULL: no bytes of the file are mapped there. */
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

/* --- by frame descriptions: .eh_frame --------------------------------------------------- */

/* A CIE: data that several frame descriptions have in common. */
struct common {
    /* offset of the CIE in the section; the array frames.common is sorted by this */
    uint64_t offset;
    uint8_t encoding; /* how addresses are encoded: DW_EH_PE_* */
};

struct frames {
    struct elf_object *object;
    GElf_Shdr header;
    Elf_Data *data;
    const unsigned char *ident; /* e_ident of the file, borrowed */
    struct common *common;      /* owned */
    uint32_t common_count;
};

/* --- numbers ---------------------------------------------------------------------------------- */

/* Returns how many bytes a number has in this encoding. 0: addresses of code never have this encoding. */
static size_t encoding_size(const struct frames *frames, uint8_t encoding)
{
    switch (encoding & 0x07) {
    case DW_EH_PE_absptr:
        return frames->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
    case DW_EH_PE_udata2:
        return 2;
    case DW_EH_PE_udata4:
        return 4;
    case DW_EH_PE_udata8:
        return 8;
    }
    return 0;
}

static uint64_t elf_frames_get(const struct frames *frames, const uint8_t *bytes, size_t size)
{
    bool big = frames->ident[EI_DATA] == ELFDATA2MSB;
    uint64_t number = 0;

    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[big ? i : size - 1 - i];
    return number;
}

/* Reads a number in this encoding. The number is an address, or the distance from the place of the
 * number to an address. */
static uint64_t get_encoded(const struct frames *frames, const uint8_t *bytes, uint8_t encoding)
{
    size_t size = encoding_size(frames, encoding);
    unsigned unused = 64 - 8 * (unsigned)size;
    uint64_t number = elf_frames_get(frames, bytes, size);

    return (encoding & DW_EH_PE_signed) != 0 ? (uint64_t)((int64_t)(number << unused) >> unused) : number;
}

/* --- CIEs: what entries have in common -------------------------------------------------------- */

/* Finds how frame descriptions with this CIE encode their ranges of code. The letters of the
 * augmentation in the CIE say how. False: there is a letter that is not known here. */
static bool find_encoding(const struct frames *frames, const Dwarf_CIE *cie, uint8_t *encoding)
{
    const uint8_t *data = cie->augmentation_data, *end = data + cie->augmentation_data_size;

    *encoding = DW_EH_PE_absptr;
    if (cie->augmentation[0] == '\0')
        return true;
    if (cie->augmentation[0] != 'z')
        return false;
    for (const char *letter = cie->augmentation + 1; *letter != '\0' && data < end; letter++) {
        if (*letter == 'R') {
            *encoding = *data;
            return true;
        }
        /* the data of the letter P are an encoding, and a pointer in that encoding */
        if (*letter == 'P')
            data += encoding_size(frames, *data);
        if (*letter == 'P' || *letter == 'L')
            data++;
    }
    return strchr(cie->augmentation, 'R') == NULL;
}

static bool add_common(struct frames *frames, uint64_t offset, const Dwarf_CIE *cie)
{
    uint8_t encoding;

    if (!find_encoding(frames, cie, &encoding))
        return true;
    if (array_grow(&frames->common, frames->common_count, sizeof *frames->common) != 0)
        return false;
    frames->common[frames->common_count++] = (struct common){offset, encoding};
    return true;
}

static const struct common *find_common(const struct frames *frames, uint64_t offset)
{
    size_t below = array_count_up_to(frames->common, frames->common_count, sizeof *frames->common, offset);

    return below > 0 && frames->common[below - 1].offset == offset ? &frames->common[below - 1] : NULL;
}

/* --- entries ---------------------------------------------------------------------------------- */

static bool add_entry(struct frames *frames, const Dwarf_FDE *entry)
{
    struct elf_object *object = frames->object;
    const struct common *common = find_common(frames, entry->CIE_pointer);
    size_t size = common != NULL ? encoding_size(frames, common->encoding) : 0;
    unsigned relative = common != NULL ? common->encoding & 0xf0 : 0;

    if (size == 0 || (size_t)(entry->end - entry->start) < 2 * size ||
        (relative != DW_EH_PE_absptr && relative != DW_EH_PE_pcrel))
        return true;
    uint64_t start = get_encoded(frames, entry->start, common->encoding);
    if (relative == DW_EH_PE_pcrel)
        start += frames->header.sh_addr + (uint64_t)(entry->start - (const uint8_t *)frames->data->d_buf);
    if (array_grow(&object->extents, object->extent_count, sizeof *object->extents) != 0)
        return false;
    object->extents[object->extent_count++] = (struct elf_extent){
        start + object->bias, elf_frames_get(frames, entry->start + size, size)};
    return true;
}

static void read_entries(struct frames *frames)
{
    Dwarf_Off offset = 0, next;
    Dwarf_CFI_Entry entry;
    bool more = true;

    while (more && dwarf_next_cfi(frames->ident, frames->data, true, offset, &next, &entry) == 0) {
        if (dwarf_cfi_cie_p(&entry))
            more = add_common(frames, offset, &entry.cie);
        else
            more = add_entry(frames, &entry.fde);
        offset = next;
    }
}

static bool find_section(struct frames *frames)
{
    Elf *elf = frames->object->elf;
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (unsigned i = 0; i < ELF_SECTIONS_MAX && (section = elf_nextscn(elf, section)) != NULL; i++) {
        if (gelf_getshdr(section, &frames->header) == NULL || frames->header.sh_type == SHT_NOBITS)
            continue;
        const char *name = elf_strptr(elf, names, frames->header.sh_name);
        if (name == NULL || strcmp(name, ".eh_frame") != 0)
            continue;
        frames->data = elf_rawdata(section, NULL);
        return frames->data != NULL && frames->data->d_buf != NULL;
    }
    return false;
}

static int elf_frames_compare(const void *left, const void *right)
{
    const struct elf_extent *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

static void read_extents(struct elf_object *object)
{
    struct frames frames = {.object = object,
                            .ident = (const unsigned char *)elf_getident(object->elf, NULL)};

    object->extents_read = true;
    if (frames.ident != NULL && find_section(&frames))
        read_entries(&frames);
    free(frames.common);
    if (object->extent_count > 0)
        qsort(object->extents, object->extent_count, sizeof *object->extents, elf_frames_compare);
}

static bool elf_frames_function(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end)
{
    if (!object->extents_read)
        read_extents(object);
    size_t below = array_count_up_to(object->extents, object->extent_count, sizeof *object->extents, address);
    if (below == 0 || address - object->extents[below - 1].start >= object->extents[below - 1].size)
        return false;
    const struct elf_extent *found = &object->extents[below - 1];
    *start = found->start;
    *end = found->size > UINT64_MAX - *start ? UINT64_MAX : *start + found->size;
    if (below < object->extent_count && found[1].start < *end)
        *end = found[1].start;
    return true;
}

/* --- by the index of frame descriptions: .eh_frame_hdr ------------------------------------ */

/* .eh_frame_hdr as every linker writes it: version 1, with a table that is sorted by function.
 * Numbers in the table have four bytes, and are relative to the address of .eh_frame_hdr (LSB core,
 * "Exception Frame Header"). Nothing is aligned. */
struct unwind_index {
    uint64_t address;
    uint32_t count;
    const char *table; /* borrowed; `count` elements of the type unwind_entry */
};
struct unwind_entry {
    int32_t function, frame;
};
#define UDATA4 0x03
#define DATAREL_SDATA4 0x3b
/* Offset of the table in .eh_frame_hdr, bytes. Before the table are the version, the encodings, the
 * address of .eh_frame, and the number of elements of the table. */
#define TABLE_AT 12

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
        if (bytes == NULL || room < TABLE_AT || bytes[0] != 1 || bytes[2] != UDATA4 || bytes[3] != DATAREL_SDATA4)
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

/* Returns how many bytes of code a frame description covers. In nearly every description, the third word is the start
 * of the function, relative to the address of that word, and the fourth word is the number of bytes. UINT64_MAX: the
 * description is not of this kind. */
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

bool elf_object_function(struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end)
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

/* --- by sections and by the symbols around ----------------------------------------------- */

static void narrow_to_section(const struct elf_object *object, uint64_t address, uint64_t *start, uint64_t *end)
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
    size_t below = array_count_up_to(object->symbols, object->symbol_count, sizeof *object->symbols, address);
    if (below < object->symbol_count && object->symbols[below].start < *end)
        *end = object->symbols[below].start;
    if (below == 0)
        return;
    const struct elf_symbol *before = &object->symbols[below - 1];
    if (before->size <= address - before->start && before->start + before->size > *start)
        *start = before->start + before->size;
}
