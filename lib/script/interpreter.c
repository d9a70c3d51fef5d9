/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the Python interpreter in an ELF file: a program or a shared library. The variable _PyRuntime is in the dynamic
 * symbol table, unless the interpreter was linked into a static program. In later versions it is in a section of its
 * own, too. From 3.11 on, the constant Py_Version has the version. Before, only the names of the files have it, and a
 * text such as "3.9.2" in the constants.
 */
#include "config.h"

#include <ctype.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "script/script.h"

#define MINOR_MIN 8u
#define MINOR_MAX 99u
#define EVAL_NAME "_PyEval_EvalFrameDefault"

/* What the symbols and sections of a file say. */
struct interpreter_search {
    Elf *elf;
    struct script_interpreter *found;
    uint64_t version_address; /* of Py_Version; 0: none */
};

static uint32_t version_of(unsigned minor, unsigned micro)
{
    return 3u << 24 | minor << 16 | (micro & 0xff) << 8;
}

/* --- symbols ------------------------------------------------------------------------------------------ */

static void search_symbol(struct interpreter_search *search, const char *name, const GElf_Sym *symbol)
{
    size_t length = strlen(EVAL_NAME);

    if (name[0] != '_' && name[0] != 'P')
        return;
    if (strcmp(name, "_PyRuntime") == 0)
        search->found->runtime = symbol->st_value;
    else if (strcmp(name, "Py_Version") == 0)
        search->version_address = symbol->st_value;
    else if (strncmp(name, EVAL_NAME, length) == 0 && (name[length] == '\0' || name[length] == '.')) {
        unsigned part = strstr(name, ".cold") != NULL ? 1 : 0;
        search->found->eval[part].start = symbol->st_value;
        search->found->eval[part].end = symbol->st_value + symbol->st_size;
    }
}

static void search_symbols(struct interpreter_search *search, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *symbols = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; symbols != NULL && gelf_getsym(symbols, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(search->elf, header->sh_link, symbol.st_name);
        if (name != NULL && symbol.st_shndx != SHN_UNDEF)
            search_symbol(search, name, &symbol);
    }
}

static void search_runtime_section(struct interpreter_search *search)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;

    if (elf_getshdrstrndx(search->elf, &names) != 0)
        return;
    while ((section = elf_nextscn(search->elf, section)) != NULL) {
        const char *name = gelf_getshdr(section, &header) != NULL ? elf_strptr(search->elf, names, header.sh_name)
                                                                  : NULL;
        if (name != NULL && strcmp(name, ".PyRuntime") == 0)
            search->found->runtime = header.sh_addr;
    }
}

static void search_table(struct interpreter_search *search, GElf_Word type)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(search->elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == type)
            search_symbols(search, section, &header);
}

/* Reads the static symbol table, which may be large, only if the file is known to have an interpreter. */
static void search_file(struct interpreter_search *search)
{
    search_runtime_section(search);
    search_table(search, SHT_DYNSYM);
    if (search->found->runtime != 0)
        search_table(search, SHT_SYMTAB);
}

/* --- segments ------------------------------------------------------------------------------------------ */

#define PAGE_MASK UINT64_C(0xffff) /* mappings begin at pages, which have at most 64 KiB */

static void search_segments(struct interpreter_search *search)
{
    struct script_interpreter *found = search->found;
    GElf_Phdr header;
    size_t count;

    if (elf_getphdrnum(search->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && found->segment_count < SCRIPT_SEGMENTS_MAX; i++)
        if (gelf_getphdr(search->elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            (header.p_flags & PF_X) != 0)
            found->segments[found->segment_count++] = (struct script_segment){
                .offset = header.p_offset, .size = header.p_filesz, .address = header.p_vaddr};
}

/* Replaces the link-time addresses of a part of the function by offsets in the file. */
static void search_locate_eval(struct script_interpreter *found, unsigned part)
{
    uint64_t start = found->eval[part].start, size = found->eval[part].end - start;

    found->eval[part].start = found->eval[part].end = 0;
    for (unsigned i = 0; i < found->segment_count; i++) {
        const struct script_segment *segment = &found->segments[i];
        if (start >= segment->address && start - segment->address < segment->size) {
            found->eval[part].start = start - segment->address + segment->offset;
            found->eval[part].end = found->eval[part].start + size;
        }
    }
}

bool script_runtime_address(const struct script_interpreter *interpreter, uint64_t start, uint64_t offset,
                            uint64_t *address)
{
    for (unsigned i = 0; i < interpreter->segment_count; i++) {
        const struct script_segment *segment = &interpreter->segments[i];
        uint64_t first = segment->offset & ~PAGE_MASK;
        if (offset < first || offset >= segment->offset + segment->size)
            continue;
        *address = start - (segment->address + offset - segment->offset) + interpreter->runtime;
        return true;
    }
    return false;
}

/* --- the version --------------------------------------------------------------------------------------- */

/* Reads the value of Py_Version, an unsigned long, from the section that contains its address. */
static uint32_t version_constant(const struct interpreter_search *search)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    uint64_t version;

    while (search->version_address != 0 && (section = elf_nextscn(search->elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
            search->version_address < header.sh_addr || search->version_address - header.sh_addr >= header.sh_size)
            continue;
        size_t at = search->version_address - header.sh_addr;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL || data->d_size < sizeof version || at > data->d_size - sizeof version)
            return 0;
        memcpy(&version, (const char *)data->d_buf + at, sizeof version);
        return version >> 24 == 3 ? (uint32_t)version : 0;
    }
    return 0;
}

/* Finds "python3.N" in a name. */
static uint32_t version_in_name(const char *name)
{
    const char *at = strstr(name, "python3.");
    unsigned long minor = at != NULL ? strtoul(at + strlen("python3."), NULL, 10) : 0;

    return minor >= MINOR_MIN && minor <= MINOR_MAX ? version_of((unsigned)minor, 0) : 0;
}

/* Decodes a text such as "3.9.2" or "3.13.0rc1", which must end at its NUL. */
static uint32_t version_text(const char *text, size_t room)
{
    char copy[16], *end;

    if (memchr(text, '\0', room < sizeof copy ? room : sizeof copy) == NULL)
        return 0;
    strcpy(copy, text);
    if (strncmp(copy, "3.", 2) != 0 || !isdigit((unsigned char)copy[2]))
        return 0;
    unsigned long minor = strtoul(copy + 2, &end, 10);
    if (*end != '.' || !isdigit((unsigned char)end[1]) || minor < MINOR_MIN || minor > MINOR_MAX)
        return 0;
    unsigned long micro = strtoul(end + 1, &end, 10);
    return *end == '\0' || isalpha((unsigned char)*end) || *end == '+' ? version_of((unsigned)minor, (unsigned)micro)
                                                                       : 0;
}

/* Searches the constants of the file for a text that is a version. */
static uint32_t version_in_constants(const struct interpreter_search *search)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    uint32_t version = 0;

    while (version == 0 && (section = elf_nextscn(search->elf, section)) != NULL) {
        const Elf_Data *data = NULL;
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_PROGBITS &&
            (header.sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) == SHF_ALLOC)
            data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            continue;
        const char *start = data->d_buf, *end = start + data->d_size, *at = start;
        while (version == 0 && at < end && (at = memchr(at, '3', (size_t)(end - at))) != NULL) {
            if (at == start || at[-1] == '\0')
                version = version_text(at, (size_t)(end - at));
            at++;
        }
    }
    return version;
}

bool script_find_interpreter(int fd, const char *path, struct script_interpreter *interpreter)
{
    struct interpreter_search search = {.found = interpreter};

    *interpreter = (struct script_interpreter){0};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    search.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    /* the layouts of 32-bit interpreters are not known */
    if (search.elf != NULL && elf_kind(search.elf) == ELF_K_ELF && gelf_getclass(search.elf) == ELFCLASS64)
        search_file(&search);
    if (interpreter->runtime != 0) {
        search_segments(&search);
        for (unsigned i = 0; i < SCRIPT_EVAL_PARTS; i++)
            search_locate_eval(interpreter, i);
        interpreter->version = version_constant(&search);
        if (interpreter->version == 0)
            interpreter->version = version_in_name(path_base_name(path));
        if (interpreter->version == 0)
            interpreter->version = version_in_constants(&search);
    }
    elf_end(search.elf);
    return interpreter->version != 0;
}
