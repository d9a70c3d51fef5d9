/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of supervisor/proc/procfs-text.c and procfs-lists.c, with lines as kernels write them, and with lines that are
 * cut off. */
#include "config.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc/procfs-lists.h"
#include "supervisor/proc/procfs-text.h"
#include "wire/wire.h"

/* A program may have any name. This name contains ")" and what look like fields, so it seems to end early. */
#define HOSTILE_STAT                                                                                              \
    "4711 (a) R 1 (x) S 10 20 30 0 -1 4194304 85 0 1 0 17 4 0 0 20 0 3 0 987654 2703360 384 18446744073709551615 " \
    "1 2 3 0 0 0 0 4096 0 0 0 0 17 61 0 0 2\n"

static const char status_text[] = "Name:\tState:\tR\n"
                                  "Umask:\t0022\n"
                                  "State:\tD (disk sleep)\n"
                                  "Tgid:\t4711\n"
                                  "NSpid:\t4711\t12\t1\n"
                                  "SigQ:\t0/95841\n"
                                  "SigPnd:\t0000000000000000\n"
                                  "ShdPnd:\t0000000000004000\n"
                                  "SigBlk:\t8000000000000200\n";

static struct procfs_state parse_syscall(const char *text)
{
    struct procfs_state state = {.doing = PROCFS_GONE, .syscall = WIRE_NO_SYSCALL};

    procfs_parse_syscall(text, &state);
    return state;
}

Test(procfs_text, stat)
{
    cr_expect_eq(procfs_parse_stat_letter(HOSTILE_STAT), 'S');
    cr_expect_eq(atol(procfs_find_stat_field(HOSTILE_STAT, 4)), 10);
    cr_expect_eq(atol(procfs_find_stat_field(HOSTILE_STAT, 14)), 17, "utime");
    cr_expect_eq(atol(procfs_find_stat_field(HOSTILE_STAT, 22)), 987654, "starttime");
    cr_expect_eq(atol(procfs_find_stat_field(HOSTILE_STAT, 39)), 61, "processor");
}

Test(procfs_text, stat_that_is_cut_off)
{
    cr_expect_null(procfs_find_stat_field("4711 (name) S 10 20", 6));
    cr_expect_null(procfs_find_stat_field("4711 (name", 3));
    cr_expect_eq(procfs_parse_stat_letter("4711 (name)"), 'X');
    cr_expect_eq(procfs_parse_stat_letter("4711 (name"), 'X');
    cr_expect_eq(procfs_parse_stat_letter(""), 'X');
}

Test(procfs_text, status)
{
    cr_expect_eq(procfs_parse_status_letter(status_text), 'D', "the name is no state");
    cr_expect_null(procfs_find_status_field(status_text, "Name:"), "the first line is not looked at");
    cr_expect_null(procfs_find_status_field(status_text, "Threads:"));
    cr_expect_eq(procfs_parse_status_letter("Name:\tx\n"), 'X');
    const char *pids = procfs_find_status_field(status_text, "NSpid:");
    cr_assert_not_null(pids);
    cr_expect_eq(procfs_parse_last_number(pids + sizeof "NSpid:" - 1), 1, "of the innermost namespace");
    cr_expect_eq(procfs_parse_last_number("\t\n4711"), -1, "none in this line");
    cr_expect_eq(procfs_parse_last_number(""), -1);
}

Test(procfs_text, signals)
{
    cr_expect_eq(procfs_parse_signals(status_text, "SigPnd:"), 0);
    cr_expect_eq(procfs_parse_signals(status_text, "ShdPnd:"), UINT64_C(1) << (SIGTERM - 1));
    cr_expect_eq(procfs_parse_signals(status_text, "SigBlk:"), UINT64_C(1) << 63 | UINT64_C(1) << (SIGUSR1 - 1));
    cr_expect_eq(procfs_parse_signals(status_text, "SigCgt:"), 0);
    cr_expect_eq(procfs_parse_signals(NULL, "SigCgt:"), 0);
}

Test(procfs_text, letters)
{
    cr_expect_eq(procfs_doing_by_letter('R'), PROCFS_RUNNING);
    for (const char *letter = "SDTtIPK"; *letter != '\0'; letter++)
        cr_expect_eq(procfs_doing_by_letter(*letter), PROCFS_SLEEPING, "%c", *letter);
    for (const char *letter = "ZXx"; *letter != '\0'; letter++)
        cr_expect_eq(procfs_doing_by_letter(*letter), PROCFS_GONE, "%c", *letter);
}

Test(procfs_text, syscall)
{
    struct procfs_state state = parse_syscall("running\n");
    cr_expect_eq(state.doing, PROCFS_RUNNING);
    cr_expect_eq(state.syscall, WIRE_NO_SYSCALL);
    state = parse_syscall("202 0x7f01 0x80 0x0 0x0 0x0 0xffffffff 0x7ffd1230 0x7f5566778899\n");
    cr_expect_eq(state.doing, PROCFS_SLEEPING);
    cr_expect_eq(state.syscall, 202);
    cr_expect_eq(state.sp, 0x7ffd1230);
    cr_expect_eq(state.pc, 0x7f5566778899);
    state = parse_syscall("0 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffd1230 0x7f5566778899\n");
    cr_expect_eq(state.syscall, 0, "read(2) has this number");
}

Test(procfs_text, first_argument_of_a_call)
{
    uint64_t argument = 1;

    cr_expect(procfs_parse_first_argument("64 0xffffaa551234 0x80 0x0 0x0 0x0 0x0 0x7f10 0x401020\n", &argument));
    cr_expect_eq(argument, 0xffffaa551234);
    cr_expect(procfs_parse_first_argument("0 0x0 0x0 0x0 0x0 0x0 0x0 0x7f10 0x401020\n", &argument));
    cr_expect_eq(argument, 0);
    cr_expect_not(procfs_parse_first_argument("-1 0x7f10 0x401020\n", &argument));
    cr_expect_not(procfs_parse_first_argument("running\n", &argument));
    cr_expect_not(procfs_parse_first_argument("", &argument));
}

Test(procfs_text, syscall_of_one_in_no_call)
{
    struct procfs_state state = parse_syscall("-1 0x7ffd1230 0x401020\n");

    cr_expect_eq(state.doing, PROCFS_SLEEPING);
    cr_expect_eq(state.syscall, WIRE_PAGE_FAULT);
    cr_expect_eq(state.sp, 0x7ffd1230);
    cr_expect_eq(state.pc, 0x401020);
    cr_expect_eq(parse_syscall("-1 0x0 0x0\n").doing, PROCFS_GONE, "it is ending");
    cr_expect_eq(parse_syscall("").doing, PROCFS_GONE);
    cr_expect_eq(parse_syscall("?").doing, PROCFS_GONE);
}

/* Parses the text of /proc/TID/stack, and returns the names with spaces between them. */
static const char *kernel_names(const char *from, unsigned most, unsigned *count)
{
    static char text[256];
    size_t size;

    snprintf(text, sizeof text, "%s", from);
    *count = procfs_parse_kernel_stack(text, most, &size);
    for (size_t i = 0; i + 1 < size; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return size > 0 ? text : "";
}

Test(procfs_text, arguments_of_a_call)
{
    const struct procfs_state state = parse_syscall("202 0x55d0 0x80 0x2 0x0 0x0 0x0 0x7ffd1230 0x401020\n");

    cr_expect_eq(state.arguments[0], 0x55d0);
    cr_expect_eq(state.arguments[1], 0x80);
    cr_expect_eq(state.arguments[2], 2);
    cr_expect_eq(state.pc, 0x401020);
    cr_expect_eq(parse_syscall("-1 0x7ffd1230 0x401020\n").arguments[0], 0);
    cr_expect_eq(parse_syscall("202 0x1").arguments[1], 0, "cut off");
}

Test(procfs_text, kernel_stack)
{
    static const char whole[] = "[<0>] hrtimer_nanosleep+0xb5/0x130\n"
                                "[<0>] nfs4_call_sync.isra.0+0x1/0x2 [nfsv4]\n"
                                "[<ffffffff8108>] old_kernel+0x1/0x2\n"
                                "[<0>] 0xffffffffffffffff\n"
                                "[<0>] do_syscall_64+0x71/0x290\n"
                                "[<0>] cut_off+0x1";
    unsigned count;

    cr_expect_str_eq(kernel_names(whole, 64, &count),
                     "hrtimer_nanosleep nfs4_call_sync.isra.0 old_kernel do_syscall_64");
    cr_expect_eq(count, 4);
    cr_expect_str_eq(kernel_names(whole, 2, &count), "hrtimer_nanosleep nfs4_call_sync.isra.0");
    cr_expect_eq(count, 2);
    static const char *const nothing[] = {"", "\n", "[<0>]\n", "[<0>] \n", "[<0>] +0x1/0x2\n", "[<0>] name\n", "x"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        cr_expect_str_eq(kernel_names(nothing[i], 64, &count), "");
        cr_expect_eq(count, 0, "%s", nothing[i]);
    }
}

Test(procfs_text, schedstat)
{
    struct procfs_cpu cpu = {.run_ns = 1, .wait_ns = 1, .turns = 1};

    procfs_parse_schedstat("18446744073709551615 12345678901 42\n", &cpu);
    cr_expect_eq(cpu.run_ns, UINT64_MAX);
    cr_expect_eq(cpu.wait_ns, 12345678901u);
    cr_expect_eq(cpu.turns, 42);
    procfs_parse_schedstat("7 8", &cpu);
    cr_expect_eq(cpu.wait_ns, 8);
    cr_expect_eq(cpu.turns, 0);
    procfs_parse_schedstat("", &cpu);
    cr_expect_eq(cpu.run_ns, 0);
}

Test(procfs_text, last_run)
{
    struct procfs_last_run run;

    cr_expect(procfs_parse_last_run("cat (17414, #threads: 1)\n"
                                    "-------------------------------------------------------------------\n"
                                    "se.exec_start                                :      55544433.550902\n"
                                    "se.vruntime                                  :       1304157.810668\n"
                                    "se.sum_exec_runtime                          :            11.000855\n",
                                    &run));
    cr_expect_eq(run.at, 55544433550902u);
    cr_expect_eq(run.run_ns, 11000855);
    static const char *const bad[] = {
        "", "cat (1, #threads: 1)\n", "cat (1, #threads: 1)\nse.exec_start : 7.000001\n",
        "cat (1, #threads: 1)\nse.exec_start : 7\nse.sum_exec_runtime : 1.000000\n",
        "\nse.exec_start (1, #threads: 1)\nse.exec_start : 7.000001\nse.sum_exec_runtime : 1.000000\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(procfs_parse_last_run(bad[i], &run), "%s", bad[i]);
}

Test(procfs_text, mapping)
{
    static struct mapping_details details;
    const struct mapping *mapping = &details.mapping;
    bool executable = false;

    cr_assert(procfs_parse_mapping("7f0012340000-7f0012350000 r-xp 00002000 fe:01 1234567    /lib/lib x (deleted)\n",
                                   &details, &executable));
    cr_expect_eq(mapping->start, 0x7f0012340000);
    cr_expect_eq(mapping->end, 0x7f0012350000);
    cr_expect_eq(mapping->offset, 0x2000);
    cr_expect_eq(mapping->inode, 1234567);
    cr_expect_eq(mapping->dev_major, 0xfe);
    cr_expect_eq(mapping->dev_minor, 1);
    cr_expect(executable);
    cr_expect_str_eq(details.name, "/lib/lib x (deleted)", "spaces are the name's");
    cr_assert(procfs_parse_mapping("55d0-55e0 rw-s 00000000 00:00 0 \n", &details, &executable));
    cr_expect_not(executable);
    cr_expect_str_eq(details.name, "", "it has none");
    cr_expect_not(procfs_parse_mapping("55d0-55e0 rw-s 00000000 00:\n", &details, &executable));
    cr_expect_not(procfs_parse_mapping("", &details, &executable));
}

Test(procfs_text, newline_in_path)
{
    static struct mapping_details details;
    bool executable;

    cr_assert(procfs_parse_mapping("10-20 r-xp 0 fe:01 5    /a\\012b\\012\\01 \\\\012\n", &details, &executable));
    cr_expect_str_eq(details.name, "/a\nb\n\\01 \\\n", "a backslash is not escaped");
}

/* Appends a line whose path has `path` bytes. */
static void add_mapping(FILE *file, unsigned long start, size_t path)
{
    fprintf(file, "%lx-%lx r-xp 00000000 fe:01 %zu /", start, start + 16, path);
    for (size_t i = 1; i < path; i++)
        putc('a', file);
    putc('\n', file);
}

/* A read of /proc/PID/maps returns at most a page. A read of a regular file, as here, fills the whole buffer. Both may
 * end within a line. */
Test(procfs_text, list)
{
    static const size_t paths[] = {1, 4095, 10, 4000, 4096, 20000, 3, MAPS_LIST_PIECE - 60, 30, 2000, 2000, 7};
    static struct mapping_details details;
    static struct maps_list list;
    FILE *file = tmpfile();
    bool executable = false;
    size_t count = sizeof paths / sizeof *paths;

    cr_assert_not_null(file);
    for (size_t i = 0; i < count; i++)
        add_mapping(file, 0x1000 * (i + 1), paths[i]);
    fputs("torn-off line", file);
    fflush(file);
    maps_list_begin(&list, fileno(file), 0);
    for (size_t i = 0; i < count; i++) {
        if (paths[i] > MAPS_LIST_PIECE)
            continue;
        cr_assert(maps_list_next(&list, &details, &executable), "line %zu", i);
        cr_expect(executable);
        cr_expect_eq(details.mapping.start, 0x1000 * (i + 1), "line %zu", i);
        cr_expect_eq(strlen(details.name), paths[i] < sizeof details.name ? paths[i] : sizeof details.name - 1);
    }
    cr_expect_not(maps_list_next(&list, &details, &executable));
    maps_list_end(&list);
    cr_expect_geq(lseek(fileno(file), 0, SEEK_CUR), 0, "it was borrowed");
    fclose(file);
}

Test(procfs_text, list_of_process)
{
    static struct mapping_details details;
    static struct maps_list list;
    bool executable = false, found = false;
    uint64_t here = (uintptr_t)&add_mapping;

    maps_list_begin(&list, -1, getpid());
    while (maps_list_next(&list, &details, &executable))
        found |= executable && details.mapping.start <= here && here < details.mapping.end;
    maps_list_end(&list);
    cr_expect(found);
    maps_list_begin(&list, -1, 0x7fffffff);
    cr_expect_not(maps_list_next(&list, &details, &executable), "there is no such process");
    maps_list_end(&list);
}

Test(procfs_text, mount)
{
    static const struct {
        const char *line;
        bool may_hang;
    } mounts[] = {{"36 35 98:0 /root /mnt rw master:1 - ext3 /dev/root rw", false},
                  {"36 35 98:0 / /mnt/a\\040-\\040b rw,noatime - fuse.sshfs host:/ rw", true},
                  {"36 35 98:0 / /mnt rw shared:1 master:2 - nfs4 host:/ rw", true},
                  {"36 35 98:0 / /mnt rw - fuseblk /dev/sdb1 rw", true},
                  {"36 35 98:0 / /mnt rw - tmpfs fuse rw", false},
                  {"36 35 98:0 / /mnt rw", true}};

    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
        bool may_hang = !mounts[i].may_hang;
        cr_expect(procfs_parse_mount(mounts[i].line, 98, 0, &may_hang), "%s", mounts[i].line);
        cr_expect_eq(may_hang, mounts[i].may_hang, "%s", mounts[i].line);
        cr_expect_not(procfs_parse_mount(mounts[i].line, 98, 1, &may_hang), "another device");
        cr_expect_not(procfs_parse_mount(mounts[i].line, 36, 35, &may_hang), "numbers of mounts are none of devices");
    }
}

Test(procfs_text, controllers)
{
    cr_expect(procfs_lists_cpu("cpu"));
    cr_expect(procfs_lists_cpu("cpu,cpuacct"));
    cr_expect(procfs_lists_cpu("memory,cpu"));
    cr_expect_not(procfs_lists_cpu("cpuset,cpuacct"));
    cr_expect_not(procfs_lists_cpu("name=cpu"));
    cr_expect_not(procfs_lists_cpu(""));
}
