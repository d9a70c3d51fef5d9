/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of live call trees, and of the totals in live reports. */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <time.h>

#include "build-stacks.h"
#include "report/live-calls.h"
#include "report/row.h"

static const struct report_options live_all = {.by = PPROFIL_BY_FUNCTION, .live = true, .limit = 100};

static void stack(struct profile *profile, const char *folded, uint64_t count)
{
    stacks_add(profile, 0, folded, count);
}

/* Makes a call tree. Computes all sums anew, because it passes no sums of an earlier tree. */
static int find_calls(const struct profile *profile, const struct report_options *options,
                      enum pprofil_tree_kind kind, uint64_t function, struct live_calls *calls)
{
    struct live_nodes nodes = {0};
    int error = live_calls_find(profile, options, kind, function, &nodes, calls);

    live_nodes_clear(&nodes);
    return error;
}

static struct profile *small(void)
{
    struct profile *profile = profile_new();

    stack(profile, "main;work;leaf", 50);
    stack(profile, "main;work", 10);
    stack(profile, "main;other;leaf", 30);
    stack(profile, "main;work;work;leaf", 5);
    stack(profile, "[truncated];leaf", 5);
    return profile;
}

static const struct pprofil_live_call *find(const struct live_calls *calls, uint32_t parent, const char *name)
{
    for (uint32_t i = 0; i < calls->count; i++)
        if (calls->rows[i].parent == parent && strcmp(calls->rows[i].name, name) == 0)
            return &calls->rows[i];
    cr_assert(false, "no %s below %" PRIu32, name, parent);
    return NULL;
}

static uint32_t at(const struct live_calls *calls, const struct pprofil_live_call *call)
{
    return (uint32_t)(call - calls->rows);
}

static uint64_t function_of(const struct live_calls *calls, const char *name)
{
    for (uint32_t i = 0; i < calls->count; i++)
        if (strcmp(calls->rows[i].name, name) == 0)
            return calls->rows[i].function;
    cr_assert(false, "no %s", name);
    return 0;
}

Test(live_calls, top_down)
{
    struct profile *profile = small();
    struct live_calls calls;

    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLS, 0, &calls), 0);
    cr_assert_eq(calls.count, 9);
    cr_assert_eq(calls.ns, 1000);
    cr_assert_eq(calls.root_ns, 1000);
    const struct pprofil_live_call *main = find(&calls, PPROFIL_TREE_TOP, "main");
    const struct pprofil_live_call *work = find(&calls, at(&calls, main), "work");
    const struct pprofil_live_call *again = find(&calls, at(&calls, work), "work");
    cr_assert_eq(main->total_samples, 95);
    cr_assert_eq(main->samples, 0);
    cr_assert_eq(main->below, 2);
    cr_assert_eq(work->total_samples, 65);
    cr_assert_eq(work->samples, 10);
    cr_assert_eq(again->total_samples, 5);
    cr_assert_neq(again->id, work->id, "another place of the same function");
    cr_assert_eq(again->function, work->function);
    cr_assert_eq(find(&calls, at(&calls, work), "leaf")->samples, 50);
    cr_assert_eq(find(&calls, PPROFIL_TREE_TOP, "[truncated]")->total_samples, 5);
    for (uint32_t i = 1; i < calls.count; i++)
        cr_assert_leq(calls.rows[i].total_ns, calls.rows[i - 1].total_ns);
    live_calls_clear(&calls);
    profile_free(profile);
}

/* Inlined functions are frames like other functions. The time of a sample belongs to the innermost function. */
Test(live_calls, inlined)
{
    struct report_options options = live_all;
    struct profile *profile = profile_new();
    struct live_calls calls;

    stack(profile, "main;work|in|deep;leaf", 50);
    stack(profile, "main;work|in|deep", 20);
    stack(profile, "main;work|in", 10);
    stack(profile, "main;in", 20);
    cr_assert_eq(find_calls(profile, &options, PPROFIL_TREE_CALLS, 0, &calls), 0);
    const struct pprofil_live_call *main = find(&calls, PPROFIL_TREE_TOP, "main");
    const struct pprofil_live_call *work = find(&calls, at(&calls, main), "work");
    const struct pprofil_live_call *in = find(&calls, at(&calls, work), "in");
    const struct pprofil_live_call *deep = find(&calls, at(&calls, in), "deep");
    cr_assert_eq(calls.count, 6);
    cr_assert(work->samples == 0 && work->total_samples == 80);
    cr_assert(in->samples == 10 && in->total_samples == 80);
    cr_assert(deep->samples == 20 && deep->total_samples == 70);
    cr_assert_eq(find(&calls, at(&calls, deep), "leaf")->samples, 50);
    cr_assert_eq(find(&calls, at(&calls, main), "in")->samples, 20);
    uint64_t wanted = in->function;
    live_calls_clear(&calls);

    cr_assert_eq(find_calls(profile, &options, PPROFIL_TREE_CALLERS, wanted, &calls), 0);
    cr_assert_eq(calls.root_ns, 1000);
    work = find(&calls, at(&calls, find(&calls, PPROFIL_TREE_TOP, "in")), "work");
    cr_assert_eq(work->total_samples, 80);
    cr_assert_eq(find(&calls, at(&calls, work), "main")->total_samples, 80);
    live_calls_clear(&calls);

    cr_assert_eq(find_calls(profile, &options, PPROFIL_TREE_CALLEES, wanted, &calls), 0);
    in = find(&calls, PPROFIL_TREE_TOP, "in");
    cr_assert(in->samples == 30 && in->total_samples == 100);
    cr_assert_eq(find(&calls, at(&calls, in), "deep")->total_samples, 70);
    live_calls_clear(&calls);

    options.no_inlines = true;
    cr_assert_eq(find_calls(profile, &options, PPROFIL_TREE_CALLS, 0, &calls), 0);
    main = find(&calls, PPROFIL_TREE_TOP, "main");
    cr_assert_eq(find(&calls, at(&calls, main), "work")->samples, 30);
    cr_assert_eq(calls.count, 4);
    live_calls_clear(&calls);
    profile_free(profile);
}

Test(live_calls, ids_stay_while_it_grows)
{
    struct profile *profile = small();
    struct live_nodes nodes = {0};
    struct live_calls before, after;

    cr_assert_eq(live_calls_find(profile, &live_all, PPROFIL_TREE_CALLS, 0, &nodes, &before), 0);
    stack(profile, "main;new;leaf", 1000);
    cr_assert_eq(live_calls_find(profile, &live_all, PPROFIL_TREE_CALLS, 0, &nodes, &after), 0);
    for (uint32_t i = 0; i < before.count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < after.count; k++)
            found = found || after.rows[k].id == before.rows[i].id;
        cr_assert(found, "%s", before.rows[i].name);
    }
    live_calls_clear(&before);
    live_calls_clear(&after);
    live_nodes_clear(&nodes);
    profile_free(profile);
}

Test(live_calls, callers_and_callees)
{
    struct profile *profile = small();
    struct live_calls all, calls;

    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLS, 0, &all), 0);
    uint64_t leaf = function_of(&all, "leaf"), work = function_of(&all, "work");
    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLERS, leaf, &calls), 0);
    const struct pprofil_live_call *root = find(&calls, PPROFIL_TREE_TOP, "leaf");
    cr_assert_eq(root->total_samples, 90);
    cr_assert_eq(calls.root_ns, 900);
    cr_assert_eq(root->below, 3);
    cr_assert_eq(find(&calls, at(&calls, root), "work")->total_samples, 55);
    cr_assert_eq(find(&calls, at(&calls, root), "other")->total_samples, 30);
    cr_assert_eq(find(&calls, at(&calls, root), "[truncated]")->total_samples, 5);
    live_calls_clear(&calls);

    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLEES, work, &calls), 0);
    root = find(&calls, PPROFIL_TREE_TOP, "work");
    cr_assert_eq(root->total_samples, 65, "the outermost calls count, once");
    cr_assert_eq(root->samples, 10);
    cr_assert_eq(find(&calls, at(&calls, root), "leaf")->total_samples, 50);
    live_calls_clear(&calls);
    live_calls_clear(&all);
    profile_free(profile);
}

Test(live_calls, the_largest_within_a_limit)
{
    struct report_options options = live_all;
    struct profile *profile = small();
    struct live_calls calls;

    options.limit = 3;
    cr_assert_eq(find_calls(profile, &options, PPROFIL_TREE_CALLS, 0, &calls), 0);
    cr_assert_eq(calls.count, 3);
    cr_assert_str_eq(calls.rows[0].name, "main");
    cr_assert_str_eq(calls.rows[1].name, "work");
    cr_assert_str_eq(calls.rows[2].name, "leaf");
    cr_assert_eq(calls.rows[0].below, 2, "also those that are not shown");
    live_calls_clear(&calls);
    profile_free(profile);
}

Test(live_calls, nothing_in_it)
{
    struct profile *profile = profile_new();
    struct live_calls calls;

    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLS, 0, &calls), 0);
    cr_assert_eq(calls.count, 0);
    live_calls_clear(&calls);
    cr_assert_eq(find_calls(profile, &live_all, PPROFIL_TREE_CALLERS, 77, &calls), 0);
    cr_assert_eq(calls.count, 0);
    live_calls_clear(&calls);
    profile_free(profile);
}

/* When all names are known, a live report has the same rows as a report on a saved profile. */
Test(live_calls, totals_as_other_reports_have_them)
{
    struct report_options saved = {.by = PPROFIL_BY_FUNCTION, .stacks = true};
    struct report_options live = {.by = PPROFIL_BY_FUNCTION, .stacks = true, .live = true};
    struct profile *profile = small();
    struct pprofil_report *one, *other;
    char folded[400];

    for (unsigned i = 0; i < 3000; i++) { /* pseudo-random stacks */
        size_t used = (size_t)snprintf(folded, sizeof folded, "main");
        for (unsigned k = 0, seed = i * 2654435761u; k < 2 + i % 9; k++, seed = seed * 69069 + 1)
            used += (size_t)snprintf(folded + used, sizeof folded - used, "%cf%u",
                                     seed % 5 == 0 ? '|' : ';', (seed >> 16) % 40);
        stack(profile, folded, 1 + i % 7);
    }
    cr_assert_eq(report_flat(profile, NULL, &saved, &one), 0);
    cr_assert_eq(report_flat(profile, NULL, &live, &other), 0);
    cr_assert(other->stacks);
    cr_assert_eq(one->count, other->count);
    for (uint32_t i = 0; i < one->count; i++) {
        cr_assert_str_eq(one->rows[i].name, other->rows[i].name);
        cr_assert_eq(one->rows[i].ns, other->rows[i].ns);
        cr_assert_eq(one->rows[i].samples, other->rows[i].samples);
        cr_assert_eq(one->rows[i].total_ns, other->rows[i].total_ns, "%s", one->rows[i].name);
        cr_assert_eq(one->rows[i].total_samples, other->rows[i].total_samples);
        cr_assert_eq(one->rows[i].id, other->rows[i].id);
    }
    pprofil_report_free(one);
    pprofil_report_free(other);
    profile_free(profile);
}
