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

/* --- objects and tables ---------------------------------------------------------------------- */

Test(profile, a_new_mapping_replaces_what_it_overlaps)
{
    struct profile *profile = profile_new();
    struct map_spec other = libx;

    feed_fork(profile, 10, 0);
    feed_map(profile, &libx); /* 0x1000-0x5000 */
    other.start = 0x2000;
    other.end = 0x3000;
    other.offset = 0;
    other.inode = 6;
    other.name = "/lib/liby.so";
    other.build_id = 8;
    feed_map(profile, &other);
    feed_sample(profile, 10, 10, 0x1fff, 1, WIRE_NO_SYSCALL);
    feed_sample(profile, 10, 10, 0x2fff, 1, WIRE_NO_SYSCALL);
    feed_sample(profile, 10, 10, 0x3000, 1, WIRE_NO_SYSCALL);
    feed_sample(profile, 10, 10, 0x5000, 1, WIRE_NO_SYSCALL);
    cr_assert_str_eq(path_of(profile, leaf(profile, 0)->object), "/lib/libx.so");
    cr_assert_eq(leaf(profile, 0)->address, 0x2fff);
    cr_assert_str_eq(path_of(profile, leaf(profile, 1)->object), "/lib/liby.so");
    cr_assert_eq(leaf(profile, 1)->address, 0xfff);
    cr_assert_str_eq(path_of(profile, leaf(profile, 2)->object), "/lib/libx.so");
    cr_assert_eq(leaf(profile, 2)->address, 0x4000);
    cr_assert_str_eq(path_of(profile, leaf(profile, 3)->object), "[unknown]");
    profile_free(profile);
}

Test(profile, objects_are_told_apart_by_build_id_then_inode)
{
    struct profile *profile = profile_new();
    struct map_spec map = libx;

    feed_fork(profile, 10, 0);
    feed_map(profile, &map);
    map.name = "/other/name/of/libx.so";
    map.inode = 77;
    feed_map(profile, &map);
    cr_assert_eq(profile->object_count, 1);
    map.build_id = 0;
    feed_map(profile, &map);
    map.inode = 78;
    feed_map(profile, &map);
    cr_assert_eq(profile->object_count, 3);
    map.name = "/lib/gone.so (deleted)";
    map.inode = 79;
    feed_map(profile, &map);
    cr_assert_str_eq(path_of(profile, 3), "/lib/gone.so");
    cr_assert(profile->objects[3].deleted);
    profile_free(profile);
}

Test(profile, code_without_a_file_belongs_to_its_process)
{
    struct profile *profile = profile_new();
    struct map_spec jit = {
        .pid = 10, .kind = WIRE_MAP_ANON, .start = 0x9000, .end = 0xa000, .name = ""};

    feed_fork(profile, 10, 0);
    feed_map(profile, &jit);
    feed_sample(profile, 10, 10, 0x9010, 1, WIRE_NO_SYSCALL);
    feed_fork(profile, 11, 10);
    jit.pid = 11;
    feed_map(profile, &jit);
    feed_sample(profile, 11, 11, 0x9010, 1, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->object_count, 2);
    cr_assert_str_eq(path_of(profile, 0), "//anon");
    cr_assert_eq(leaf(profile, 0)->address, 0x9010);
    cr_assert_neq(leaf(profile, 0)->object, leaf(profile, 1)->object);
    profile_free(profile);
}

Test(profile, system_calls_have_names)
{
    struct profile *profile = profile_new();

    feed_sample(profile, 1, 1, 0x10, 1, SYS_epoll_pwait);
    feed_sample(profile, 1, 1, 0x10, 1, 100000);
    feed_sample(profile, 1, 1, 0x10, 1, WIRE_PAGE_FAULT);
    feed_sample(profile, 1, 1, 0x10, 1, WIRE_NO_SYSCALL);
    feed_map(profile, &(struct map_spec){
                          .pid = 1, .kind = WIRE_MAP_FILE, .start = 0x400000, .end = 0x401000, .name = "/lib/x.so"});
    feed_sample(profile, 1, 1, 0x400010, 1, WIRE_CODE_FAULT);
    feed_sample(profile, 1, 1, 0x10, 1, WIRE_CODE_FAULT);
    cr_assert_eq(profile->sample_count, 5, "the last fault is like the first");
    const char *names[5];
    for (int i = 0; i < 5; i++)
        names[i] = profile->strings[profile->syscalls[profile->samples[i].syscall].name];
    cr_assert_str_eq(names[0], "epoll_pwait");
    cr_assert_str_eq(names[1], "syscall_100000");
    cr_assert_str_eq(names[2], "[page fault]");
    cr_assert_str_eq(names[3], "");
    cr_assert_str_eq(names[4], "[page fault: code of x.so]");
    cr_assert_str_eq(profile_syscall_name(SYS_read, false), "read");
    cr_assert_str_eq(profile_syscall_name(SYS_mmap, false), "mmap");
#ifdef __x86_64__
    cr_assert_str_eq(profile_syscall_name(0, true), "restart_syscall");
    cr_assert_str_eq(profile_syscall_name(1, true), "exit");
#endif
    cr_assert_null(profile_syscall_name(-1, false));
    profile_free(profile);
}

Test(profile, descriptors_find_their_object_either_way_round)
{
    struct profile *profile = profile_new();
    struct map_spec map = libx;
    int first = open("/dev/null", O_RDONLY), second = open("/dev/null", O_RDONLY);
    int unwanted = open("/dev/null", O_RDONLY);

    feed_fork(profile, 10, 0);
    map.object = 1;
    feed_map(profile, &map);
    cr_assert_eq(profile->objects[0].fd, -1);
    profile_give_object(profile, 1, first);
    cr_assert_eq(profile->objects[0].fd, first);
    profile_give_object(profile, 2, second);
    map.object = 2;
    map.build_id = 9;
    feed_map(profile, &map);
    cr_assert_eq(profile->objects[1].fd, second);
    profile_give_object(profile, 1, unwanted);
    cr_assert_eq(profile->objects[0].fd, first);
    cr_assert_eq(fcntl(unwanted, F_GETFD), -1);
    profile_free(profile);
    cr_assert_eq(fcntl(first, F_GETFD), -1);
    cr_assert_eq(fcntl(second, F_GETFD), -1);
}

Test(profile, clear_keeps_what_is_known_and_forgets_counts)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_map(profile, &libx);
    feed_sample(profile, 10, 10, 0x1234, 100, WIRE_NO_SYSCALL);
    profile_clear(profile);
    cr_assert_eq(profile->sample_count, 0);
    cr_assert_eq(profile->totals.cpu_ns, 0);
    feed_sample(profile, 10, 10, 0x1234, 7, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->object_count, 1);
    cr_assert_eq(leaf(profile, 0)->address, 0x2234);
    cr_assert_eq(profile->totals.cpu_ns, 7);
    profile_free(profile);
}

Test(profile, tables_grow_with_what_is_distinct_only)
{
    struct profile *profile = profile_new();

    feed_fork(profile, 10, 0);
    feed_map(profile, &libx);
    for (int i = 0; i < 2000000; i++)
        feed_sample(profile, 10, 10 + (uint32_t)i % 3, 0x1000 + (uint64_t)(i % 50) * 4, 1000, WIRE_NO_SYSCALL);
    cr_assert_eq(profile->location_count, 51);
    cr_assert_eq(profile->sample_count, 150);
    cr_assert_eq(profile->thread_count, 3);
    cr_assert_eq(profile->totals.samples, 2000000);
    profile_free(profile);
}

Test(profile, a_storm_of_processes_leaves_only_their_entries)
{
    struct profile *profile = profile_new();

    for (uint32_t i = 0; i < 20000; i++) {
        struct map_spec map = libx;
        map.pid = 100 + i;
        feed_fork(profile, map.pid, 1);
        feed_map(profile, &map);
        feed_sample(profile, map.pid, map.pid, 0x1234, 1, WIRE_NO_SYSCALL);
        feed_exit(profile, map.pid, map.pid, 0);
    }
    cr_assert_eq(profile->process_count, 20000);
    cr_assert_eq(profile->object_count, 1);
    cr_assert_eq(profile->location_count, 2);
    profile_free(profile);
}

/* Compares the mappings of a profile with a model that is too simple to be wrong: an array of all pages. */
Test(profile, random_mappings_agree_with_a_naive_model)
{
    enum { PAGES = 64 };
    struct profile *profile = profile_new();
    uint64_t model[PAGES] = {0}; /* each element: inode * 1000 + page of the file, or 0 if nothing is mapped */

    srand(7);
    feed_fork(profile, 10, 0);
    for (int step = 0; step < 5000; step++) {
        uint32_t first = (uint32_t)rand() % PAGES, count = 1 + (uint32_t)rand() % 8;
        if (first + count > PAGES)
            count = PAGES - first;
        uint64_t inode = 1 + (uint64_t)rand() % 5, offset = (uint64_t)rand() % 100;
        char name[32];
        snprintf(name, sizeof name, "/lib/%d", (int)inode);
        struct map_spec map = {.pid = 10,
                               .kind = WIRE_MAP_FILE,
                               .start = (first + 16) * 4096ull,
                               .end = (first + count + 16) * 4096ull,
                               .offset = offset * 4096,
                               .inode = inode,
                               .name = name};
        feed_map(profile, &map);
        for (uint32_t i = 0; i < count; i++)
            model[first + i] = inode * 1000 + offset + i;
        uint32_t page = (uint32_t)rand() % PAGES;
        profile_clear(profile);
        feed_sample(profile, 10, 10, (page + 16) * 4096ull + 8, 1, WIRE_NO_SYSCALL);
        const struct profile_location *place = leaf(profile, 0);
        const struct profile_object *object = &profile->objects[place->object];
        if (model[page] == 0) {
            cr_assert_eq(object->kind, PROFILE_OBJECT_UNKNOWN);
        } else {
            cr_assert_eq(object->inode, model[page] / 1000);
            cr_assert_eq(place->address, model[page] % 1000 * 4096 + 8);
        }
    }
    profile_free(profile);
}

/* Threads start, run and end at random, with few tids, in few processes. */
Test(profile, random_threads_agree_with_a_naive_model)
{
    enum { PIDS = 6, TIDS = 8, STEPS = 20000 };
    struct profile *profile = profile_new();
    static uint64_t cpu_ns[STEPS]; /* CPU time of each thread of the profile */
    uint32_t now[PIDS][TIDS], threads = 0, processes = 0;
    uint64_t total = 0;

    srand(5);
    memset(now, 0xff, sizeof now); /* now[p][t]: index of the thread with this tid, or UINT32_MAX; now[p][0]: leader */
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t p = (uint32_t)rand() % PIDS, t = (uint32_t)rand() % TIDS, what = (uint32_t)rand() % 10;
        uint32_t pid = 100 + p * 100, tid = pid + t;
        bool fork = now[p][0] == UINT32_MAX || (what == 0 && t == 0);
        if (fork || (what == 1 && t == 0)) {
            if (fork)
                feed_fork(profile, pid, 0);
            else
                feed_task(profile, WIRE_EXEC, pid, pid);
            memset(now[p], 0xff, sizeof now[p]);
            now[p][0] = threads++;
            processes++;
        } else if (what == 2) {
            feed_exit(profile, pid, tid, 0);
            memset(now[p] + t, 0xff, t == 0 ? sizeof now[p] : sizeof now[p][0]);
        } else {
            if (now[p][t] == UINT32_MAX)
                now[p][t] = threads++;
            feed_sample(profile, pid, tid, 0x1000 + (uint32_t)rand() % 50, step, WIRE_NO_SYSCALL);
            cpu_ns[now[p][t]] += step;
            total += step;
        }
    }
    cr_assert_eq(profile->thread_count, threads);
    cr_assert_eq(profile->process_count, processes);
    cr_assert_eq(profile->totals.cpu_ns, total);
    uint64_t count = 0;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        cpu_ns[profile->samples[i].thread] -= profile->samples[i].cpu_ns;
        count += profile->samples[i].count;
    }
    cr_assert_eq(profile->totals.samples, count);
    for (uint32_t i = 0; i < threads; i++)
        cr_assert_eq(cpu_ns[i], 0);
    profile_free(profile);
}

/* --- hostile files ------------------------------------------------------------------- */

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static uint64_t unshift(uint64_t x, unsigned by)
{
    uint64_t before = x;

    for (unsigned i = 0; i < 64; i += by)
        before = x ^ before >> by;
    return before;
}

/* Without its secret, hash_pair would give all these addresses the same hash. Then each address would be compared with
 * all addresses before it. */
Test(profile, addresses_of_one_hash_cannot_be_computed, .timeout = 20)
{
    struct profile *profile = profile_new();
    uint32_t location;

    for (uint64_t i = 0; i < 300000; i++) {
        uint64_t x = (UINT64_C(0x12345678) << 32 | i) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
        x = unshift(x, 29) * inverse(UINT64_C(0x94d049bb133111eb));
        x = unshift(x, 32);
        cr_assert_eq(profile_location(profile, 0, x, &location), 0);
    }
    profile_free(profile);
}
