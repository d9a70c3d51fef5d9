/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "build-stacks.h"
#include "report/name-search.h"
#include "report/report.h"

/* --- patterns ---------------------------------------------------------------------------- */

static const char *const names[] = {"parse",       "parse_all", "ns::f(int)", "ns::f(char*)",
                                    "ns::ff(int)", "a+b",       NULL,         "Main"};
#define NAMES 8u

static uint32_t matched(const char *pattern)
{
    bool marked[NAMES] = {false};
    char problem[64];
    uint32_t found, set = 0;

    cr_assert_eq(name_search(pattern, names, NAMES, marked, &found, problem, sizeof problem), 0);
    for (uint32_t i = 0; i < NAMES; i++)
        set |= (uint32_t)marked[i] << i;
    cr_assert_eq((uint32_t)__builtin_popcount(set), found);
    return set;
}

Test(match, names_come_before_patterns)
{
    cr_assert_eq(matched("parse"), 0x01, "itself, not parse_all");
    cr_assert_eq(matched("pars"), 0x03, "in both");
    cr_assert_eq(matched("^parse"), 0x03);
    cr_assert_eq(matched("ns::f"), 0x0c, "without parameters, not ns::ff");
    cr_assert_eq(matched("ns::f(char*)"), 0x08, "special only where it is no name");
    cr_assert_eq(matched("a+b"), 0x20);
    cr_assert_eq(matched("f("), 0x1c, "a part, though no expression");
    cr_assert_eq(matched("^(Main|a.b)$"), 0xa0);
    cr_assert_eq(matched("main"), 0);
    cr_assert_eq(matched(""), 0xbf, "is in all");
}

Test(match, what_is_no_pattern_is_told)
{
    bool marked[NAMES] = {false};
    char problem[64] = "";
    uint32_t found;

    cr_assert_eq(name_search("q(", names, NAMES, marked, &found, problem, sizeof problem), -EINVAL);
    cr_assert_neq(problem[0], '\0');
    cr_assert_eq(name_search("f(", names, NAMES, marked, &found, problem, sizeof problem), 0);
    cr_assert_neq(problem[0], '\0', "a part of names that is no expression");
    cr_assert_eq(name_search("pars", names, NAMES, marked, &found, problem, sizeof problem), 0);
    cr_assert_eq(problem[0], '\0', "a part of names that is an expression");
}

Test(match, what_looks_like_it)
{
    uint32_t nearest[NAME_SEARCH_NEAREST];
    char problem[128], shorter[20];

    cr_assert_eq(name_search_nearest("main", names, NAMES, nearest), 1);
    cr_assert_eq(nearest[0], 7);
    cr_assert_eq(name_search_nearest("prase", names, NAMES, nearest), 1);
    cr_assert_eq(nearest[0], 0);
    cr_assert_eq(name_search_nearest("nothing like it", names, NAMES, nearest), 0);
    cr_assert_eq(name_search_nearest("", (const char *const[]){""}, 1, nearest), 1);
    const char *const many[] = {"ab1", "ab2", "ab3", "ab4", "ab1"};
    cr_assert_eq(name_search_nearest("AB", many, 5, nearest), 3, "not more, and each once");
    cr_assert_eq(nearest[0], 0);
    name_search_complain("function", "MAIN", names, NAMES, problem, sizeof problem);
    cr_assert_str_eq(problem, "no function is called 'MAIN'; there is 'Main'");
    name_search_complain("function", "ma", (const char *const[]){"MA\033[2J"}, 1, problem, sizeof problem);
    cr_assert_str_eq(problem, "no function is called 'ma'; there is 'MA?[2J'");
    name_search_complain("function", "MAIN", names, NAMES, shorter, sizeof shorter);
    cr_assert_str_eq(shorter, "no function is call");
}

/* --- parts ------------------------------------------------------------------------------- */

/* Makes a profile of 100 samples. Process 7 is called "make". Its thread 7 is also called "make", and its thread 8 is
 * called "job". Process 9 and its thread 9 are called "cc". */
static struct profile *make_profile(void)
{
    struct profile *profile = profile_new();

    stacks_thread(profile, 7, "make", 7, "make");
    stacks_thread(profile, 7, "make", 8, "job");
    stacks_thread(profile, 9, "cc", 9, "cc");
    stacks_add(profile, 0, "main;read", 10);
    stacks_add(profile, 1, "start;work;read", 20);
    stacks_add(profile, 1, "start;work;liblex", 30);
    stacks_add(profile, 2, "main;parse|inner;liblex", 25);
    stacks_add(profile, 2, "main;parse|inner", 10);
    stacks_add(profile, 2, "[truncated];parse", 5);
    profile->totals.target_cpu_ns = 5000;
    profile->totals.asked_hz = 100;
    profile->totals.threads_seen = 12;
    profile->command = strdup("make all");
    return profile;
}

static struct profile *selected(struct profile *profile, struct pprofil_selection options)
{
    struct profile *part;
    char problem[256] = "";

    cr_assert_eq(report_select(profile, NULL, &options, &part, problem, sizeof problem), 0, "%s", problem);
    return part;
}

static uint64_t count(struct profile *profile, struct pprofil_selection options)
{
    struct profile *part = selected(profile, options);
    uint64_t samples = part->totals.samples, sum = 0, ns = 0;

    for (uint32_t i = 0; i < part->sample_count; i++) {
        sum += part->samples[i].count;
        ns += part->samples[i].cpu_ns;
    }
    cr_assert_eq(sum, samples);
    cr_assert_eq(ns, part->totals.cpu_ns);
    cr_assert_eq(ns, samples * 10);
    profile_free(part);
    return samples;
}

Test(select, each_way)
{
    struct profile *profile = make_profile();
    const uint32_t pids[] = {9, 1000};

    cr_assert_eq(count(profile, (struct pprofil_selection){0}), 100);
    cr_assert_eq(count(profile, (struct pprofil_selection){.pids = pids, .pid_count = 2}), 40);
    cr_assert_eq(count(profile, (struct pprofil_selection){.comm = "make"}), 60);
    cr_assert_eq(count(profile, (struct pprofil_selection){.comm = "^(make|cc)"}), 100);
    cr_assert_eq(count(profile, (struct pprofil_selection){.thread = "job"}), 50);
    cr_assert_eq(count(profile, (struct pprofil_selection){.thread = "8"}), 50);
    cr_assert_eq(count(profile, (struct pprofil_selection){.object = "libx.so"}), 55);
    cr_assert_eq(count(profile, (struct pprofil_selection){.object = "/lib/libx.so"}), 55);
    cr_assert_eq(count(profile, (struct pprofil_selection){.object = "/bin/"}), 45);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "liblex"}), 55);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "inner"}), 10);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "parse"}), 5);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "parse", .no_inlines = true}), 15);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "parse"}), 40);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "inner"}), 35);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "main"}), 45);
    cr_assert_eq(count(profile, (struct pprofil_selection){.ignore = "main"}), 55);
    cr_assert_eq(count(profile, (struct pprofil_selection){.ignore = "not there"}), 100);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "[truncated]"}), 5);
    profile_free(profile);
}

Test(select, all_ways_together)
{
    struct profile *profile = make_profile();

    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "work", .function = "read"}), 20);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "main", .comm = "cc"}), 35);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "main", .ignore = "parse"}), 10);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "work", .comm = "cc"}), 0);
    profile_free(profile);
}

Test(select, what_is_not_there_is_told)
{
    struct profile *profile = make_profile();
    const uint32_t pid = 8;
    const struct {
        struct pprofil_selection options;
        const char *problem;
    } wrong[] = {
        {{.pids = &pid, .pid_count = 1}, "--pid: no sample is of such a process"},
        {{.comm = "mak_"}, "--comm: no process is called 'mak_'; there is 'make'"},
        {{.thread = "4711"}, "--thread: no thread is called '4711'; there is 'make', 'job', 'cc'"},
        {{.object = "liby.so"},
         "--object: no object is called 'liby.so'; there is '/bin/prog', '/lib/libx.so', '[truncated]'"},
        {{.function = "raed"}, "--function: no function is called 'raed'; there is 'read'"},
        {{.focus = "MAIN"}, "--focus: no function is called 'MAIN'; there is 'main'"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct profile *part;
        char problem[256] = "";
        cr_assert_eq(report_select(profile, NULL, &wrong[i].options, &part, problem, sizeof problem), -ENOENT);
        cr_assert_str_eq(problem, wrong[i].problem);
    }
    struct profile *part;
    char problem[256] = "";
    struct pprofil_selection bad = {.ignore = "(("};
    cr_assert_eq(report_select(profile, NULL, &bad, &part, problem, sizeof problem), -EINVAL);
    cr_assert_not_null(strstr(problem, "--ignore: '(('"));
    profile_free(profile);
}

Test(select, a_part_is_a_whole_profile)
{
    struct profile *profile = make_profile();
    struct profile *part = selected(profile, (struct pprofil_selection){.comm = "cc"});

    cr_assert_eq(part->process_count, 1);
    cr_assert_eq(part->processes[0].pid, 9);
    cr_assert_str_eq(part->strings[part->processes[0].comm], "cc");
    cr_assert_eq(part->thread_count, 1);
    cr_assert_eq(part->totals.threads_seen, 1);
    cr_assert_eq(part->totals.processes_seen, 1);
    cr_assert_eq(part->totals.target_cpu_ns, 5000, "of the run");
    cr_assert_eq(part->totals.asked_hz, 100);
    cr_assert_str_eq(part->command, "make all");
    cr_assert_eq(part->location_count, 1 + 5, "main, parse|inner, liblex, [truncated], parse");
    cr_assert_eq(part->node_count, 1 + 5);
    cr_assert_eq(part->object_count, 3);
    for (uint32_t i = 1; i < part->node_count; i++)
        cr_assert_lt(part->nodes[i].parent, i);
    for (uint32_t i = 1; i < part->location_count; i++) {
        const struct profile_location *place = &part->locations[i];
        for (uint32_t k = 0; k < place->line_count; k++)
            cr_assert_eq(part->functions[place->lines[k].function].object, place->object + 1);
    }
    profile_free(profile);
    const struct profile_node *leaf = &part->nodes[part->samples[0].node];
    const struct profile_location *place = &part->locations[leaf->location];
    cr_assert_str_eq(part->strings[part->functions[place->lines[0].function].name], "liblex");
    place = &part->locations[part->nodes[leaf->parent].location];
    cr_assert_eq(place->line_count, 2);
    cr_assert_str_eq(part->strings[part->functions[place->lines[0].function].name], "inner");
    cr_assert_str_eq(part->strings[part->functions[place->lines[1].function].name], "parse");
    profile_free(part);
}

Test(select, without_stacks_what_was_inlined_is_its_callers)
{
    struct profile *profile = profile_new();

    stacks_thread(profile, 7, "make", 7, "make");
    stacks_add(profile, 0, "parse|inner", 10);
    stacks_add(profile, 0, "lex", 20);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "parse"}), 10);
    cr_assert_eq(count(profile, (struct pprofil_selection){.function = "inner"}), 0);
    cr_assert_eq(count(profile, (struct pprofil_selection){.focus = "inner"}), 0);
    profile_free(profile);
}

Test(select, only_the_whole_has_a_time_line)
{
    struct profile *profile = make_profile();

    cr_assert_eq(timeline_add(&profile->timeline, 1000000000, 7000), 0);
    struct profile *part = selected(profile, (struct pprofil_selection){.comm = "cc"});
    cr_assert_eq(part->timeline.count, 0);
    profile_free(part);
    part = selected(profile, (struct pprofil_selection){.ignore = "nobody|^no$"});
    cr_assert_eq(part->totals.samples, profile->totals.samples);
    cr_assert_eq(part->timeline.count, profile->timeline.count);
    cr_assert_eq(part->timeline.start, profile->timeline.start);
    cr_assert_eq(part->timeline.cpu_ns[0], 7000);
    profile_free(part);
    profile_free(profile);
}

Test(select, descriptors_are_its_own)
{
    struct profile *profile = make_profile();
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    profile->objects[0].fd = fd;
    struct profile *part = selected(profile, (struct pprofil_selection){0});
    cr_assert_neq(part->objects[0].fd, fd);
    cr_assert_geq(part->objects[0].fd, 0);
    int copy = part->objects[0].fd;
    profile_free(profile);
    cr_assert_eq(fcntl(copy, F_GETFD), FD_CLOEXEC);
    profile_free(part);
    cr_assert_eq(fcntl(copy, F_GETFD), -1);
}

Test(select, nothing_of_nothing)
{
    struct profile *profile = profile_new();

    cr_assert_eq(count(profile, (struct pprofil_selection){0}), 0);
    profile_free(profile);
}
