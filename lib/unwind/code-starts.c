/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where the functions of a file begin: at symbols of functions, at the entry point, at the targets of calls, and
 * at addresses of code that the code or the data name. On x86-64, all bytes of the code are looked at, because it is
 * not known where instructions begin. Bytes that only look like a call have a target in the code by chance only: one of
 * 4096 has, if the code has a megabyte.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "unwind/code.h"
#include "unwind/unwind-internal.h"

#define CHUNK_SIZE 65536u
#define NAMING_MAX 7u
#define BUDGET (1u << 26) /* instructions; this takes some seconds */
#define TABLES_MAX 2u /* a file has at most two symbol tables (gABI, "Sections") */
#define STARTS_MAX (1u << 22)
#define SEGMENT_MAX (UINT64_C(64) << 20) /* bytes of a segment that are searched */

/* No more than STARTS_MAX are kept. */
static int starts_add(struct code_starts *starts, uint64_t offset)
{
    if (starts->count == STARTS_MAX)
        return 0;
    int error = array_grow(&starts->offsets, starts->count, sizeof *starts->offsets);

    if (error == 0)
        starts->offsets[starts->count++] = offset;
    return error;
}

static int starts_add_symbols(struct unwind_object *object, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    GElf_Sym symbol;
    uint64_t offset, size;
    int error = 0;

    for (int i = 0;
         error == 0 && symbols != NULL && object->starts.count < STARTS_MAX && gelf_getsym(symbols, i, &symbol) != NULL;
         i++) {
        const char *name = elf_strptr(object->elf, header->sh_link, symbol.st_name);
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && name != NULL &&
            strchr(name, '.') == NULL && object_segment_from(object->elf, symbol.st_value, &offset, &size))
            error = starts_add(&object->starts, offset);
    }
    return error;
}

/* Parts of functions have a symbol with a dot in its name: NAME.cold. */
static int starts_by_symbols(struct unwind_object *object)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    uint32_t tables = 0;
    int error = 0;

    while (error == 0 && tables < TABLES_MAX && (section = elf_nextscn(object->elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        error = starts_add_symbols(object, section, &header);
        tables++;
    }
    return error;
}

/* --- code ------------------------------------------------------------------------------------- */

/* The code of a file: its first segment of code. Few files have more than one. */
struct segment_code {
    uint64_t low, high; /* it is at the offsets [low, high) of the file */
    uint64_t address;   /* link-time address of its first byte */
    bool fixed;         /* the file is always loaded at its link-time address */
    uint16_t machine;   /* EM_X86_64 or EM_AARCH64 */
};

/* Returns the offset that the instruction at `offset` of the file names, if it is a call, or takes the address of code:
 * lea of an address relative to rip, or mov of an absolute address of 32 bits. 0: it is none of them. */
static uint64_t named_offset(const struct segment_code *code, const uint8_t *bytes, uint64_t offset)
{
    bool call = bytes[0] == 0xe8;
    bool lea = (bytes[0] & 0xfb) == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0xc7) == 0x05;
    bool mov = code->fixed && (bytes[0] & 0xf8) == 0xb8;
    bool wide_mov = code->fixed && (bytes[0] & 0xfe) == 0x48 && bytes[1] == 0xc7 && (bytes[2] & 0xf8) == 0xc0;
    uint32_t at = call || mov ? 1 : 3;
    int32_t value;

    memcpy(&value, bytes + at, sizeof value);
    if (call || lea)
        return value == 0 ? 0 : offset + at + sizeof value + (uint64_t)(int64_t)value;
    return mov || wide_mov ? (uint32_t)value - code->address + code->low : 0;
}

/* AArch64: bl. Its low 26 bits are the distance to its target, in instructions. */
static uint64_t named_offset_aarch64(const uint8_t *bytes, uint64_t offset)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    bool call = offset % sizeof word == 0 && (word & 0xfc000000) == 0x94000000;
    return call ? offset + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36) : 0;
}

static int starts_in_code(struct code_starts *starts, const struct segment_code *code, const uint8_t *bytes,
                          size_t size, uint64_t at)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i + NAMING_MAX <= size; i++) {
        uint64_t named = code->machine == EM_X86_64 ? named_offset(code, bytes + i, at + i)
                                                    : named_offset_aarch64(bytes + i, at + i);
        if (named != 0 && named >= code->low && named < code->high)
            error = starts_add(starts, named);
    }
    return error;
}

/* A table of functions has their link-time addresses, each in a word. If the file may be loaded at any address, the
 * words are in the table or in the relocations of the table (gABI, "Relocation"). */
static int starts_in_data(struct code_starts *starts, const struct segment_code *code, const uint8_t *bytes,
                          size_t size, uint64_t at)
{
    int error = 0;
    uint64_t word;

    for (size_t i = (size_t)(-at % sizeof word); error == 0 && i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        if (word - code->address < code->high - code->low)
            error = starts_add(starts, word - code->address + code->low);
    }
    return error;
}

static int starts_in_segment(struct unwind_object *object, const struct segment_code *code, const GElf_Phdr *segment)
{
    uint8_t *bytes = malloc(CHUNK_SIZE);
    uint64_t end = segment->p_filesz < SEGMENT_MAX ? segment->p_filesz : SEGMENT_MAX;
    int error = bytes == NULL ? -ENOMEM : 0;

    for (uint64_t into = 0; error == 0 && into < end; into += CHUNK_SIZE - NAMING_MAX) {
        size_t size = end - into < CHUNK_SIZE ? (size_t)(end - into) : CHUNK_SIZE;
        uint64_t at = segment->p_offset + into;
        if (!unwind_object_bytes(object, at, bytes, size))
            break;
        error = (segment->p_flags & PF_X) != 0 ? starts_in_code(&object->starts, code, bytes, size, at)
                                               : starts_in_data(&object->starts, code, bytes, size, at);
    }
    free(bytes);
    return error;
}

static int starts_by_code(struct unwind_object *object, const GElf_Ehdr *header)
{
    GElf_Phdr text, segment;
    size_t first = 0, next = 0;
    int error = 0;

    if (header->e_ident[EI_CLASS] != ELFCLASS64 || !object_next_segment(object->elf, &first, PF_X, &text))
        return 0;
    const struct segment_code code = {text.p_offset, text.p_offset + text.p_filesz, text.p_vaddr,
                                      header->e_type == ET_EXEC, header->e_machine};
    while (error == 0 && object_next_segment(object->elf, &next, 0, &segment))
        error = starts_in_segment(object, &code, &segment);
    return error;
}

/* --- all together ------------------------------------------------------------------------------ */

static int starts_compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

static void starts_sort(struct code_starts *starts)
{
    uint32_t count = 0;

    if (starts->count == 0)
        return;
    qsort(starts->offsets, starts->count, sizeof *starts->offsets, starts_compare);
    for (uint32_t i = 0; i < starts->count; i++)
        if (count == 0 || starts->offsets[count - 1] != starts->offsets[i])
            starts->offsets[count++] = starts->offsets[i];
    starts->count = count;
}

int code_starts_look(struct unwind_object *object)
{
    GElf_Ehdr header;
    uint64_t offset, size;

    if (object->starts.looked || object->elf == NULL || gelf_getehdr(object->elf, &header) == NULL)
        return 0;
    object->starts.looked = true;
    int error = starts_by_symbols(object);
    if (error == 0)
        error = starts_by_code(object, &header);
    if (error == 0 && object_segment_from(object->elf, header.e_entry, &offset, &size))
        error = starts_add(&object->starts, offset);
    starts_sort(&object->starts);
    object->starts.budget = BUDGET;
    object->starts.returns = calloc(object->starts.count + 1, 1);
    return object->starts.returns == NULL ? -ENOMEM : error;
}

bool code_starts_below(const struct code_starts *starts, uint64_t offset, uint64_t *start)
{
    size_t count = array_count_up_to(starts->offsets, starts->count, sizeof *starts->offsets, offset);

    if (count == 0)
        return false;
    *start = starts->offsets[count - 1];
    return true;
}

bool code_starts_at(const struct code_starts *starts, uint64_t offset)
{
    uint64_t start;

    return code_starts_below(starts, offset, &start) && start == offset;
}

uint8_t *code_starts_returns(struct code_starts *starts, uint64_t offset)
{
    size_t count = array_count_up_to(starts->offsets, starts->count, sizeof *starts->offsets, offset);

    return count > 0 && starts->offsets[count - 1] == offset ? &starts->returns[count - 1] : NULL;
}
