/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/output-path.h"
#include "base/path.h"
#include "base/regular-file.h"
#include "base/utf8.h"
#include "pprofil/error.h"
#include "test-directory.h"

/* --- clock, path --------------------------------------------------------------------------- */

Test(clock, milliseconds_are_those_of_the_nanoseconds)
{
    int64_t before = time_now_ms();
    uint64_t now = time_now();

    cr_assert_leq(before, (int64_t)(now / 1000000));
    cr_assert_leq((int64_t)(now / 1000000), time_now_ms());
    cr_assert_leq(clock_read(CLOCK_THREAD_CPUTIME_ID), now);
}

Test(path, the_last_part)
{
    cr_assert_str_eq(path_base_name("/usr/lib/libc.so.6"), "libc.so.6");
    cr_assert_str_eq(path_base_name("libc.so.6"), "libc.so.6");
    cr_assert_str_eq(path_base_name("/usr/lib/"), "");
    cr_assert(path_is_called("/usr/lib/libc.so.6", "libc.so.6"));
    cr_assert(path_is_called("/usr/lib/libc.so.6", "/usr/lib/libc.so.6"));
    cr_assert(!path_is_called("/usr/lib/libc.so.6", "lib/libc.so.6"));
    cr_assert(!path_is_called("/usr/lib/libc.so.6", "libc.so"));
}

/* --- descriptors ------------------------------------------------------------------------- */

/* Returns which of three descriptors are open after act() has run, as bits 0 to 2, and which of them close at an exec,
 * as bits 3 to 5. */
static int descriptors_after(void (*act)(int first))
{
    static const int fds[] = {60, 61, 900};
    pid_t child = fork();
    int status;

    if (child == 0) {
        int left = 0;
        for (int i = 0; i < 3; i++)
            dup2(STDIN_FILENO, fds[i]);
        act(61);
        for (int i = 0; i < 3; i++) {
            int flags = fcntl(fds[i], F_GETFD);
            left |= flags < 0 ? 0 : (1 << i) | ((flags & FD_CLOEXEC) != 0) << (i + 3);
        }
        _exit(left);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

Test(descriptors, those_from_a_number_on_are_closed)
{
    cr_assert_eq(descriptors_after(descriptors_close), 1);
    cr_assert_eq(descriptors_after(descriptors_close_at_exec), 7 | 6 << 3);
}

/* --- utf8 -------------------------------------------------------------------------------- */

Test(utf8, takes_whole_characters_and_single_bytes_of_what_is_none)
{
    static const struct {
        const char *text;
        uint32_t character;
        int size;
    } cases[] = {
        {"a", 'a', 1},
        {"\xc3\xa4", 0xe4, 2},
        {"\xe2\x80\x94", 0x2014, 3},
        {"\xf0\x9f\x98\x80", 0x1f600, 4},
        {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
        {"\x80", UTF8_NONE, 1},
        {"\xc3", UTF8_NONE, 1},
        {"\xe2\x80", UTF8_NONE, 1},
        {"\xc0\xaf", UTF8_NONE, 1},
        {"\xe0\x80\xaf", UTF8_NONE, 1},
        {"\xed\xa0\x80", UTF8_NONE, 1},
        {"\xf4\x90\x80\x80", UTF8_NONE, 1},
        {"\xff", UTF8_NONE, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        cr_assert_eq(utf8_decode(&at), cases[i].character, "case %zu", i);
        cr_assert_eq(at - cases[i].text, cases[i].size, "case %zu", i);
    }
}

Test(utf8, encodes_what_is_decoded)
{
    for (uint32_t character = 1; character <= 0x10ffff; character += character / 7 + 1) {
        char bytes[5] = "";
        const char *at = bytes;
        size_t size = utf8_encode(character, bytes);
        bool surrogate = character >= 0xd800 && character <= 0xdfff;
        cr_assert_eq(size, strlen(bytes));
        cr_assert_eq(utf8_decode(&at), surrogate ? UTF8_NONE : character);
    }
}

Test(utf8, nothing_is_left_that_a_terminal_obeys)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"\033[31m\a\x7f\r\n", "?[31m????"},
        {"a\xc2\x9b"
         "1m",
         "a?1m"},
        {"a\x9b"
         "1m\xff",
         "a?1m?"},
        {"\xe2\x80\xae"
         "txt\xe2\x80\x8b",
         "?txt?"},
        {"\xc3\xa4\xe2\x80\x94\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x80\x94\xf0\x9f\x98\x80"},
        {"cut\xe2\x80", "cut??"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64], *printed = NULL;
        size_t size;
        strcpy(text, cases[i][0]);
        FILE *out = open_memstream(&printed, &size);
        cr_assert_not_null(out);
        utf8_print_harmless(out, text);
        cr_assert_eq(fclose(out), 0);
        utf8_make_harmless(text, "");
        cr_assert_str_eq(text, cases[i][1]);
        cr_assert_str_eq(printed, cases[i][1]);
        free(printed);
    }
    char kept[] = "a\tb\nc\r";
    utf8_make_harmless(kept, "\t\n");
    cr_assert_str_eq(kept, "a\tb\nc?");
}

/* --- output-path ----------------------------------------------------------------------- */

static void expect_found(const char *path, const char *name, bool exists)
{
    struct output_path found;

    cr_assert_eq(output_path_find(path, &found), 0, "%s", path);
    cr_assert_str_eq(found.name, name);
    cr_assert_eq(found.exists, exists, "%s", path);
    output_path_close(&found);
}

static void expect_error(const char *path, int error)
{
    struct output_path found;

    cr_assert_eq(output_path_find(path, &found), error, "%s", path);
    output_path_close(&found);
}

Test(output_path, links_are_followed_to_their_end)
{
    char path[128];

    enter_directory();
    cr_assert_eq(mkdir("d", 0700), 0);
    write_file("d/file", "old");
    cr_assert_eq(symlink("d/second", "first"), 0);
    cr_assert_eq(symlink("../d/file", "d/second"), 0);
    cr_assert_eq(symlink("d/none", "dangling"), 0);
    snprintf(path, sizeof path, "%s/d/file", directory);
    cr_assert_eq(symlink(path, "whole"), 0);
    expect_found("d/file", "file", true);
    expect_found("first", "file", true);
    expect_found("whole", "file", true);
    expect_found("dangling", "none", false);
    expect_found("new", "new", false);
    expect_found("/dev/null", "null", true);
    remove_directory();
}

Test(output_path, what_leads_nowhere_has_its_own_error)
{
    char name[NAME_MAX + 2];

    enter_directory();
    write_file("file", "");
    cr_assert_eq(symlink("ring", "ring"), 0);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    expect_error("", -ENOENT);
    expect_error("none/file", -ENOENT);
    expect_error("file/file", -ENOTDIR);
    expect_error("./", -EISDIR);
    expect_error("ring", -ELOOP);
    expect_error(name, -ENAMETOOLONG);
    remove_directory();
}

Test(output_path, a_new_file_takes_the_place_of_nothing)
{
    struct stat status;

    enter_directory();
    write_file("file", "old");
    cr_assert_eq(symlink("none", "dangling"), 0);
    cr_assert_eq(output_path_create("new"), 0);
    cr_assert_eq(stat("new", &status), 0);
    cr_assert_eq(status.st_size, 0);
    cr_assert_eq(output_path_create("new"), -EEXIST);
    cr_assert_eq(output_path_create("file"), -EEXIST);
    cr_assert_eq(output_path_create("dangling"), -EEXIST);
    cr_assert_eq(output_path_create("."), -EEXIST);
    cr_assert_eq(output_path_create("none/file"), -ENOENT);
    cr_assert_eq(stat("file", &status), 0);
    cr_assert_eq(status.st_size, 3);
    remove_directory();
}

Test(output_path, another_file_in_the_place_is_not_written_to)
{
    struct output_path found;
    struct stat status;

    enter_directory();
    write_file("file", "old");
    write_file("other", "precious");
    cr_assert_eq(output_path_find("file", &found), 0);
    cr_assert_eq(rename("other", "file"), 0);
    cr_assert_eq(output_path_open_found(&found), -EAGAIN);
    cr_assert_eq(unlink("file"), 0);
    write_file("other", "precious");
    cr_assert_eq(symlink("other", "file"), 0);
    cr_assert_eq(output_path_open_found(&found), -EAGAIN);
    cr_assert_eq(stat("other", &status), 0);
    cr_assert_eq(status.st_size, 8);
    output_path_close(&found);
    remove_directory();
}

Test(output_path, the_kernel_follows_its_own_links)
{
    char path[64];

    enter_directory();
    write_file("file", "old");
    int fd = open("file", O_RDWR);
    cr_assert_geq(fd, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    cr_assert_eq(symlink(path, "link"), 0);
    int same = output_path_open("link");
    cr_assert_geq(same, 0);
    cr_assert_eq(lseek(fd, 0, SEEK_END), 0);
    close(same);
    close(fd);
    remove_directory();
}

Test(output_path, a_strangers_entry_is_refused_where_anybody_may_make_one)
{
    static const struct {
        mode_t mode;
        bool link, file;
    } cases[] = {
        {01777, true, true}, {01775, false, true}, {0777, false, false}, {01755, false, false}};
    struct output_path found;

    if (geteuid() != 0)
        cr_skip_test("to make others' files takes root");
    enter_directory();
    cr_assert_eq(symlink("target", "link"), 0);
    write_file("file", "");
    cr_assert_eq(mkdir("own", 0700), 0);
    cr_assert_eq(lchown("link", 65534, 65534), 0);
    cr_assert_eq(lchown("file", 65534, 65534), 0);
    cr_assert_eq(lchown("own", 65534, 65534), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(chmod(".", cases[i].mode), 0);
        expect_error("link", cases[i].link ? -EACCES : 0);
        expect_error("file", cases[i].file ? -EACCES : 0);
        expect_error("own", 0);
    }
    cr_assert_eq(chmod(".", 01777), 0);
    cr_assert_eq(output_path_find("link", &found), -EACCES);
    cr_assert(found.strangers);
    cr_assert_eq(chown(".", 65534, 65534), 0); /* a link that belongs to the owner of the directory is accepted */
    expect_error("link", 0);
    remove_directory();
}

/* --- regular-file ------------------------------------------------------------------------ */

/* Makes "file" with these bytes in a new directory. Returns the inode number of the file. */
static uint64_t make_inode(const char *bytes)
{
    struct stat status;

    enter_directory();
    write_file("file", bytes);
    cr_assert_eq(stat("file", &status), 0);
    return status.st_ino;
}

Test(regular_file, only_the_file_that_is_meant_is_opened)
{
    uint64_t inode = make_inode("bytes");

    int any = regular_file_open("file", 0), same = regular_file_open("file", inode);
    cr_assert_geq(any, 0);
    cr_assert_geq(same, 0);
    cr_assert_eq(regular_file_open("file", inode + 1), -ESTALE);
    cr_assert_eq(regular_file_open("none", 0), -ENOENT);
    cr_assert_eq(mkfifo("fifo", 0600), 0);
    cr_assert_eq(regular_file_open("fifo", 0), PPROFIL_ERROR_NOT_REGULAR);
    cr_assert_eq(regular_file_open("/dev/null", 0), PPROFIL_ERROR_NOT_REGULAR);
    cr_assert_eq(regular_file_open(".", 0), -EISDIR);
    cr_assert_not(regular_file_is_served(any));
    close(any);
    close(same);
    remove_directory();
}

Test(regular_file, a_path_does_not_leave_its_tree)
{
    uint64_t inode = make_inode("bytes");
    int tree = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

    int plain = regular_file_open_below(tree, "/file", inode);
    cr_assert_geq(plain, 0);
    close(plain);
    cr_assert_eq(symlink("/file", "absolute"), 0);
    cr_assert_eq(symlink("../../../file", "upwards"), 0);
    static const char *const links[] = {"/absolute", "/upwards"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        int fd = regular_file_open_below(tree, links[i], inode);
        if (fd == -ENOENT) /* Linux before 5.6 has no openat2(2) */
            cr_skip("this kernel has no openat2(2), or it is refused here");
        cr_assert_geq(fd, 0, "%s: %s", links[i], strerror(-fd));
        close(fd);
    }
    close(tree);
    remove_directory();
}

Test(regular_file, a_copy_has_the_bytes_and_the_times)
{
    char bytes[8] = "";
    struct stat status;
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 1000000000}};

    make_inode("bytes");
    int fd = regular_file_open("file", 0);
    cr_assert_eq(utimensat(AT_FDCWD, "file", times, 0), 0);
    cr_assert_eq(regular_file_copy(fd, 4), -EFBIG);
    int copy = regular_file_copy(fd, 5);
    cr_assert_geq(copy, 0);
    cr_assert_eq(pread(copy, bytes, sizeof bytes, 0), 5);
    cr_assert_str_eq(bytes, "bytes");
    cr_assert_eq(fstat(copy, &status), 0);
    cr_assert_eq(status.st_mtim.tv_sec, 1000000000);
    close(copy);
    close(fd);
    remove_directory();
}
