/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fixtures are compiled when the test runs; without a compiler there is nothing to test. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "symbol/demangle.h"
#include "symbol/symbol.h"

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static const char source[] =
    "volatile int x;\n"
    "__attribute__((noinline)) static int quiet_one(int a) { return a * x + 3; }\n"
    "__attribute__((noinline)) int loud_one(int a) { return quiet_one(a) + x * 5; }\n"
    "int main(void) { return loud_one(x); }\n";

static void sh(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void make_directory(void)
{
    if (system("command -v gcc objcopy strip nm >/dev/null 2>&1") != 0)
        cr_skip_test("no compiler here");
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    FILE *file = fopen("prog.c", "w");
    fputs(source, file);
    fclose(file);
}

static void remove_directory(void)
{
    sh("rm -rf %s", directory);
}

TestSuite(symbol, .init = make_directory, .fini = remove_directory);

/* The file offset of a symbol, from nm and readelf, which know nothing of our code. */
static uint64_t offset_of(const char *file, const char *symbol)
{
    char command[256], line[256];
    uint64_t address = 0, offset, vaddr, size;

    snprintf(command, sizeof command, "nm %s | awk '$3==\"%s\"{print $1}'", file, symbol);
    FILE *output = popen(command, "r");
    if (fgets(line, sizeof line, output) != NULL)
        address = strtoull(line, NULL, 16);
    pclose(output);
    cr_assert_neq(address, 0);
    snprintf(command, sizeof command, "readelf -lW %s | awk '$1==\"LOAD\"{print $2,$3,$5}'", file);
    output = popen(command, "r");
    uint64_t result = 0;
    while (fgets(line, sizeof line, output) != NULL)
        if (sscanf(line, "%lx %lx %lx", &offset, &vaddr, &size) == 3 && address >= vaddr &&
            address < vaddr + size)
            result = address - vaddr + offset;
    pclose(output);
    return result;
}

struct answer {
    char name[256], file[256];
    uint32_t line, defined;
    const char *problem;
};

static struct answer look_up_in(struct profile_object *object, const char *path, uint64_t address)
{
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    struct answer answer = {0};
    uint32_t index, location;

    object->kind = object->kind ? object->kind : PROFILE_OBJECT_FILE;
    cr_assert_eq(profile_string(profile, path, &object->path), 0);
    cr_assert_eq(profile_object(profile, object, &index), 0);
    cr_assert_eq(profile_location(profile, index, address, &location), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_LINE), 0);
    cr_assert_eq(symbolizer_define(symbolizer, location), 0);
    const struct profile_line *line = &profile->locations[location].lines[0];
    snprintf(answer.name, sizeof answer.name, "%s",
             profile->strings[profile->functions[line->function].name]);
    snprintf(answer.file, sizeof answer.file, "%s", profile->strings[line->file]);
    answer.line = line->line;
    answer.defined = profile->functions[line->function].line;
    answer.problem = symbolizer_problem(symbolizer, index);
    symbolizer_free(symbolizer);
    object->fd = -1;
    profile_free(profile);
    return answer;
}

static struct answer look_up(const char *name, uint64_t address)
{
    struct profile_object object = {.fd = -1};
    char path[256];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return look_up_in(&object, path, address);
}

static void expect_both(const char *file, const char *with_symbols, bool lines)
{
    struct answer quiet = look_up(file, offset_of(with_symbols, "quiet_one") + 2);
    struct answer loud = look_up(file, offset_of(with_symbols, "loud_one") + 2);

    cr_expect_str_eq(quiet.name, "quiet_one", "%s: %s", file, quiet.name);
    cr_expect_str_eq(loud.name, "loud_one", "%s: %s", file, loud.name);
    if (lines) {
        cr_expect_eq(quiet.line, 2, "%s: %u", file, quiet.line);
        cr_expect_eq(loud.defined, 3, "%s: %u", file, loud.defined);
        cr_expect_not_null(strstr(quiet.file, "/prog.c"));
    }
    cr_expect_null(loud.problem);
}

Test(symbol, every_kind_of_link)
{
    sh("gcc -O1 -g -pie -fPIE prog.c -o pie && gcc -O1 -g -no-pie prog.c -o nopie && "
       "gcc -O1 -g -shared -fPIC prog.c -o lib.so && "
       "gcc -O1 -g -Wl,-z,noseparate-code prog.c -o packed");
    expect_both("pie", "pie", true);
    expect_both("nopie", "nopie", true);
    expect_both("lib.so", "lib.so", true);
    expect_both("packed", "packed", true);
    if (system("gcc -O1 -g -static prog.c -o static 2>/dev/null") == 0)
        expect_both("static", "static", true);
}

Test(symbol, debug_file_by_debuglink)
{
    sh("gcc -O1 -g prog.c -o full && objcopy --only-keep-debug full full.debug && "
       "strip -o linked full && objcopy --add-gnu-debuglink=full.debug linked");
    expect_both("linked", "full", true);
}

Test(symbol, mini_debug_info)
{
    if (system("command -v xz >/dev/null 2>&1") != 0)
        cr_skip_test("xz is not installed");
    sh("gcc -O1 prog.c -o full && objcopy -S --remove-section .gnu_debuglink --keep-symbol=quiet_one "
       "--keep-symbol=loud_one full mini_debug && nm mini_debug >/dev/null && xz -f mini_debug && "
       "strip -o mini full && objcopy --add-section .gnu_debugdata=mini_debug.xz mini");
    expect_both("mini", "full", false);
}

Test(symbol, stripped_code_is_told_apart_by_function)
{
    sh("gcc -O1 prog.c -o full && strip -o bare full");
    struct answer quiet = look_up("bare", offset_of("full", "quiet_one") + 2);
    struct answer again = look_up("bare", offset_of("full", "quiet_one") + 4);
    struct answer loud = look_up("bare", offset_of("full", "loud_one") + 2);

    cr_assert_eq(strncmp(quiet.name, "bare+0x", 7), 0, "%s", quiet.name);
    cr_assert_str_eq(quiet.name, again.name);
    cr_assert_str_neq(quiet.name, loud.name);
    cr_assert_not_null(quiet.problem);
}

Test(symbol, a_replaced_file_is_not_believed)
{
    sh("gcc -O1 prog.c -o full");
    struct profile_object object = {.fd = -1, .inode = 12345};
    char path[256];

    snprintf(path, sizeof path, "%s/full", directory);
    struct answer answer = look_up_in(&object, path, offset_of("full", "loud_one") + 2);
    cr_assert_str_eq(answer.name, "[full]");
    cr_assert_str_eq(answer.problem, "file was replaced");
}

Test(symbol, a_deleted_file_is_read_through_its_descriptor)
{
    sh("gcc -O1 -g prog.c -o full && cp full gone");
    struct profile_object object = {.fd = open("gone", O_RDONLY), .deleted = true};
    uint64_t offset = offset_of("full", "loud_one") + 2;

    sh("rm gone");
    struct answer answer = look_up_in(&object, "/nowhere/gone", offset);
    cr_assert_str_eq(answer.name, "loud_one");
}

Test(symbol, no_file_at_all)
{
    struct answer answer = look_up("absent", 0x1234);

    cr_assert_str_eq(answer.name, "[absent]");
    cr_assert_str_eq(answer.problem, "file is gone");
    sh("mkfifo pipe && mkdir dir && : > empty && echo text > text");
    cr_assert_str_eq(look_up("pipe", 0).problem, "unreadable");
    cr_assert_str_eq(look_up("dir", 0).problem, "unreadable");
    cr_assert_str_eq(look_up("empty", 0).problem, "not an ELF file");
    cr_assert_str_eq(look_up("text", 0).problem, "not an ELF file");
}

Test(symbol, hostile_files_do_no_harm, .timeout = 120)
{
    static unsigned char bytes[1 << 20];

    sh("gcc -O1 -g prog.c -o full");
    FILE *file = fopen("full", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    srand(5);
    for (int i = 0; i < 200; i++) {
        static unsigned char changed[1 << 20];
        memcpy(changed, bytes, size);
        size_t kept = i < 64 ? size * (size_t)i / 64 : size;
        for (int flips = i < 64 ? 0 : 40; flips > 0; flips--)
            changed[(size_t)rand() % (flips % 2 ? size : 1024)] = (unsigned char)rand();
        file = fopen("hostile", "wb");
        cr_assert_eq(fwrite(changed, 1, kept, file), kept);
        fclose(file);
        look_up("hostile", 0x1130 + (uint64_t)i);
    }
}

Test(symbol, jit_code_is_named_by_its_map)
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
    } cases[] = {{0x1000, "old_name"}, {0x107f, "old_name"}, {0x1080, "newer name with spaces"},
                 {0x10bf, "newer name with spaces"},         {0x10c0, "old_name"},
                 {0x1100, "[anon]"},   {0x2000, "[anon]"},   {0x3001, "bad?[31mname"},
                 {0x4001, "[anon]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        object.fd = open("map", O_RDONLY);
        struct answer answer = look_up_in(&object, "//anon", cases[i].address);
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address,
                         answer.name);
    }
    object.fd = -1;
    cr_assert_not_null(look_up_in(&object, "//anon", 0x1000).problem);
}

#ifdef HAVE_LIBIBERTY
Test(demangle, knows_cxx_and_rust_and_leaves_c_alone)
{
    const char *const cases[][2] = {
        {"_ZN2ns1AIiE1fEi", "ns::A<int>::f(int)"},
        {"_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar"},
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *plain = demangle(cases[i][0]);
        cr_expect_str_eq(plain, cases[i][1]);
        free(plain);
    }
    cr_assert_null(demangle("i"));
    cr_assert_null(demangle("main"));
    cr_assert_null(demangle("_Z"));
}
#endif
