/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of names, lines and boundaries of functions in ELF files, and of demangling. */
#include "config.h"

#include <elf.h>

#include <criterion/criterion.h>

#include "symbol-fixture.h"

TestSuite(names, .init = make_program, .fini = remove_directory);

Test(names, every_kind_of_link)
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
Test(names, lines_without_an_address_table)
{
    if (!have("clang"))
        cr_skip_test("clang is not installed");
    sh("clang -O1 -g prog.c -o modern && clang -O1 -gdwarf-4 prog.c -o older && "
       "clang -O1 -g -ffunction-sections -Wl,--gc-sections prog.c -o sections");
    expect_both("modern", "modern", true);
    expect_both("older", "older", true);
    expect_both("sections", "sections", true);
}

Test(names, source_paths_are_absolute_and_clean)
{
    sh("mkdir -p a/b && cp prog.c a/ && cd a/b && gcc -O1 -g .././../a//prog.c -o ../../tidy");
    struct answer answer = look_up("tidy", offset_of("tidy", "loud_one") + 2);
    char path[256];

    snprintf(path, sizeof path, "%s/a/prog.c", directory);
    cr_assert_str_eq(answer.file, path);
}

Test(names, plt_stubs_are_not_the_function_before_them)
{
    write_file("calls.c", "#include <stdlib.h>\nint main(int c, char **v) { return atoi(v[c - 1]); }\n");
    sh("gcc -O1 -Wl,-z,lazy calls.c -o calls && strip -o bare calls");
    uint64_t plt = section_offset("calls", ".plt");

    cr_assert_str_eq(look_up("calls", plt + 20).name, "[plt]");
    cr_assert_str_eq(look_up("bare", plt + 20).name, "[plt]");
    cr_assert_str_eq(look_up("calls", section_offset("calls", ".init")).name, "_init");
}

Test(names, assembler_reaches_to_the_next_symbol_or_the_end_of_its_section)
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
    cr_expect_str_eq(look_up("sizes.so", text + 28).name, "sized"); /* `label` is inside `sized` */
    cr_expect_str_eq(look_up("sizes.so", text + 40).name, "[sizes.so]");
    cr_expect_str_eq(look_up("sizes.so", text + 63).name, "last");
    cr_expect_str_eq(look_up("sizes.so", section_offset("sizes.so", ".other") + 8).name, "[sizes.so]");
}

/* nasm gives its local labels such names. Compilers give them to parts of functions, with a type and a size */
Test(names, a_local_label_is_no_function)
{
    write_file("labels.s", ".text\n.globl outer\nouter: .fill 8,1,0x90\n"
                           "outer.loop: .fill 8,1,0x90\nouter.end: .fill 8,1,0x90\n"
                           "work: .fill 8,1,0x90\nother.label: .fill 8,1,0x90\n"
                           ".type work.cold,%function\nwork.cold: .fill 8,1,0x90\n.size work.cold,8\n"
                           ".section .note.GNU-stack,\"\",%progbits\n");
    sh("gcc -shared -nostdlib labels.s -o labels.so");
    uint64_t text = section_offset("labels.so", ".text");

    cr_expect_str_eq(look_up("labels.so", text + 10).name, "outer");
    cr_expect_str_eq(look_up("labels.so", text + 20).name, "outer");
    cr_expect_str_eq(look_up("labels.so", text + 28).name, "work");
    cr_expect_str_eq(look_up("labels.so", text + 36).name, "other.label");
    cr_expect_str_eq(look_up("labels.so", text + 44).name, "work.cold");
}

Test(names, the_plainest_global_name_wins)
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

/* Makes a file whose symbols all have the same address. Their names are all in one text of 1 MiB: each name begins at a
 * different byte, and reaches to the end of the text. */
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

/* To compare 300000 names of up to 1 MiB to their ends would take minutes. */
Test(names, endless_names_are_none, .timeout = 20)
{
    make_endless("endless", 300000);
    cr_expect_str_eq(look_up("endless", 0x904).name, "[endless]");
}

Test(names, versions_are_no_part_of_a_name)
{
    write_file("version.c", "__asm__(\".symver old,f@V1\"); __asm__(\".symver new,f@@V2\");\n"
                            "int old(int a) { return a * 3; } int new(int a) { return a * 5; }\n");
    write_file("version.map", "V1 { global: f; local: *; }; V2 { global: f; } V1;\n");
    sh("gcc -O1 -fPIC -shared version.c -Wl,--version-script=version.map -o version.so");
    cr_expect_str_eq(look_up("version.so", offset_of("version.so", "old")).system_name, "f");
    cr_expect_str_eq(look_up("version.so", offset_of("version.so", "new")).name, "f");
}

/* as libc's free, which is cfree@GLIBC_2.2.5, too */
Test(names, names_for_old_programs_lose)
{
    write_file("compat.c", "__asm__(\".symver __free,free@@V1\"); __asm__(\".symver __aaa,aaa@V1\");\n"
                           "int __free(int a) { return a * 3; }\n"
                           "extern int __aaa(int) __attribute__((alias(\"__free\")));\n");
    write_file("compat.map", "V1 { global: free; aaa; local: *; };\n");
    sh("gcc -O1 -fPIC -shared compat.c -Wl,--version-script=compat.map -o compat.so && strip -o bare.so compat.so");
    uint64_t place = offset_of("compat.so", "__free");
    cr_expect_str_eq(look_up("compat.so", place).name, "free");
    cr_expect_str_eq(look_up("bare.so", place).name, "free");
}

Test(names, names_of_cxx_and_rust)
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
    write_file("r.rs", "mod inner { #[inline(never)] pub fn busy(n: usize) -> usize { n * 3 } }\n"
                       "fn main() { std::process::exit(inner::busy(std::env::args().count()) as i32) }\n");
    for (size_t i = 0; have("rustc") && i < 2; i++) {
        char command[256];
        snprintf(command, sizeof command,
                 "rustc -O -C symbol-mangling-version=%s r.rs -o rust 2>/dev/null", manglings[i]);
        if (system(command) != 0)
            continue; /* this rustc does not know this mangling */
        char symbol[256] = "";
        FILE *output = popen("nm rust | awk '/inner.*busy/{print $3}'", "r");
        cr_assert_not_null(fgets(symbol, sizeof symbol, output));
        pclose(output);
        symbol[strcspn(symbol, "\n")] = '\0';
        cr_expect_not_null(strstr(look_up("rust", offset_of("rust", symbol)).name, "inner::busy"));
    }
}

Test(names, stripped_code_is_told_apart_by_function)
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

/* Linkers make no index of the unwind table for static programs. */
Test(names, stripped_static_code_is_told_apart_by_function)
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

Test(names, an_offset_without_code_has_no_name)
{
    sh("gcc -O1 prog.c -o full");
    cr_expect_str_eq(look_up("full", 0x10000000).name, "[full]");
    cr_expect_str_eq(look_up("full", UINT64_MAX).name, "[full]");
}

Test(names, no_mapping_has_a_name_too)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_UNKNOWN, .fd = -1};

    cr_assert_str_eq(look_up_in(&object, "[unknown]", 0x1000).name, "[unknown]");
}

Test(demangle, knows_fortran)
{
    char *plain = demangle("__my_module_MOD_leaf_c"), *clone = demangle("__m_MOD_f.constprop.0");

    cr_expect_str_eq(plain, "my_module::leaf_c");
    cr_expect_str_eq(clone, "m::f.constprop.0");
    free(plain);
    free(clone);
    cr_assert_null(demangle("__m_MOD_"));
    cr_assert_null(demangle("___MOD_f"));
    cr_assert_null(demangle("__MOD_f"));
    cr_assert_null(demangle("_m_MOD_f"));
    cr_assert_null(demangle("__Mod_MOD_f"));
    cr_assert_null(demangle("__"));
}

#ifdef HAVE_LIBIBERTY
Test(demangle, leaves_names_that_would_fill_the_memory, .timeout = 20)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[512] = "_Z1fSt4pairIiiE", part[16];

    for (int i = 0; i < 30; i++) { /* each part doubles the type before it, so the whole name would have 2^30 ints */
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
