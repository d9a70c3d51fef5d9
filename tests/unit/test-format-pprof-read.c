/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-pprof-fixture.h"

TestSuite(pprof_own, .init = make_directory, .fini = remove_directory);

Test(pprof_own, what_is_written_is_read)
{
    struct profile *profile = make_profile(false);
    expect_round_trip(profile);
    profile_free(profile);
}

/* Samples are ordered by stack, but the threads are found in the order in which they appeared. */
Test(pprof_own, threads_keep_their_order)
{
    struct map_spec map = {.pid = 10, .kind = WIRE_MAP_FILE, .start = 0x1000, .end = 0x9000, .name = "/bin/prog"};
    struct profile *profile = profile_new(), *read;

    feed_fork(profile, 10, 0);
    feed_map(profile, &map);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t tid = 10; tid < 15; tid++)
            feed_sample(profile, 10, tid, 0x8000 - 16 * (7 * tid % 5), 1000, WIRE_NO_SYSCALL);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &read), 0);
    cr_assert_eq(read->thread_count, profile->thread_count);
    for (uint32_t i = 0; i < read->thread_count; i++)
        cr_expect_eq(read->threads[i].tid, profile->threads[i].tid);
    expect_same(profile, read);
    profile_free(profile);
    profile_free(read);
}

Test(pprof_own, wall_time_too)
{
    struct profile *profile = make_profile(true);
    cr_assert(profile->totals.wall);
    expect_round_trip(profile);
    profile_free(profile);
}

/* Wall mode was on for a part of the run. */
Test(pprof_own, without_wall_time_there_are_no_sleepers)
{
    struct profile *profile = make_profile(true), *read;
    uint64_t awake = 0, cpu_ns = 0;

    profile->totals.wall = false;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile->samples[i].state == PROFILE_RUNNING) {
            awake += profile->samples[i].count;
            cpu_ns += profile->samples[i].cpu_ns;
        }
    cr_assert_lt(awake, profile->totals.samples);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &read), 0);
    cr_assert(!read->totals.wall);
    cr_assert_eq(read->totals.samples, awake);
    cr_assert_eq(read->totals.cpu_ns, cpu_ns);
    profile_free(read);
    profile_free(profile);
}

Test(pprof_own, nothing_is_a_profile_too)
{
    struct profile *profile = profile_new();
    profile->command = strdup("");
    expect_round_trip(profile);
    profile_free(profile);
}

/* Files of earlier versions have their notes among the comments. */
Test(pprof_own, comments_of_earlier_versions_are_notes)
{
    struct profile *profile = profile_new(), *again;
    struct pprof_file file;

    feed_comm(profile, 7, 7, "make");
    feed_sample(profile, 7, 7, 0x10, 5, WIRE_NO_SYSCALL);
    profile->totals.lost = 4711;
    cr_assert_eq(format_write_file(&format_pprof, in_directory("new.pb.gz"), profile), 0);
    cr_assert_eq(pprof_load(in_directory("new.pb.gz"), &file), 0);
    cr_assert_eq(file.message->n_comment, 0, "there is no command, and pprof prints nothing else");
    file.message->comment = file.message->pprofil_note;
    file.message->n_comment = file.message->n_pprofil_note;
    file.message->pprofil_note = NULL;
    file.message->n_pprofil_note = 0;
    int fd = open(in_directory("old.pb.gz"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_eq(pprof_store(fd, file.message), 0);
    close(fd);
    pprof_unload(&file);
    cr_assert_eq(format_read_file(in_directory("old.pb.gz"), &again), 0);
    cr_assert_eq(again->totals.lost, 4711);
    cr_assert_str_eq(string(again, again->processes[0].comm), "make");
    profile_free(profile);
    profile_free(again);
}

Test(pprof_own, notes_are_harmless_to_a_terminal)
{
    static const char *const names[] = {"\033[31m\n\x7f", "\xe2\x90", "\xe2\x90\x80", "a\xc2\x9bm"};
    static const char *const kept[] = {"\033[31m\n\x7f", "\xef\xbf\xbd\xef\xbf\xbd", "\xe2\x90\x80", "a\xef\xbf\xbdm"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct profile *profile = profile_new(), *again;
        profile->command = strdup(names[i]);
        feed_comm(profile, 1, 1, names[i]);
        feed_sample(profile, 1, 1, 0x10, 5, WIRE_NO_SYSCALL);
        for (uint32_t p = 0; p < 2; p++) {
            char *note = p == 0 ? pprof_encode_command(profile) : pprof_encode_process(profile, 0);
            for (const char *at = note; *at != '\0';) {
                uint32_t character = utf8_decode(&at);
                cr_assert(character >= 0x20 && !(character >= 0x7f && character < 0xa0));
            }
            free(note);
        }
        cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
        cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
        cr_assert_str_eq(again->command, kept[i]);
        cr_assert_str_eq(string(again, again->processes[0].comm), kept[i]);
        profile_free(again);
        profile_free(profile);
    }
}

Test(pprof_own, strings_become_utf8)
{
    struct profile *profile = profile_new(), *again;

    feed_comm(profile, 1, 1, "a\xff\xc3\xa9\xe2\x82");
    feed_sample(profile, 1, 1, 0x10, 5, WIRE_NO_SYSCALL);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
    cr_assert_str_eq(string(again, again->processes[0].comm), "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    profile_free(again);
    profile_free(profile);
}

static uint64_t random64(void)
{
    uint64_t bits = 0;

    for (int i = 0; i < 5; i++)
        bits = bits << 15 ^ (uint64_t)random();
    return bits >> random() % 64; /* so that numbers of all sizes occur */
}

static uint32_t random_string(struct profile *profile, const char *prefix)
{
    char text[64];
    uint32_t index;

    snprintf(text, sizeof text, "%s %ld=\n\xc3\xa9", prefix, random() % 50);
    profile_string(profile, text, &index);
    return index;
}

static void random_tables(struct profile *profile)
{
    uint32_t index;

    for (uint32_t i = 0; i < 20; i++) {
        struct profile_process process = {.pid = i / 2 + 1,
                                          .ppid = i / 4,
                                          .generation = i % 2,
                                          .comm = random_string(profile, "proc pid=3"),
                                          .start = random64(),
                                          .end = random64(),
                                          .status = (int32_t)random64(),
                                          .cpu_ns = random64()};
        profile_add_process(profile, &process, &index);
    }
    for (uint32_t i = 0; i < 100; i++) {
        struct profile_thread thread = {
            .process = i % 20, .tid = i, .comm = i % 7 == 0 ? 0 : random_string(profile, "comm")};
        profile_add_thread(profile, &thread, &index);
    }
    for (uint32_t i = 0; i < 30; i++) {
        struct profile_object object = {.kind = (enum profile_object_kind)(i % 4 + 1),
                                        .deleted = i % 3 == 0,
                                        .device = random64(),
                                        .inode = i,
                                        .start = random64(),
                                        .offset = random64() & 0xfffff000,
                                        .fd = -1};
        profile_string(profile, i % 4 == 3 ? "[unknown]" : "/lib/x.so", &object.path);
        object.end = object.start > UINT64_MAX - 0x5000 ? object.start : object.start + 0x5000;
        if (object.kind == PROFILE_OBJECT_ANON) {
            object.process = i % 20;
            object.pid = profile->processes[i % 20].pid;
        }
        object.build_id_size = i % 5 == 0 && i % 4 < 2 ? 1 + i : 0;
        memset(object.build_id, (int)i, object.build_id_size);
        profile_object(profile, &object, &index);
    }
}

static void random_location(struct profile *profile)
{
    uint32_t location, object = (uint32_t)random() % profile->object_count;
    uint32_t before = profile->location_count, count = (uint32_t)random() % 4, looked = 0;
    struct profile_line lines[4];

    profile_location(profile, object, random64(), &location);
    if (profile->location_count == before)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct profile_function function = {.name = random_string(profile, "f"),
                                            .system_name = random_string(profile, "_Z"),
                                            .object = object + 1,
                                            .file = random_string(profile, "/src"),
                                            .line = (uint32_t)random() % 9};
        lines[i] = (struct profile_line){.line = (uint32_t)random() % 3};
        lines[i].file = lines[i].line > 0 ? function.file : 0;
        profile_function(profile, &function, &lines[i].function);
        looked |= PROFILE_LOOKED_NAME;
        looked |= lines[i].line > 0 || count > 1 ? PROFILE_LOOKED_LINE : 0;
    }
    profile_set_lines(profile, location, lines, count, looked);
}

static void random_sample(struct profile *profile)
{
    struct profile_sample sample = {.thread = (uint32_t)random() % profile->thread_count,
                                    .state = (uint32_t)random() % PROFILE_STATES,
                                    .count = 1 + (uint64_t)random() % 10,
                                    .cpu_ns = random64() >> 16,
                                    .wall_ns = random64() >> 16};
    uint32_t location;

    for (long depth = random() % 12; depth >= 0; depth--) {
        location = 1 + (uint32_t)random() % (profile->location_count - 1);
        profile_node(profile, sample.node, location, &sample.node);
    }
    if (random() % 3 == 0)
        profile_syscall(profile, random() % 2 ? "read" : "poll", -1, (uint32_t)random() % 2, &sample.syscall);
    profile_count(profile, &sample);
}

Test(pprof_own, whatever_is_written_is_read)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct profile *profile = profile_new();
        srandom(seed);
        random_tables(profile);
        for (int i = 0; i < 200; i++)
            random_location(profile);
        for (int i = 0; i < 300; i++)
            random_sample(profile);
        profile->totals.asked_hz = 1 + (double)random() / 1000;
        profile->totals.elapsed_ns = random64() >> 1;
        profile->totals.lost = random64();
        profile->totals.threads_alive = (uint32_t)random64();
        profile->command = strdup("run totals ticks=1\n");
        expect_round_trip(profile);
        profile_free(profile);
    }
}

TestSuite(pprof_others, .init = make_directory, .fini = remove_directory);

static struct profile *read_bytes(const struct bytes *file)
{
    struct profile *profile;

    put_file(in_directory("other.pb"), file->data, file->size);
    cr_assert_eq(format_read_file(in_directory("other.pb"), &profile), 0);
    free(describe(profile));
    return profile;
}

static const char *function_at(const struct profile *profile, uint32_t location, uint32_t line)
{
    const struct profile_location *place = &profile->locations[location];

    cr_assert_lt(line, place->line_count);
    return string(profile, profile->functions[place->lines[line].function].name);
}

Test(pprof_others, stacks_and_inlined_lines_of_others)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    PUT(&file, 1, CPU, NS);
    put_sample(&file, "21", 2, 20000000); /* leaf first */
    put_sample(&file, "1", 1, 10000000);
    PUT(&file, 3, 9, 0x1000, 0x2000, 0, A_SO);
    PUT(&file, 3, UINT64_MAX, 0x9000, 0xa000, 0x5000, A_SO);
    put_location(&file, 1, 9, 0x1100, 1, 0);
    put_location(&file, 2, UINT64_MAX, 0x9100, 2, 3);
    put_functions(&file);
    put_words(&file);
    PUT(&file, 11, CPU, NS);
    put_number(&file, 12, 10000000);
    struct profile *profile = read_bytes(&file);

    cr_assert_eq(profile->sample_count, 2);
    const struct profile_node *leaf = &profile->nodes[profile->samples[0].node];
    cr_assert_str_eq(function_at(profile, leaf->location, 0), "inlined");
    cr_assert_str_eq(function_at(profile, leaf->location, 1), "leaf");
    cr_assert_eq(profile->locations[leaf->location].lines[1].line, 72);
    cr_assert_eq(profile->locations[leaf->location].address, 0x5100, "by its own mapping");
    const struct profile_node *root = &profile->nodes[leaf->parent];
    cr_assert_str_eq(function_at(profile, root->location, 0), "main");
    cr_assert_eq(profile->locations[root->location].address, 0x100);
    cr_assert_eq(root->parent, PROFILE_NONE);
    cr_assert_eq(profile->samples[1].node, leaf->parent);
    cr_assert_eq(profile->totals.samples, 3);
    cr_assert_eq(profile->totals.cpu_ns, 30000000);
    cr_assert_float_eq(profile->totals.asked_hz, 100, 1e-9);
    cr_assert_eq(profile->process_count, 1);
    cr_assert_str_eq(string(profile, profile->processes[0].comm), "[unknown]");
    profile_free(profile);
}

Test(pprof_others, functions_without_addresses_stay_apart)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    PUT(&file, 1, CPU, NS);
    put_sample(&file, "1", 1, 10);
    put_sample(&file, "2", 1, 20);
    put_sample(&file, "3", 1, 30);
    put_sample(&file, "", 1, 5);
    for (uint64_t id = 1; id <= 3; id++)
        put_location(&file, id, 0, 0, id, 0);
    put_functions(&file);
    put_words(&file);
    struct profile *profile = read_bytes(&file);
    struct report_options options = {.by = PPROFIL_BY_FUNCTION};
    struct pprofil_report *report;

    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    cr_assert_geq(report->count, 3);
    cr_assert_str_eq(report->rows[0].name, "inlined");
    cr_assert_eq(report->rows[0].ns, 30);
    cr_assert_str_eq(report->rows[1].name, "leaf");
    pprofil_report_free(report);
    expect_round_trip((free(profile->command), profile->command = strdup("x"), profile));
    profile_free(profile);
}

static struct profile *read_types(const uint64_t types[2][2], uint64_t preferred)
{
    static struct bytes file;

    file.size = 0;
    for (int i = 0; i < 2; i++)
        PUT(&file, 1, types[i][0], types[i][1]);
    put_sample(&file, "1", 3, 40);
    put_sample(&file, "1", 0, 0);
    put_location(&file, 1, 0, 1, 1, 0);
    put_functions(&file);
    put_words(&file);
    put_number(&file, 14, preferred);
    return read_bytes(&file);
}

static void expect_values(const uint64_t types[2][2], uint64_t preferred, uint64_t samples,
                          uint64_t cpu_ns, uint64_t wall_ns)
{
    struct profile *profile = read_types(types, preferred);

    cr_assert_eq(profile->totals.samples, samples);
    cr_assert_eq(profile->totals.cpu_ns, cpu_ns);
    cr_assert_eq(profile->totals.wall_ns, wall_ns);
    cr_assert_eq(profile->totals.wall, wall_ns > 0);
    profile_free(profile);
}

Test(pprof_others, the_value_that_is_time_is_found)
{
    expect_values((const uint64_t[2][2]){{CPU, NS}, {SPACE, BYTES}}, 0, 1 + 1, 3, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {CPU, US}}, 0, 3, 40000, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {WALL, NS}}, 0, 3, 0, 40);
    expect_values((const uint64_t[2][2]){{OBJECTS, COUNT}, {SPACE, BYTES}}, 0, 3, 40, 0);
    expect_values((const uint64_t[2][2]){{SPACE, BYTES}, {WALL, BYTES}}, SPACE, 2, 3, 0);
}
