/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of the pprof format: ours come back equal; others' are read for what they say; damaged
 * and hostile ones are refused; and no write ever leaves half a file. Profiles are compared in
 * words, for their indexes differ. It is long because others' files are encoded here by hand:
 * an encoder that shared code with the reader would share its mistakes.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/utf8.h"
#include "build-events.h"
#include "format/format.h"
#include "format/pprof.h"
#include "report/report.h"

static char directory[] = "/tmp/pprofil-test-XXXXXX";

static void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
}

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(pprof, .init = make_directory, .fini = remove_directory);

static const char *in_directory(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void put_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

/* --- profiles in words --------------------------------------------------------------- */

static const char *string(const struct profile *profile, uint32_t index)
{
    return profile->strings[index];
}

static void describe_frame(FILE *out, const struct profile *profile, uint32_t location)
{
    const struct profile_location *place = &profile->locations[location];
    const struct profile_object *object = &profile->objects[place->object];

    fprintf(out, "  %s kind %d dev %" PRIx64 ":%" PRIx64 " pid %u deleted %d id ",
            string(profile, object->path), object->kind, object->device, object->inode, object->pid,
            object->deleted);
    for (uint32_t i = 0; i < object->build_id_size; i++)
        fprintf(out, "%02x", object->build_id[i]);
    fprintf(out, " +%" PRIx64 " looked %u", place->address, place->looked);
    for (uint32_t i = 0; i < place->line_count; i++) {
        const struct profile_line *line = &place->lines[i];
        const struct profile_function *function = &profile->functions[line->function];
        fprintf(out, " [%s %s %s:%u in %d at %s:%u]", string(profile, function->name),
                string(profile, function->system_name), string(profile, function->file),
                function->line, function->object == place->object + 1, string(profile, line->file),
                line->line);
    }
    fputc('\n', out);
}

static void describe_sample(FILE *out, const struct profile *profile, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct profile_syscall *call = &profile->syscalls[sample->syscall];

    fprintf(out,
            "sample %u.%u/%u %s of %s call %s %u state %u: %" PRIu64 " %" PRIu64 " %" PRIu64
            "\n",
            process->pid, process->generation, thread->tid, string(profile, thread->comm),
            string(profile, process->comm), string(profile, call->name), call->compat,
            sample->state, sample->count, sample->cpu_ns, sample->wall_ns);
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent)
        describe_frame(out, profile, profile->nodes[node].location);
}

static void describe_totals(FILE *out, const struct profile *profile)
{
    const struct profile_totals *totals = &profile->totals;

    fprintf(out, "%s: %.9g Hz wall %d start %" PRIu64 "\n", profile->command, totals->asked_hz,
            totals->wall, totals->start_time);
    const uint64_t numbers[] = {
        totals->samples,           totals->cpu_ns,         totals->wall_ns,
        totals->elapsed_ns,        totals->target_cpu_ns,  totals->stopped_ns,
        totals->supervisor_cpu_ns, totals->ticks,          totals->lost,
        totals->throttled_ns,      totals->repaired,       totals->threads_seen,
        totals->threads_alive,     totals->processes_seen, totals->processes_alive,
        totals->untraced,          totals->full_ns,        totals->sample_cost_ns,
        totals->overhead_ppm};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, " %" PRIu64, numbers[i]);
    fputc('\n', out);
}

static void describe_reports(FILE *out, struct profile *profile)
{
    for (unsigned by = PPROFIL_BY_FUNCTION; by < REPORT_GROUPINGS; by++) {
        struct report_options options = {.by = (enum pprofil_by)by};
        struct report *report;
        cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
        for (uint32_t i = 0; i < report->count; i++) {
            const struct report_row *row = &report->rows[i];
            fprintf(out, "row %s %s %s:%u %u %u %" PRIu64 " %" PRIu64 " %.12g %.12g\n", row->name,
                    row->object, row->file, row->line, row->pid, row->tid, row->samples, row->ns,
                    row->share, row->error95);
        }
        report_free(report);
    }
}

static char *describe(struct profile *profile)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    describe_totals(out, profile);
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        fprintf(out, "process %u %u %u %s %" PRIu64 "..%" PRIu64 " status %d cpu %" PRIu64 "\n",
                process->pid, process->ppid, process->generation, string(profile, process->comm),
                process->start, process->end, process->status, process->cpu_ns);
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        describe_sample(out, profile, i);
    describe_reports(out, profile);
    fclose(out);
    return text;
}

static void expect_same(struct profile *a, struct profile *b)
{
    char *left = describe(a), *right = describe(b);

    cr_assert_str_eq(left, right);
    free(left);
    free(right);
}

static void expect_round_trip(struct profile *profile)
{
    struct profile *again;

    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
    expect_same(profile, again);
    profile_free(again);
}

/* --- our own files ------------------------------------------------------------------- */

static void name_location(struct profile *profile, uint32_t location)
{
    struct profile_function function = {.line = 9};
    struct profile_line line = {.line = 11};

    profile_string(profile, "do_it(int)", &function.name);
    profile_string(profile, "_Z5do_iti", &function.system_name);
    profile_string(profile, "/src/a.c", &function.file);
    function.object = profile->locations[location].object + 1;
    line.file = function.file;
    profile_function(profile, &function, &line.function);
    profile_set_lines(profile, location, &line, 1, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
}

static struct profile *make_profile(bool wall)
{
    struct profile *profile = profile_new();
    struct map_spec map = {.pid = 10,
                           .kind = WIRE_MAP_FILE,
                           .start = 0x555500002000,
                           .end = 0x555500005000,
                           .offset = 0x2000,
                           .inode = 5,
                           .name = "/bin/prog",
                           .build_id = 3};
    struct map_spec jit = {
        .pid = 11, .kind = WIRE_MAP_ANON, .start = 0x9000, .end = 0xa000, .name = ""};
    struct wire_stats stats = {.header = {WIRE_STATS, sizeof stats},
                               .elapsed_ns = 12345,
                               .ticks = 8,
                               .target_cpu_ns = 777,
                               .stopped_ns = 3,
                               .threads = 4,
                               .processes = 1,
                               .repaired = 2,
                               .untraced = 3,
                               .full_ns = 11,
                               .sample_cost_ns = 60000,
                               .overhead_ppm = 20000};

    feed_fork(profile, 10, 0);
    feed_comm(profile, 10, 10, "prog one");
    feed_map(profile, &map);
    for (uint64_t i = 0; i < 200; i++)
        feed_sample(profile, 10, 10, 0x555500002000 + i * 16 % 0x3000, 1000 + i,
                    i % 4 == 0 ? 1 : WIRE_NO_SYSCALL);
    feed_fork(profile, 11, 10);
    feed_task(profile, WIRE_EXEC, 11, 11);
    feed_map(profile, &jit);
    feed_sample(profile, 11, 12, 0x9010, 50, WIRE_NO_SYSCALL);
    feed_sample(profile, 11, 12, 0xdead0000, 60, WIRE_NO_SYSCALL);
    feed_exit(profile, 11, 11, 0x200);
    feed(profile, &stats.header);
    if (wall) {
        struct wire_sample asleep = {.header = {WIRE_SAMPLE, sizeof asleep},
                                     .pid = 10,
                                     .tid = 10,
                                     .pc = 0x555500002010,
                                     .wall_ns = 5000,
                                     .syscall = 7,
                                     .flags = WIRE_SAMPLE_SLEEPING | WIRE_SAMPLE_COMPAT};
        feed(profile, &asleep.header);
    }
    profile->totals.asked_hz = 997.3;
    profile->totals.start_time = 1700000000123456789;
    profile->command = strdup("prog one --with arguments");
    name_location(profile, 1);
    return profile;
}

Test(pprof, what_is_written_is_read)
{
    struct profile *profile = make_profile(false);
    expect_round_trip(profile);
    profile_free(profile);
}

Test(pprof, wall_time_too)
{
    struct profile *profile = make_profile(true);
    cr_assert(profile->totals.wall);
    expect_round_trip(profile);
    profile_free(profile);
}

/* Wall mode was on for a while, and is off now. */
Test(pprof, without_wall_time_there_are_no_sleepers)
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

Test(pprof, nothing_is_a_profile_too)
{
    struct profile *profile = profile_new();
    profile->command = strdup("");
    expect_round_trip(profile);
    profile_free(profile);
}

Test(pprof, comments_are_harmless_to_a_terminal)
{
    static const char *const names[] = {"\033[31m\n\x7f", "\xe2\x90", "\xe2\x90\x80", "a\xc2\x9bm"};
    static const char *const kept[] = {"\033[31m\n\x7f", "\xef\xbf\xbd\xef\xbf\xbd", "\xe2\x90\x80",
                                       "a\xef\xbf\xbdm"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct profile *profile = profile_new(), *again;
        profile->command = strdup(names[i]);
        feed_comm(profile, 1, 1, names[i]);
        feed_sample(profile, 1, 1, 0x10, 5, WIRE_NO_SYSCALL);
        for (uint32_t p = 0; p < 2; p++) {
            char *comment = p == 0 ? pprof_say_command(profile) : pprof_say_process(profile, 0);
            for (const char *at = comment; *at != '\0';) {
                uint32_t character = utf8_take(&at);
                cr_assert(character >= 0x20 && !(character >= 0x7f && character < 0xa0));
            }
            free(comment);
        }
        cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
        cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
        cr_assert_str_eq(again->command, kept[i]);
        cr_assert_str_eq(string(again, again->processes[0].comm), kept[i]);
        profile_free(again);
        profile_free(profile);
    }
}

Test(pprof, strings_become_utf8)
{
    struct profile *profile = profile_new(), *again;

    feed_comm(profile, 1, 1, "a\xff\xc3\xa9\xe2\x82");
    feed_sample(profile, 1, 1, 0x10, 5, WIRE_NO_SYSCALL);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
    cr_assert_str_eq(string(again, again->processes[0].comm),
                     "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    profile_free(again);
    profile_free(profile);
}

static uint64_t random64(void)
{
    uint64_t bits = 0;

    for (int i = 0; i < 5; i++)
        bits = bits << 15 ^ (uint64_t)random();
    return bits >> random() % 64; /* of all sizes */
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
        profile_syscall(profile, random() % 2 ? "read" : "poll", -1, (uint32_t)random() % 2,
                        &sample.syscall);
    profile_count(profile, &sample);
}

Test(pprof, whatever_is_written_is_read)
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

/* --- others' files, encoded by hand -------------------------------------------------- */

struct bytes {
    size_t size;
    unsigned char data[1 << 16];
};

static void put_varint(struct bytes *to, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        to->data[to->size++] = (unsigned char)(number | 0x80);
    to->data[to->size++] = (unsigned char)number;
}

static void put_number(struct bytes *to, unsigned field, uint64_t number)
{
    put_varint(to, field << 3);
    put_varint(to, number);
}

static void put_bytes(struct bytes *to, unsigned field, const void *data, size_t size)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

/* A message of numbers: fields 1, 2, ... as they come. */
#define PUT(to, field, ...)                                                                        \
    put_numbers(to, field, (const uint64_t[]){__VA_ARGS__},                                        \
                sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))
static void put_numbers(struct bytes *to, unsigned field, const uint64_t *numbers, size_t count)
{
    static struct bytes inner;

    inner.size = 0;
    for (unsigned i = 0; i < count; i++)
        put_number(&inner, i + 1, numbers[i]);
    put_bytes(to, field, inner.data, inner.size);
}

static void put_location(struct bytes *to, uint64_t id, uint64_t mapping, uint64_t address,
                         uint64_t function, uint64_t inlined)
{
    static struct bytes inner;

    inner.size = 0;
    put_number(&inner, 1, id);
    put_number(&inner, 2, mapping);
    put_number(&inner, 3, address);
    if (inlined != 0)
        PUT(&inner, 4, inlined, 7);
    if (function != 0)
        PUT(&inner, 4, function, 70 + function % 10);
    put_bytes(to, 4, inner.data, inner.size);
}

static void put_sample(struct bytes *to, const char *stack, uint64_t count, uint64_t time)
{
    static struct bytes inner;

    inner.size = 0;
    for (; *stack != '\0'; stack++)
        put_number(&inner, 1, (uint64_t)(*stack - '0'));
    put_number(&inner, 2, count);
    put_number(&inner, 2, time);
    put_bytes(to, 2, inner.data, inner.size);
}

/* What the strings of these files are; their numbers are their places. */
static const char *const words[] = {"",      "samples",  "count",        "cpu",  "nanoseconds",
                                    "/a.so", "/src/f.c", "main",         "leaf", "inlined",
                                    "space", "bytes",    "microseconds", "wall", "objects"};
enum {
    SAMPLES = 1,
    COUNT,
    CPU,
    NS,
    A_SO,
    F_C,
    MAIN,
    LEAF,
    INLINED,
    SPACE,
    BYTES,
    US,
    WALL,
    OBJECTS
};

static void put_words(struct bytes *to)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_bytes(to, 6, words[i], strlen(words[i]));
}

/* Ids 1..3 of the functions main, leaf and inlined. */
static void put_functions(struct bytes *to)
{
    for (uint64_t id = 1; id <= 3; id++)
        PUT(to, 5, id, MAIN + id - 1, MAIN + id - 1, F_C, id);
}

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

Test(pprof, stacks_and_inlined_lines_of_others)
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

Test(pprof, functions_without_addresses_stay_apart)
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
    struct report *report;

    cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
    cr_assert_geq(report->count, 3);
    cr_assert_str_eq(report->rows[0].name, "inlined");
    cr_assert_eq(report->rows[0].ns, 30);
    cr_assert_str_eq(report->rows[1].name, "leaf");
    report_free(report);
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

Test(pprof, the_value_that_is_time_is_found)
{
    expect_values((const uint64_t[2][2]){{CPU, NS}, {SPACE, BYTES}}, 0, 1 + 1, 3, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {CPU, US}}, 0, 3, 40000, 0);
    expect_values((const uint64_t[2][2]){{SAMPLES, COUNT}, {WALL, NS}}, 0, 3, 0, 40);
    expect_values((const uint64_t[2][2]){{OBJECTS, COUNT}, {SPACE, BYTES}}, 0, 3, 40, 0);
    expect_values((const uint64_t[2][2]){{SPACE, BYTES}, {WALL, BYTES}}, SPACE, 2, 3, 0);
}

/* --- damage -------------------------------------------------------------------------- */

static void expect_refused(struct bytes *file, const char *why)
{
    struct profile *profile;

    put_words(file);
    put_file(in_directory("bad.pb"), file->data, file->size);
    cr_assert_eq(format_read_file(in_directory("bad.pb"), &profile), -EBADMSG, "%s", why);
    file->size = 0;
    PUT(file, 1, SAMPLES, COUNT);
    PUT(file, 1, CPU, NS);
}

Test(pprof, what_refers_to_nothing_is_refused)
{
    static struct bytes file;

    PUT(&file, 1, SAMPLES, COUNT);
    put_bytes(&file, 6, "x", 1);
    expect_refused(&file, "first string");
    put_sample(&file, "7", 1, 1);
    expect_refused(&file, "location of a sample");
    put_location(&file, 1, 7, 0, 0, 0);
    expect_refused(&file, "mapping of a location");
    put_location(&file, 1, 0, 0, 7, 0);
    expect_refused(&file, "function of a line");
    put_location(&file, 0, 0, 0, 0, 0);
    expect_refused(&file, "id 0");
    put_functions(&file);
    put_functions(&file);
    expect_refused(&file, "an id twice");
    PUT(&file, 3, 1, 0, 0, 0, 99);
    expect_refused(&file, "string");
    PUT(&file, 3, 1, 0, 0, 0, 0, (uint64_t)-1);
    expect_refused(&file, "negative string");
    put_number(&file, 13, 99);
    expect_refused(&file, "comment");
    PUT(&file, 1, WALL, NS);
    put_sample(&file, "", 1, 1);
    expect_refused(&file, "number of values");
    for (int i = 0; i < 4; i++)
        put_sample(&file, "", 1, INT64_MAX);
    expect_refused(&file, "sums past 2^63");
}

Test(pprof, every_cut_is_noticed)
{
    struct profile *profile = make_profile(false), *again;
    char path[512];
    struct stat status;

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size--) {
        cr_assert_eq(truncate(path, size), 0);
        int error = format_read_file(path, &again);
        cr_assert(error == -EBADMSG || (size < 2 && error == -ENOEXEC), "size %ld: %d", (long)size,
                  error);
    }
    profile_free(profile);
}

/* The message itself, past gzip's checksum. */
static size_t unpack(const char *path, unsigned char *plain, size_t room)
{
    gzFile file = gzopen(path, "rb");
    int size = gzread(file, plain, (unsigned)room);

    gzclose(file);
    cr_assert(size > 0 && (size_t)size < room);
    return (size_t)size;
}

static void read_anyhow(const char *path, const unsigned char *bytes, size_t size)
{
    struct profile *again;

    put_file(path, bytes, size);
    if (format_read_file(path, &again) != 0)
        return;
    free(describe(again));
    format_write_file(&format_pprof, "/dev/null", again);
    profile_free(again);
}

Test(pprof, damage_never_crashes)
{
    struct profile *profile = make_profile(true);
    static unsigned char plain[1 << 18], changed[1 << 18];
    char path[512];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    size_t size = unpack(path, plain, sizeof plain);
    srand(3);
    for (int i = 0; i < 2000; i++) {
        memcpy(changed, plain, size);
        for (int flips = 1 + rand() % 4; flips > 0; flips--)
            changed[1 + (size_t)rand() % (size - 1)] ^= (unsigned char)(1 << rand() % 8);
        read_anyhow(path, changed, size);
    }
    profile_free(profile);
}

Test(pprof, plain_files_may_end_anywhere)
{
    struct profile *profile = profile_new();
    static unsigned char plain[1 << 14];
    char path[512];

    feed_comm(profile, 1, 1, "a");
    feed_sample(profile, 1, 1, 0x10, 5, 0);
    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    size_t size = unpack(path, plain, sizeof plain);
    for (size_t cut = 0; cut <= size; cut++)
        read_anyhow(path, plain, cut);
    profile_free(profile);
}

Test(pprof, a_bomb_is_refused)
{
    struct profile *again;
    static unsigned char zeros[1 << 20];

    for (int kind = 0; kind < 2; kind++) { /* as pprof begins, and as nothing does */
        gzFile file = gzopen(in_directory("bomb.pb.gz"), "wb1");
        zeros[0] = kind == 0 ? 0x0a : 0;
        for (int i = 0; i < 1100; i++)
            cr_assert_eq(gzwrite(file, zeros, sizeof zeros), (int)sizeof zeros);
        gzclose(file);
        cr_assert_eq(format_read_file(in_directory("bomb.pb.gz"), &again),
                     kind == 0 ? -EBADMSG : -EFBIG);
    }
}

static size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, room, file);

    fclose(file);
    return size;
}

/* There are files that unpack into themselves. */
Test(pprof, what_is_packed_twice_is_unpacked_once)
{
    struct profile *again;
    unsigned char packed[256];
    static const char text[] = "a;b 3\n";
    const char *const paths[] = {"once.gz", "twice.gz"};

    for (int i = 0; i < 2; i++) {
        gzFile file = gzopen(in_directory(paths[i]), "wb");
        int size = i == 0 ? (int)sizeof text - 1
                          : (int)load(in_directory("once.gz"), packed, sizeof packed);
        cr_assert_eq(gzwrite(file, i == 0 ? (const void *)text : packed, (unsigned)size), size);
        gzclose(file);
    }
    cr_assert_eq(format_read_file(in_directory("once.gz"), &again), 0);
    cr_assert_eq(again->totals.samples, 3);
    profile_free(again);
    cr_assert_eq(format_read_file(in_directory("twice.gz"), &again), -EBADMSG);
}

/* Seconds each, if anything is searched for one by one; the suite's patience is the judge. */
#define MANY 60000

static struct bytes *begin_large(FILE **out, char **text, size_t *size)
{
    static struct bytes piece;

    *out = open_memstream(text, size);
    piece.size = 0;
    PUT(&piece, 1, SAMPLES, COUNT);
    PUT(&piece, 1, CPU, NS);
    put_words(&piece);
    return &piece;
}

static void flush_piece(FILE *out, struct bytes *piece)
{
    fwrite(piece->data, piece->size, 1, out);
    piece->size = 0;
}

Test(pprof, many_mappings_and_comments_take_no_quadratic_time, .timeout = 20)
{
    FILE *out;
    char *text, line[64];
    size_t size;
    struct bytes *piece = begin_large(&out, &text, &size);
    struct profile *profile;

    for (uint64_t i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, "pprofil: object mapping=%u kind=1 inode=%u",
                 (unsigned)(MANY - i), (unsigned)i);
        put_bytes(piece, 6, line, strlen(line));
        put_number(piece, 13, sizeof words / sizeof *words + i);
        PUT(piece, 3, i + 1, i << 12, (i + 1) << 12, 0, A_SO);
        flush_piece(out, piece);
    }
    fclose(out);
    put_file(in_directory("large.pb"), text, size);
    free(text);
    cr_assert_eq(format_read_file(in_directory("large.pb"), &profile), 0);
    cr_assert_eq(profile->object_count, MANY);
    cr_assert_eq(profile->objects[0].inode, MANY - 1);
    profile_free(profile);
}

Test(pprof, many_threads_and_long_names_take_no_quadratic_time, .timeout = 20)
{
    FILE *out;
    char *text, *name = malloc(1 << 20);
    size_t size;
    struct bytes *piece = begin_large(&out, &text, &size);
    struct bytes *sample = malloc(sizeof *sample);
    uint64_t tid = sizeof words / sizeof *words, comm = tid + 1, call = tid + 2, longest = tid + 3;
    struct profile *profile;

    put_bytes(piece, 6, "tid", 3);
    put_bytes(piece, 6, "comm", 4);
    put_bytes(piece, 6, "syscall", 7);
    put_varint(piece, 6 << 3 | 2);
    put_varint(piece, 1 << 20);
    flush_piece(out, piece);
    memset(name, 'x', 1 << 20);
    fwrite(name, 1 << 20, 1, out);
    for (uint64_t i = 0; i < MANY; i++) {
        sample->size = 0;
        put_number(sample, 2, 1);
        put_number(sample, 2, 5);
        PUT(sample, 3, tid, 0, i);
        PUT(sample, 3, comm, longest);
        PUT(sample, 3, call, longest);
        put_bytes(piece, 2, sample->data, sample->size);
        put_number(piece, 13, longest);
        flush_piece(out, piece);
    }
    fclose(out);
    put_file(in_directory("large.pb"), text, size);
    cr_assert_eq(format_read_file(in_directory("large.pb"), &profile), 0);
    cr_assert_eq(profile->thread_count, MANY);
    profile_free(profile);
    free(text);
    free(name);
    free(sample);
}

/* --- writing ------------------------------------------------------------------------- */

Test(pprof, errors_have_their_names)
{
    struct profile *profile = make_profile(false), *again;

    cr_assert_eq(format_read_file(in_directory("nothing"), &again), -ENOENT);
    cr_assert_eq(format_read_file(directory, &again), -EISDIR);
    cr_assert_eq(format_read_file("/dev/null", &again), -EINVAL);
    cr_assert_eq(format_read_file("/bin/sh", &again), -ENOEXEC);
    cr_assert_eq(format_write_file(&format_pprof, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_pprof, directory, profile), -EISDIR);
    cr_assert_eq(format_write_file(&format_pprof, "/no/such/directory/p.pb.gz", profile), -ENOENT);
    cr_assert_eq(format_write_file(&format_pprof, "/dev/fd/999", profile), -EBADF);
    cr_assert_eq(format_write_file(&format_events, in_directory("x"), profile), -EINVAL);
    profile_free(profile);
}

Test(pprof, formats_are_known_by_name_and_extension)
{
    cr_assert_eq(format_by_name("pprof"), &format_pprof);
    cr_assert_eq(format_by_name("events"), &format_events);
    cr_assert_null(format_by_name("nothing"));
    cr_assert_eq(format_by_path("/tmp/a.pb.gz"), &format_pprof);
    cr_assert_eq(format_by_path("a.events"), &format_events);
    cr_assert_null(format_by_path("a.txt"));
    cr_assert_null(format_at(99));
}

static unsigned count_files(void)
{
    glob_t found;

    cr_assert_eq(glob(in_directory("{,.[!.]}*"), GLOB_BRACE, NULL, &found), 0);
    unsigned count = (unsigned)found.gl_pathc;
    globfree(&found);
    return count;
}

Test(pprof, a_failed_write_leaves_the_old_file)
{
    struct profile *profile = make_profile(false), *again;
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
    char path[512];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), -EFBIG);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(format_read_file(path, &again), 0);
    expect_same(profile, again);
    cr_assert_eq(count_files(), 1);
    profile_free(again);
    profile_free(profile);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    cr_assert_eq(lstat(path, &status), 0);
    return status.st_mode & (S_IFMT | 0777);
}

Test(pprof, modes_and_links_are_kept)
{
    struct profile *profile = make_profile(false);
    char path[512], link[512], name[300];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    snprintf(link, sizeof link, "%s", in_directory("link.pb.gz"));
    umask(027);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(mode_of(path), S_IFREG | 0640);
    cr_assert_eq(chmod(path, 0606), 0);
    cr_assert_eq(symlink("p.pb.gz", link), 0);
    cr_assert_eq(format_write_file(&format_pprof, link, profile), 0);
    cr_assert_eq(mode_of(path), S_IFREG | 0606);
    cr_assert(S_ISLNK(mode_of(link)));
    memset(name, 'n', 255);
    name[255] = '\0';
    cr_assert_eq(format_write_file(&format_pprof, in_directory(name), profile), 0);
    cr_assert_eq(count_files(), 3);
    profile_free(profile);
}

Test(pprof, descriptors_and_pipes_are_written_where_they_are)
{
    struct profile *profile = make_profile(false);
    int fd = open(in_directory("log"), O_RDWR | O_CREAT, 0666), pipe_fds[2];
    char path[64], head[5] = "";

    cr_assert_eq(write(fd, "ab", 2), 2);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(pread(fd, head, 4, 0), 4);
    cr_assert_str_eq(head, "ab\x1f\x8b");
    cr_assert_eq(mkfifo(in_directory("fifo"), 0666), 0);
    pipe_fds[0] = open(in_directory("fifo"), O_RDONLY | O_NONBLOCK);
    cr_assert_eq(format_write_file(&format_pprof, in_directory("fifo"), profile), 0);
    cr_assert_eq(read(pipe_fds[0], head, 2), 2);
    cr_assert_str_eq(head + 0, "\x1f\x8b\x1f\x8b");
    cr_assert(S_ISFIFO(mode_of(in_directory("fifo"))));
    close(pipe_fds[0]);
    close(fd);
    profile_free(profile);
}

/* --- other readers ------------------------------------------------------------------- */

static char *output_of(const char *command)
{
    char *text, line[512];
    size_t size;
    FILE *from = popen(command, "r"), *out = open_memstream(&text, &size);

    while (fgets(line, sizeof line, from) != NULL)
        fputs(line, out);
    fclose(out);
    cr_assert_eq(pclose(from), 0, "%s", command);
    return text;
}

/* Two functions of 70 and 30 milliseconds. */
static void save_for_others(void)
{
    struct profile *profile = make_profile(false);

    for (uint32_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].cpu_ns = 0;
    profile->samples[0].cpu_ns = 70000000; /* at location 1, do_it(int) */
    profile->samples[1].cpu_ns = 30000000;
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    profile_free(profile);
}

Test(pprof, protoc_agrees)
{
    char command[1200];
    const char *proto = getenv("PPROFIL_PROTO");

    if (system("command -v protoc >/dev/null 2>&1") != 0)
        cr_skip_test("protoc is not installed");
    save_for_others();
    snprintf(command, sizeof command,
             "gzip -dc %s | protoc --decode=perftools.profiles.Profile --proto_path=%s "
             "profile.proto",
             in_directory("p.pb.gz"), proto != NULL ? proto : "lib/format");
    char *text = output_of(command);
    cr_assert_not_null(strstr(text, "string_table: \"do_it(int)\""));
    cr_assert_not_null(strstr(text, "value: 70000000"));
    cr_assert_not_null(strstr(text, "memory_start: 93823560589312")); /* 0x555500002000 */
    cr_assert_not_null(strstr(text, "file_offset: 8192"));
    cr_assert_not_null(strstr(text, "string_table: \"0303030303030303030303030303030303030303\""));
    free(text);
}

Test(pprof, go_pprof_agrees)
{
    char command[2400];
    glob_t found;

    if (glob("/usr/lib/go-*/pkg/tool/linux_*/pprof", 0, NULL, &found) != 0)
        cr_skip_test("go's pprof is not installed");
    save_for_others();
    snprintf(command, sizeof command, "PPROF_TMPDIR=%s %s -symbolize=none -top %s 2>&1", directory,
             found.gl_pathv[0], in_directory("p.pb.gz"));
    char *text = output_of(command);
    cr_assert_not_null(strstr(text, "File: prog"), "%s", text);
    cr_assert_not_null(strstr(text, "Type: cpu"), "%s", text);
    cr_assert_not_null(strstr(text, "70ms 70.00%"), "%s", text);
    cr_assert_not_null(strstr(text, "do_it(int)"), "%s", text);
    free(text);
    snprintf(command, sizeof command, "PPROF_TMPDIR=%s %s -symbolize=none -tags %s 2>&1", directory,
             found.gl_pathv[0], in_directory("p.pb.gz"));
    text = output_of(command);
    cr_assert_not_null(strstr(text, "prog one"), "%s", text);
    free(text);
    globfree(&found);
}
