/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says which names and lines an ELF file itself has, and whether libelf can unpack zstd. No debug file is searched. */
#include "config.h"

#include <errno.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>

#include "symbol/symbol.h"

static void sections_note(Elf *elf, size_t names, Elf_Scn *section, struct symbol_sections *found)
{
    GElf_Shdr header;

    if (gelf_getshdr(section, &header) == NULL)
        return;
    const char *name = elf_strptr(elf, names, header.sh_name);
    found->symbols |= header.sh_type == SHT_SYMTAB;
    if (name == NULL)
        return;
    found->symbols |= strcmp(name, ".gnu_debugdata") == 0;
    found->lines |= strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0;
}

int symbol_sections_read(int fd, struct symbol_sections *found)
{
    Elf_Scn *section = NULL;
    size_t names;

    *found = (struct symbol_sections){0};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOEXEC;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool valid = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    if (valid) {
        found->bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64;
        if (elf_getshdrstrndx(elf, &names) == 0)
            while ((section = elf_nextscn(elf, section)) != NULL)
                sections_note(elf, names, section, found);
    }
    elf_end(elf);
    return valid ? 0 : -ENOEXEC;
}

/* --- zstd ---------------------------------------------------------------------------------------- */

#define ZSTD_FRAME_SIZE 13 /* bytes */

/* An ELF file whose only section is compressed with zstd (RFC 8878): a frame with one raw block, "zstd". */
struct zstd_file {
    Elf64_Ehdr header;
    Elf64_Chdr compression;
    unsigned char frame[ZSTD_FRAME_SIZE];
    Elf64_Shdr sections[2];
};

bool symbol_can_unpack_zstd(void)
{
    struct zstd_file file = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, 0, EV_CURRENT},
                   .e_type = ET_REL,
                   .e_version = EV_CURRENT,
                   .e_shoff = offsetof(struct zstd_file, sections),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 2},
        .compression = {.ch_type = 2 /* ELFCOMPRESS_ZSTD */, .ch_size = 4, .ch_addralign = 1},
        .frame = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 4 << 3 | 1, 0, 0, 'z', 's', 't', 'd'},
        .sections[1] = {.sh_type = SHT_PROGBITS,
                        .sh_flags = SHF_COMPRESSED,
                        .sh_offset = offsetof(struct zstd_file, compression),
                        .sh_size = sizeof(Elf64_Chdr) + ZSTD_FRAME_SIZE,
                        .sh_addralign = 8},
    };

    file.header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_memory((char *)&file, sizeof file);
    Elf_Scn *section = elf != NULL ? elf_getscn(elf, 1) : NULL;
    bool unpacked = section != NULL && elf_compress(section, 0, 0) == 1;
    elf_end(elf);
    return unpacked;
}
