/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the segments of an object from its program headers, and checks them. Whatever the file contains, the sum of a
 * segment's size and its address or offset stays below 2^64, so callers need not check this again.
 */
#include "config.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "symbol/symbol-internal.h"
#include "symbol/symbol.h"

#define PAGE UINT64_C(4096)

static void text_add_segment(struct symbol_text *text, const GElf_Phdr *header)
{
    struct symbol_segment segment = {.offset = header->p_offset,
                                     .size = header->p_filesz,
                                     .address = header->p_vaddr,
                                     .code = (header->p_flags & PF_X) != 0};

    if (text->segment_count == SYMBOL_SEGMENTS_MAX || segment.size == 0 ||
        segment.size > UINT64_MAX - segment.offset || segment.size > UINT64_MAX - segment.address)
        return;
    if (text->segment_count == 0 || segment.address < text->base)
        text->base = segment.address & ~(PAGE - 1);
    text->segments[text->segment_count++] = segment;
    if (!segment.code)
        return;
    if (text->high == 0 || segment.address < text->low)
        text->low = segment.address;
    if (segment.address + segment.size > text->high)
        text->high = segment.address + segment.size;
}

static int text_read(const struct elf_object *object, struct symbol_text *text)
{
    Elf *elf = elf_object_elf(object);
    const uint8_t *build_id;
    uint32_t build_id_size;
    GElf_Ehdr header;
    size_t count;

    *text = (struct symbol_text){0};
    if (gelf_getehdr(elf, &header) == NULL || elf_getphdrnum(elf, &count) != 0)
        return -ENOEXEC;
    text->pointer_size = header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
    text->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) != NULL && segment.p_type == PT_LOAD)
            text_add_segment(text, &segment);
    }
    build_id = elf_object_build_id(object, &build_id_size);
    if (build_id_size <= sizeof text->build_id) {
        text->build_id_size = build_id_size;
        if (build_id_size > 0)
            memcpy(text->build_id, build_id, build_id_size);
    }
    return text->high > 0 ? 0 : -ENOEXEC;
}

int symbol_text(const struct profile *profile, uint32_t index, struct symbol_text *text)
{
    enum profile_object_kind kind = profile->objects[index].kind;
    struct elf_object *object;

    if (kind != PROFILE_OBJECT_FILE && kind != PROFILE_OBJECT_VDSO)
        return -ENOENT;
    int error = object_file_open(profile, index, &object);
    if (error != 0)
        return error;
    error = text_read(object, text);
    elf_object_close(object);
    return error;
}

int symbol_text_of_file(int fd, const char *path, struct symbol_text *text)
{
    struct elf_object *object;
    int error = elf_object_open(fd, path, NULL, 0, &object);

    if (error != 0)
        return error;
    error = text_read(object, text);
    elf_object_close(object);
    return error;
}

/* If several segments share a page of the file, prefers the segment with code, because samples are in code. */
bool symbol_text_address(const struct symbol_text *text, uint64_t offset, uint64_t *address)
{
    bool found = false;

    for (uint32_t i = 0; i < text->segment_count; i++) {
        const struct symbol_segment *segment = &text->segments[i];
        if (offset < segment->offset || offset - segment->offset >= segment->size || (found && !segment->code))
            continue;
        *address = offset - segment->offset + segment->address;
        found = true;
    }
    return found;
}

bool symbol_text_offset(const struct symbol_text *text, uint64_t address, uint64_t *offset)
{
    bool found = false;

    for (uint32_t i = 0; i < text->segment_count; i++) {
        const struct symbol_segment *segment = &text->segments[i];
        if (address < segment->address || address - segment->address >= segment->size || (found && !segment->code))
            continue;
        *offset = address - segment->address + segment->offset;
        found = true;
    }
    return found;
}

bool symbol_text_mapped(const struct symbol_text *text, uint64_t offset, uint64_t size, uint64_t *address)
{
    for (uint32_t i = 0; i < text->segment_count; i++) {
        const struct symbol_segment *segment = &text->segments[i];
        if (!segment->code || segment->offset + segment->size <= offset ||
            (segment->offset > offset && segment->offset - offset >= size))
            continue;
        *address = segment->address + offset - segment->offset;
        return true;
    }
    return false;
}
