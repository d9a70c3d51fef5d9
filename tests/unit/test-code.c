/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The code of functions: of this program itself, of files made here, and of the C library as
 * objdump sees it. */
#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "symbol/function-code.h"
#include "symbol/symbol.h"

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static void sh(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

static bool have(const char *program)
{
    char command[128];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

static void need_disassembler(void)
{
#ifndef HAVE_CAPSTONE
    cr_skip_test("built without libcapstone");
#endif
}

static void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
}

static void remove_directory(void)
{
    sh("rm -rf %s", directory);
}

/* --- reading ------------------------------------------------------------------------- */

struct reading {
    struct profile *profile;
    struct symbolizer *symbolizer;
    struct symbol_code *code;
    int error;
    const char *problem;
};

static struct reading read_object(struct profile_object *object, const char *path, uint64_t place)
{
    struct reading reading = {.profile = profile_new()};
    uint32_t index, location;

    reading.symbolizer = symbolizer_new(reading.profile);
    cr_assert_eq(profile_string(reading.profile, path, &object->path), 0);
    cr_assert_eq(profile_object(reading.profile, object, &index), 0);
    cr_assert_eq(profile_location(reading.profile, index, place, &location), 0);
    reading.error = symbolizer_code(reading.symbolizer, location, &reading.code, &reading.problem);
    cr_assert_eq(reading.error == 0, reading.code != NULL);
    cr_assert_eq(reading.error == PPROFIL_ERROR_NO_CODE, reading.problem != NULL);
    return reading;
}

static struct reading read_file(const char *path, uint64_t place)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    char absolute[256];

    snprintf(absolute, sizeof absolute, "%s%s%s", path[0] == '/' ? "" : directory,
             path[0] == '/' ? "" : "/", path);
    return read_object(&object, absolute, place);
}

static void end_reading(struct reading *reading)
{
    symbol_code_free(reading->code);
    symbolizer_free(reading->symbolizer);
    profile_free(reading->profile);
}

static uint64_t end_of(const struct symbol_code *code)
{
    const struct symbol_instruction *last = &code->instructions[code->instruction_count - 1];

    return last->address + last->size;
}

/* One instruction follows the other, by address and by place, and all have a text. */
static void expect_whole(const struct symbol_code *code)
{
    cr_assert_not_null(code);
    cr_assert_gt(code->instruction_count, 0);
    cr_assert_str_eq(code->files[0], "");
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const struct symbol_instruction *at = &code->instructions[i];
        cr_assert_gt(at->size, 0);
        cr_assert_gt(strlen(at->text), 0);
        cr_assert_lt(at->file, code->file_count);
        cr_assert_eq(at->file == 0, at->line == 0);
        if (i > 0) {
            cr_assert_eq(at->address, at[-1].address + at[-1].size);
            cr_assert_eq(at->place, at[-1].place + at[-1].size);
        }
    }
}

static const struct symbol_instruction *find_place(const struct symbol_code *code, uint64_t place)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].place == place)
            return &code->instructions[i];
    return NULL;
}

static bool has_text(const struct symbol_code *code, const char *text)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (strstr(code->instructions[i].text, text) != NULL)
            return true;
    return false;
}

static bool has_line(const struct symbol_code *code, const char *file, int line)
{
    for (uint32_t i = 0; i < code->instruction_count; i++)
        if (code->instructions[i].line == (uint32_t)line &&
            strstr(code->files[code->instructions[i].file], file) != NULL)
            return true;
    return false;
}

/* What a file's own table says of a symbol, and where its code is in the file. */
static uint64_t find_symbol(const char *path, const char *name, struct symbol *symbol)
{
    struct symbol_table table;
    struct symbol_text text;
    uint64_t offset = 0;
    int fd = open(path, O_RDONLY);

    cr_assert_eq(symbol_text_of_file(fd, path, &text), 0);
    cr_assert_eq(symbol_table_read(fd, &table), 0);
    close(fd);
    for (size_t i = 0; i < table.count; i++)
        if (strcmp(table.symbols[i].name, name) == 0) {
            *symbol = table.symbols[i];
            cr_assert(symbol_text_offset(&text, symbol->address, &offset));
        }
    symbol_table_clear(&table);
    return offset;
}

/* --- this program -------------------------------------------------------------------- */

static volatile int sink;

__attribute__((noinline)) int code_called(int a)
{
    return a * sink;
}

static const int inlined_line = __LINE__ + 3;
static inline __attribute__((always_inline)) int code_inlined(int a)
{
    return a / sink;
}

static const int sample_line = __LINE__ + 3;
__attribute__((noinline)) int code_sample(int a)
{
    int b = code_called(a + sink) + 1;
    sink = code_inlined(b);
    return b * 3 + sink;
}

static int find_first_offset(struct dl_phdr_info *info, size_t size, void *data)
{
    uint64_t *place = data, address = *place - info->dlpi_addr;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && address - header->p_vaddr < header->p_filesz)
            *place = address - header->p_vaddr + header->p_offset;
    }
    return 1; /* the first is the program itself */
}

static uint64_t own_place(void *function)
{
    uint64_t place = (uintptr_t)function;

    dl_iterate_phdr(find_first_offset, &place);
    return place;
}

Test(code, is_all_of_the_function_from_anywhere_in_it)
{
    uint64_t place = own_place((void *)code_sample);
    struct reading first = read_file("/proc/self/exe", place);
    expect_whole(first.code);
    uint32_t count = first.code->instruction_count;
    struct reading last = read_file("/proc/self/exe", first.code->instructions[count - 1].place);

    expect_whole(last.code);
    cr_expect_eq(first.code->instructions[0].place, place);
    cr_expect_eq(last.code->instructions[0].place, place);
    cr_expect_eq(last.code->instruction_count, count);
    end_reading(&last);
    end_reading(&first);
}

Test(code, has_the_lines_of_the_compiler)
{
    struct reading reading = read_file("/proc/self/exe", own_place((void *)code_sample));

    expect_whole(reading.code);
    for (int i = 0; i < 3; i++)
        cr_expect(has_line(reading.code, "/test-code.c", sample_line + i), "line %d", i);
    cr_expect(has_line(reading.code, "/test-code.c", inlined_line));
    cr_expect_not(has_line(reading.code, "/test-code.c", sample_line + 5));
    end_reading(&reading);
}

Test(code, names_what_is_called)
{
    need_disassembler();
    struct reading reading = read_file("/proc/self/exe", own_place((void *)code_sample));

    cr_expect(has_text(reading.code, " <code_called>"));
    end_reading(&reading);
}

Test(code, of_the_kernels_own_object)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR); // NOLINT
    struct profile_object object = {.kind = PROFILE_OBJECT_VDSO};
    struct symbol symbol;
    char path[64];

    if (vdso == NULL)
        cr_skip_test("no vdso");
    object.fd = memfd_create("vdso", MFD_CLOEXEC);
    const ElfW(Ehdr) *header = (const void *)vdso;
    size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    cr_assert_eq(write(object.fd, vdso, size), (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", object.fd);
#ifdef __aarch64__
    uint64_t place = find_symbol(path, "__kernel_clock_gettime", &symbol);
#else
    uint64_t place = find_symbol(path, "__vdso_clock_gettime", &symbol);
#endif
    struct reading reading = read_object(&object, "[vdso]", place);
    expect_whole(reading.code);
    cr_expect_eq(reading.code->instructions[0].address, symbol.address);
    cr_expect_eq(end_of(reading.code), symbol.address + symbol.size);
    end_reading(&reading);
}

/* --- objdump as an oracle ------------------------------------------------------------ */

static void expect_as_objdump(const char *objdump, const char *path, const struct symbol_code *code)
{
    char command[512], line[1024];
    uint32_t i = 0;

    expect_whole(code);
    snprintf(command, sizeof command,
             "%s -d -w --no-show-raw-insn --start-address=%#lx --stop-address=%#lx %s", objdump,
             (unsigned long)code->instructions[0].address, (unsigned long)end_of(code), path);
    FILE *output = popen(command, "r");
    while (fgets(line, sizeof line, output) != NULL) {
        char *end;
        uint64_t address = strtoull(line, &end, 16);
        if (line[0] != ' ' || *end != ':')
            continue;
        cr_assert_lt(i, code->instruction_count, "%s: objdump has more: %s", path, line);
        cr_assert_eq(code->instructions[i].address, address, "%s: %lx %s, but %s", path,
                     (unsigned long)code->instructions[i].address, code->instructions[i].text,
                     line);
        i++;
    }
    pclose(output);
    cr_assert_eq(i, code->instruction_count);
}

Test(code, is_cut_where_objdump_cuts, .timeout = 120)
{
    static const char *const names[] = {"malloc",  "qsort_r", "fopen",   "getenv",  "printf",
                                        "regcomp", "fnmatch", "strtold", "vsyslog", "getaddrinfo",
                                        "glob",    "memmem",  "wcsncpy", "readdir"};
    Dl_info info;

    need_disassembler();
    if (!have("objdump"))
        cr_skip_test("no objdump");
    cr_assert_neq(dladdr((void *)gnu_get_libc_version, &info), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct symbol symbol;
        uint64_t place = find_symbol(info.dli_fname, names[i], &symbol);
        cr_assert_neq(place, 0, "%s", names[i]);
        struct reading reading = read_file(info.dli_fname, place + symbol.size / 2);
        cr_expect_eq(reading.code->instructions[0].place, place);
        expect_as_objdump("objdump", info.dli_fname, reading.code);
        end_reading(&reading);
    }
}

/* --- files made here ----------------------------------------------------------------- */

static void make_files(void)
{
    if (!have("gcc") || !have("strip") || !have("objcopy") || !have("objdump"))
        cr_skip_test("no compiler here");
    make_directory();
    FILE *file = fopen("prog.c", "w");
    fputs("volatile int x;\n"
          "__attribute__((noinline)) static int quiet_one(int a) { return a * x + 3; }\n"
          "__attribute__((noinline)) int loud_one(int a) { return quiet_one(a) + x * 5; }\n"
          "int main(void) { return loud_one(x); }\n",
          file);
    fclose(file);
}

TestSuite(files, .init = make_files, .fini = remove_directory);

/* Its loud_one is whole, named and where objdump has it; with_symbols is the same file. */
static void expect_loud(const char *file, const char *with_symbols, bool lines)
{
    struct symbol symbol;
    uint64_t place = find_symbol(with_symbols, "loud_one", &symbol);
    struct reading reading = read_file(file, place + 4);

    expect_whole(reading.code);
    cr_expect_eq(reading.code->instructions[0].place, place);
    cr_expect_eq(reading.code->instructions[0].address, symbol.address);
    cr_expect_eq(end_of(reading.code), symbol.address + symbol.size, "%s", file);
    cr_expect_eq(has_line(reading.code, "/prog.c", 3), lines, "%s", file);
#ifdef HAVE_CAPSTONE
    expect_as_objdump("objdump", file, reading.code);
#endif
    end_reading(&reading);
}

Test(files, of_every_kind)
{
    sh("gcc -O1 -g -no-pie prog.c -o nopie && gcc -O1 -g -Wl,-z,noseparate-code prog.c -o packed"
       " && gcc -O1 -g -shared -fPIC -Wl,-Ttext-segment=0x3000000000 prog.c -o based.so");
    expect_loud("nopie", "nopie", true);
    expect_loud("packed", "packed", true);
    expect_loud("based.so", "based.so", true);
    sh("objcopy --only-keep-debug nopie nopie.debug && strip -o linked nopie && "
       "objcopy --add-gnu-debuglink=nopie.debug linked");
    expect_loud("linked", "nopie", true);
}

/* As prelink leaves them: the debug file knows other addresses. */
Test(files, moved_since_their_debug_file_was_made)
{
    sh("gcc -O1 -g -shared -fPIC -Wl,--build-id=none prog.c -o low.so && "
       "gcc -O1 -g -shared -fPIC -Wl,--build-id=none -Wl,-Ttext-segment=0x3000000000 prog.c "
       "-o high.so && objcopy --only-keep-debug low.so low.debug && strip -o moved.so high.so && "
       "objcopy --add-gnu-debuglink=low.debug moved.so");
    expect_loud("moved.so", "high.so", true);
}

Test(files, stripped_ones_have_their_unwind_table)
{
    sh("gcc -O1 prog.c -o full && strip -o bare full");
    expect_loud("bare", "full", false);
}

Test(files, of_32_bits)
{
    if (system("gcc -m32 -O1 -g -no-pie prog.c -o small 2>/dev/null") != 0)
        cr_skip_test("no 32-bit compiler");
    expect_loud("small", "small", true);
}

Test(files, of_another_machine)
{
    need_disassembler();
    if (!have("aarch64-linux-gnu-gcc") || !have("aarch64-linux-gnu-objdump"))
        cr_skip_test("no cross compiler");
    sh("aarch64-linux-gnu-gcc -O1 -g prog.c -o arm");
    struct symbol symbol;
    uint64_t place = find_symbol("arm", "loud_one", &symbol);
    struct reading reading = read_file("arm", place + 8);
    expect_as_objdump("aarch64-linux-gnu-objdump", "arm", reading.code);
    cr_expect(has_text(reading.code, " <quiet_one>"));
    cr_expect(has_line(reading.code, "/prog.c", 3));
    end_reading(&reading);
}

/* A shared library of one piece of assembler; the place of its symbol "start". */
static uint64_t assemble(const char *file, const char *text)
{
    struct symbol symbol;
    FILE *source = fopen("made.s", "w");

    fprintf(source, ".text\n.globl start\nstart: %s\n.section .note.GNU-stack,\"\",%%progbits\n",
            text);
    fclose(source);
    sh("gcc -shared -nostdlib made.s -o %s", file);
    return find_symbol(file, "start", &symbol);
}

#ifdef __x86_64__
Test(files, what_is_no_instruction_is_a_byte)
{
    need_disassembler();
    uint64_t place = assemble("bad.so", "nop\n.byte 0x06, 0x07\nret\n.byte 0xe8, 0");
    struct reading reading = read_file("bad.so", place);

    expect_whole(reading.code);
    cr_assert_eq(reading.code->instruction_count, 6);
    cr_expect_str_eq(reading.code->instructions[0].text, "nop");
    cr_expect_str_eq(reading.code->instructions[1].text, ".byte  0x06");
    cr_expect_str_eq(reading.code->instructions[2].text, ".byte  0x07");
    cr_expect_str_eq(reading.code->instructions[4].text, ".byte  0xe8");
    end_reading(&reading);
}

Test(files, text_is_as_people_read_it)
{
    need_disassembler();
    uint64_t place =
        assemble("text.so", "mov %rax,%rbx\nmov 8(%rax,%rcx,4),%edx\n1: jne 1b\njmp start\n"
                            "call *%rax\nleave");
    static const char *const texts[] = {"movq   %rax,%rbx",
                                        "movl   8(%rax,%rcx,4),%edx",
                                        " <start+0x7>",
                                        " <start>",
                                        "*%rax",
                                        "leave"};
    struct reading reading = read_file("text.so", place);

    expect_whole(reading.code);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect(strstr(reading.code->instructions[i].text, texts[i]) != NULL, "%s: %s", texts[i],
                  reading.code->instructions[i].text);
    end_reading(&reading);
}
#endif

Test(files, unknown_code_is_shown_some_way_around)
{
    uint64_t place = assemble("gap.so", ".fill 32768,1,0x90\n.hidden start");

    sh("strip gap.so");
    struct reading middle = read_file("gap.so", place + 16384);
    struct reading begin = read_file("gap.so", place + 16);
    expect_whole(middle.code);
    cr_expect_eq(end_of(middle.code) - middle.code->instructions[0].address, 4096);
    cr_expect_not_null(find_place(middle.code, place + 16384));
    cr_expect_eq(begin.code->instructions[0].place, place);
    end_reading(&middle);
    end_reading(&begin);
}

/* --- hostile ------------------------------------------------------------------------- */

Test(files, a_symbol_of_any_size_is_shown_in_part)
{
    uint64_t place = assemble("huge.so", ".size start, 0x1000000000000000\n.fill 0x300000,1,0x90");
    struct reading begin = read_file("huge.so", place + 1);
    struct reading late = read_file("huge.so", place + 0x200000);
    struct reading near = read_file("huge.so", place + 0xf0000);

    expect_whole(begin.code);
    cr_expect_eq(begin.code->instructions[0].place, place);
    cr_expect_leq(begin.code->instruction_count, 65536);
    expect_whole(late.code);
    cr_expect_not_null(find_place(late.code, place + 0x200000));
    expect_whole(near.code);
#ifdef HAVE_CAPSTONE
    cr_expect_not_null(find_place(near.code, place + 0xf0000));
#endif
    end_reading(&begin);
    end_reading(&late);
    end_reading(&near);
}

static size_t load(const char *path, unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t got = fread(bytes, 1, size, file);

    fclose(file);
    return got;
}

static void store(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Whatever is read is whole, or there is a reason. */
static void expect_sane(const char *path, uint64_t place)
{
    struct reading reading = read_file(path, place);

    if (reading.error == 0)
        expect_whole(reading.code);
    else
        cr_expect_eq(reading.error, PPROFIL_ERROR_NO_CODE);
    end_reading(&reading);
}

Test(files, cut_off_anywhere, .timeout = 120)
{
    static unsigned char bytes[1 << 20];
    struct symbol symbol;

    sh("gcc -O1 -g prog.c -o full");
    size_t size = load("full", bytes, sizeof bytes);
    uint64_t place = find_symbol("full", "loud_one", &symbol);
    for (size_t kept = 0; kept < size; kept += size / 97) {
        store("cut", bytes, kept);
        expect_sane("cut", place);
    }
    store("cut", bytes, place + 5);
    struct reading inside = read_file("cut", place + 2);
    struct reading behind = read_file("cut", place + 8);
    cr_expect(inside.error == PPROFIL_ERROR_NO_CODE || end_of(inside.code) == symbol.address + 5);
    cr_expect_eq(behind.error, PPROFIL_ERROR_NO_CODE);
    end_reading(&inside);
    end_reading(&behind);
}

Test(files, with_segments_and_sections_outside_of_it)
{
    static const uint64_t numbers[] = {
        0, 1, 4096, 1u << 31, UINT64_C(1) << 60, UINT64_MAX - 4095, UINT64_MAX};
    static unsigned char bytes[1 << 20];
    struct symbol symbol;

    sh("gcc -O1 -g prog.c -o full");
    size_t size = load("full", bytes, sizeof bytes);
    uint64_t place = find_symbol("full", "loud_one", &symbol);
    const ElfW(Ehdr) *header = (const void *)bytes;
    for (size_t field = 0; field < 6 * sizeof numbers / sizeof *numbers; field++) {
        static unsigned char changed[1 << 20];
        uint64_t number = numbers[field / 6];
        memcpy(changed, bytes, size);
        for (int i = 0; i < header->e_phnum && field % 6 < 3; i++) {
            ElfW(Phdr) *segment = (ElfW(Phdr) *)(void *)(changed + header->e_phoff) + i;
            *(field % 6 == 0   ? &segment->p_offset
              : field % 6 == 1 ? &segment->p_vaddr
                               : &segment->p_filesz) = number;
        }
        for (int i = 0; i < header->e_shnum && field % 6 >= 3; i++) {
            ElfW(Shdr) *section = (ElfW(Shdr) *)(void *)(changed + header->e_shoff) + i;
            *(field % 6 == 3   ? &section->sh_offset
              : field % 6 == 4 ? &section->sh_addr
                               : &section->sh_size) = number;
        }
        store("outside", changed, size);
        expect_sane("outside", place);
        expect_sane("outside", number);
    }
}

Test(files, with_anything_in_it, .timeout = 180)
{
    static unsigned char bytes[1 << 20], changed[1 << 20];
    struct symbol symbol;

    sh("gcc -O1 -g prog.c -o full");
    size_t size = load("full", bytes, sizeof bytes);
    uint64_t place = find_symbol("full", "loud_one", &symbol);
    srand(7);
    for (int i = 0; i < 300; i++) {
        memcpy(changed, bytes, size);
        for (int flips = 40; flips > 0; flips--)
            changed[(size_t)rand() % (flips % 2 ? size : 1024)] = (unsigned char)rand();
        store("hostile", changed, size);
        expect_sane("hostile", place);
    }
}

/* --- none ---------------------------------------------------------------------------- */

TestSuite(none, .init = make_directory, .fini = remove_directory);

static void expect_problem(enum profile_object_kind kind, const char *path, const char *problem)
{
    struct profile_object object = {.kind = kind, .fd = -1, .pid = 0x7ffffff0};
    struct reading reading = read_object(&object, path, 0x1000);

    cr_expect_eq(reading.error, PPROFIL_ERROR_NO_CODE);
    cr_expect_not_null(strstr(reading.problem, problem), "%s", reading.problem);
    end_reading(&reading);
}

Test(none, says_why)
{
    expect_problem(PROFILE_OBJECT_ANON, "//anon", "code made at run time");
    expect_problem(PROFILE_OBJECT_UNKNOWN, "[unknown]", "no file");
    expect_problem(PROFILE_OBJECT_VDSO, "[vdso]", "the kernel's");
    expect_problem(PROFILE_OBJECT_FILE, "/nowhere/absent", "file is gone");
    sh("echo text >text");
    char path[64];
    snprintf(path, sizeof path, "%s/text", directory);
    expect_problem(PROFILE_OBJECT_FILE, path, "not an ELF file");
    struct reading reading = read_file("/proc/self/exe", UINT64_MAX);
    cr_expect_eq(reading.error, PPROFIL_ERROR_NO_CODE);
    cr_expect_not_null(strstr(reading.problem, "nothing is loaded"));
    end_reading(&reading);
}
