/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of reading the machine code of functions. Some functions are of this program itself. Others are of the C
 * library, and their code is compared with what objdump prints. */
#include "config.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <criterion/criterion.h>

#include "symbol-fixture.h"

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
    return 1; /* ends the iteration: the first object is the program itself */
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
        cr_expect(has_line(reading.code, "/test-symbol-code.c", sample_line + i), "line %d", i);
    cr_expect(has_line(reading.code, "/test-symbol-code.c", inlined_line));
    cr_expect_not(has_line(reading.code, "/test-symbol-code.c", sample_line + 5));
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

/* --- no code -------------------------------------------------------------------------- */

TestSuite(none, .init = enter_directory, .fini = remove_directory);

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
