/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of the code of functions in files that the tests make: files of all kinds, cut files and damaged files. */
#include "config.h"

#include <elf.h>
#include <link.h>

#include <criterion/criterion.h>

#include "symbol-fixture.h"

TestSuite(code_files, .init = make_program, .fini = remove_directory);

/* Expects that the code of loud_one in a file is complete, and has the same addresses as in objdump. `with_symbols` is
 * the same file before it was stripped. */
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

Test(code_files, of_every_kind)
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

/* prelink changes the addresses in a file after the file's debug file was made. So the debug file has other
 * addresses. */
Test(code_files, moved_since_their_debug_file_was_made)
{
    sh("gcc -O1 -g -shared -fPIC -Wl,--build-id=none prog.c -o low.so && "
       "gcc -O1 -g -shared -fPIC -Wl,--build-id=none -Wl,-Ttext-segment=0x3000000000 prog.c "
       "-o high.so && objcopy --only-keep-debug low.so low.debug && strip -o moved.so high.so && "
       "objcopy --add-gnu-debuglink=low.debug moved.so");
    expect_loud("moved.so", "high.so", true);
}

Test(code_files, stripped_ones_have_their_unwind_table)
{
    sh("gcc -O1 prog.c -o full && strip -o bare full");
    expect_loud("bare", "full", false);
}

Test(code_files, of_32_bits)
{
    if (system("gcc -m32 -O1 -g -no-pie prog.c -o small 2>/dev/null") != 0)
        cr_skip_test("no 32-bit compiler");
    expect_loud("small", "small", true);
}

Test(code_files, of_another_machine)
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

/* Assembles text into a shared library, and returns the offset of its symbol "start". */
static uint64_t assemble(const char *file, const char *text)
{
    struct symbol symbol;
    FILE *source = fopen("made.s", "w");

    fprintf(source, ".text\n.globl start\nstart: %s\n.section .note.GNU-stack,\"\",%%progbits\n", text);
    fclose(source);
    sh("gcc -shared -nostdlib made.s -o %s", file);
    return find_symbol(file, "start", &symbol);
}

#ifdef __x86_64__
Test(code_files, what_is_no_instruction_is_a_byte)
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

Test(code_files, text_is_as_people_read_it)
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

Test(code_files, unknown_code_is_shown_some_way_around)
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

Test(code_files, a_symbol_of_any_size_is_shown_in_part)
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

/* Expects complete code, or the error PPROFIL_ERROR_NO_CODE. */
static void expect_sane(const char *path, uint64_t place)
{
    struct reading reading = read_file(path, place);

    if (reading.error == 0)
        expect_whole(reading.code);
    else
        cr_expect_eq(reading.error, PPROFIL_ERROR_NO_CODE);
    end_reading(&reading);
}

Test(code_files, cut_off_anywhere, .timeout = 120)
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

Test(code_files, with_segments_and_sections_outside_of_it)
{
    static const uint64_t numbers[] = {0, 1, 4096, 1u << 31, UINT64_C(1) << 60, UINT64_MAX - 4095, UINT64_MAX};
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

Test(code_files, with_anything_in_it, .timeout = 180)
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
