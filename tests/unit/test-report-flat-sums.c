/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares reports that use kept sums (flat-sums.c) with reports whose sums are computed anew each time. */
#include "config.h"

#include <criterion/criterion.h>
#include <time.h>

#include "build-stacks.h"
#include "report/flat-sums.h"
#include "report/live-calls.h"

#define PLACES 60

struct world {
    struct profile *profile;
    uint32_t places[PLACES];
    uint32_t calls[3]; /* indexes of system calls; calls[0]: no system call */
    struct flat_sums sums[REPORT_GROUPINGS];
    struct live_nodes nodes;
    struct report_filter filter;
    bool no_inlines;
    unsigned seed;
};

static unsigned any(struct world *world, unsigned below)
{
    world->seed = world->seed * 69069 + 1;
    return (world->seed >> 12) % below;
}

/* Makes a profile without samples, whose locations have no names yet. */
static struct world new_world(void)
{
    struct world world = {.profile = profile_new(), .seed = 1};
    struct profile *profile = world.profile;

    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t object = stacks_object(profile, i % 3 == 0 ? "/lib/liba.so" : "/bin/prog");
        stacks_must(profile_location(profile, object, 16 * i, &world.places[i]));
    }
    for (uint32_t i = 0; i < 4; i++)
        stacks_thread(profile, 100 + i / 2, "prog", 100 + i, "worker");
    stacks_must(profile_syscall(profile, "read", 0, 0, &world.calls[1]));
    stacks_must(profile_syscall(profile, "write", 1, 0, &world.calls[2]));
    return world;
}

static void end_world(struct world *world)
{
    for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
        flat_sums_clear(&world->sums[by]);
    live_nodes_clear(&world->nodes);
    profile_free(world->profile);
}

static void sample(struct world *world, unsigned deepest)
{
    struct profile_sample sample = {.thread = any(world, 4),
                                    .syscall = world->calls[any(world, 3)],
                                    .count = 1,
                                    .cpu_ns = any(world, 8) * 100,
                                    .wall_ns = any(world, 2) * 50};
    if (any(world, 3) == 0)
        sample.state = any(world, PROFILE_STATES);
    bool wall = world->profile->totals.wall;

    for (unsigned depth = 1 + any(world, deepest); depth > 0; depth--)
        stacks_must(profile_node(world->profile, sample.node, world->places[any(world, PLACES)], &sample.node));
    stacks_must(profile_count(world->profile, &sample));
    world->profile->totals.wall = wall;
}

/* Gives a random location a name, which may replace a former name. In half of the calls, the location
 * gets lines and inlined functions, too. */
static void name(struct world *world)
{
    struct profile *profile = world->profile;
    uint32_t location = world->places[any(world, PLACES)], count = 1;
    uint32_t looked = PROFILE_LOOKED_NAME;
    struct profile_line lines[3];
    char text[16];

    if (any(world, 2) == 0) {
        looked |= PROFILE_LOOKED_LINE;
        count += any(world, 3);
    }
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "f%u", any(world, 12));
        lines[i] = (struct profile_line){
            .function = stacks_function(profile, text, profile->locations[location].object),
            .line = 1 + any(world, 9)};
        stacks_must(profile_string(profile, "/src/a.c", &lines[i].file));
    }
    stacks_must(profile_set_lines(profile, location, lines, count, looked));
    for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
        flat_sums_named(&world->sums[by], profile, location);
}

static void expect_equal(struct world *world, enum pprofil_by by)
{
    struct report_options options = {.by = by,
                                     .live = true,
                                     .stacks = true,
                                     .no_inlines = world->no_inlines,
                                     .filter = world->filter};
    struct pprofil_report *anew, *kept;

    cr_assert_eq(report_flat(world->profile, NULL, &options, &anew), 0);
    options.sums = &world->sums[by];
    cr_assert_eq(report_flat(world->profile, NULL, &options, &kept), 0);
    cr_assert_eq(kept->count, anew->count, "by %d: %u rows, not %u", by, kept->count, anew->count);
    cr_assert_eq(kept->stacks, anew->stacks);
    for (uint32_t i = 0; i < anew->count; i++) {
        const struct pprofil_row *a = &anew->rows[i], *b = &kept->rows[i];
        cr_assert_eq(a->id, b->id);
        cr_assert_str_eq(a->name, b->name);
        cr_assert_str_eq(a->object, b->object);
        cr_assert_eq(a->pending, b->pending);
        cr_assert(a->samples == b->samples && a->ns == b->ns, "by %d: %s", by, a->name);
        cr_assert(a->total_samples == b->total_samples && a->total_ns == b->total_ns,
                  "by %d: total of %s", by, a->name);
        cr_assert_eq(a->share, b->share);
    }
    pprofil_report_free(anew);
    pprofil_report_free(kept);
}

/* Gives a location the name of a function, and says what has been looked up. */
static void name_as(struct world *world, uint32_t location, const char *text, uint32_t looked)
{
    struct profile *profile = world->profile;
    struct profile_line line = {.function = stacks_function(profile, text, profile->locations[location].object),
                                .line = 7};

    stacks_must(profile_set_lines(profile, location, &line, 1, looked));
    for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
        flat_sums_named(&world->sums[by], profile, location);
}

/* The sample waits for the lines of the caller. Meanwhile the lines of its innermost frame come. */
Test(flat_sums, a_row_keeps_its_name_while_its_samples_wait)
{
    struct world world = new_world();
    struct profile_sample sample = {.count = 1, .cpu_ns = 100};
    uint32_t leaf = world.places[1], caller = world.places[2];

    stacks_must(profile_node(world.profile, sample.node, caller, &sample.node));
    stacks_must(profile_node(world.profile, sample.node, leaf, &sample.node));
    stacks_must(profile_count(world.profile, &sample));
    name_as(&world, leaf, "leaf", PROFILE_LOOKED_NAME);
    name_as(&world, caller, "caller", PROFILE_LOOKED_NAME);
    expect_equal(&world, PPROFIL_BY_FUNCTION);
    name_as(&world, leaf, "leaf", PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
    for (unsigned i = 0; i < 3; i++)
        expect_equal(&world, PPROFIL_BY_FUNCTION);
    name_as(&world, caller, "caller", PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
    for (unsigned i = 0; i < 2; i++)
        expect_equal(&world, PPROFIL_BY_FUNCTION);
    end_world(&world);
}

static unsigned children(const struct live_nodes *nodes, uint32_t node)
{
    unsigned count = 0;

    for (uint32_t child = nodes->all[node].child; child != 0; child = nodes->all[child].sibling)
        count++;
    return count;
}

static void expect_equal_nodes(struct world *world)
{
    struct report_options options = {.live = true, .filter = world->filter};
    struct live_nodes anew = {0}, *kept = &world->nodes;

    cr_assert_eq(live_nodes_update(&anew, world->profile, &options), 0);
    cr_assert_eq(live_nodes_update(kept, world->profile, &options), 0);
    for (uint32_t i = 0; i < world->profile->node_count; i++) {
        cr_assert_eq(anew.all[i].self.ns, kept->all[i].self.ns);
        cr_assert_eq(anew.all[i].total.ns, kept->all[i].total.ns);
        cr_assert_eq(anew.all[i].total.samples, kept->all[i].total.samples);
        cr_assert_eq(children(&anew, i), children(kept, i));
    }
    live_nodes_clear(&anew);
}

static void change_something(struct world *world, unsigned deepest)
{
    unsigned what = any(world, 400);

    if (what == 0)
        profile_clear(world->profile);
    else if (what == 1)
        world->profile->totals.wall = !world->profile->totals.wall;
    else if (what == 2)
        world->no_inlines = !world->no_inlines;
    else if (what < 8)
        world->filter = (struct report_filter){.tid = any(world, 2) * 101,
                                               .object = any(world, 3),
                                               .process = any(world, 2),
                                               .state = any(world, PROFILE_STATES + 1)};
    else if (what < 100)
        name(world);
    else
        sample(world, deepest);
}

static void live_through(unsigned deepest)
{
    struct world world = new_world();

    for (unsigned round = 0; round < 600; round++) {
        for (unsigned i = any(&world, 20); i > 0; i--)
            change_something(&world, deepest);
        for (unsigned by = 0; by < REPORT_GROUPINGS; by++)
            if (any(&world, 3) > 0) /* not always, because sums must be right also after rounds without a report */
                expect_equal(&world, (enum pprofil_by)by);
        if (any(&world, 3) == 0)
            expect_equal_nodes(&world);
    }
    end_world(&world);
}

Test(flat_sums, single_frames)
{
    live_through(1);
}

Test(flat_sums, stacks)
{
    live_through(9);
}

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double time_report(struct world *world)
{
    struct report_options options = {.by = PPROFIL_BY_FUNCTION,
                                     .live = true,
                                     .stacks = true,
                                     .sums = &world->sums[PPROFIL_BY_FUNCTION]};
    struct pprofil_report *report;
    double begin = seconds();

    cr_assert_eq(report_flat(world->profile, NULL, &options, &report), 0);
    pprofil_report_free(report);
    return seconds() - begin;
}

/* A report after a few new samples takes much less time than the first report, on an idle machine about
 * 1/200. The bound of 1/4 is wide, because other programs may be running. */
Test(flat_sums, what_is_new_is_all_that_is_paid)
{
    struct world world = new_world();
    double least = 1;

    for (unsigned i = 0; i < 4000; i++)
        name(&world);
    for (unsigned i = 0; i < 100000; i++)
        sample(&world, 40);
    double all = time_report(&world);
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < 100; i++)
            sample(&world, 40);
        double more = time_report(&world);
        least = more < least ? more : least;
    }
    fprintf(stderr, "# %.2f ms for all, %.2f ms for 100 more\n", all * 1e3, least * 1e3);
    cr_assert(least < all / 4, "%g s for a hundred samples, %g s for all", least, all);
    end_world(&world);
}
