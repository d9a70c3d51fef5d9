/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of usage-settle.c and proc/procfs-usage.c: what a process has used, without the children for which it has
 * waited. */
#include "config.h"

#include <criterion/criterion.h>

#include "supervisor/usage-settle.h"

#define MS UINT64_C(1000000)

static const char io_text[] = "rchar: 1000\nwchar: 200\nsyscr: 10\nsyscw: 2\n"
                              "read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n";

/* Returns the counts of a process that has waited for no child. */
static struct procfs_usage end_without_children(void)
{
    return (struct procfs_usage){.parent = 10,
                                 .comm = "name",
                                 .user_ticks = 3,
                                 .system_ticks = 1,
                                 .minor_faults = 50,
                                 .major_faults = 2,
                                 .io = {true, 1000, 200, 10, 2, 4096, 8192}};
}

/* Returns a usage as of a process that was followed from its fork. */
static struct process_usage new_usage(void)
{
    return (struct process_usage){.base.io.known = true, .children.io.known = true};
}

static const struct usage_sums both = {
    .user_us = 30000, .system_us = 10000, .minor_faults = 50, .major_faults = 2, .max_rss_kb = 900};

Test(usage, stat_of_a_hostile_name)
{
    struct procfs_usage usage = {0};

    cr_assert(procfs_parse_usage("4711 (a) R 1 (x) Z 10 20 30 0 -1 4194304 85 7 1 3 17 4 0 0 20 0\n", &usage));
    cr_expect_str_eq(usage.comm, "a) R 1 (x");
    cr_expect_eq(usage.parent, 10);
    cr_expect_eq(usage.minor_faults, 85);
    cr_expect_eq(usage.children_minor_faults, 7);
    cr_expect_eq(usage.major_faults, 1);
    cr_expect_eq(usage.children_major_faults, 3);
    cr_expect_eq(usage.user_ticks, 17);
    cr_expect_eq(usage.system_ticks, 4);
    cr_expect_not(procfs_parse_usage("4711 (a) Z 10 20 30 0 -1 4194304 85 7 1", &usage));
    cr_expect_not(procfs_parse_usage("", &usage));
}

Test(usage, io)
{
    struct procfs_io io = {0};

    cr_assert(procfs_parse_io(io_text, &io));
    cr_expect(io.known);
    cr_expect_eq(io.read_bytes, 1000);
    cr_expect_eq(io.written_bytes, 200);
    cr_expect_eq(io.read_calls, 10);
    cr_expect_eq(io.write_calls, 2);
    cr_expect_eq(io.storage_read_bytes, 4096);
    cr_expect_eq(io.storage_written_bytes, 8192, "and not cancelled_write_bytes");
    cr_expect_not(procfs_parse_io("rchar: 1000\nwchar: 200\n", &io));
    cr_expect_not(io.known);
}

Test(usage, of_a_process_without_children)
{
    struct process_usage usage = new_usage();
    const struct procfs_usage end = end_without_children();

    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_str_eq(usage.figures.comm, "name");
    cr_expect_eq(usage.figures.ppid, 10);
    cr_expect_eq(usage.figures.cpu_ns, 100 * MS);
    cr_expect_eq(usage.figures.user_ns, 75 * MS, "in proportion to what wait(2) says");
    cr_expect_eq(usage.figures.system_ns, 25 * MS);
    cr_expect_eq(usage.figures.minor_faults, 50);
    cr_expect_eq(usage.figures.max_rss, 900 * 1024);
    cr_expect_eq(usage.figures.read_calls, 10);
    cr_expect_eq(usage.figures.run_delay_ns, WIRE_UNKNOWN, "it is that of the threads");
}

Test(usage, children_are_subtracted_if_the_faults_prove_that_they_were_waited_for)
{
    struct process_usage usage = new_usage();
    struct procfs_usage end = end_without_children();

    usage.children = (struct usage_sums){
        .user_us = 20000, .system_us = 0, .minor_faults = 40, .max_rss_kb = 800, .io = {true, 600, 150, 6, 1, 0, 0}};
    end.children_minor_faults = 40;
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.user_ns, 50 * MS);
    cr_expect_eq(usage.figures.system_ns, 50 * MS);
    cr_expect_eq(usage.figures.minor_faults, 50, "stat has those of children apart");
    cr_expect_eq(usage.figures.read_bytes, 400);
    cr_expect_eq(usage.figures.written_bytes, 50);
    cr_expect_eq(usage.figures.read_calls, 4);
    cr_expect_eq(usage.figures.write_calls, 1);
    cr_expect_eq(usage.figures.max_rss, 900 * 1024, "larger than that of the children");
    usage.children.max_rss_kb = 900;
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.max_rss, WIRE_UNKNOWN, "it may be that of a child");
}

Test(usage, children_that_nobody_waited_for_are_not_subtracted)
{
    struct process_usage usage = new_usage();
    const struct procfs_usage end = end_without_children();

    usage.children = (struct usage_sums){.minor_faults = 40, .max_rss_kb = 5000, .io = {true, 600, 150, 6, 1, 0, 0}};
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.read_bytes, 1000);
    cr_expect_eq(usage.figures.max_rss, 900 * 1024);
}

Test(usage, nothing_is_invented_if_it_waited_for_other_children)
{
    struct process_usage usage = new_usage();
    struct procfs_usage end = end_without_children();

    usage.children.minor_faults = 40;
    end.children_minor_faults = 41;
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.read_bytes, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.write_calls, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.max_rss, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.user_ns, 75 * MS, "from the clock ticks");
    cr_expect_eq(usage.figures.minor_faults, 50);
}

Test(usage, what_is_not_readable_is_unknown)
{
    struct process_usage usage = new_usage();
    struct procfs_usage end = end_without_children();
    const struct usage_sums none = {0};

    end.io.known = false;
    end.user_ticks = end.system_ticks = 0;
    usage_settle(&usage, &end, WIRE_UNKNOWN, &none, 0);
    cr_expect_eq(usage.figures.cpu_ns, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.user_ns, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.read_bytes, WIRE_UNKNOWN);
    cr_expect_eq(usage.figures.max_rss, WIRE_UNKNOWN);
    usage_settle(&usage, &end, 5 * MS, &none, 0);
    cr_expect_eq(usage.figures.cpu_ns, 5 * MS);
    cr_expect_eq(usage.figures.user_ns, WIRE_UNKNOWN, "no tick says which part it is");
}

Test(usage, an_attached_process_counts_from_the_attach)
{
    struct process_usage usage = new_usage();
    const struct procfs_usage end = end_without_children();

    usage.attached = true;
    usage.base_cpu_ns = 60 * MS;
    usage.base = (struct procfs_usage){.user_ticks = 1, .minor_faults = 20, .io = {true, 400, 0, 4, 0, 0, 0}};
    usage_settle(&usage, &end, 100 * MS, NULL, 700);
    cr_expect_eq(usage.figures.cpu_ns, 40 * MS);
    cr_expect_eq(usage.figures.user_ns, 26666666, "two of three ticks");
    cr_expect_eq(usage.figures.minor_faults, 30);
    cr_expect_eq(usage.figures.read_bytes, 600);
    cr_expect_eq(usage.figures.max_rss, 700 * 1024);
}

Test(usage, the_memory_of_a_launched_process_before_its_exec_is_not_its_own)
{
    struct process_usage usage = new_usage();
    const struct procfs_usage end = end_without_children();

    usage.launch_rss_kb = 900;
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.max_rss, WIRE_UNKNOWN);
    usage.launch_rss_kb = 899;
    usage_settle(&usage, &end, 100 * MS, &both, 0);
    cr_expect_eq(usage.figures.max_rss, 900 * 1024);
}
