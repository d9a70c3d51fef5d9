/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame sizes in the table of a real Go program, compared with .debug_frame at each instruction. The program is built
 * for each machine whose stacks are unwound. Without a Go compiler, the tests are skipped. */
#include "config.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "pclntab/pclntab.h"
#include "test-directory.h"

static void begin_oracle(void)
{
    if (!have("go"))
        cr_skip_test("no Go compiler here");
    enter_directory();
    write_file("prog.go", "package main\n"
                          "func main() { println(\"Hello\", len(make([]int, 3))) }\n");
    setenv("GOCACHE", in_directory("cache"), 1);
    setenv("GO111MODULE", "off", 1);
    setenv("CGO_ENABLED", "0", 1);
}

TestSuite(pclntab_oracle, .init = begin_oracle, .fini = remove_directory, .timeout = 300);

struct oracle {
    Dwarf_CFI *frames;
    struct pclntab *table;
    unsigned step;         /* bytes from one instruction to the next, or 1 */
    uint32_t return_size;  /* bytes of the return address that a call pushes */
    uint64_t equal, wrong; /* results */
};

/* Returns the distance of the CFA from the stack pointer, as .debug_frame says it. -1: it has none there. */
static int64_t cfa_distance(Dwarf_CFI *frames, uint64_t address)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *operations;
    int64_t distance = -1;
    size_t count;

    if (dwarf_cfi_addrframe(frames, address, &frame) != 0)
        return -1;
    if (dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1)
        distance = (int64_t)(operations->atom == DW_OP_bregx ? operations->number2 : operations->number);
    free(frame);
    return distance;
}

static void compare_function(struct oracle *oracle, const struct pclntab_function *function)
{
    uint32_t size;

    for (uint64_t at = function->start; at < function->end; at += oracle->step) {
        int64_t distance = cfa_distance(oracle->frames, at);
        /* reflectcall has a function with a frame of 1 GiB, which is larger than any stack */
        if (distance < 0 || distance > 1 << 30)
            continue;
        if (pclntab_frame_size(oracle->table, function, at, &size) && size + oracle->return_size == distance)
            oracle->equal++;
        else
            oracle->wrong++;
    }
}

static void compare_frames(const char *machine, unsigned step, uint32_t return_size)
{
    struct oracle oracle = {.step = step, .return_size = return_size};
    struct pclntab_function function;

    sh("GOARCH=%s go build -o prog prog.go", machine);
    int fd = open("prog", O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    oracle.frames = dwarf_getcfi(dwarf);
    cr_assert_not_null(oracle.frames);
    cr_assert_eq(pclntab_open(elf, &oracle.table), 0);
    for (uint32_t i = 0; i < pclntab_count(oracle.table); i++)
        if (pclntab_function(oracle.table, i, &function))
            compare_function(&oracle, &function);
    cr_expect_eq(oracle.wrong, 0, "%s: %lu", machine, (unsigned long)oracle.wrong);
    cr_expect_gt(oracle.equal, 50000, "%s: %lu", machine, (unsigned long)oracle.equal);
    pclntab_close(oracle.table);
    dwarf_end(dwarf);
    elf_end(elf);
    close(fd);
}

Test(pclntab_oracle, x86_64)
{
    compare_frames("amd64", 1, 8);
}

Test(pclntab_oracle, i386)
{
    compare_frames("386", 1, 4);
}

Test(pclntab_oracle, aarch64)
{
    compare_frames("arm64", 4, 0);
}
