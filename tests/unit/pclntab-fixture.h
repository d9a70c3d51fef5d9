/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes small ELF files with a table of Go functions, in each version of the table. This is the program in the file:
 *
 *      main.main   0x401000    64 bytes    line 1 of /src/main.go     no frame
 *      main.work   0x401040    96 bytes    begins with line 10 of /src/main.go
 *
 * Lines and frame sizes of main.work: its bytes 16 to 24 are main.outer, which was inlined (line 100 of /src/inner.go),
 * and its bytes 24 to 32 are main.inner, which was inlined into main.outer in line 100 (line 200 of /src/inner.go). The
 * other bytes are in line 10, up to byte 16, or in line 12. The frame has 24 bytes from byte 4 to byte 90.
 */
#ifndef PPROFIL_TEST_PCLNTAB_FIXTURE_H
#define PPROFIL_TEST_PCLNTAB_FIXTURE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TEXT UINT64_C(0x401000)
#define WORK (TEXT + 64)
#define TABLE UINT64_C(0x500000)
#define MODULE UINT64_C(0x600000)
#define CODE_SIZE 160u
#define TABLE_AT 0x1000u /* offsets of the segments in the file */
#define MODULE_AT 0x1800u
#define IMAGE_SIZE 0x1c00u

/* Places in the table. Before Go 1.16, offsets in the table count from its start, otherwise from these places. */
enum { NAMES = 0x100, UNITS = 0x180, FILES = 0x1c0, VALUES = 0x200, FUNCTIONS = 0x300, TREES = 0x600, TREE = 0x640 };
enum { ENTRIES = 0x400, ENTRY_SIZE = 0x80, TABLE_SIZE = 0x800 };

/* What the table's format depends on. */
struct go_layout {
    const char *version;
    uint32_t magic;
    bool relative, units, lines;
    bool says_text;     /* the table has the address of the code; otherwise only the module has it */
    unsigned tree_word; /* number of the module's word with the address of the trees */
};
static const struct go_layout go_layouts[] = {
    {"1.12", 0xfffffffb, false, false, false, true, 0}, {"1.16", 0xfffffffa, false, true, false, true, 0},
    {"1.18", 0xfffffff0, true, true, false, true, 38},  {"1.20", 0xfffffff1, true, true, true, true, 40},
    {"1.27", 0xfffffff1, true, true, true, false, 43},
};
#define GO_LAYOUTS (sizeof go_layouts / sizeof *go_layouts)

struct go_image {
    const struct go_layout *layout;
    uint8_t bytes[IMAGE_SIZE];
    size_t next_value; /* offset in the table of the next sequence of values */
};

static inline void go_put(struct go_image *image, size_t offset, uint64_t number, size_t size)
{
    memcpy(image->bytes + offset, &number, size);
}

static inline void go_put_table(struct go_image *image, size_t offset, uint64_t number, size_t size)
{
    go_put(image, TABLE_AT + offset, number, size);
}

/* Returns an offset as the table says it. */
static inline uint64_t go_offset(const struct go_image *image, size_t offset, size_t part)
{
    return offset - (image->layout->units ? part : 0);
}

static inline size_t go_put_text(struct go_image *image, size_t offset, const char *text)
{
    strcpy((char *)image->bytes + TABLE_AT + offset, text);
    return offset + strlen(text) + 1;
}

/* Writes values by address: value, number of bytes, value, number of bytes ... and 0 bytes. All are small. Returns the
 * offset of the first one. */
static inline uint64_t go_put_values(struct go_image *image, const int *values)
{
    size_t at = image->next_value;
    int last = -1;

    for (; values[1] != 0; values += 2) {
        int change = values[0] - last, zigzag = change < 0 ? -2 * change - 1 : 2 * change;
        last = values[0];
        go_put_table(image, image->next_value++, (unsigned)zigzag & 0x7f ? (unsigned)zigzag | 0x80 : 0x80, 1);
        go_put_table(image, image->next_value++, (unsigned)zigzag >> 7, 1);
        go_put_table(image, image->next_value++, (unsigned)values[1], 1);
    }
    go_put_table(image, image->next_value++, 0, 1);
    return go_offset(image, at, VALUES);
}

/* --- functions ------------------------------------------------------------------------------------ */

struct go_function {
    uint64_t start;
    size_t name; /* offset in the table */
    const int *frame_sizes, *files, *lines, *nodes;
    unsigned line;
    bool has_tree;
};

static inline void go_put_entry(struct go_image *image, size_t entry, const struct go_function *function)
{
    const struct go_layout *layout = image->layout;
    size_t word = layout->relative ? 4 : 8, at = entry + word, funcdata = layout->units ? 4 : 5;
    uint64_t numbers[9] = {go_offset(image, function->name, NAMES), 0, 0};
    unsigned count = 7;

    numbers[3] = go_put_values(image, function->frame_sizes);
    numbers[4] = go_put_values(image, function->files);
    numbers[5] = go_put_values(image, function->lines);
    numbers[6] = function->has_tree ? 3 : 0; /* PCDATA */
    if (layout->units)
        numbers[count++] = 0; /* compilation unit */
    if (layout->lines)
        numbers[count++] = function->line;
    go_put_table(image, entry, function->start - (layout->relative ? TEXT : 0), word);
    for (unsigned i = 0; i < count; i++, at += 4)
        go_put_table(image, at, numbers[i], 4);
    go_put_table(image, at + 3, function->has_tree ? funcdata : 0, 1);
    at += 4;
    if (!function->has_tree)
        return;
    go_put_table(image, at + 8, go_put_values(image, function->nodes), 4);
    at += 12;
    at += (word - at % word) % word;
    for (size_t i = 0; i + 1 < funcdata; i++, at += word)
        go_put_table(image, at, layout->relative ? UINT32_MAX : 0, word);
    go_put_table(image, at, layout->relative ? TREE - TREES : TABLE + TREE, word);
}

static inline void go_put_node(struct go_image *image, unsigned index, size_t name, unsigned line, unsigned call)
{
    bool lines = image->layout->lines;
    size_t at = TREE + index * (lines ? 16u : 20u);

    go_put_table(image, at + (lines ? 4 : 12), go_offset(image, name, NAMES), 4);
    go_put_table(image, at + (lines ? 8 : 16), call, 4);
    go_put_table(image, at + (lines ? 12 : 8), line, 4);
}

static inline void go_put_functions(struct go_image *image)
{
    const struct go_layout *layout = image->layout;
    size_t word = layout->relative ? 4 : 8, index = layout->units ? FUNCTIONS : 16;
    size_t work = go_put_text(image, NAMES, "main.main"), outer = go_put_text(image, work, "main.work");
    size_t inner = go_put_text(image, outer, "main.outer");
    go_put_text(image, inner, "main.inner");
    const struct go_function functions[] = {
        {TEXT, NAMES, (int[]){0, 64, 0, 0}, (int[]){0, 64, 0, 0}, (int[]){1, 64, 0, 0}, NULL, 1, false},
        {WORK, work, (int[]){0, 4, 24, 86, 0, 6, 0, 0}, (int[]){0, 16, 1, 16, 0, 64, 0, 0},
         (int[]){10, 16, 100, 8, 200, 8, 12, 64, 0, 0}, (int[]){-1, 16, 0, 8, 1, 8, -1, 64, 0, 0}, 10, true}};

    for (size_t i = 0; i < 2; i++) {
        size_t entry = ENTRIES + i * ENTRY_SIZE;
        go_put_entry(image, entry, &functions[i]);
        go_put_table(image, index + 2 * i * word, functions[i].start - (layout->relative ? TEXT : 0), word);
        go_put_table(image, index + (2 * i + 1) * word, go_offset(image, entry, FUNCTIONS), word);
    }
    go_put_table(image, index + 4 * word, CODE_SIZE + (layout->relative ? 0 : TEXT), word);
    go_put_node(image, 0, outer, 90, 8);
    go_put_node(image, 1, inner, 190, 20);
}

/* --- the file ------------------------------------------------------------------------------------- */

static inline void go_put_header(struct go_image *image)
{
    const struct go_layout *layout = image->layout;
    static const unsigned parts[] = {NAMES, UNITS, FILES, VALUES, FUNCTIONS};
    size_t at = 24;

    go_put_table(image, 0, layout->magic, 4);
    go_put_table(image, 6, 1, 1);
    go_put_table(image, 7, 8, 1);
    go_put_table(image, 8, 2, 8);
    size_t second = go_put_text(image, FILES + 8, "/src/main.go");
    go_put_text(image, second, "/src/inner.go");
    /* the paths, by number: an index at the place that follows the functions, or in the compilation unit */
    size_t paths = layout->units ? UNITS : FILES + 0x28;
    go_put_table(image, paths, go_offset(image, FILES + 8, FILES), 4);
    go_put_table(image, paths + 4, go_offset(image, second, FILES), 4);
    if (!layout->units) {
        go_put_table(image, 16 + 5 * 8, paths, 4);
        return;
    }
    if (layout->relative) {
        go_put_table(image, at, layout->says_text ? TEXT : 0, 8);
        at += 8;
    }
    for (size_t i = 0; i < 5; i++, at += 8)
        go_put_table(image, at, parts[i], 8);
}

static inline void go_put_module(struct go_image *image)
{
    const uint64_t words[][2] = {
        {0, TABLE}, {1, TABLE + NAMES},   {20, TEXT},  {21, TEXT + CODE_SIZE},
        {22, TEXT}, {24, MODULE + 0x200}, {37, TABLE}, {image->layout->tree_word, TABLE + TREES}};

    for (size_t i = 0; image->layout->relative && i < sizeof words / sizeof *words; i++)
        go_put(image, MODULE_AT + 64 + words[i][0] * 8, words[i][1], 8);
}

/* Makes a file without section headers. */
static inline void go_make(struct go_image *image, const struct go_layout *layout)
{
    const Elf64_Phdr segments[] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x400, .p_vaddr = TEXT, .p_filesz = CODE_SIZE},
        {.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = TABLE_AT, .p_vaddr = TABLE, .p_filesz = TABLE_SIZE},
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = MODULE_AT, .p_vaddr = MODULE, .p_filesz = 0x400}};
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_entry = TEXT,
                         .e_phoff = sizeof header,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof *segments,
                         .e_phnum = 3};

    memset(image, 0, sizeof *image);
    image->layout = layout;
    image->next_value = VALUES + 8;
    memcpy(image->bytes, &header, sizeof header);
    memcpy(image->bytes + sizeof header, segments, sizeof segments);
    go_put_header(image);
    go_put_functions(image);
    go_put_module(image);
}

/* Adds section headers: the table, and the relocations that the loader needs for the module's words. Those words are
 * empty in the file, as GNU ld leaves them. */
static inline void go_add_sections(struct go_image *image)
{
    static const char names[] = "\0.data.rel.ro.gopclntab\0.rela";
    Elf64_Ehdr *header = (Elf64_Ehdr *)image->bytes;
    Elf64_Rela *relocations = (Elf64_Rela *)(image->bytes + 0x580);
    size_t count = 0;

    for (size_t i = 0; i < 48; i++) {
        uint64_t *word = (uint64_t *)(image->bytes + MODULE_AT + 64) + i;
        if (*word != 0)
            relocations[count++] = (Elf64_Rela){.r_offset = MODULE + 64 + i * 8,
                                                .r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE),
                                                .r_addend = (Elf64_Sxword)*word};
        *word = 0;
    }
    const Elf64_Shdr sections[] = {{0},
                                   {.sh_name = 1,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC,
                                    .sh_addr = TABLE,
                                    .sh_offset = TABLE_AT,
                                    .sh_size = TABLE_SIZE},
                                   {.sh_name = 24,
                                    .sh_type = SHT_RELA,
                                    .sh_flags = SHF_ALLOC,
                                    .sh_offset = 0x580,
                                    .sh_size = count * sizeof *relocations,
                                    .sh_entsize = sizeof *relocations,
                                    .sh_addralign = 8},
                                   {.sh_type = SHT_STRTAB, .sh_offset = 0x500, .sh_size = sizeof names}};

    memcpy(image->bytes + 0x500, names, sizeof names);
    memcpy(image->bytes + 0x800, sections, sizeof sections);
    header->e_shoff = 0x800;
    header->e_shentsize = sizeof *sections;
    header->e_shnum = 4;
    header->e_shstrndx = 3;
}

#endif
