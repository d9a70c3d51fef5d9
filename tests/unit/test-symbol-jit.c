/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of perf maps and jitdumps, which contain the names of code made at run time. */
#include "config.h"

#include <sys/stat.h>

#include <criterion/criterion.h>

#include "symbol-fixture.h"

TestSuite(jit, .init = enter_directory, .fini = remove_directory);

Test(jit, jit_code_is_named_by_its_map)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_ANON, .pid = 0x7ffffff0};
    FILE *file = fopen("map", "w");

    fputs("1000 100 old_name\n"
          "nonsense\n\n"
          "1080 40 newer name with spaces\n"
          "2000 0 empty\n"
          "ffffffffffffff00 200 wraps\n"
          "3000 10 bad\x1b[31mname\n"
          "4000 10",
          file);
    fclose(file);
    const struct {
        uint64_t address;
        const char *name;
    } cases[] = {{0x1000, "old_name"},
                 {0x107f, "old_name"},
                 {0x1080, "newer name with spaces"},
                 {0x10bf, "newer name with spaces"},
                 {0x10c0, "old_name"},
                 {0x1100, "[jit]"},
                 {0x2000, "[jit]"},
                 {0x3001, "bad?[31mname"},
                 {0x4001, "[jit]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        object.fd = open("map", O_RDONLY);
        struct answer answer = look_up_in(&object, "//anon", cases[i].address);
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address, answer.name);
    }
    object.fd = -1;
    cr_assert_not_null(look_up_in(&object, "//anon", 0x1000).problem);
}

Test(jit, later_lines_of_a_map_win_wherever_they_begin)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_ANON, .pid = 0x7ffffff0};
    FILE *file = fopen("map", "w");

    fputs("100 10000 before\n", file);
    for (unsigned i = 0; i < 1000; i++)
        fprintf(file, "%x 10 small\n", 0x1000 + 16 * i);
    fwrite("\0\0\0", 1, 3, file); /* zeros, as in a hole of a file */
    fputs("\n2000 1000 whole\n2800 8 inside\n2800 4 innermost\n9000 1 dot\n", file);
    fclose(file);
    const struct {
        uint64_t address;
        const char *name;
    } cases[] = {{0xff, "[jit]"},    {0x100, "before"},     {0x1fff, "small"},  {0x2000, "whole"},
                 {0x27ff, "whole"},  {0x2800, "innermost"}, {0x2804, "inside"}, {0x2808, "whole"},
                 {0x2fff, "whole"},  {0x3000, "small"},     {0x4e80, "before"}, {0x9000, "dot"},
                 {0x9001, "before"}, {0x100ff, "before"},   {0x10100, "[jit]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        object.fd = open("map", O_RDONLY);
        struct answer answer = look_up_in(&object, "//anon", cases[i].address);
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address, answer.name);
    }
}

/* --- jitdump, encoded by hand ---------------------------------------------------------- */

static void dump_record(FILE *file, uint32_t id, const void *bytes, uint32_t size)
{
    const uint32_t head[4] = {id, 16 + size, 0, 0};

    fwrite(head, sizeof head, 1, file);
    fwrite(bytes, size, 1, file);
}

static void dump_load(FILE *file, uint64_t address, uint64_t size, uint64_t index, const char *name)
{
    unsigned char bytes[256] = {0};
    const uint64_t numbers[5] = {0, address, address, size, index};

    memcpy(bytes, numbers, sizeof numbers);
    strcpy((char *)bytes + sizeof numbers, name);
    dump_record(file, 0, bytes, (uint32_t)(sizeof numbers + strlen(name) + 1 + size));
}

static void dump_lines(FILE *file, uint64_t address, uint64_t first, const char *path)
{
    unsigned char bytes[128] = {0};
    const uint64_t numbers[4] = {address, 2, first, 7};
    const uint64_t second[2] = {first + 8, 8};
    size_t at = sizeof numbers + strlen(path) + 1;

    memcpy(bytes, numbers, sizeof numbers);
    strcpy((char *)bytes + sizeof numbers, path);
    memcpy(bytes + at, second, sizeof second);
    strcpy((char *)bytes + at + sizeof second, "\xff");
    dump_record(file, 2, bytes, (uint32_t)(at + sizeof second + 2));
}

static void make_dump(void)
{
    FILE *file = fopen("dump", "w");
    const uint32_t header[10] = {0x4a695444, 1, 40, 62, 0, 1};
    const uint64_t move[6] = {0, 0, 0x1000, 0x5000, 16, 0};

    fwrite(header, sizeof header, 1, file);
    dump_lines(file, 0x1000, 0x1000, "/src/a.js");
    dump_load(file, 0x1000, 16, 0, "first");
    /* V8 adds 0x40, the size of an ELF header, to the address of each line. The reader subtracts it again */
    dump_lines(file, 0x2000, 0x2040, "/src/b.js");
    dump_load(file, 0x2000, 16, 1, "second");
    dump_lines(file, 0x3000, 0x3000, "W\x01");
    dump_load(file, 0x3000, 16, 2, "third\n");
    dump_record(file, 1, move, sizeof move);
    dump_load(file, 0x1008, 4, 3, "over");
    dump_record(file, 3, "", 0);
    dump_load(file, 0x6000, 16, 4, "behind the end");
    fclose(file);
}

Test(jit, jit_code_is_named_by_a_jitdump)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_ANON, .pid = 0x7ffffff0};
    const struct {
        uint64_t address;
        const char *name, *file;
        uint32_t line;
    } cases[] = {{0x1000, "first", "/src/a.js", 7},  {0x1008, "over", "", 0},
                 {0x100c, "first", "/src/a.js", 8},  {0x2000, "second", "/src/b.js", 7},
                 {0x2009, "second", "/src/b.js", 8}, {0x3000, "third?", "", 0},
                 {0x5004, "first", "", 0},           {0x6000, "[jit]", "", 0}};

    make_dump();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        object.fd = open("dump", O_RDONLY);
        struct answer answer = look_up_in(&object, "//anon", cases[i].address);
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address, answer.name);
        cr_expect_str_eq(answer.file, cases[i].file);
        cr_expect_eq(answer.line, cases[i].line);
    }
}

Test(jit, a_damaged_jitdump_is_read_as_far_as_it_goes)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_ANON, .pid = 0x7ffffff0};
    unsigned char bytes[2048];

    make_dump();
    FILE *file = fopen("dump", "r");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    srand(1);
    for (size_t i = 0; i < size + 500; i++) {
        unsigned char damaged[sizeof bytes];
        memcpy(damaged, bytes, size);
        for (int j = 0; i >= size && j < 4; j++)
            damaged[4 + (size_t)rand() % (size - 4)] = (unsigned char)rand();
        file = fopen("dump", "w");
        fwrite(damaged, 1, i < size ? i : size, file);
        fclose(file);
        object.fd = open("dump", O_RDONLY);
        struct answer answer = look_up_in(&object, "//anon", 0x1001);
        if (i < size)
            cr_expect(strcmp(answer.name, "first") == 0 || strcmp(answer.name, "[jit]") == 0 || answer.name[0] == '\0',
                      "%zu: %s", i, answer.name);
    }
}

Test(jit, a_map_is_found_by_process_and_only_a_plain_file_is_one, .timeout = 20)
{
    struct profile_object object = {
        .kind = PROFILE_OBJECT_ANON, .pid = (uint32_t)getpid(), .fd = -1};
    char path[64];

    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    unlink(path);
    write_file("map", "1000 10 jitted\n");
    cr_expect_str_eq(look_up_in(&object, "//anon", 0x1000).name, "[anon]");
    sh("cp map %s", path);
    cr_expect_str_eq(look_up_in(&object, "//anon", 0x1000).name, "jitted");
    if (geteuid() == 0) {
        cr_assert_eq(chown(path, 12345, 12345), 0);
        cr_expect_str_eq(look_up_in(&object, "//anon", 0x1000).name, "[anon]");
    }
    sh("rm %s && ln -s %s/map %s", path, directory, path);
    cr_expect_str_eq(look_up_in(&object, "//anon", 0x1000).name, "[anon]");
    sh("rm %s && mkfifo %s", path, path);
    cr_expect_str_eq(look_up_in(&object, "//anon", 0x1000).name, "[anon]");
    sh("rm %s", path);
}
