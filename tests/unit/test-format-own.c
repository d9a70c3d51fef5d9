/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "format-fixture.h"

TestSuite(formats_own, .init = make_directory, .fini = remove_directory);

/* --- a profile with everything in it ------------------------------------------------- */

static uint32_t add_string(struct profile *profile, const char *text)
{
    uint32_t index;
    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

static uint32_t add_object(struct profile *profile, enum profile_object_kind kind, const char *path, uint64_t start)
{
    struct profile_object object = {.kind = kind,
                                    .path = add_string(profile, path),
                                    .start = start,
                                    .end = start + 0x2000,
                                    .offset = kind == PROFILE_OBJECT_FILE ? 0x1000 : 0,
                                    .inode = start >> 12,
                                    .fd = -1};
    uint32_t index;

    if (kind == PROFILE_OBJECT_ANON)
        object.pid = 100;
    cr_assert_eq(profile_object(profile, &object, &index), 0);
    return index;
}

static struct profile_line make_line(struct profile *profile, uint32_t object, const char *name, const char *file,
                                     uint32_t line)
{
    struct profile_function function = {.name = add_string(profile, name),
                                        .system_name = add_string(profile, name),
                                        .object = object + 1,
                                        .file = add_string(profile, file),
                                        .line = line > 5 ? line - 5 : 0};
    struct profile_line made = {.file = function.file, .line = line};

    cr_assert_eq(profile_function(profile, &function, &made.function), 0);
    return made;
}

static uint32_t add_location(struct profile *profile, uint32_t object, uint64_t address,
                             const struct profile_line *lines, uint32_t count)
{
    uint32_t location;

    cr_assert_eq(profile_location(profile, object, address, &location), 0);
    cr_assert_eq(profile_set_lines(profile, location, lines, count, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE), 0);
    return location;
}

static uint32_t add_node(struct profile *profile, uint32_t parent, uint32_t location)
{
    uint32_t node;
    cr_assert_eq(profile_node(profile, parent, location, &node), 0);
    return node;
}

static uint32_t add_thread(struct profile *profile, uint32_t process, uint32_t tid, const char *comm)
{
    struct profile_thread thread = {.process = process, .tid = tid, .comm = add_string(profile, comm)};
    uint32_t index;

    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return index;
}

static void add_samples(struct profile *profile, uint32_t thread, uint32_t node, uint64_t count, const char *call,
                        bool wall)
{
    struct profile_sample sample = {.thread = thread, .node = node, .count = count};

    if (call != NULL && wall)
        sample.state = PROFILE_WAITING + (uint32_t)count % 3;
    sample.cpu_ns = sample.state != PROFILE_RUNNING ? 0 : count * 1000000;
    sample.wall_ns = wall ? count * 1000000 : 0;
    if (call != NULL)
        cr_assert_eq(profile_syscall(profile, call, 1, 0, &sample.syscall), 0);
    cr_assert_eq(profile_count(profile, &sample), 0);
}

#define HOSTILE (sizeof hostile / sizeof *hostile)

static const char *const marks[] = {"[truncated]", "[no unwind info: libx.so]", "[broken stack]",
                                    "[too deep]",  "[frames left out]",         "[stack copy not read]"};
#define MARKS (sizeof marks / sizeof *marks)

static struct profile *make_profile(bool wall)
{
    struct profile *profile = profile_new();
    static const char *const comms[] = {"pro g", "o;ther-7", "#execed"};
    uint32_t process[3], threads[4], location, node, leaf;

    for (uint32_t i = 0; i < 3; i++) { /* process[2] is process[1] after an exec */
        struct profile_process made = {.pid = i == 0 ? 100 : 101,
                                       .ppid = 1,
                                       .generation = i / 2,
                                       .status = -1,
                                       .start = 5,
                                       .comm = add_string(profile, comms[i])};
        cr_assert_eq(profile_add_process(profile, &made, &process[i]), 0);
    }
    threads[0] = add_thread(profile, process[0], 100, "pro g");
    threads[1] = add_thread(profile, process[0], 102, "worker 7");
    threads[2] = add_thread(profile, process[1], 101, "o;ther-7");
    threads[3] = add_thread(profile, process[2], 101, comms[2]);
    uint32_t prog = add_object(profile, PROFILE_OBJECT_FILE, "/bin/my prog", 0x400000);
    uint32_t library = add_object(profile, PROFILE_OBJECT_FILE, "/lib/x.so (deleted)", 0x400000);
    uint32_t jit = add_object(profile, PROFILE_OBJECT_ANON, "//anon", 0x7f0000000000);
    uint32_t vdso = add_object(profile, PROFILE_OBJECT_VDSO, "[vdso]", 0x7ffc00000000);

    struct profile_line line = make_line(profile, prog, "main", "/src/main.c", 10);
    location = add_location(profile, prog, 0x1100, &line, 1);
    uint32_t root = add_node(profile, PROFILE_NONE, location);
    for (uint32_t i = 0; i < HOSTILE; i++) {
        line = make_line(profile, i % 2 ? library : prog, hostile[i], "/src/a b,c.c", 20 + i);
        location = add_location(profile, i % 2 ? library : prog, 0x1200 + 16 * i, &line, 1);
        node = add_node(profile, root, location);
        add_samples(profile, threads[i % 3], node, i + 1, i % 4 == 3 ? "read" : NULL, wall);
        leaf = add_node(profile, add_node(profile, node, location), location); /* recursion */
        add_samples(profile, threads[0], leaf, 100 + i, NULL, wall);
    }
    struct profile_line inlined[] = {make_line(profile, prog, "innermost", "/src/i.h", 3),
                                     make_line(profile, prog, "between", "/src/i.h", 40),
                                     make_line(profile, prog, "outer", "/src/main.c", 50)};
    location = add_location(profile, prog, 0x1800, inlined, 3);
    node = add_node(profile, root, location);
    add_samples(profile, threads[1], node, 7, NULL, wall);
    add_samples(profile, threads[3], node, 19, NULL, wall);
    line = make_line(profile, jit, "jitted", "", 0);
    add_samples(profile, threads[1], add_node(profile, node, add_location(profile, jit, 0x7f0000000010, &line, 1)), 11,
                NULL, wall);
    line = make_line(profile, vdso, "clock_gettime", "", 0);
    add_samples(profile, threads[2], add_node(profile, node, add_location(profile, vdso, 0x10, &line, 1)), 13, "futex",
                wall);
    for (uint32_t i = 0; i < MARKS; i++) {
        cr_assert_eq(profile_mark(profile, marks[i], &location), 0);
        node = add_node(profile, PROFILE_NONE, location);
        line = make_line(profile, prog, "deep", "/src/main.c", 99);
        add_samples(profile, threads[0], add_node(profile, node, add_location(profile, prog, 0x1900, &line, 1)), 17 + i,
                    NULL, wall);
    }
    profile->command = strdup("prog --with \"quotes\"");
    profile->totals.asked_hz = 1000;
    profile->totals.elapsed_ns = 12345;
    profile->totals.processes_seen = 2;
    return profile;
}

static struct profile *pass_through(const struct profile *profile, const char *name,
                                    const struct format_options *options)
{
    const struct format *format = format_by_name(name);
    const char *path = in_directory("file");
    struct profile *read;

    cr_assert_eq(format_write_file_as(format, path, profile, options), 0, "%s: write", name);
    cr_assert_eq(format_read_file_as(path, format, options, &read), 0, "%s: read", name);
    profile_free(read);
    /* the format is recognised from the file, too */
    cr_assert_eq(format_read_file_as(path, NULL, options, &read), 0, "%s: recognised", name);
    return read;
}

static void expect_kept(const char *name, unsigned show, const char *bad, bool wall)
{
    struct format_options options = {.roots = FORMAT_ROOTS_THREAD};
    struct profile *written = make_profile(wall), *read = pass_through(written, name, &options);
    char *before = tell(written, show, bad), *after = tell(read, show, "");

    cr_assert_str_eq(before, after, "%s, wall %d:\n%s\nbecame\n%s", name, wall, before, after);
    free(before);
    free(after);
    profile_free(written);
    profile_free(read);
}

#define CONTROLS "\n\t"

static const struct promise {
    const char *format;
    unsigned show;
    const char *bad; /* characters that the format replaces in names */
} promises[] = {
    {"pprof", STACKS | OBJECTS | FUNCTION_PLACE | LINES | WHO | CALLS | COUNT | TIMES | INLINED, ""},
    {"json", STACKS | OBJECTS | FUNCTION_PLACE | LINES | WHO | CALLS | COUNT | TIMES | INLINED, ""},
    {"folded", STACKS | WHO | COUNT, CONTROLS ";"},
    {"perf-script", STACKS | OBJECTS | INLINED | WHO | COUNT | NS, CONTROLS},
    {"csv", OBJECTS | LINES | WHO | CALLS | COUNT | TIMES, ""},
    {"gperftools", STACKS | ADDRESSES | COUNT, ""},
};

Test(formats_own, what_is_promised_comes_back)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        expect_kept(promises[i].format, promises[i].show, promises[i].bad, false);
}

Test(formats_own, in_wall_mode_too)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        expect_kept(promises[i].format, promises[i].show, promises[i].bad, true);
}

static void add_to_history(struct profile *profile, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    const struct history_entry amount = {
        .sample = index, .count = (uint32_t)sample->count, .cpu_ns = sample->cpu_ns, .wall_ns = sample->wall_ns};

    for (uint64_t time = 10; time < 40; time += 1 + index)
        cr_assert_eq(history_add(&profile->history, time * 77777777, &amount, sample->state != PROFILE_RUNNING), 0);
}

static bool is_near(uint64_t a, uint64_t b, uint64_t apart)
{
    return (a > b ? a - b : b - a) <= apart;
}

static void expect_same_sample(const struct profile *a, uint32_t in_a, const struct profile *b, uint32_t in_b)
{
    const struct profile_sample *left = &a->samples[in_a], *right = &b->samples[in_b];

    cr_assert_eq(a->threads[left->thread].tid, b->threads[right->thread].tid);
    cr_assert_eq(a->locations[a->nodes[left->node].location].address,
                 b->locations[b->nodes[right->node].location].address);
    cr_assert(left->count == right->count && left->cpu_ns == right->cpu_ns && left->wall_ns == right->wall_ns);
}

/* apart: greatest difference between two times, ns */
static void expect_same_history(const struct profile *of_a, const struct profile *of_b, uint64_t apart)
{
    const struct profile_history *a = &of_a->history, *b = &of_b->history;

    cr_assert_eq(a->start, b->start);
    cr_assert_eq(a->slot_ns, b->slot_ns);
    cr_assert_eq(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct history_entry *left = &a->entries[i], *right = &b->entries[i];
        cr_assert_eq(left->first, right->first);
        cr_assert_eq(left->last, right->last);
        expect_same_sample(of_a, left->sample, of_b, right->sample);
        cr_assert_eq(left->count, right->count);
        cr_assert(is_near(left->cpu_ns, right->cpu_ns, apart) && is_near(left->wall_ns, right->wall_ns, apart));
    }
}

/* The file has times in microseconds. */
Test(formats_own, pprof_keeps_the_history)
{
    for (unsigned wall = 0; wall < 2; wall++) {
        struct format_options options = {0};
        struct profile *written = make_profile(wall != 0);
        for (uint32_t i = 0; i < written->sample_count; i++)
            add_to_history(written, i);
        struct profile *read = pass_through(written, "pprof", &options);
        cr_assert_gt(read->history.count, written->sample_count);
        expect_same_history(read, written, 500);
        profile_free(written);
        profile_free(read);
    }
}

/* JSON also keeps the totals, and table entries to which no sample refers. */
Test(formats_own, json_keeps_the_rest)
{
    struct format_options options = {0};
    struct profile *written = make_profile(true), *read;

    for (uint64_t i = 1; i < 40; i++)
        cr_assert_eq(timeline_add(&written->timeline, i * 50000000, i * 777777), 0);
    for (uint32_t i = 0; i < written->sample_count; i++)
        add_to_history(written, i);
    read = pass_through(written, "json", &options);
    cr_assert_gt(read->history.count, written->sample_count);
    expect_same_history(read, written, 0);
    cr_assert_eq(read->timeline.start, written->timeline.start);
    cr_assert_eq(read->timeline.slot_ns, written->timeline.slot_ns);
    cr_assert_eq(read->timeline.count, written->timeline.count);
    cr_assert_eq(
        memcmp(read->timeline.cpu_ns, written->timeline.cpu_ns, read->timeline.count * sizeof *read->timeline.cpu_ns),
        0);
    cr_assert_eq(memcmp(&written->totals, &read->totals, sizeof read->totals), 0);
    cr_assert_str_eq(written->command, read->command);
    cr_assert_eq(written->process_count, read->process_count);
    cr_assert_eq(read->processes[1].ppid, 1);
    cr_assert_eq(read->processes[1].start, 5);
    for (uint32_t i = 0; i < read->object_count; i++) {
        cr_assert_eq(read->objects[i].start, written->objects[i].start);
        cr_assert_eq(read->objects[i].offset, written->objects[i].offset);
        cr_assert_eq(read->objects[i].inode, written->objects[i].inode);
    }
    profile_free(written);
    profile_free(read);
}

/* A CSV file has no addresses, so its reader invents them, and sets the mark `invented`. Formats that keep the whole
 * profile also keep this mark. Formats that need real addresses have no samples to write. */
Test(formats_own, made_up_addresses_are_known_as_such)
{
    struct format_options options = {0};
    struct profile *written = make_profile(false);
    struct profile *named = pass_through(written, "csv", &options);
    struct profile *again = pass_through(named, "pprof", &options);
    struct profile *third = pass_through(again, "json", &options);
    uint32_t invented = 0;

    for (uint32_t i = 0; i < third->object_count; i++)
        invented += third->objects[i].invented;
    cr_assert_eq(invented, 4); /* two files, the vdso, //anon */
    static const char *const others[] = {"gmon", "perf.data", "gperftools"};
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(format_write_file(format_by_name(others[i]), in_directory("other"), third),
                     PPROFIL_ERROR_NO_SAMPLES);
    profile_free(written);
    profile_free(named);
    profile_free(again);
    profile_free(third);
}

/* If a file has no addresses, its reader makes addresses up. If two files have the same location, its made-up address
 * is the same in both. */
Test(formats_own, made_up_addresses_are_the_same_everywhere)
{
    struct format_options options = {0};
    struct profile *written = make_profile(false);
    struct profile *a = pass_through(written, "csv", &options);
    struct profile *b = pass_through(a, "csv", &options);

    cr_assert_gt(a->location_count, HOSTILE);
    cr_assert_eq(a->location_count, b->location_count);
    for (uint32_t i = 1; i < a->location_count; i++) {
        bool found = false;
        for (uint32_t k = 1; k < b->location_count; k++)
            found |= a->locations[i].address == b->locations[k].address;
        cr_assert(found);
    }
    profile_free(written);
    profile_free(a);
    profile_free(b);
}

static char *write_and_load(const char *name, const struct format_options *options)
{
    struct profile *profile = make_profile(false);
    static char text[1 << 16];

    cr_assert_eq(format_write_file_as(format_by_name(name), in_directory("file"), profile, options), 0);
    FILE *file = fopen(in_directory("file"), "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    profile_free(profile);
    return text;
}

/* Checks the profile of a thread: each sample is a list of indexes of frames, and has a weight. Returns
 * the sum of the weights. */
static uint64_t sum_weights(const json_t *profile, size_t frame_count)
{
    const json_t *samples = json_object_get(profile, "samples"), *weights = json_object_get(profile, "weights");
    const json_t *stack, *frame;
    uint64_t sum = 0;
    size_t i, k;

    cr_assert_eq(json_array_size(samples), json_array_size(weights));
    json_array_foreach(samples, i, stack)
    {
        cr_expect_gt(json_array_size(stack), 0);
        json_array_foreach(stack, k, frame) cr_expect_lt((size_t)json_integer_value(frame), frame_count);
        sum += (uint64_t)json_integer_value(json_array_get(weights, i));
    }
    cr_expect_eq(sum, (uint64_t)json_integer_value(json_object_get(profile, "endValue")));
    return sum;
}

Test(formats_own, speedscope_weights_are_all_of_the_time)
{
    json_t *root = json_loads(write_and_load("speedscope", &(struct format_options){0}), 0, NULL);
    const json_t *tree = json_object_get(json_object_get(root, "shared"), "frames"), *threads, *thread;
    struct profile *profile = make_profile(false);
    uint64_t sum = 0;
    size_t i;

    cr_assert_not_null(root);
    threads = json_object_get(root, "profiles");
    cr_expect_eq(json_array_size(threads), profile->thread_count);
    json_array_foreach(threads, i, thread) sum += sum_weights(thread, json_array_size(tree));
    cr_expect_eq(sum, profile->totals.cpu_ns);
    profile_free(profile);
    json_decref(root);
}

Test(formats_own, folded_says_whose)
{
    cr_assert_not_null(strstr(write_and_load("folded", &(struct format_options){0}), "pro g-100;main;plain 1\n"));
    cr_assert_not_null(strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_NONE}),
                              "\nmain;plain;plain;plain 100\n"));
    cr_assert_not_null(strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_COMM}),
                              "worker 7;main;outer;between;innermost 7\n"));
    cr_assert_not_null(strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_THREAD}),
                              "worker 7-100/102;main;outer;between;innermost;jitted 11\n"));
    cr_assert_not_null(
        strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_NONE, .time = true}),
               "\nmain;plain;plain;plain 100000\n"));
}

Test(formats_own, extensions)
{
    static const struct {
        const char *path, *format;
    } names[] = {
        {"a.pb.gz", "pprof"},
        {"a.folded", "folded"},
        {"x/a.speedscope.json", "speedscope"},
        {"a.json", "json"},
        {"callgrind.out", "callgrind"},
        {"a.csv", "csv"},
        {"a.linux-perf.txt", "perf-script"},
        {"a.firefox.json", "firefox"},
        {"a.cpuprof", "gperftools"},
        {"gmon.out", "gmon"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_str_eq(format_by_path(names[i].path)->name, names[i].format);
    cr_assert_null(format_by_path("a.txt"));
}
