/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fixtures are compiled when the test runs; without a compiler there is nothing to test. */
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "symbol/symbol.h"

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static const char source[] =
    "volatile int x;\n"
    "__attribute__((noinline)) static int quiet_one(int a) { return a * x + 3; }\n"
    "__attribute__((noinline)) int loud_one(int a) { return quiet_one(a) + x * 5; }\n"
    "int main(void) { return loud_one(x); }\n";

/* The mock of a debuginfod server, a folder; libdw reads the environment when it is loaded,
 * and each test is a new process, so it is told before all of them. */
static char served[64];

ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    char text[128];

    (void)tests;
    snprintf(served, sizeof served, "/tmp/pprofil-served-%d", getpid());
    setenv("PPROFIL_TEST_SERVED", served, 1);
    snprintf(text, sizeof text, "file://%s/", served);
    setenv("DEBUGINFOD_URLS", text, 1);
    snprintf(text, sizeof text, "%s/cache", served);
    setenv("DEBUGINFOD_CACHE_PATH", text, 1);
    cr_assert(mkdir(served, 0700) == 0 && mkdir(text, 0700) == 0);
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    char command[128];

    (void)stats;
    snprintf(command, sizeof command, "rm -rf %s", served);
    cr_assert_eq(system(command), 0);
}

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

/* The address and the file offset of a symbol, from nm and readelf, which know nothing of our
 * code. */
static uint64_t address_of(const char *file, const char *symbol)
{
    char command[256], line[256];
    uint64_t address = 0;

    snprintf(command, sizeof command, "nm %s | awk '$3==\"%s\"{print $1}'", file, symbol);
    FILE *output = popen(command, "r");
    if (fgets(line, sizeof line, output) != NULL)
        address = strtoull(line, NULL, 16);
    pclose(output);
    cr_assert_neq(address, 0);
    return address;
}

static uint64_t offset_of(const char *file, const char *symbol)
{
    uint64_t address = address_of(file, symbol), offset, vaddr, size;
    char command[256], line[256];

    snprintf(command, sizeof command, "readelf -lW %s | awk '$1==\"LOAD\"{print $2,$3,$5}'", file);
    FILE *output = popen(command, "r");
    uint64_t result = 0;
    while (fgets(line, sizeof line, output) != NULL)
        if (sscanf(line, "%lx %lx %lx", &offset, &vaddr, &size) == 3 && address >= vaddr &&
            address < vaddr + size)
            result = address - vaddr + offset;
    pclose(output);
    return result;
}

struct answer {
    char name[256], system_name[256], file[256];
    uint32_t line, defined;
    const char *problem; /* until the next look-up */
};

static char problem_text[256];

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
    snprintf(answer.system_name, sizeof answer.system_name, "%s",
             profile->strings[profile->functions[line->function].system_name]);
    snprintf(answer.file, sizeof answer.file, "%s", profile->strings[line->file]);
    answer.line = line->line;
    answer.defined = profile->functions[line->function].line;
    const char *problem = symbolizer_problem(symbolizer, index);
    if (problem != NULL) /* borrowed */
        snprintf(problem_text, sizeof problem_text, "%s", problem);
    answer.problem = problem == NULL ? NULL : problem_text;
    symbolizer_free(symbolizer);
    object->fd = -1;
    profile_free(profile);
    return answer;
}

static struct answer look_up(const char *name, uint64_t address)
{
    struct profile_object object = {.fd = -1};
    char path[256];

    snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : directory,
             name[0] == '/' ? "" : "/", name);
    return look_up_in(&object, path, address);
}

static bool have(const char *program)
{
    char command[128];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

/* The first hexadecimal number that a command prints. */
static uint64_t number_from(const char *format, ...)
{
    char command[512], line[256] = "";
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *output = popen(command, "r");
    cr_assert_not_null(fgets(line, sizeof line, output), "%s", command);
    pclose(output);
    return strtoull(line, NULL, 16);
}

static uint64_t section_offset(const char *file, const char *section)
{
    return number_from("readelf -SW %s | sed -n 's/^ *\\[ *[0-9]*\\] %s  *[A-Z]* *[0-9a-f]* "
                       "\\([0-9a-f]*\\).*/\\1/p'",
                       file, section);
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
    sh("gcc -O1 -g -shared -fPIC -Wl,-Ttext-segment=0x3000000000 prog.c -o based.so");
    expect_both("based.so", "based.so", true);
    if (system("gcc -O1 -g -static prog.c -o static 2>/dev/null") == 0)
        expect_both("static", "static", true);
}

/* clang writes no .debug_aranges */
Test(symbol, lines_without_an_address_table)
{
    if (!have("clang"))
        cr_skip_test("clang is not installed");
    sh("clang -O1 -g prog.c -o modern && clang -O1 -gdwarf-4 prog.c -o older && "
       "clang -O1 -g -ffunction-sections -Wl,--gc-sections prog.c -o sections");
    expect_both("modern", "modern", true);
    expect_both("older", "older", true);
    expect_both("sections", "sections", true);
}

Test(symbol, source_paths_are_absolute_and_clean)
{
    sh("mkdir -p a/b && cp prog.c a/ && cd a/b && gcc -O1 -g .././../a//prog.c -o ../../tidy");
    struct answer answer = look_up("tidy", offset_of("tidy", "loud_one") + 2);
    char path[256];

    snprintf(path, sizeof path, "%s/a/prog.c", directory);
    cr_assert_str_eq(answer.file, path);
}

Test(symbol, plt_stubs_are_not_the_function_before_them)
{
    write_file("calls.c",
               "#include <stdlib.h>\nint main(int c, char **v) { return atoi(v[c - 1]); }\n");
    sh("gcc -O1 -Wl,-z,lazy calls.c -o calls && strip -o bare calls");
    uint64_t plt = section_offset("calls", ".plt");

    cr_assert_str_eq(look_up("calls", plt + 20).name, "[plt]");
    cr_assert_str_eq(look_up("bare", plt + 20).name, "[plt]");
    cr_assert_str_eq(look_up("calls", section_offset("calls", ".init")).name, "_init");
}

Test(symbol, assembler_reaches_to_the_next_symbol_or_the_end_of_its_section)
{
    write_file("sizes.s", ".text\n.globl plain\nplain: .fill 16,1,0x90\n"
                          ".globl sized\n.type sized,%function\nsized: .fill 8,1,0x90\n"
                          "label: .fill 8,1,0x90\n.size sized,16\n.fill 16,1,0x90\n"
                          ".globl last\nlast: .fill 16,1,0x90\n"
                          ".section .other,\"ax\",%progbits\n.fill 64,1,0x90\n"
                          ".data\n.globl datum\ndatum: .long 1\n"
                          ".section .note.GNU-stack,\"\",%progbits\n");
    sh("gcc -shared -nostdlib sizes.s -o sizes.so");
    uint64_t text = section_offset("sizes.so", ".text");

    cr_expect_str_eq(look_up("sizes.so", text + 15).name, "plain");
    cr_expect_str_eq(look_up("sizes.so", text + 16).name, "sized");
    cr_expect_str_eq(look_up("sizes.so", text + 28).name, "sized"); /* label is inside */
    cr_expect_str_eq(look_up("sizes.so", text + 40).name, "[sizes.so]");
    cr_expect_str_eq(look_up("sizes.so", text + 63).name, "last");
    cr_expect_str_eq(look_up("sizes.so", section_offset("sizes.so", ".other") + 8).name,
                     "[sizes.so]");
}

Test(symbol, the_plainest_global_name_wins)
{
    write_file("alias.c", "int __real_name(int a) { return a * 3; }\n"
                          "int name(int) __attribute__((alias(\"__real_name\")));\n"
                          "int aaa(int) __attribute__((weak, alias(\"__real_name\")));\n"
                          "static int (*choose(void))(int) { return name; }\n"
                          "int chosen(int) __attribute__((ifunc(\"choose\")));\n");
    sh("gcc -O1 -fPIC -shared alias.c -o alias.so");
    cr_expect_str_eq(look_up("alias.so", offset_of("alias.so", "name")).name, "name");
    const char *resolver = look_up("alias.so", offset_of("alias.so", "chosen")).name;
    cr_expect_str_eq(resolver, "chosen");
}

/* A file whose symbols are all at one address, and whose names are the ends of one of a megabyte.
 */
static void make_endless(const char *path, size_t count)
{
    static const char titles[] = "\0.text\0.symtab\0.strtab";
    static char names[1 << 20];
    const size_t symbols = count * sizeof(Elf64_Sym), head = 4096;
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_shoff = sizeof header + sizeof(Elf64_Phdr),
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 5,
        .e_shstrndx = 4};
    const Elf64_Phdr segment = {
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = head, .p_memsz = head};
    const Elf64_Shdr sections[5] = {
        [1] = {.sh_name = 1,
               .sh_type = SHT_PROGBITS,
               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
               .sh_addr = 0x800,
               .sh_offset = 0x800,
               .sh_size = 0x800},
        [2] = {.sh_name = 7,
               .sh_type = SHT_SYMTAB,
               .sh_offset = head,
               .sh_size = symbols,
               .sh_link = 3,
               .sh_entsize = sizeof(Elf64_Sym)},
        [3] = {.sh_name = 15,
               .sh_type = SHT_STRTAB,
               .sh_offset = head + symbols,
               .sh_size = sizeof names},
        [4] = {.sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = 0x400, .sh_size = sizeof titles},
    };
    FILE *file = fopen(path, "w");

    memset(names + 1, 'a', sizeof names - 2);
    fwrite(&header, sizeof header, 1, file);
    fwrite(&segment, sizeof segment, 1, file);
    fwrite(sections, sizeof sections, 1, file);
    fseek(file, 0x400, SEEK_SET);
    fwrite(titles, sizeof titles, 1, file);
    fseek(file, (long)head, SEEK_SET);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Sym symbol = {.st_name = (Elf64_Word)(1 + i * 7919 % (sizeof names / 2)),
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = 1,
                                  .st_value = 0x900,
                                  .st_size = 16};
        fwrite(&symbol, sizeof symbol, 1, file);
    }
    fwrite(names, sizeof names, 1, file);
    fclose(file);
}

/* Comparing these with one another to their ends takes minutes. */
Test(symbol, endless_names_are_none, .timeout = 20)
{
    make_endless("endless", 300000);
    cr_expect_str_eq(look_up("endless", 0x904).name, "[endless]");
}

Test(symbol, versions_are_no_part_of_a_name)
{
    write_file("version.c", "__asm__(\".symver old,f@V1\"); __asm__(\".symver new,f@@V2\");\n"
                            "int old(int a) { return a * 3; } int new(int a) { return a * 5; }\n");
    write_file("version.map", "V1 { global: f; local: *; }; V2 { global: f; } V1;\n");
    sh("gcc -O1 -fPIC -shared version.c -Wl,--version-script=version.map -o version.so");
    cr_expect_str_eq(look_up("version.so", offset_of("version.so", "old")).system_name, "f");
    cr_expect_str_eq(look_up("version.so", offset_of("version.so", "new")).name, "f");
}

Test(symbol, names_of_cxx_and_rust)
{
#ifndef HAVE_LIBIBERTY
    cr_skip_test("built without libiberty");
#endif
    if (!have("g++") && !have("rustc"))
        cr_skip_test("no C++ and no Rust compiler");
    if (have("g++")) {
        write_file("cxx.cc", "namespace a { template <class T> __attribute__((noinline)) T f(T x) {"
                             " return x * x; } template int f<int>(int); } int main() {}\n");
        sh("g++ -O1 cxx.cc -o cxx");
        struct answer answer = look_up("cxx", offset_of("cxx", "_ZN1a1fIiEET_S1_"));
        cr_expect_str_eq(answer.name, "int a::f<int>(int)");
        cr_expect_str_eq(answer.system_name, "_ZN1a1fIiEET_S1_");
    }
    static const char *const manglings[] = {"legacy", "v0"};
    write_file("r.rs",
               "mod inner { #[inline(never)] pub fn busy(n: usize) -> usize { n * 3 } }\n"
               "fn main() { std::process::exit(inner::busy(std::env::args().count()) as i32) }\n");
    for (size_t i = 0; have("rustc") && i < 2; i++) {
        char command[256];
        snprintf(command, sizeof command,
                 "rustc -O -C symbol-mangling-version=%s r.rs -o rust 2>/dev/null", manglings[i]);
        if (system(command) != 0)
            continue; /* this rustc knows only the other */
        char symbol[256] = "";
        FILE *output = popen("nm rust | awk '/inner.*busy/{print $3}'", "r");
        cr_assert_not_null(fgets(symbol, sizeof symbol, output));
        pclose(output);
        symbol[strcspn(symbol, "\n")] = '\0';
        cr_expect_not_null(strstr(look_up("rust", offset_of("rust", symbol)).name, "inner::busy"));
    }
}

/* Takes the build-id of a file; its text goes to *hex. */
static void read_build_id(const char *file, struct profile_object *object, char hex[64])
{
    char command[256];

    snprintf(command, sizeof command, "readelf -n %s | sed -n 's/.*Build ID: //p'", file);
    FILE *output = popen(command, "r");
    cr_assert_not_null(fgets(hex, 64, output));
    pclose(output);
    hex[strcspn(hex, "\n")] = '\0';
    object->build_id_size = (uint32_t)strlen(hex) / 2;
    for (uint32_t i = 0; i < object->build_id_size; i++)
        cr_assert_eq(sscanf(hex + 2 * i, "%2hhx", &object->build_id[i]), 1);
}

Test(symbol, a_build_id_must_fit)
{
    struct profile_object object = {.fd = -1};
    char path[256], hex[64];

    sh("gcc -O1 -Wl,--build-id=sha1 prog.c -o full && gcc -O1 -Wl,--build-id=none prog.c -o none");
    read_build_id("full", &object, hex);
    uint64_t offset = offset_of("full", "loud_one");
    snprintf(path, sizeof path, "%s/full", directory);
    cr_expect_str_eq(look_up_in(&object, path, offset).name, "loud_one");
    snprintf(path, sizeof path, "%s/none", directory);
    struct answer answer = look_up_in(&object, path, offset);
    cr_expect_str_eq(answer.name, "[none]");
    cr_expect_str_eq(answer.problem, "file was replaced");
}

static bool have_debuginfod(void)
{
    return system("ls /usr/lib*/libdebuginfod.so.1 /usr/lib*/*/libdebuginfod.so.1 2>/dev/null |"
                  " grep -q .") == 0;
}

Test(symbol, missing_files_are_fetched_by_build_id)
{
    struct profile_object object = {.fd = -1};
    const char *server = getenv("PPROFIL_TEST_SERVED");
    char hex[64], path[256];

    if (!have_debuginfod())
        cr_skip_test("libdebuginfod is not installed");
    sh("gcc -O1 -g -Wl,--build-id=sha1 prog.c -o full");
    read_build_id("full", &object, hex);
    sh("mkdir -p %s/buildid/%s && cp full %s/buildid/%s/executable && strip -o bare full && "
       "objcopy --only-keep-debug full %s/buildid/%s/debuginfo",
       server, hex, server, hex, server, hex);
    uint64_t offset = offset_of("full", "loud_one");
    struct answer answer = look_up_in(&object, "/nowhere/full", offset);
    cr_expect_str_eq(answer.name, "loud_one");
    cr_expect_null(answer.problem);

    snprintf(path, sizeof path, "%s/bare", directory);
    answer = look_up_in(&object, path, offset);
    cr_expect_str_eq(answer.name, "loud_one");
    cr_expect_eq(answer.defined, 3);
}

Test(symbol, names_need_no_debug_file_where_there_is_a_symbol_table)
{
    const char *server = getenv("PPROFIL_TEST_SERVED");
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    struct profile *profile = profile_new();
    struct symbolizer *symbolizer = symbolizer_new(profile);
    char path[256], hex[64];
    uint32_t index, location;

    if (!have_debuginfod())
        cr_skip_test("libdebuginfod is not installed");
    sh("gcc -O1 -Wl,--build-id=0x5eed5eed%08x prog.c -o full", getpid()); /* no other test's */
    read_build_id("full", &object, hex);
    snprintf(path, sizeof path, "%s/full", directory);
    cr_assert_eq(profile_string(profile, path, &object.path), 0);
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    cr_assert_eq(profile_location(profile, index, offset_of("full", "loud_one"), &location), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_NAME), 0);
    snprintf(path, sizeof path, "%s/cache/%s", server, hex); /* misses are noted there too */
    cr_expect_neq(access(path, F_OK), 0);
    cr_assert_eq(symbolizer_look_up(symbolizer, location, PROFILE_LOOKED_LINE), 0);
    cr_expect_eq(access(path, F_OK), 0);
    symbolizer_free(symbolizer);
    profile_free(profile);
}

Test(symbol, debug_file_by_debuglink)
{
    sh("gcc -O1 -g prog.c -o full && objcopy --only-keep-debug full full.debug && "
       "strip -o linked full && objcopy --add-gnu-debuglink=full.debug linked");
    expect_both("linked", "full", true);
    sh("gcc -O1 -g -Wl,--build-id prog.c -o full && mkdir .debug && "
       "objcopy --only-keep-debug full .debug/same && strip -o same full && "
       "objcopy --add-gnu-debuglink=.debug/same same");
    expect_both("same", "full", true);
}

Test(symbol, another_file_of_the_name_is_no_debug_file, .timeout = 20)
{
    static const char *const others[] = {"mkfifo full.debug", "mkdir full.debug",
                                         "echo no ELF file > full.debug",
                                         "gcc -O1 -g -DOTHER prog.c -o full.debug"};

    /* by its sum, and by its build-id */
    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
        sh("gcc -O1 -g -Wl,--build-id=%s prog.c -o full && "
           "objcopy --only-keep-debug full full.debug && strip -o linked full && "
           "objcopy --add-gnu-debuglink=full.debug linked",
           i % 2 == 0 ? "none" : "0x5eed");
        sh("rm full.debug && %s", others[i / 2]);
        struct answer answer = look_up("linked", offset_of("full", "quiet_one"));
        cr_expect_eq(strncmp(answer.name, "linked+0x", 9), 0, "%s: %s", others[i / 2], answer.name);
        sh("rm -r full.debug");
    }
}

/* A few kilobytes are 100 megabytes of zeros. */
Test(symbol, what_would_fill_the_memory_is_not_unpacked, .timeout = 60)
{
    if (system("command -v xz >/dev/null 2>&1") != 0)
        cr_skip_test("xz is not installed");
    sh("gcc -O1 prog.c -o full && head -c 100M /dev/zero >zeros && "
       "objcopy --add-section .debug_info=zeros full big && "
       "objcopy --compress-debug-sections=zlib big new && "
       "objcopy --compress-debug-sections=zlib-gnu big old && "
       "xz -0 zeros && strip -o bare full && objcopy --add-section .gnu_debugdata=zeros.xz bare");
    uint64_t offset = offset_of("full", "loud_one");
    static const char *const files[] = {"new", "old", "bare"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_str_eq(look_up(files[i], offset).problem, "unreadable: File too large", "%s",
                         files[i]);
}

Test(symbol, mini_debug_info)
{
    if (system("command -v xz >/dev/null 2>&1") != 0)
        cr_skip_test("xz is not installed");
    sh("gcc -O1 prog.c -o full && objcopy -S --remove-section .gnu_debuglink "
       "--keep-symbol=quiet_one "
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

/* Linkers make no index of the unwind table for those. */
Test(symbol, stripped_static_code_is_told_apart_by_function)
{
    char name[64];

    if (system("gcc -O1 -static prog.c -o full 2>/dev/null") != 0)
        cr_skip_test("nothing static is made here");
    sh("strip -o bare full && ! readelf -lW bare | grep -q EH_FRAME");
    for (unsigned i = 0; i < 2; i++) {
        const char *function = i == 0 ? "quiet_one" : "loud_one";
        struct answer answer = look_up("bare", offset_of("full", function) + 2);
        snprintf(name, sizeof name, "bare+0x%llx", (unsigned long long)address_of("full", function));
        cr_expect_str_eq(answer.name, name, "%s: %s", function, answer.name);
        cr_expect_not_null(answer.problem);
    }
}

Test(symbol, an_offset_without_code_has_no_name)
{
    sh("gcc -O1 prog.c -o full");
    cr_expect_str_eq(look_up("full", 0x10000000).name, "[full]");
    cr_expect_str_eq(look_up("full", UINT64_MAX).name, "[full]");
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
    cr_assert_str_eq(look_up("pipe", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("dir", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("/dev/zero", 0).problem, "unreadable: not a regular file");
    cr_assert_str_eq(look_up("empty", 0).problem, "not an ELF file");
    cr_assert_str_eq(look_up("text", 0).problem, "not an ELF file");
    sh("gcc prog.c -o full && gzip full"); /* offsets in it would mean nothing */
    cr_assert_str_eq(look_up("full.gz", 0).problem, "not an ELF file");
}

Test(symbol, descriptors_of_anything_do_no_harm, .timeout = 20)
{
    int pipes[2];

    cr_assert_eq(pipe(pipes), 0);
    const int fds[] = {pipes[0], open(".", O_RDONLY), open("/dev/null", O_RDONLY)};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        struct profile_object object = {.fd = fds[i]};
        cr_expect_not_null(look_up_in(&object, "/nowhere", 0x1000).problem);
    }
    close(pipes[1]);
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
        if (i % 4 == 0)
            sh("strip -o bare hostile 2>/dev/null || cp hostile bare");
        look_up("bare", 0x1130 + (uint64_t)i);
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
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address,
                         answer.name);
    }
    object.fd = -1;
    cr_assert_not_null(look_up_in(&object, "//anon", 0x1000).problem);
}

Test(symbol, later_lines_of_a_map_win_wherever_they_begin)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_ANON, .pid = 0x7ffffff0};
    FILE *file = fopen("map", "w");

    fputs("100 10000 before\n", file);
    for (unsigned i = 0; i < 1000; i++)
        fprintf(file, "%x 10 small\n", 0x1000 + 16 * i);
    fwrite("\0\0\0", 1, 3, file); /* a hole */
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
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address,
                         answer.name);
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
    dump_lines(file, 0x2000, 0x2040, "/src/b.js"); /* as V8 counts */
    dump_load(file, 0x2000, 16, 1, "second");
    dump_lines(file, 0x3000, 0x3000, "W\x01");
    dump_load(file, 0x3000, 16, 2, "third\n");
    dump_record(file, 1, move, sizeof move);
    dump_load(file, 0x1008, 4, 3, "over");
    dump_record(file, 3, "", 0);
    dump_load(file, 0x6000, 16, 4, "behind the end");
    fclose(file);
}

Test(symbol, jit_code_is_named_by_a_jitdump)
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
        cr_expect_str_eq(answer.name, cases[i].name, "%lx: %s", (unsigned long)cases[i].address,
                         answer.name);
        cr_expect_str_eq(answer.file, cases[i].file);
        cr_expect_eq(answer.line, cases[i].line);
    }
}

Test(symbol, a_damaged_jitdump_is_read_as_far_as_it_goes)
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
            cr_expect(strcmp(answer.name, "first") == 0 || strcmp(answer.name, "[jit]") == 0 ||
                          answer.name[0] == '\0',
                      "%zu: %s", i, answer.name);
    }
}

Test(symbol, a_map_is_found_by_process_and_only_a_plain_file_is_one, .timeout = 20)
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

Test(symbol, no_mapping_has_a_name_too)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};

    cr_assert_str_eq(look_up_in(&object, "[unknown]", 0x1000).name, "[unknown]");
}

#ifdef HAVE_LIBIBERTY
Test(demangle, leaves_names_that_would_fill_the_memory, .timeout = 20)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[512] = "_Z1fSt4pairIiiE", part[16];

    for (int i = 0; i < 30; i++) { /* each twice the one before: 2^30 ints */
        snprintf(part, sizeof part, "S_IS%c_S%c_E", digits[i], digits[i]);
        strcat(name, part);
    }
    cr_assert_null(demangle(name));
}

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
