/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All code that a sanitizer's compiler makes calls the runtime's initialisation by name, so the
 * name is in the symbol table of a program and of the runtime, linked statically or not.
 */
#include "config.h"

#include <gelf.h>
#include <string.h>

#include "symbol/leak-check.h"

static void look_at(const char *name, int *status)
{
    if (strcmp(name, "__asan_init") == 0)
        *status = LEAK_CHECK_OF_ASAN;
    else if (strcmp(name, "__lsan_init") == 0 && *status == 0)
        *status = LEAK_CHECK_OF_LSAN;
}

static void look_through(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, int *status)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; symbols != NULL && gelf_getsym(symbols, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL)
            look_at(name, status);
    }
}

/* Of each kind a file has one table: a hostile one's others are not looked at. */
static void look_for(Elf *elf, GElf_Word type, int *status)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type) {
            look_through(elf, section, &header, status);
            return;
        }
}

int leak_check_status(int fd)
{
    int status = 0;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return 0;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF) {
        look_for(elf, SHT_DYNSYM, &status);
        look_for(elf, SHT_SYMTAB, &status);
    }
    elf_end(elf);
    return status;
}
