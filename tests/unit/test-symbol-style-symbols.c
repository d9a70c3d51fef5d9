/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of reading the symbol tables of this program itself, and of damaged copies of it. */
#include "config.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/symbol.h"

static int memory_file(const void *bytes, size_t size)
{
    int fd = memfd_create("test", MFD_CLOEXEC);

    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    return fd;
}

/* Reads the file of this program, which has both kinds of symbol tables: .symtab and .dynsym. */
static unsigned char *read_self(size_t *size)
{
    FILE *in = fopen("/proc/self/exe", "re");
    unsigned char *bytes = malloc(1 << 24);

    *size = fread(bytes, 1, 1 << 24, in);
    fclose(in);
    return bytes;
}

Test(symbol_table, of_this_program)
{
    size_t size;
    unsigned char *bytes = read_self(&size);
    struct symbol_table table;
    bool found = false;
    int fd = memory_file(bytes, size);

    cr_assert_eq(symbol_table_read(fd, &table), 0);
    close(fd);
    for (size_t i = 0; i < table.count; i++) {
        found |= strcmp(table.symbols[i].name, "symbol_table_read") == 0;
        cr_assert(i == 0 || table.symbols[i - 1].address <= table.symbols[i].address);
        cr_assert_lt(table.symbols[i].address, table.end);
    }
    cr_assert(found);
    symbol_table_clear(&table);
    free(bytes);
}

Test(symbol_table, is_refused_or_empty)
{
    struct symbol_table table;
    int fd = memory_file("#!/bin/sh\n", 10);

    cr_assert_eq(symbol_table_read(fd, &table), -ENOEXEC);
    close(fd);
    fd = memory_file("", 0);
    cr_assert_eq(symbol_table_read(fd, &table), -ENOEXEC);
    close(fd);
    cr_assert_eq(symbol_table_read(-1, &table), -EBADF);
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header};
    fd = memory_file(&header, sizeof header);
    cr_assert_eq(symbol_table_read(fd, &table), 0);
    cr_assert_eq(table.count, 0);
    symbol_table_clear(&table);
    close(fd);
}

/* The same file is added at two addresses. The second range ends at the middle symbol. */
Test(symbol_table, of_several_files)
{
    size_t size;
    unsigned char *bytes = read_self(&size);
    struct symbol_table table = {0}, one;
    int fd = memory_file(bytes, size);

    cr_assert_eq(symbol_table_read(fd, &one), 0);
    size_t count = one.count;
    uint64_t first = one.symbols[0].address, middle = one.symbols[count / 2].address;
    cr_assert_eq(symbol_table_add(&table, &one, 0x10000000, 0x10000000, 0x20000000), 0);
    cr_assert_null(one.symbols);
    cr_assert_eq(symbol_table_read(fd, &one), 0);
    cr_assert_eq(symbol_table_add(&table, &one, 0x4000000, 0x4000000, 0x4000000 + middle), 0);
    symbol_table_sort(&table);
    cr_assert_gt(table.count, count + count / 4);
    cr_assert_leq(table.count, count + count / 2 + 2);
    cr_assert_eq(table.symbols[0].address, first + 0x4000000);
    cr_assert_eq(table.end, 0x20000000);
    cr_assert_str_eq(table.symbols[table.count - 1].name, "");
    cr_assert_eq(table.symbols[table.count - 1].address, 0x20000000);
    for (size_t i = 0; i < table.count; i++)
        cr_assert(table.symbols[i].address <= 0x4000000 + middle || table.symbols[i].address >= 0x10000000);
    symbol_table_clear(&table);
    close(fd);
    free(bytes);
}

static void try_bytes(const unsigned char *bytes, size_t size)
{
    struct symbol_table table;
    int fd = memory_file(bytes, size);

    if (symbol_table_read(fd, &table) == 0) {
        for (size_t i = 0; i < table.count; i++)
            cr_assert_gt(strlen(table.symbols[i].name), 0);
        symbol_table_clear(&table);
    }
    close(fd);
}

Test(symbol_table, of_files_cut_short, .timeout = 120)
{
    size_t size;
    unsigned char *bytes = read_self(&size);

    for (size_t cut = 0; cut < size; cut += cut < 128 ? 1 : size / 150)
        try_bytes(bytes, cut);
    free(bytes);
}

/* The section headers are at the end of a file, and say where all sections are. */
Test(symbol_table, of_files_with_wrong_bytes, .timeout = 120)
{
    size_t size;
    unsigned char *bytes = read_self(&size);
    Elf64_Ehdr header;
    unsigned seed = 1;

    memcpy(&header, bytes, sizeof header);
    size_t sections = (size_t)header.e_shnum * sizeof(Elf64_Shdr);
    for (int i = 0; i < 300; i++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (int k = 0; k < 1 + i % 4; k++) {
            size_t at = i % 10 == 0 ? (size_t)rand_r(&seed) % sizeof header
                                    : header.e_shoff + (size_t)rand_r(&seed) % sections;
            copy[at] = (unsigned char)rand_r(&seed);
        }
        try_bytes(copy, size);
        free(copy);
    }
    free(bytes);
}
