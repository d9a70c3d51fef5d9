/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sleeping threads wait for: the table of system calls, the files of epoll(7), and ids. */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/blocked/blocked.h"
#include "supervisor/supervisor.h"
#include "supervisor/wire-ids.h"

Test(blocked, calls)
{
    cr_expect_eq(blocked_call_by_number(SYS_read).way, BLOCKED_FILE);
    cr_expect_eq(blocked_call_by_number(SYS_sendfile).argument, 1, "the file that is read");
    cr_expect_eq(blocked_call_by_number(SYS_openat).argument, 1);
    cr_expect_eq(blocked_call_by_number(SYS_futex).way, BLOCKED_FUTEX);
    cr_expect_eq(blocked_call_by_number(SYS_getpid).way, BLOCKED_UNKNOWN);
    cr_expect_eq(blocked_call_by_number(-1).way, BLOCKED_UNKNOWN);
    cr_expect_eq(blocked_call_by_number(100000).way, BLOCKED_UNKNOWN);
}

Test(blocked, files_of_epoll)
{
    static const char text[] = "pos:\t0\nflags:\t02\nmnt_id:\t15\nino:\t1057\n"
                               "tfd:        5 events:       19 data:                5  pos:0 ino:1f sdev:9\n"
                               "tfd:       17 events:       19 data:     7ffe00c0ffee  pos:0 ino:1f sdev:9\n"
                               "tfd:        6 events: 8000201b data: ffffffffffffffff  pos:0 ino:1f sdev:9\n";
    int fds[2], marked;

    cr_expect_eq(blocked_parse_epoll(text, 0x7ffe00c0ffee, fds, 2, &marked), 3);
    cr_expect_eq(fds[0], 5);
    cr_expect_eq(fds[1], 17);
    cr_expect_eq(marked, 17);
    blocked_parse_epoll(text, UINT64_MAX, fds, 2, &marked);
    cr_expect_eq(marked, 6);
    blocked_parse_epoll(text, 4, fds, 2, &marked);
    cr_expect_eq(marked, -1);
    cr_expect_eq(blocked_parse_epoll("", 4, fds, 2, &marked), 0);
    cr_expect_eq(blocked_parse_epoll("tfd: 3", 0, fds, 2, &marked), 0, "cut off");
    cr_expect_eq(marked, -1);
    cr_expect_eq(blocked_parse_epoll("tfd: 3 events: 19 data: 5\ntfd: 1", 0, fds, 2, &marked), 1, "cut off later");
    cr_expect_eq(fds[0], 3);
}

/* A page that is not in memory might come from a file system that hangs. */
Test(blocked, reads_only_what_is_in_memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[4];
    uint64_t second = (uint64_t)(uintptr_t)pages + page;

    cr_assert_neq(pages, MAP_FAILED);
    memcpy(pages + page - 4, "abc", 4);
    cr_expect_eq(blocked_read_memory(gettid(), second - 4, text, 4), 0);
    cr_expect_str_eq(text, "abc");
    cr_expect_eq(blocked_read_memory(gettid(), second - 2, text, 4), -EFAULT);
    cr_expect_eq(blocked_read_memory(gettid(), second, text, 4), -EFAULT);
    pages[page] = 1;
    cr_expect_eq(blocked_read_memory(gettid(), second - 2, text, 4), 0);
    munmap(pages, 2 * page);
    cr_expect_eq(blocked_read_memory(gettid(), second, text, 4), -EFAULT);
}

/* select(2) waits for files of any of its sets, and for one that is in several sets only once. */
Test(blocked, files_of_select)
{
    static struct blocked blocked;
    fd_set one, other;
    const uint64_t none[] = {0, 0, 0, 0}, empty[] = {9, (uint64_t)(uintptr_t)&one, 0, 0},
                   both[] = {9, (uint64_t)(uintptr_t)&one, 0, (uint64_t)(uintptr_t)&other};

    FD_ZERO(&one);
    FD_ZERO(&other);
    cr_expect(blocked_describe_select(&blocked, getpid(), gettid(), none));
    cr_expect_eq(blocked.kind, WIRE_WAIT_TIME);
    cr_expect_not(blocked_describe_select(&blocked, getpid(), gettid(), empty));
    FD_SET(0, &other);
    cr_expect(blocked_describe_select(&blocked, getpid(), gettid(), both));
    cr_expect_eq(blocked.kind, WIRE_WAIT_FILE);
    cr_expect_eq(blocked.number, 0);
    FD_SET(0, &one);
    FD_SET(1, &one);
    blocked.file_count = blocked.size = 0;
    cr_expect(blocked_describe_select(&blocked, getpid(), gettid(), both));
    cr_expect_eq(blocked.kind, WIRE_WAIT_FILES);
    cr_expect_eq(blocked.number, 2);
}

Test(blocked, ids_are_given_again_when_there_are_too_many)
{
    static struct wire_ids ids;
    struct wire_sleep_id sleep = {0};
    bool known;

    uint16_t first = wire_ids_find(&ids, 4711, &known);
    cr_assert_not(known);
    wire_ids_add(&ids, 4711, first);
    cr_assert_eq(wire_ids_find(&ids, 4711, &known), first);
    cr_assert(known);
    wire_sleep_id_set(&sleep, &ids, first, 9);
    cr_assert(wire_sleep_id_holds(&sleep, &ids, 9));
    cr_assert_not(wire_sleep_id_holds(&sleep, &ids, 10), "it has run");
    cr_assert_not(wire_sleep_id_holds(&sleep, &ids, 0));
    for (uint64_t hash = 100000; ids.generation == 0; hash += 2) {
        uint16_t id = wire_ids_find(&ids, hash, &known);
        cr_assert(id >= 1 && id <= WIRE_IDS_MAX);
        cr_assert_not(known);
        if (ids.generation == 0)
            wire_ids_add(&ids, hash, id);
        cr_assert_lt(ids.count, WIRE_IDS_MAX);
    }
    cr_assert_eq(ids.count, 0);
    cr_assert_not(wire_sleep_id_holds(&sleep, &ids, 9), "the client has forgotten it");
}
