/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where frame descriptions are found in files, and files that are damaged or come late. */
#include "config.h"

#include "unwind-fixture.h"

Test(unwind, debug_frame)
{
    char text[sizeof wide + 64];

    snprintf(text, sizeof text, ".cfi_sections .debug_frame\n%s", wide);
    struct fixture *fixture = make_fixture(text, "gcc -Wl,--compress-debug-sections=zlib");
    sh("readelf -SW frames.so | grep -q 'debug_frame.* C '");
    put_middle(fixture, code(fixture, "middle_back"));
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    free_fixture(fixture);
}

/* The frame descriptions are only in the file that .gnu_debuglink names. */
static void expect_linked(const char *build_id, const char *command, bool found)
{
    char text[sizeof wide + 64], compiler[64];

    snprintf(text, sizeof text, ".cfi_sections .debug_frame\n%s", wide);
    snprintf(compiler, sizeof compiler, "gcc -Wl,--build-id=%s", build_id);
    struct fixture *fixture = make_fixture(text, compiler);
    sh("objcopy --only-keep-debug frames.so frames.debug && objcopy -g frames.so linked.so && "
       "objcopy --add-gnu-debuglink=frames.debug linked.so && %s", command);
    close(fixture->fd);
    fixture->fd = open("linked.so", O_RDONLY);
    put_middle(fixture, code(fixture, "middle_back"));
    walk(fixture, code(fixture, "leaf"));
    if (found)
        expect(fixture, UNWIND_COMPLETE, 3, "=leaf", "middle_back", "outer_back");
    else
        cr_expect_neq(fixture->stack.end, UNWIND_COMPLETE, "%s", command);
    free_fixture(fixture);
}

Test(unwind, debug_frame_in_a_linked_file)
{
    expect_linked("none", "true", true);
    expect_linked("0x5eed", "true", true);
    expect_linked("none", "mkdir .debug && mv frames.debug .debug", true);
    expect_linked("none", "rm -r .debug && echo >>frames.debug", false);
    expect_linked("none", "rm frames.debug && mkfifo frames.debug", false);
}

/* The file has no section headers: only the program headers lead to the frame descriptions. */
Test(unwind, no_sections)
{
    struct fixture *fixture = make_fixture(wide, "gcc -Wl,--eh-frame-hdr");
    const uint8_t nothing[16] = {0};

    put_middle(fixture, code(fixture, "middle_back"));
    uint64_t leaf = code(fixture, "leaf");
    int fd = open("frames.so", O_WRONLY);
    cr_assert_eq(pwrite(fd, nothing, 8, 0x28), 8); /* e_shoff */
    cr_assert_eq(pwrite(fd, nothing, 4, 0x3c), 4); /* e_shnum, e_shstrndx */
    close(fd);
    walk(fixture, leaf);
    cr_assert(fixture->stack.end == UNWIND_COMPLETE && fixture->stack.count == 3);
    free_fixture(fixture);
}

/* Files that are cut off, overwritten, or no ELF files at all. */
Test(unwind, hostile_files)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    char bytes[32768];
    size_t size = (size_t)pread(fixture->fd, bytes, sizeof bytes, 0);

    put_middle(fixture, code(fixture, "middle_back"));
    uint64_t leaf = code(fixture, "leaf");
    for (size_t cut = 0; cut < size; cut += 97) {
        int fd = open("cut.so", O_RDWR | O_CREAT | O_TRUNC, 0600);
        cr_assert_eq(write(fd, bytes, cut), (ssize_t)cut);
        cr_assert_eq(pwrite(fd, "\xff\xff\xff\xff", 4, (off_t)(cut / 2)), 4);
        unwinder_free(fixture->unwinder);
        close(fixture->fd);
        fixture->unwinder = unwinder_new();
        fixture->fd = fd;
        walk(fixture, leaf);
        cr_assert(fixture->stack.count >= 1 && fixture->stack.count <= 3);
    }
    free_fixture(fixture);
}

/* A file that is not there yet (-EAGAIN) is asked for again at the next walk. */
Test(unwind, later)
{
    struct fixture *fixture = make_fixture(wide, "gcc");
    int fd = fixture->fd;

    put_middle(fixture, code(fixture, "middle_back"));
    fixture->input.registers.values[RBP] = 0;
    fixture->fd = -EAGAIN;
    walk(fixture, code(fixture, "leaf"));
    expect(fixture, UNWIND_NO_INFO, 1, "=leaf");
    fixture->fd = fd;
    fixture->input.registers.values[RBP] = STACK + 5 * 8;
    walk(fixture, code(fixture, "leaf"));
    cr_assert_eq(fixture->stack.end, UNWIND_COMPLETE);
    free_fixture(fixture);
}
