/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the code of an ELF file is: its segments, its bytes, and the function at its entry point. */
#include "config.h"

#include <unistd.h>

#include "unwind/code.h"
#include "unwind/unwind-internal.h"

/* bytes; largest size of the code at the entry point, which has no caller. It is smaller if a function follows it */
#define ENTRY_SIZE_MAX CODE_EXTENT_MAX
/* Real files have fewer segments. Without the limit, a hostile file could cost much time. */
#define SEGMENTS_MAX 64u

/* --- segments --------------------------------------------------------------------------------- */

size_t object_segment_count(Elf *elf)
{
    size_t count;

    if (elf_getphdrnum(elf, &count) != 0)
        return 0;
    return count < SEGMENTS_MAX ? count : SEGMENTS_MAX;
}

bool object_next_segment(Elf *elf, size_t *index, uint32_t flags, GElf_Phdr *segment)
{
    size_t count = object_segment_count(elf);

    while (*index < count)
        if (gelf_getphdr(elf, (int)(*index)++, segment) != NULL && segment->p_type == PT_LOAD &&
            (segment->p_flags & flags) == flags && segment->p_filesz <= INT64_MAX && segment->p_offset <= INT64_MAX)
            return true;
    return false;
}

bool object_segment_of_offset(Elf *elf, uint64_t offset, GElf_Phdr *segment)
{
    size_t next = 0;

    while (object_next_segment(elf, &next, PF_X, segment))
        if (offset >= segment->p_offset && offset - segment->p_offset < segment->p_filesz)
            return true;
    return false;
}

bool object_segment_from(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *size)
{
    size_t count = object_segment_count(elf);
    GElf_Phdr segment;

    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz)
            continue;
        *offset = segment.p_offset + (address - segment.p_vaddr);
        *size = segment.p_filesz - (address - segment.p_vaddr);
        return true;
    }
    return false;
}

/* --- code ------------------------------------------------------------------------------------- */

bool unwind_object_bytes(const struct unwind_object *object, uint64_t offset, void *bytes, size_t size)
{
    return object->fd >= 0 && offset <= INT64_MAX && pread(object->fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* Where a function ends that has no symbol is known by the next function that is called, and on x86-64 by the code. */
static uint64_t entry_size(struct unwind_object *object, uint64_t entry, bool by_code)
{
    uint64_t size = by_code ? code_flow_extent(object, entry) : ENTRY_SIZE_MAX, start;

    for (uint64_t into = 1; code_starts_look(object) == 0 && into < size; into++)
        if (code_starts_below(&object->starts, entry + into, &start) && start > entry)
            return start - entry;
    return size < ENTRY_SIZE_MAX ? size : ENTRY_SIZE_MAX;
}

bool unwind_object_entry(struct unwind_object *object, uint64_t offset)
{
    GElf_Ehdr header;
    uint64_t entry, size;

    if (object->elf == NULL || gelf_getehdr(object->elf, &header) == NULL ||
        !object_segment_from(object->elf, header.e_entry, &entry, &size) || offset - entry >= ENTRY_SIZE_MAX)
        return false;
    if (object->entry_size == 0)
        object->entry_size = entry_size(object, entry, header.e_machine == EM_X86_64);
    return offset - entry < object->entry_size;
}
