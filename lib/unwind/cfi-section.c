/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the frame description of an address in a section .eh_frame or .debug_frame.
 *
 * libdw parses the entries of the section. The code here lists the entries once, sorted by address.
 * The index that linkers make (.eh_frame_hdr) is not used: it may be missing or wrong, and listing
 * a section of 10 MB takes only some ten milliseconds.
 *
 * libdw could also run the instructions of frame descriptions. But it allocates memory for all
 * register numbers that the file uses, which can be a gigabyte. So cfi-run.c runs the instructions.
 */
#include "config.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "unwind/unwind-internal.h"

/* Compilers do not write larger CIEs and FDEs. Without these limits, the huge CIEs and FDEs of a
 * hostile file would be read again and again. */
#define COMMON_MAX 1024u   /* largest CIE, bytes; a CIE has the data that several FDEs share */
#define OWN_MAX (1u << 18) /* largest size of the instructions of an FDE, bytes */

/* The CIE that was read last. A CIE has data that several frame descriptions (FDEs) share. */
struct common {
    Dwarf_Off offset; /* offset of the CIE in the section */
    Dwarf_CIE cie;
    uint64_t read;    /* size of all CIEs that were read so far, bytes */
    uint8_t encoding; /* how addresses are encoded: DW_EH_PE_* */
    bool signal;      /* the caller made no call, but was interrupted by a signal */
    bool known;       /* the CIE could be read and makes sense */
};

static Elf_Data section_data(const struct cfi_section *section)
{
    return (Elf_Data){.d_buf = (void *)(uintptr_t)section->bytes, /* libdw only reads it */
                      .d_size = section->size,
                      .d_type = ELF_T_BYTE,
                      .d_version = EV_CURRENT};
}

static size_t address_size(const struct cfi_section *section)
{
    return section->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
}

static uint64_t read_encoded(const struct cfi_section *section, struct reader *reader, uint8_t format)
{
    switch (format & 0x0f) {
    case DW_EH_PE_absptr:
        return reader_fixed(reader, address_size(section));
    case 0x08: /* a signed number with the size of an address */
        return (uint64_t)reader_signed(reader, address_size(section));
    case DW_EH_PE_uleb128:
        return reader_uleb(reader);
    case DW_EH_PE_sleb128:
        return (uint64_t)reader_sleb(reader);
    case DW_EH_PE_udata2:
        return reader_fixed(reader, 2);
    case DW_EH_PE_udata4:
        return reader_fixed(reader, 4);
    case DW_EH_PE_udata8:
        return reader_fixed(reader, 8);
    case DW_EH_PE_sdata2:
        return (uint64_t)reader_signed(reader, 2);
    case DW_EH_PE_sdata4:
        return (uint64_t)reader_signed(reader, 4);
    case DW_EH_PE_sdata8:
        return (uint64_t)reader_signed(reader, 8);
    }
    reader->failed = true;
    return 0;
}

/* Can only read addresses that are absolute, or relative to their own place in the section (DW_EH_PE_pcrel). Fails for
 * other encodings: relative to data or text, or indirect. Compilers do not use them for addresses of code. */
uint64_t cfi_section_address(const struct cfi_section *section, struct reader *reader, uint8_t encoding)
{
    uint64_t here = section->address + (uint64_t)(reader->at - section->bytes);
    uint64_t value = read_encoded(section, reader, encoding);

    if ((encoding & 0xf0) == DW_EH_PE_pcrel)
        value += here;
    else if ((encoding & 0xf0) != DW_EH_PE_absptr)
        reader->failed = true;
    return address_size(section) == 4 ? (uint32_t)value : value;
}

/* Reads the letters of the augmentation, and the data that belong to each letter (LSB core, "The
 * Common Information Entry Format"). */
static bool read_augmentation(const struct cfi_section *section, struct common *common)
{
    const char *letter = common->cie.augmentation;
    struct reader data = {common->cie.augmentation_data,
                          common->cie.augmentation_data + common->cie.augmentation_data_size, false};

    common->encoding = DW_EH_PE_absptr;
    common->signal = false;
    if (*letter != 'z')
        return *letter == '\0' || strcmp(letter, "eh") == 0;
    while (*++letter != '\0' && !data.failed) {
        if (*letter == 'R')
            common->encoding = (uint8_t)reader_fixed(&data, 1);
        else if (*letter == 'L')
            reader_skip(&data, 1);
        else if (*letter == 'P')
            read_encoded(section, &data, (uint8_t)reader_fixed(&data, 1));
        else if (*letter == 'S')
            common->signal = true;
        else if (*letter != 'B' && *letter != 'G')
            /* This letter is not known. B and G (AArch64: signed with key B, tagged memory) are
             * known, but have no data. */
            break;
    }
    return !data.failed;
}

/* Reads the CIE at an offset into *common, unless it is there already. Mostly it is, because all FDEs that belong to a
 * CIE follow it in the section. False: the CIE makes no sense. */
static bool read_common(const struct cfi_section *section, Dwarf_Off offset, struct common *common)
{
    Elf_Data data = section_data(section);
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;

    if (common->read > 0 && common->offset == offset)
        return common->known;
    common->known = false;
    if (offset >= section->size || common->read > section->size * 16 + COMMON_MAX ||
        dwarf_next_cfi((const unsigned char *)section->ident, &data, section->eh, offset, &next, &entry) != 0 ||
        !dwarf_cfi_cie_p(&entry))
        return false;
    uint64_t size = (uint64_t)(entry.cie.initial_instructions_end - section->bytes) - offset;
    common->read += size;
    common->offset = offset;
    common->cie = entry.cie;
    common->known = size <= COMMON_MAX && entry.cie.return_address_register < UNWIND_REGISTERS &&
                    read_augmentation(section, common);
    return common->known;
}

/* Parses a frame description (FDE), up to its instructions. False: the FDE makes no sense. */
static bool read_program(const struct cfi_section *section, const Dwarf_FDE *fde,
                         struct common *common, struct cfi_program *program)
{
    struct reader reader = {fde->start, fde->end, false};

    if (!read_common(section, fde->CIE_pointer, common))
        return false;
    uint64_t start = cfi_section_address(section, &reader, common->encoding);
    uint64_t size = read_encoded(section, &reader, common->encoding & 0x0f);
    if (common->cie.augmentation[0] == 'z')
        reader_skip(&reader, reader_uleb(&reader));
    else
        reader_skip(&reader, common->cie.fde_augmentation_data_size);
    *program = (struct cfi_program){
        .start = start,
        .end = start + size,
        .initial = {common->cie.initial_instructions, common->cie.initial_instructions_end, false},
        .own = reader,
        .code_factor = common->cie.code_alignment_factor,
        .data_factor = (int64_t)common->cie.data_alignment_factor,
        .return_column = (uint8_t)common->cie.return_address_register,
        .encoding = common->encoding,
        .signal = common->signal};
    return !reader.failed && reader.end - reader.at <= OWN_MAX && size > 0 && size <= UINT32_MAX &&
           start <= UINT64_MAX - size;
}

static int cfi_section_add(struct cfi_section *section, const struct cfi_program *program, Dwarf_Off offset)
{
    int error = array_grow(&section->descriptions, section->count, sizeof *section->descriptions);

    if (error != 0)
        return error;
    section->descriptions[section->count++] =
        (struct description){.start = program->start,
                             .size = (uint32_t)(program->end - program->start),
                             .offset = (uint32_t)offset};
    return 0;
}

static int cfi_section_compare(const void *left, const void *right)
{
    const struct description *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

int cfi_section_index(struct cfi_section *section)
{
    Elf_Data data = section_data(section);
    struct common common = {.read = 0};
    struct cfi_program program;
    Dwarf_CFI_Entry entry;

    if (section->size > UINT32_MAX)
        section->size = UINT32_MAX;
    for (Dwarf_Off offset = 0, next = 0; offset < section->size; offset = next) {
        int got = dwarf_next_cfi((const unsigned char *)section->ident, &data, section->eh, offset, &next, &entry);
        if (got > 0 || next <= offset)
            break;
        if (got < 0 || dwarf_cfi_cie_p(&entry) || !read_program(section, &entry.fde, &common, &program))
            continue;
        int error = cfi_section_add(section, &program, offset);
        if (error != 0)
            return error;
    }
    if (section->count > 0)
        qsort(section->descriptions, section->count, sizeof *section->descriptions, cfi_section_compare);
    return 0;
}

void cfi_section_clear(struct cfi_section *section)
{
    free(section->descriptions);
    *section = (struct cfi_section){0};
}

bool cfi_section_find(const struct cfi_section *section, uint64_t address, struct cfi_program *program)
{
    Elf_Data data = section_data(section);
    struct common common = {.read = 0};
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    size_t count = array_count_up_to(section->descriptions, section->count, sizeof *section->descriptions, address);
    if (count == 0)
        return false;
    const struct description *found = &section->descriptions[count - 1];
    if (address - found->start >= found->size)
        return false;
    if (dwarf_next_cfi((const unsigned char *)section->ident, &data, section->eh, found->offset, &next, &entry) != 0 ||
        dwarf_cfi_cie_p(&entry))
        return false;
    return read_program(section, &entry.fde, &common, program);
}
