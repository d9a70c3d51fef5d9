/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds two addresses that the table does not say itself: where the code begins, from which the addresses in the table
 * count (since Go 1.26 only here), and go:func.*, from which trees of inlined functions count (since Go 1.18).
 *
 * Both are in runtime.firstmoduledata, a variable without a symbol in stripped programs. It is recognized by its first
 * words: the address of the table, and the address of the table's part with the names. Its first 24 words have been the
 * same in all versions since Go 1.16, and the difference between two of them is checked against the table. The place of
 * go:func.* has changed three times. So each later word is tried, and the first one is taken with which the trees of
 * inlined functions make sense (pclntab_trees_fit).
 */
#include "config.h"

#include <string.h>

#include "pclntab/pclntab-internal.h"

/* Numbers of words in struct moduledata of runtime/symtab.go */
enum { MODULE_TABLE = 0, MODULE_NAMES = 1, MODULE_CODE_MIN = 20, MODULE_TEXT = 22, MODULE_AFTER_TEXT = 24 };
#define MODULE_WORDS 48u
#define SECTIONS_MAX 1024u

struct module {
    const struct pclntab *table;
    uint64_t words[MODULE_WORDS];
};

/* Returns whether the words are those of the module that the table belongs to. */
static bool module_fits(const struct module *module)
{
    const struct pclntab *table = module->table;
    uint64_t first = pclntab_number(pclntab_whole(table), table->functions, 4);

    return module->words[MODULE_TABLE] == table->address &&
           module->words[MODULE_NAMES] == table->address + table->names &&
           module->words[MODULE_CODE_MIN] == module->words[MODULE_TEXT] + first;
}

/* --- in a file whose words are as they are in memory ----------------------------------------------- */

static void module_take_words(struct module *module, struct pclntab_memory memory, uint64_t offset)
{
    size_t size = module->table->word;

    for (unsigned i = 0; i < MODULE_WORDS; i++)
        module->words[i] = pclntab_number(memory, offset + i * size, size);
}

static bool module_in_memory(struct module *module, struct pclntab_memory memory)
{
    size_t size = module->table->word;

    for (uint64_t at = 0; at + size <= memory.size; at += size) {
        if (pclntab_number(memory, at, size) != module->table->address)
            continue;
        module_take_words(module, memory, at);
        if (module_fits(module))
            return true;
    }
    return false;
}

static bool module_in_segments(struct module *module)
{
    GElf_Phdr header;

    for (size_t i = 0; i < PCLNTAB_SEGMENTS_MAX; i++) {
        struct pclntab_memory memory = pclntab_segment(module->table->elf, i, &header);
        if (memory.bytes != NULL && (header.p_flags & PF_W) != 0 && module_in_memory(module, memory))
            return true;
    }
    return false;
}

/* --- in a position-independent file of another linker (cgo) ---------------------------------------------- */

/* GNU ld and others leave words that the loader writes empty. What it writes is in relocations (SHT_RELA): the address
 * of a word, and its value (R_X86_64_RELATIVE, R_AARCH64_RELATIVE). The first search is for the value of the module's
 * first word, the second one for all its words. */

/* Calls `take` for each relocation of the file, until it returns true. */
static bool each_relocation(struct module *module, bool (*take)(struct module *, const GElf_Rela *, uint64_t),
                            uint64_t argument)
{
    Elf *elf = module->table->elf;
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Rela relocation;

    for (unsigned i = 0; i < SECTIONS_MAX && (section = elf_nextscn(elf, section)) != NULL; i++) {
        Elf_Data *data = gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_RELA &&
                                 (header.sh_flags & SHF_ALLOC) != 0
                             ? elf_getdata(section, NULL)
                             : NULL;
        for (int j = 0; data != NULL && gelf_getrela(data, j, &relocation) != NULL; j++)
            if (GELF_R_SYM(relocation.r_info) == 0 && take(module, &relocation, argument))
                return true;
    }
    return false;
}

static bool take_word(struct module *module, const GElf_Rela *relocation, uint64_t address)
{
    uint64_t into = relocation->r_offset - address;

    if (into / module->table->word < MODULE_WORDS)
        module->words[into / module->table->word] = (uint64_t)relocation->r_addend;
    return false;
}

static bool take_first(struct module *module, const GElf_Rela *relocation, uint64_t unused)
{
    (void)unused;
    module->words[MODULE_TABLE] = relocation->r_offset;
    return (uint64_t)relocation->r_addend == module->table->address;
}

static bool module_in_relocations(struct module *module)
{
    if (!each_relocation(module, take_first, 0))
        return false;
    uint64_t address = module->words[MODULE_TABLE];
    module_take_words(module, pclntab_memory_at(module->table->elf, address), 0);
    each_relocation(module, take_word, address);
    return module_fits(module);
}

/* --- both ------------------------------------------------------------------------------------------ */

bool pclntab_read_module(struct pclntab *table)
{
    struct module module = {.table = table};

    if (!table->version->relative)
        return true;
    bool found = module_in_segments(&module) || module_in_relocations(&module);
    if (found)
        table->text = module.words[MODULE_TEXT];
    for (unsigned i = MODULE_AFTER_TEXT; found && table->trees == 0 && i < MODULE_WORDS; i++)
        if (pclntab_trees_fit(table, module.words[i]))
            table->trees = module.words[i];
    return table->text != 0;
}
