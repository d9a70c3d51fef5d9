/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "build-events.h"
#include "profile/profile-internal.h"
#include "wire/wire.h"

/* --- processes and threads ------------------------------------------------------------------- */

Test(profile, same_code_at_different_addresses_counts_together)
{
    struct profile *profile = profile_new();
    struct map_spec moved = libx;

    feed_fork(profile, 10, 0);
    feed_map(profile, &libx);
    feed_sample(profile, 10, 10, 0x1234, 100, WIRE_NO_SYSCALL);
    feed_fork(profile, 11, 10);
    moved.pid = 11;
    moved.start = 0x701000;
    moved.end = 0x705000;
    feed_map(profile, &moved);
    feed_sample(profile, 11, 11, 0x701234, 50, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->sample_count, 2); /* two threads */
    cr_assert_eq(profile->samples[0].node, profile->samples[1].node);
    cr_assert_eq(leaf(profile, 0)->address, 0x2234);
    cr_assert_eq(profile->object_count, 1);
    cr_assert_eq(profile->totals.cpu_ns, 150);
    cr_assert_eq(profile->totals.samples, 2);
    profile_free(profile);
}

Test(profile, exec_starts_a_new_image)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_comm(profile, 10, 10, "sh");
    feed_map(profile, &libx);
    feed_sample(profile, 10, 10, 0x1234, 1, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_EXEC, 10, 10);
    feed_comm(profile, 10, 10, "gcc");
    feed_sample(profile, 10, 10, 0x1234, 2, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->process_count, 2);
    cr_assert_eq(profile->processes[1].generation, 1);
    cr_assert_eq(profile->processes[1].pid, 10);
    cr_assert_str_eq(profile->strings[profile->processes[0].comm], "sh");
    cr_assert_str_eq(profile->strings[profile->processes[1].comm], "gcc");
    cr_assert_eq(profile->sample_count, 2);
    cr_assert_str_eq(path_of(profile, leaf(profile, 1)->object), "[unknown]");
    cr_assert_eq(profile->totals.threads_seen, 1);
    profile_free(profile);
}

Test(profile, a_number_used_again_is_another_process)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_sample(profile, 10, 10, 0x10, 1, WIRE_NO_SYSCALL);
    feed_exit(profile, 10, 10, 0x100);
    feed_fork(profile, 10, 0);
    feed_sample(profile, 10, 10, 0x10, 1, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->process_count, 2);
    cr_assert_eq(profile->processes[0].status, 0x100);
    cr_assert_eq(profile->processes[1].status, -1);
    cr_assert_eq(profile->sample_count, 2);
    profile_free(profile);
}

Test(profile, a_number_used_again_without_an_end_is_another_process)
{
    struct profile *profile = profile_new();
    struct wire_fork again = {.header = {WIRE_FORK, sizeof again}, .time = 77, .pid = 10};

    feed_fork(profile, 10, 0);
    feed_map(profile, &libx);
    feed(profile, &again.header);
    feed_sample(profile, 10, 10, 0x1234, 1, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->process_count, 2);
    cr_assert_eq(profile->processes[0].end, 77);
    cr_assert_eq(profile->processes[1].end, 0);
    cr_assert_eq(profile->processes[1].generation, 0);
    cr_assert_str_eq(path_of(profile, leaf(profile, 0)->object), "[unknown]");
    profile_free(profile);
}

Test(profile, a_thread_number_used_again_is_another_thread)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_task(profile, WIRE_THREAD, 10, 11);
    feed_sample(profile, 10, 11, 0x10, 1, WIRE_NO_SYSCALL);
    feed_comm(profile, 10, 11, "worker");
    feed_exit(profile, 10, 11, 0);
    feed_task(profile, WIRE_THREAD, 10, 11);
    feed_sample(profile, 10, 11, 0x10, 1, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->process_count, 1);
    cr_assert_eq(profile->processes[0].end, 0);
    cr_assert_eq(profile->thread_count, 3);
    cr_assert_eq(profile->totals.threads_seen, 3);
    cr_assert_eq(profile->sample_count, 2);
    cr_assert_str_eq(profile->strings[profile->threads[1].comm], "worker");
    cr_assert_str_eq(profile->strings[profile->threads[2].comm], "");
    profile_free(profile);
}

Test(profile, sleep_is_counted_apart_and_is_wall_mode)
{
    struct profile *profile = profile_new();
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .pc = 0x10,
                                .syscall = SYS_read};

    feed(profile, &event.header);
    cr_assert(!profile->totals.wall);
    event.flags = WIRE_SAMPLE_SLEEPING;
    event.wall_ns = 30;
    feed(profile, &event.header);
    feed(profile, &event.header);
    cr_assert(profile->totals.wall);
    cr_assert_eq(profile->sample_count, 2);
    cr_assert_eq(profile->samples[1].state, PROFILE_ASLEEP);
    cr_assert_eq(profile->samples[1].count, 2);
    cr_assert_eq(profile->samples[1].wall_ns, 60);
    cr_assert_eq(profile->totals.wall_ns, 60);
    cr_assert_eq(profile->totals.running, 1);
    profile_clear(profile);
    cr_assert(profile->totals.wall);
    cr_assert_eq(profile->totals.running, 0);
    profile_free(profile);
}

/* Samples that come without a stack, because the thread still sleeps as before. */
Test(profile, a_sleep_keeps_its_stack)
{
    struct profile *profile = profile_new();
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .pc = 0x10,
                                .wall_ns = 5,
                                .syscall = SYS_read,
                                .flags = WIRE_SAMPLE_SLEEPING};
    uint32_t location, node;

    cr_assert_eq(profile_mark(profile, "caller", &location), 0);
    cr_assert_eq(profile_node(profile, PROFILE_NONE, location, &node), 0);
    cr_assert_eq(profile_feed_sample(profile, &event, node), 0);
    event.flags |= WIRE_SAMPLE_SAME_STACK;
    feed(profile, &event.header);
    cr_assert_eq(profile->sample_count, 1);
    cr_assert_eq(profile->samples[0].count, 2);
    event.tid = 11; /* the event with the stack of this thread was lost */
    feed(profile, &event.header);
    cr_assert_eq(profile->sample_count, 2);
    cr_assert_eq(leaf(profile, 1)->address, 0x10);
    profile_clear(profile);
    event.tid = 10;
    feed(profile, &event.header);
    cr_assert_eq(profile->samples[0].node, node);
    feed_task(profile, WIRE_EXEC, 10, 10); /* another program */
    feed(profile, &event.header);
    cr_assert_eq(profile->sample_count, 2);
    cr_assert_neq(profile->samples[1].node, node);
    profile_free(profile);
}

Test(profile, states_are_counted_apart)
{
    static const struct {
        uint32_t flags;
        enum profile_state state;
    } all[] = {{0, PROFILE_RUNNING},
               {WIRE_SAMPLE_WAITING, PROFILE_WAITING},
               {WIRE_SAMPLE_SLEEPING, PROFILE_ASLEEP},
               {WIRE_SAMPLE_SLEEPING | WIRE_SAMPLE_UNINTERRUPTIBLE, PROFILE_UNINTERRUPTIBLE}};
    struct profile *profile = profile_new();
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .wall_ns = 5,
                                .syscall = WIRE_NO_SYSCALL};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        event.flags = all[i].flags;
        event.cpu_ns = all[i].state == PROFILE_RUNNING ? 5 : 0;
        feed(profile, &event.header);
    }
    cr_assert_eq(profile->sample_count, PROFILE_STATES);
    cr_assert_eq(profile->totals.samples, PROFILE_STATES);
    cr_assert_eq(profile->totals.running, 1);
    for (unsigned i = 0; i < PROFILE_STATES; i++) {
        cr_assert_eq(profile->samples[i].state, all[i].state);
        cr_assert_eq(profile_state_named(profile_state_name(all[i].state)), all[i].state);
    }
    cr_assert_str_eq(profile->strings[profile->syscalls[profile->samples[1].syscall].name], PROFILE_WAITING_PLACE);
    cr_assert_eq(profile_state_named("anything"), PROFILE_RUNNING);
    profile_free(profile);
}

Test(profile, time_without_samples_has_a_mark)
{
    struct profile *profile = profile_new();
    struct wire_sample event = {.header = {WIRE_SAMPLE, sizeof event},
                                .pid = 10,
                                .tid = 10,
                                .cpu_ns = 5,
                                .syscall = WIRE_NO_SYSCALL,
                                .flags = WIRE_SAMPLE_UNSAMPLED};

    feed(profile, &event.header);
    cr_assert_eq(profile->sample_count, 1);
    const struct profile_sample *sample = &profile->samples[0];
    const struct profile_node *node = &profile->nodes[sample->node];
    const struct profile_object *object = &profile->objects[profile->locations[node->location].object];
    cr_assert_eq(sample->state, PROFILE_RUNNING);
    cr_assert_eq(sample->syscall, PROFILE_NONE);
    cr_assert_eq(profile->totals.cpu_ns, 5);
    cr_assert_eq(node->parent, PROFILE_NONE);
    cr_assert_eq(object->kind, PROFILE_OBJECT_MARK);
    cr_assert_str_eq(profile->strings[object->path], PROFILE_UNSAMPLED_PLACE);
    profile_free(profile);
}

Test(profile, totals_come_from_the_last_statistics)
{
    struct profile *profile = profile_new();
    struct wire_stats stats = {.header = {WIRE_STATS, sizeof stats}, .elapsed_ns = 5, .threads = 9};
    struct wire_lost lost = {.header = {WIRE_LOST, sizeof lost}, .events = 3};
    struct wire_throttle rate = {.header = {WIRE_THROTTLE, sizeof rate}, .asked_hz = 1000};

    feed(profile, &stats.header);
    stats.elapsed_ns = 8;
    stats.target_cpu_ns = 7;
    stats.threads = 2;
    stats.processes = 1;
    feed(profile, &stats.header);
    feed(profile, &lost.header);
    feed(profile, &lost.header);
    feed(profile, &rate.header);
    rate.asked_hz = 50;
    feed(profile, &rate.header);
    cr_assert_eq(profile->totals.elapsed_ns, 8);
    cr_assert_eq(profile->totals.target_cpu_ns, 7);
    cr_assert_eq(profile->totals.threads_alive, 2);
    cr_assert_eq(profile->totals.processes_alive, 1);
    cr_assert_eq(profile->totals.lost, 6);
    cr_assert_float_eq(profile->totals.asked_hz, 1000, 0);
    profile_clear(profile);
    cr_assert_eq(profile->totals.lost, 0);
    cr_assert_float_eq(profile->totals.asked_hz, 1000, 0);
    profile_free(profile);
}

Test(profile, samples_of_the_unannounced_still_count)
{
    struct profile *profile = profile_new();

    feed_sample(profile, 99, 100, 0x10, 5, WIRE_NO_SYSCALL);
    feed_task(profile, WIRE_THREAD, 98, 97);
    cr_assert_eq(profile->totals.cpu_ns, 5);
    cr_assert_eq(profile->process_count, 2);
    cr_assert_str_eq(path_of(profile, leaf(profile, 0)->object), "[unknown]");
    cr_assert_eq(leaf(profile, 0)->address, 0x10);
    profile_free(profile);
}
