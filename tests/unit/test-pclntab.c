/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of functions in Go programs, in each of its versions, and whatever damage may be done to it. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "pclntab-fixture.h"
#include "pclntab/pclntab.h"

/* A table in an ELF file in memory. */
struct opened {
    Elf *elf;
    struct pclntab *table;
    char *bytes; /* as many as the file has, so that sanitizers notice reads beyond them */
    int error;
};

static struct opened open_image(const struct go_image *image, size_t size)
{
    struct opened opened = {.bytes = malloc(size > 0 ? size : 1)};

    elf_version(EV_CURRENT);
    cr_assert_not_null(opened.bytes);
    memcpy(opened.bytes, image->bytes, size);
    opened.elf = elf_memory(opened.bytes, size);
    opened.error = pclntab_open(opened.elf, &opened.table);
    cr_assert_eq(opened.error == 0, opened.table != NULL);
    return opened;
}

static void close_image(struct opened *opened)
{
    pclntab_close(opened->table);
    elf_end(opened->elf);
    free(opened->bytes);
}

/* --- what is right -------------------------------------------------------------------------------- */

static void expect_line(const struct pclntab *table, uint64_t offset, const char *wanted_file, uint32_t wanted_line)
{
    struct pclntab_function function;
    const char *file = "";
    uint32_t line = 0;

    cr_assert(pclntab_find(table, WORK + offset, &function));
    cr_expect(pclntab_line(table, &function, WORK + offset, &file, &line));
    cr_expect_str_eq(file, wanted_file);
    cr_expect_eq(line, wanted_line, "%u", line);
}

static void expect_frame_size(const struct pclntab *table, uint64_t offset, uint32_t wanted)
{
    struct pclntab_function function;
    uint32_t size = 99;

    cr_assert(pclntab_find(table, WORK + offset, &function));
    cr_expect(pclntab_frame_size(table, &function, WORK + offset, &size));
    cr_expect_eq(size, wanted, "%u", size);
}

static void expect_functions(const struct pclntab *table, const struct go_layout *layout)
{
    struct pclntab_function function;

    cr_expect_eq(pclntab_count(table), 2);
    cr_expect_not(pclntab_find(table, TEXT - 1, &function));
    cr_expect_not(pclntab_find(table, TEXT + CODE_SIZE, &function));
    cr_assert(pclntab_find(table, TEXT + 63, &function));
    cr_expect_str_eq(function.name, "main.main");
    cr_assert(pclntab_find(table, WORK, &function));
    cr_expect_str_eq(function.name, "main.work");
    cr_expect_eq(function.start, WORK);
    cr_expect_eq(function.end, TEXT + CODE_SIZE);
    cr_expect_eq(function.line, layout->lines ? 10 : 0);
    expect_line(table, 15, "/src/main.go", 10);
    expect_line(table, 16, "/src/inner.go", 100);
    expect_line(table, 31, "/src/inner.go", 200);
    expect_line(table, 95, "/src/main.go", 12);
    expect_frame_size(table, 3, 0);
    expect_frame_size(table, 4, 24);
    expect_frame_size(table, 89, 24);
    expect_frame_size(table, 90, 0);
}

static void expect_range(const struct pclntab_inlined *range, const struct go_layout *layout,
                         const struct pclntab_inlined *wanted)
{
    cr_expect_str_eq(range->name, wanted->name);
    cr_expect_eq(range->start, WORK + wanted->start);
    cr_expect_eq(range->end, WORK + wanted->end);
    cr_expect_eq(range->call, WORK + wanted->call);
    cr_expect_eq(range->body, WORK + wanted->body);
    cr_expect_eq(range->depth, wanted->depth);
    cr_expect_eq(range->line, layout->lines ? wanted->line : 0);
}

static void expect_inlined(const struct pclntab *table, const struct go_layout *layout)
{
    static const struct pclntab_inlined wanted[] = {
        {.start = 16, .end = 24, .name = "main.outer", .line = 90, .depth = 0, .call = 8, .body = 16},
        {.start = 24, .end = 32, .name = "main.outer", .line = 90, .depth = 0, .call = 8, .body = 20},
        {.start = 24, .end = 32, .name = "main.inner", .line = 190, .depth = 1, .call = 20, .body = 24}};
    struct pclntab_function function;
    struct pclntab_inlined *list;
    uint32_t count;

    cr_assert(pclntab_find(table, WORK, &function));
    cr_assert_eq(pclntab_inlined(table, &function, &list, &count), 0);
    cr_expect_eq(count, 3, "%s: %u", layout->version, count);
    for (uint32_t i = 0; i < count && i < 3; i++)
        expect_range(&list[i], layout, &wanted[i]);
    free(list);
}

static void expect_program(const struct go_image *image)
{
    struct opened opened = open_image(image, sizeof image->bytes);

    cr_assert_eq(opened.error, 0, "Go %s: %d", image->layout->version, opened.error);
    expect_functions(opened.table, image->layout);
    expect_inlined(opened.table, image->layout);
    close_image(&opened);
}

Test(pclntab, all_versions_are_read_without_section_headers)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        expect_program(&image);
    }
}

Test(pclntab, the_section_and_relocations_of_other_linkers)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        go_add_sections(&image);
        expect_program(&image);
    }
}

/* GNU ld joins the table with other data, so that the file has no section for the table alone. */
Test(pclntab, a_section_for_all_read_only_data)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        go_add_sections(&image);
        strcpy((char *)image.bytes + 0x501, ".go.buildinfo");
        expect_program(&image);
    }
}

/* Without the module, the table still has names and lines, if it says where the code begins. */
Test(pclntab, a_file_without_module)
{
    struct go_image image;

    for (size_t i = 2; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        memset(image.bytes + MODULE_AT, 0, 0x400);
        struct opened opened = open_image(&image, sizeof image.bytes);
        cr_expect_eq(opened.error, go_layouts[i].says_text ? 0 : -ENOENT);
        if (opened.error == 0)
            expect_functions(opened.table, &go_layouts[i]);
        close_image(&opened);
    }
}

/* --- what is not right ---------------------------------------------------------------------------- */

/* Asks all that can be asked, and uses all of the answers. */
static void ask(const struct opened *opened)
{
    struct pclntab_function function;
    struct pclntab_inlined *list;
    uint32_t count, number;
    const char *file;
    size_t used = 0;

    for (uint64_t at = TEXT; opened->error == 0 && at < TEXT + CODE_SIZE; at += 3) {
        if (!pclntab_find(opened->table, at, &function))
            continue;
        used += strlen(function.name);
        if (pclntab_line(opened->table, &function, at, &file, &number))
            used += strlen(file);
        used += pclntab_frame_size(opened->table, &function, at, &number);
        cr_assert_eq(pclntab_inlined(opened->table, &function, &list, &count), 0);
        for (uint32_t i = 0; i < count; i++)
            used += strlen(list[i].name);
        free(list);
    }
    cr_assert_lt(used, 1u << 24);
}

static void ask_image(const struct go_image *image, size_t size)
{
    struct opened opened = open_image(image, size);

    ask(&opened);
    close_image(&opened);
}

Test(pclntab, files_that_end_anywhere)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        for (size_t size = 0; size < sizeof image.bytes; size++)
            ask_image(&image, size);
    }
}

/* Also cuts the table off before the end of the file. */
Test(pclntab, sections_that_end_anywhere)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        go_add_sections(&image);
        for (uint64_t size = 0; size < TABLE_SIZE; size++) {
            ((Elf64_Shdr *)(image.bytes + 0x800))[1].sh_size = size;
            ask_image(&image, sizeof image.bytes);
        }
    }
}

static void damage(struct go_image *image, bool sections)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t begin = sections ? 0x500 : TABLE_AT;

    for (size_t at = begin; at < sizeof image->bytes; at++) {
        uint8_t right = image->bytes[at];
        for (size_t i = 0; i < sizeof values; i++) {
            image->bytes[at] = values[i];
            if (values[i] != right)
                ask_image(image, sizeof image->bytes);
        }
        image->bytes[at] = right;
    }
}

Test(pclntab, each_byte_may_be_wrong)
{
    struct go_image image;

    for (size_t i = 0; i < GO_LAYOUTS; i++) {
        go_make(&image, &go_layouts[i]);
        damage(&image, false);
        go_add_sections(&image);
        damage(&image, true);
    }
}

/* A node that is inlined into itself is no reason for an endless loop. */
Test(pclntab, nodes_in_a_circle)
{
    struct go_image image;
    struct pclntab_function function;
    struct pclntab_inlined *list;
    uint32_t count;

    go_make(&image, &go_layouts[3]);
    go_put_table(&image, TREE + 8, 17, 4);
    struct opened opened = open_image(&image, sizeof image.bytes);
    cr_assert_eq(opened.error, 0);
    cr_assert(pclntab_find(opened.table, WORK, &function));
    cr_assert_eq(pclntab_inlined(opened.table, &function, &list, &count), 0);
    cr_expect_leq(count, 2 * PCLNTAB_DEPTH_MAX);
    free(list);
    close_image(&opened);
}
