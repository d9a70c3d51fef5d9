/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the variable at an address of a process, in the symbol table of the file that is mapped there. */
#include "config.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "symbol/elf-internal.h"
#include "symbol/symbol.h"

/* Stores the link-time address of the byte at an offset of the file. */
static bool variable_linked_address(Elf *elf, uint64_t offset, uint64_t *address)
{
    size_t count = 0;
    GElf_Phdr header;

    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
            continue;
        uint64_t page = header.p_align > 1 ? header.p_offset % header.p_align : 0; /* mappings begin at whole pages */
        if (offset >= header.p_offset - page && offset < header.p_offset + header.p_filesz) {
            *address = header.p_vaddr + offset - header.p_offset;
            return true;
        }
    }
    return false;
}

/* Searches one symbol table. Local names count, too, because locks are often static. */
static bool variable_search(Elf *elf, Elf_Scn *section, uint64_t address, char *name, size_t size)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = gelf_getshdr(section, &header) != NULL ? elf_getdata(section, NULL) : NULL;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF || address < symbol.st_value ||
            address - symbol.st_value >= symbol.st_size)
            continue;
        const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!elf_is_name(text))
            continue;
        if (address == symbol.st_value)
            snprintf(name, size, "%s", text);
        else
            snprintf(name, size, "%s+0x%llx", text, (unsigned long long)(address - symbol.st_value));
        return true;
    }
    return false;
}

bool symbol_find_variable(int fd, uint64_t start, uint64_t offset, uint64_t address, char *name, size_t size)
{
    bool found = false;
    uint64_t linked;

    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF && variable_linked_address(elf, offset, &linked)) {
        Elf_Scn *section = NULL;
        while (!found && (section = elf_nextscn(elf, section)) != NULL) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) != NULL &&
                (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
                found = variable_search(elf, section, address - start + linked, name, size);
        }
    }
    elf_end(elf);
    return found;
}
