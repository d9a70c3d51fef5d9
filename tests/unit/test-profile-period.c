/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of profile_end_period: the periods of a run, merged, are the run. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "build-events.h"
#include "describe-profile.h"

#define EVENTS 600u

/* A profile that is fed, and the sum of its periods that have ended. */
struct run {
    struct profile *profile, *sum;
    uint32_t periods;
};

static void run_end_period(struct run *run)
{
    struct profile_moves moves;
    struct profile *ended;

    cr_assert_eq(profile_end_period(run->profile, 1, run->profile->clock_offset, &ended, &moves), 0);
    profile_moves_clear(&moves);
    cr_assert_eq(run->profile->sample_count, 0);
    cr_assert_eq(profile_merge(run->sum, ended, 0), 0);
    profile_free(ended);
    run->periods++;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Feeds an event about one of 4 processes of at most 3 threads each. */
static void feed_any(struct profile *profile, uint32_t *seed, uint64_t time)
{
    uint32_t pid = 10 + draw(seed, 4), tid = pid + 100 * draw(seed, 3), process;
    struct map_spec map = libx;
    struct wire_fork fork = {.header = {WIRE_FORK, sizeof fork}, .time = time, .pid = pid, .ppid = 1};
    struct wire_task exec = {.header = {WIRE_EXEC, sizeof exec}, .time = time, .pid = pid, .tid = pid};
    /* no thread ends alone: another one with its number and name would be the same after merging */
    struct wire_exit end = {
        .header = {WIRE_EXIT, sizeof end}, .time = time, .pid = pid, .tid = pid, .status = 3, .cpu_ns = time};
    struct wire_sample sample = {.header = {WIRE_SAMPLE, sizeof sample},
                                 .time = time,
                                 .pid = pid,
                                 .tid = tid,
                                 .pc = 0x900 + draw(seed, 20) * 0x1000,
                                 .cpu_ns = 1 + draw(seed, 1000),
                                 .syscall = (int32_t)draw(seed, 3) - 1};

    if (!profile_find_process(profile, pid, &process)) {
        feed(profile, &fork.header);
        return;
    }
    switch (draw(seed, 12)) {
    case 0:
        feed(profile, &end.header);
        break;
    case 1:
        feed(profile, &exec.header);
        break;
    case 2:
    case 3:
        map.pid = pid;
        map.kind = draw(seed, 2) == 0 ? WIRE_MAP_ANON : WIRE_MAP_FILE;
        map.name = map.kind == WIRE_MAP_ANON ? "" : "/lib/libx.so";
        map.build_id = map.kind == WIRE_MAP_ANON ? 0 : (unsigned char)(1 + draw(seed, 3));
        /* the address of an object's first mapping is kept, and each period has a first one */
        map.start = map.kind == WIRE_MAP_ANON ? 0x9000 : map.build_id * 0x2000u;
        map.end = map.start + 0x3000;
        feed_map(profile, &map);
        break;
    default:
        feed(profile, &sample.header);
    }
}

/* Describes a run of which a period ends at one of `often` events; 0: never. */
static char *describe_run(uint32_t seed, uint32_t often, uint32_t *periods)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};

    for (uint32_t i = 0; i < EVENTS; i++) {
        feed_any(run.profile, &seed, (i + 1) * 1000u);
        if (often != 0 && i % often == often - 1)
            run_end_period(&run);
    }
    run_end_period(&run);
    /* slots of time begin with each period */
    timeline_clear(&run.sum->timeline);
    history_clear(&run.sum->history);
    char *text = describe_profile(run.sum);
    *periods = run.periods;
    profile_free(run.profile);
    profile_free(run.sum);
    return text;
}

/* Removes the totals, which count a process in each period, and processes without samples, which are not merged. */
static void drop_idle(char *text)
{
    char *out = text;

    for (char *line = strchr(text, '\n') + 1, *next; *line != '\0'; line = next) {
        next = strchr(line, '\n');
        next = next != NULL ? next + 1 : line + strlen(line);
        bool idle = strncmp(line, "process", 7) == 0 && strncmp(next, "  ", 2) != 0;
        if (idle)
            continue;
        memmove(out, line, (size_t)(next - line));
        out += next - line;
    }
    *out = '\0';
}

Test(period, periods_are_the_run)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint32_t one, many;
        char *whole = describe_run(seed, 0, &one), *parts = describe_run(seed, 1 + seed * 3, &many);
        drop_idle(whole);
        drop_idle(parts);
        cr_assert_eq(one, 1);
        cr_assert_gt(many, one);
        cr_assert_str_eq(parts, whole, "seed %u", seed);
        free(whole);
        free(parts);
    }
}

Test(period, only_what_is_alive_goes_on)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};

    for (uint32_t pid = 100; pid < 200; pid++) {
        feed_fork(run.profile, pid, 1);
        feed_map(run.profile, &(struct map_spec){.pid = pid,
                                                 .kind = WIRE_MAP_ANON,
                                                 .start = 0x1000,
                                                 .end = 0x2000,
                                                 .name = ""});
        feed_sample(run.profile, pid, pid, 0x1000 + pid, 5, -1);
        feed_exit(run.profile, pid, pid, 0);
    }
    feed_fork(run.profile, 10, 1);
    feed_comm(run.profile, 10, 10, "service");
    feed_task(run.profile, WIRE_THREAD, 10, 11);
    feed_map(run.profile, &libx);
    run_end_period(&run);
    cr_assert_eq(run.profile->process_count, 1);
    cr_assert_eq(run.profile->thread_count, 2);
    cr_assert_eq(run.profile->object_count, 1);
    cr_assert_eq(run.profile->location_count, 1); /* entry 0 of these tables means "none" */
    cr_assert_eq(run.profile->node_count, 1);
    cr_assert_eq(run.profile->totals.processes_seen, 1);
    feed_sample(run.profile, 10, 11, 0x1800, 7, -1);
    cr_assert_eq(leaf(run.profile, 0)->address, 0x2800);
    cr_assert_str_eq(run.profile->strings[run.profile->threads[run.profile->samples[0].thread].comm], "service");
    cr_assert_eq(run.sum->sample_count, 100);
    profile_free(run.profile);
    profile_free(run.sum);
}

Test(period, descriptors_and_ids_are_known_in_the_next_period)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    struct map_spec first = libx, second = libx;
    uint32_t object;
    uint64_t start, offset;
    int pipes[2];

    cr_assert_eq(pipe(pipes), 0);
    first.object = 1;
    second.object = 2;
    second.build_id = 8;
    second.start = 0x8000;
    second.end = 0x9000;
    feed_fork(run.profile, 10, 1);
    feed_map(run.profile, &first);
    profile_give_object(run.profile, 2, pipes[1]); /* before its mapping */
    run_end_period(&run);
    profile_give_object(run.profile, 1, pipes[0]); /* after its mapping */
    feed_map(run.profile, &second);
    cr_assert(profile_find_mapping(run.profile, 10, first.start, &object, &start, &offset));
    cr_assert_eq(run.profile->objects[object].fd, pipes[0]);
    cr_assert(profile_find_mapping(run.profile, 10, second.start, &object, &start, &offset));
    cr_assert_eq(run.profile->objects[object].fd, pipes[1]);
    run_end_period(&run);
    cr_assert(profile_find_mapping(run.profile, 10, second.start, &object, &start, &offset));
    cr_assert_geq(run.profile->objects[object].fd, 0);
    profile_free(run.profile);
    profile_free(run.sum);
}

Test(period, a_sleeper_keeps_its_stack_and_its_wait)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    struct wire_sample sample = {.header = {WIRE_SAMPLE, sizeof sample},
                                 .pid = 10,
                                 .tid = 10,
                                 .wall_ns = 5,
                                 .wait = 1,
                                 .syscall = -1,
                                 .flags = WIRE_SAMPLE_SLEEPING};
    struct wire_wait wait = {
        .header = {WIRE_WAIT, sizeof wait}, .id = 1, .pid = 10, .kind = WIRE_WAIT_TIME};
    struct wire_fork fork = {.header = {WIRE_FORK, sizeof fork}, .time = 5, .pid = 10, .ppid = 1};
    uint32_t object, location, node = PROFILE_NONE;

    feed(run.profile, &fork.header);
    feed_map(run.profile, &libx);
    feed(run.profile, &wait.header);
    cr_assert_eq(profile_unknown_object(run.profile, &object), 0);
    for (uint64_t address = 1; address <= 5; address++) {
        cr_assert_eq(profile_location(run.profile, object, address, &location), 0);
        cr_assert_eq(profile_node(run.profile, node, location, &node), 0);
    }
    cr_assert_eq(profile_feed_sample(run.profile, &sample, node), 0);
    sample.flags |= WIRE_SAMPLE_SAME_STACK;
    for (int period = 0; period < 3; period++) {
        run_end_period(&run);
        feed(run.profile, &sample.header);
        const struct profile_sample *entry = &run.profile->samples[0];
        uint64_t address = 5;
        for (node = entry->node; node != PROFILE_NONE; node = run.profile->nodes[node].parent)
            cr_assert_eq(run.profile->locations[run.profile->nodes[node].location].address, address--);
        cr_assert_eq(address, 0);
        cr_assert_str_eq(run.profile->strings[run.profile->waits[entry->wait].name], "a timer");
    }
    run_end_period(&run);
    cr_assert_eq(run.sum->sample_count, 1);
    cr_assert_eq(run.sum->samples[0].wall_ns, 20);
    profile_free(run.profile);
    profile_free(run.sum);
}

Test(period, counts_of_the_supervisor_are_divided)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    struct wire_stats stats = {.header = {WIRE_STATS, sizeof stats}};

    for (uint64_t i = 1; i <= 5; i++) {
        stats.elapsed_ns = 100 * i * i;
        stats.ticks = 7 * i;
        stats.target_cpu_ns = 50 * i;
        stats.threads = 4;
        feed(run.profile, &stats.header);
        if (i == 3)
            cr_assert_eq(run.profile->totals.elapsed_ns, 500);
        run_end_period(&run);
    }
    cr_assert_eq(run.sum->totals.elapsed_ns, 2500);
    cr_assert_eq(run.sum->totals.ticks, 35);
    cr_assert_eq(run.sum->totals.target_cpu_ns, 250);
    cr_assert_eq(run.profile->totals.threads_alive, 4);
    profile_free(run.profile);
    profile_free(run.sum);
}

/* Maps file number `i` at the address at which the one before it was, and gives its descriptor if `give` is true. */
static void feed_plugin(struct profile *profile, uint32_t i, bool give)
{
    char name[32];

    snprintf(name, sizeof name, "/plugin-%u.so", i);
    feed_map(profile, &(struct map_spec){.pid = 10,
                                         .kind = WIRE_MAP_FILE,
                                         .object = i,
                                         .start = 0x1000,
                                         .end = 0x5000,
                                         .inode = 100 + i,
                                         .name = name});
    if (give)
        profile_give_object(profile, i, open("/dev/null", O_RDONLY | O_CLOEXEC));
}

Test(period, files_of_a_program_that_loads_new_ones_for_ever_are_forgotten)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    uint32_t object, count = 0;
    uint64_t start, offset;

    feed_fork(run.profile, 10, 1);
    for (uint32_t i = 1; i <= 600; i++) {
        feed_plugin(run.profile, i, true);
        feed_sample(run.profile, 10, 10, 0x1800, 5, -1);
        if (i % 10 == 0)
            run_end_period(&run);
    }
    run_end_period(&run);
    for (uint32_t i = 0; i < run.profile->object_count; i++)
        count += run.profile->objects[i].fd >= 0;
    cr_assert_geq(count, 200); /* some are kept, for they may be mapped again */
    cr_assert_leq(count, 300);
    /* the last one is among them; the first one is opened by its path if it is mapped again, and nobody waits for it */
    cr_assert(profile_find_mapping(run.profile, 10, 0x1000, &object, &start, &offset));
    cr_assert_geq(run.profile->objects[object].fd, 0);
    feed_map(run.profile, &(struct map_spec){.pid = 10,
                                             .kind = WIRE_MAP_FILE,
                                             .object = 1,
                                             .start = 0x8000,
                                             .end = 0x9000,
                                             .inode = 101,
                                             .name = "/plugin-1.so"});
    cr_assert(profile_find_mapping(run.profile, 10, 0x8000, &object, &start, &offset));
    cr_assert_str_eq(run.profile->strings[run.profile->objects[object].path], "/plugin-1.so");
    cr_assert_lt(run.profile->objects[object].fd, 0);
    cr_assert_not(profile_awaits_object(run.profile, object));
    cr_assert_eq(run.sum->object_count, 600);
    profile_free(run.profile);
    profile_free(run.sum);
}

Test(period, a_file_whose_descriptor_is_late_is_not_forgotten)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    uint32_t object;
    uint64_t start, offset;

    feed_fork(run.profile, 10, 1);
    for (uint32_t i = 1; i <= 400; i++)
        feed_plugin(run.profile, i, i != 1);
    run_end_period(&run);
    run_end_period(&run);
    profile_give_object(run.profile, 1, open("/dev/null", O_RDONLY | O_CLOEXEC));
    feed_plugin(run.profile, 1, false);
    cr_assert(profile_find_mapping(run.profile, 10, 0x1000, &object, &start, &offset));
    cr_assert_geq(run.profile->objects[object].fd, 0);
    profile_free(run.profile);
    profile_free(run.sum);
}

/* The clock is set between two periods. */
Test(period, reads_the_clock_again)
{
    struct run run = {.profile = profile_new(), .sum = profile_new()};
    struct profile_moves moves;
    struct profile *ended;
    struct wire_fork fork = {.header = {WIRE_FORK, sizeof fork}, .time = 5, .pid = 10, .ppid = 1};
    struct wire_exit end = {.header = {WIRE_EXIT, sizeof end}, .time = 70, .pid = 10, .tid = 10};

    run.profile->clock_offset = 1000;
    feed(run.profile, &fork.header);
    cr_assert_eq(profile_end_period(run.profile, 5050, 5000, &ended, &moves), 0);
    profile_moves_clear(&moves);
    cr_assert_eq(ended->processes[0].start, 1005);
    profile_free(ended);
    cr_assert_eq(run.profile->history.start, 5050);
    cr_assert_eq(run.profile->totals.start_time, 5050);
    cr_assert_eq(run.profile->processes[0].start, 1005);
    feed(run.profile, &end.header);
    cr_assert_eq(run.profile->processes[0].end, 5070);
    profile_free(run.profile);
    profile_free(run.sum);
}
