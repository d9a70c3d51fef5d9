/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out whether a file was built with LeakSanitizer. Code that was compiled with a sanitizer
 * calls a function that initialises the sanitizer's library. The name of that function is in the
 * program's symbol table, whether the library is linked statically or not.
 */
#include "config.h"

#include <gelf.h>
#include <string.h>

#include "symbol/symbol.h"

static void leak_check_symbol(const char *name, int *status)
{
    if (strcmp(name, "__asan_init") == 0)
        *status = LEAK_CHECK_OF_ASAN;
    else if (strcmp(name, "__lsan_init") == 0 && *status == 0)
        *status = LEAK_CHECK_OF_LSAN;
}

static void leak_check_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, int *status)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; symbols != NULL && gelf_getsym(symbols, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL)
            leak_check_symbol(name, status);
    }
}

/* Reads only the first symbol table of the type, because a valid file does not have more. */
static void leak_check_tables(Elf *elf, GElf_Word type, int *status)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type) {
            leak_check_table(elf, section, &header, status);
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
        leak_check_tables(elf, SHT_DYNSYM, &status);
        leak_check_tables(elf, SHT_SYMTAB, &status);
    }
    elf_end(elf);
    return status;
}
