/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffs of objects, lines, threads, processes, system calls and states: what belongs together, and that its tests are
 * those of functions. */
#include "config.h"

#include "report-diff-fixture.h"
#include "report/row.h"

static struct pprofil_diff *compare_rows(struct profile *old, struct profile *new, enum pprofil_by rows)
{
    const struct diff_options options = {.rows = rows};
    struct pprofil_diff *diff;

    cr_assert_eq(diff_new((struct profile *[]){old, new}, NULL, &options, &diff), 0);
    return diff;
}

static uint32_t thread(struct profile *profile, uint32_t tid, const char *comm)
{
    struct profile_process process = {.pid = tid, .start = tid, .comm = string(profile, comm)};
    struct profile_thread added = {.tid = tid, .comm = string(profile, comm)};
    uint32_t index;

    cr_assert_eq(profile_add_process(profile, &process, &added.process), 0);
    cr_assert_eq(profile_add_thread(profile, &added, &index), 0);
    return index;
}

static void count_as(struct profile *profile, uint32_t thread, enum profile_state state, uint64_t samples)
{
    struct profile_sample sample = {.node = below(profile, 0, place(profile, "/bin/a", "f")),
                                    .thread = thread,
                                    .state = state,
                                    .count = samples,
                                    .cpu_ns = samples * 1000,
                                    .wall_ns = samples * 1000};
    cr_assert_eq(profile_count(profile, &sample), 0);
}

static void expect_samples(const struct pprofil_diff_row *row, uint64_t old, uint64_t new)
{
    cr_expect_eq(row->self.samples[0], old, "%s: %lu", row->name, row->self.samples[0]);
    cr_expect_eq(row->self.samples[1], new, "%s: %lu", row->name, row->self.samples[1]);
}

Test(diff_groups, threads_and_processes_are_found_by_name)
{
    static const enum pprofil_by both[] = {PPROFIL_BY_THREAD, PPROFIL_BY_PROCESS};

    for (unsigned i = 0; i < 2; i++) {
        struct profile *old = make_profile(), *new = make_profile();
        count_as(old, thread(old, 10, "worker"), PROFILE_RUNNING, 100);
        count_as(old, thread(old, 11, "worker"), PROFILE_RUNNING, 100);
        count_as(old, thread(old, 12, "gone"), PROFILE_RUNNING, 100);
        count_as(new, thread(new, 20, "worker"), PROFILE_RUNNING, 290);
        count_as(new, thread(new, 21, "come"), PROFILE_RUNNING, 10);
        struct pprofil_diff *diff = compare_rows(old, new, both[i]);
        cr_expect_eq(diff->totals.rows, 3);
        expect_samples(find(diff, "worker"), 200, 290);
        expect_samples(find(diff, "gone"), 100, 0);
        expect_samples(find(diff, "come"), 0, 10);
        cr_expect_str_eq(find(diff, "worker")->object[0], "");
        cr_expect_eq(find(diff, "worker")->total.p, 1);
        cr_expect(find(diff, "gone")->self.significant);
        end(diff, old, new);
    }
}

Test(diff_groups, tests_are_those_of_functions)
{
    struct profile *old = make_profile(), *new = make_profile();

    for (unsigned i = 0; i < 8; i++) {
        char name[] = {(char)('a' + i), '\0'};
        count_in(old, "/bin/a", name, 50 + 10 * i, 1000 * (50 + 10 * i));
        count_in(new, "/bin/a", name, 120 - 10 * i, 1000 * (120 - 10 * i));
    }
    struct pprofil_diff *functions = compare_rows(old, new, PPROFIL_BY_FUNCTION);
    struct profile *by_thread[2] = {make_profile(), make_profile()};
    for (unsigned i = 0; i < 8; i++) {
        char name[] = {(char)('a' + i), '\0'};
        count_as(by_thread[0], thread(by_thread[0], 10 + i, name), PROFILE_RUNNING, 50 + 10 * i);
        count_as(by_thread[1], thread(by_thread[1], 20 + i, name), PROFILE_RUNNING, 120 - 10 * i);
    }
    struct pprofil_diff *threads = compare_rows(by_thread[0], by_thread[1], PPROFIL_BY_THREAD);
    cr_assert_eq(functions->totals.rows, 8);
    cr_assert_eq(threads->totals.rows, 8);
    for (unsigned i = 0; i < 8; i++) {
        const struct pprofil_change *one = &functions->rows[i].self, *other = &threads->rows[i].self;
        cr_expect_str_eq(functions->rows[i].name, threads->rows[i].name);
        cr_expect_float_eq(one->p, other->p, 1e-12);
        cr_expect_float_eq(one->q, other->q, 1e-12);
        cr_expect_float_eq(one->low, other->low, 1e-12);
        cr_expect_eq(one->significant, other->significant);
    }
    cr_expect_eq(functions->totals.significant, threads->totals.significant);
    end(functions, old, new);
    end(threads, by_thread[0], by_thread[1]);
}

/* The objects' functions show that the program was renamed, so it is one object, with the functions that only one of
 * the profiles has. */
Test(diff_groups, renamed_objects_are_one)
{
    struct profile *old = make_profile(), *new = make_profile();

    count_in(old, "/bin/prog-1", "f", 50, 50000);
    count_in(old, "/bin/prog-1", "only_old", 20, 20000);
    count_in(old, "/lib/libc.so", "write", 30, 30000);
    count_in(new, "/bin/prog-2", "f", 60, 60000);
    count_in(new, "/bin/prog-2", "only_new", 10, 10000);
    count_in(new, "/lib/libc.so", "write", 30, 30000);
    struct pprofil_diff *diff = compare_rows(old, new, PPROFIL_BY_OBJECT);
    cr_assert_eq(diff->totals.rows, 2);
    expect_samples(find(diff, "prog-2"), 70, 70);
    expect_samples(find(diff, "libc.so"), 30, 30);
    cr_expect_str_eq(find(diff, "prog-2")->object[0], "prog-1");
    cr_expect_str_eq(find(diff, "prog-2")->object[1], "prog-2");
    end(diff, old, new);
}

Test(diff_groups, lines_are_found_by_file_and_number)
{
    struct profile *profiles[2] = {make_profile(), make_profile()};
    static const char *const paths[2] = {"/build/1/main.c", "/build/2/main.c"};

    for (unsigned side = 0; side < 2; side++)
        for (uint32_t at = 0; at < 2; at++) {
            uint32_t location = place_at(profiles[side], "/bin/a", "f", at);
            struct profile_line line = {.function = row_function(&profiles[side]->locations[location]),
                                        .file = string(profiles[side], paths[side]),
                                        .line = 10 + at + side};
            cr_assert_eq(profile_set_lines(profiles[side], location, &line, 1, PROFILE_LOOKED_LINE), 0);
            count(profiles[side], below(profiles[side], 0, location), 40 + at, 1000 * (40 + at));
        }
    struct pprofil_diff *diff = compare_rows(profiles[0], profiles[1], PPROFIL_BY_LINE);
    cr_assert_eq(diff->totals.rows, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct pprofil_diff_row *row = &diff->rows[i];
        cr_expect_str_eq(row->name, "main.c");
        expect_samples(row,
                       row->line == 10   ? 40
                       : row->line == 11 ? 41
                                         : 0,
                       row->line == 11   ? 40
                       : row->line == 12 ? 41
                                         : 0);
    }
    end(diff, profiles[0], profiles[1]);
}

Test(diff_groups, states_and_system_calls)
{
    struct profile *old = make_profile(), *new = make_profile();

    old->totals.wall = new->totals.wall = true;
    count_as(old, thread(old, 10, "a"), PROFILE_RUNNING, 70);
    count_as(old, thread(old, 11, "a"), PROFILE_ASLEEP, 30);
    count_as(new, thread(new, 12, "a"), PROFILE_RUNNING, 20);
    count_as(new, thread(new, 13, "a"), PROFILE_ASLEEP, 80);
    struct pprofil_diff *diff = compare_rows(old, new, PPROFIL_BY_STATE);
    expect_samples(find(diff, "running"), 70, 20);
    expect_samples(find(diff, "asleep"), 30, 80);
    pprofil_diff_free(diff);
    diff = compare_rows(old, new, PPROFIL_BY_SYSCALL);
    expect_samples(find(diff, "[user]"), 100, 100);
    cr_expect_not(find(diff, "[user]")->self.significant);
    end(diff, old, new);
}

/* The ids of a function's rows are those of reports of each profile. */
Test(diff_groups, functions_have_the_ids_of_their_reports)
{
    struct profile *profiles[2] = {make_profile(), make_profile()};

    count_in(profiles[1], "/bin/a", "before", 1, 1000);
    for (unsigned side = 0; side < 2; side++)
        count_in(profiles[side], "/bin/a", "f", 50, 50000);
    struct pprofil_diff *diff = compare_rows(profiles[0], profiles[1], PPROFIL_BY_FUNCTION);
    for (unsigned side = 0; side < 2; side++) {
        const struct report_options options = {.by = PPROFIL_BY_FUNCTION};
        struct pprofil_report *report;
        uint64_t id = 0;
        cr_assert_eq(report_flat(profiles[side], NULL, &options, &report), 0);
        for (uint32_t i = 0; i < report->count; i++)
            if (strcmp(report->rows[i].name, "f") == 0)
                id = report->rows[i].id;
        cr_expect_neq(id, 0);
        cr_expect_eq(find(diff, "f")->id[side], id);
        pprofil_report_free(report);
    }
    cr_expect_eq(find(diff, "before")->id[0], 0);
    end(diff, profiles[0], profiles[1]);
}
