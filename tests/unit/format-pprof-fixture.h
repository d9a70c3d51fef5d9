/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-format-pprof-*.c: write profiles as texts, and encode files by hand. */
#ifndef PPROFIL_TEST_FORMAT_PPROF_FIXTURE_H
#define PPROFIL_TEST_FORMAT_PPROF_FIXTURE_H

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
#include "format/pprof/pprof.h"
#include "report/report.h"
#include "test-directory.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

/* --- profiles in words --------------------------------------------------------------- */

static const char *string(const struct profile *profile, uint32_t index)
{
    return profile->strings[index];
}

UNUSED static void describe_frame(FILE *out, const struct profile *profile, uint32_t location)
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
                string(profile, function->system_name), string(profile, function->file), function->line,
                function->object == place->object + 1, string(profile, line->file), line->line);
    }
    fputc('\n', out);
}

UNUSED static void describe_sample(FILE *out, const struct profile *profile, uint32_t index)
{
    const struct profile_sample *sample = &profile->samples[index];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct profile_syscall *call = &profile->syscalls[sample->syscall];

    fprintf(out, "sample %u.%u/%u %s of %s call %s %u state %u: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", process->pid,
            process->generation, thread->tid, string(profile, thread->comm), string(profile, process->comm),
            string(profile, call->name), call->compat, sample->state, sample->count, sample->cpu_ns, sample->wall_ns);
    for (uint32_t node = sample->node; node != PROFILE_NONE; node = profile->nodes[node].parent)
        describe_frame(out, profile, profile->nodes[node].location);
}

UNUSED static void describe_totals(FILE *out, const struct profile *profile)
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
        totals->overhead_ppm,      totals->end_time};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(out, " %" PRIu64, numbers[i]);
    fputc('\n', out);
}

UNUSED static void describe_reports(FILE *out, struct profile *profile)
{
    for (unsigned by = PPROFIL_BY_FUNCTION; by < REPORT_GROUPINGS; by++) {
        struct report_options options = {.by = (enum pprofil_by)by};
        struct pprofil_report *report;
        cr_assert_eq(report_flat(profile, NULL, &options, &report), 0);
        for (uint32_t i = 0; i < report->count; i++) {
            const struct pprofil_row *row = &report->rows[i];
            fprintf(out, "row %s %s %s:%u %u %u %" PRIu64 " %" PRIu64 " %.12g %.12g\n", row->name, row->object,
                    row->file, row->line, row->pid, row->tid, row->samples, row->ns, row->share, row->error95);
        }
        pprofil_report_free(report);
    }
}

UNUSED static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The order of samples in a file is not that of the profile. */
UNUSED static void describe_samples(FILE *out, const struct profile *profile)
{
    char **texts = calloc(profile->sample_count + 1u, sizeof *texts);

    cr_assert_not_null(texts);
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        size_t size;
        FILE *text = open_memstream(&texts[i], &size);
        describe_sample(text, profile, i);
        fclose(text);
    }
    qsort(texts, profile->sample_count, sizeof *texts, compare_texts);
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        fputs(texts[i], out);
        free(texts[i]);
    }
    free(texts);
}

UNUSED static char *describe(struct profile *profile)
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
    describe_samples(out, profile);
    describe_reports(out, profile);
    fclose(out);
    return text;
}

UNUSED static void expect_same(struct profile *a, struct profile *b)
{
    char *left = describe(a), *right = describe(b);

    cr_assert_str_eq(left, right);
    free(left);
    free(right);
}

UNUSED static void expect_round_trip(struct profile *profile)
{
    struct profile *again;

    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
    expect_same(profile, again);
    profile_free(again);
}

/* --- our own files ------------------------------------------------------------------- */

UNUSED static void name_location(struct profile *profile, uint32_t location)
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

UNUSED static struct profile *make_profile(bool wall)
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
        feed_sample(profile, 10, 10, 0x555500002000 + i * 16 % 0x3000, 1000 + i, i % 4 == 0 ? 1 : WIRE_NO_SYSCALL);
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
    profile->totals.end_time = 1700000009000000001;
    profile->command = strdup("prog one --with arguments");
    name_location(profile, 1);
    return profile;
}

/* --- others' files, encoded by hand -------------------------------------------------- */

struct bytes {
    size_t size;
    unsigned char data[1 << 16];
};

UNUSED static void put_varint(struct bytes *to, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        to->data[to->size++] = (unsigned char)(number | 0x80);
    to->data[to->size++] = (unsigned char)number;
}

UNUSED static void put_number(struct bytes *to, unsigned field, uint64_t number)
{
    put_varint(to, field << 3);
    put_varint(to, number);
}

UNUSED static void put_bytes(struct bytes *to, unsigned field, const void *data, size_t size)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

/* Adds a message with these numbers in its fields 1, 2, ... */
#define PUT(to, field, ...)                                                                        \
    put_numbers(to, field, (const uint64_t[]){__VA_ARGS__},                                        \
                sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))
UNUSED static void put_numbers(struct bytes *to, unsigned field, const uint64_t *numbers, size_t count)
{
    static struct bytes inner;

    inner.size = 0;
    for (unsigned i = 0; i < count; i++)
        put_number(&inner, i + 1, numbers[i]);
    put_bytes(to, field, inner.data, inner.size);
}

UNUSED static void put_location(struct bytes *to, uint64_t id, uint64_t mapping, uint64_t address,
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

UNUSED static void put_sample(struct bytes *to, const char *stack, uint64_t count, uint64_t time)
{
    static struct bytes inner;

    inner.size = 0;
    for (; *stack != '\0'; stack++)
        put_number(&inner, 1, (uint64_t)(*stack - '0'));
    put_number(&inner, 2, count);
    put_number(&inner, 2, time);
    put_bytes(to, 2, inner.data, inner.size);
}

/* The string table of the files. The enum below has the indexes. */
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

UNUSED static void put_words(struct bytes *to)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_bytes(to, 6, words[i], strlen(words[i]));
}

/* Adds the functions main, leaf and inlined, with ids 1 to 3. */
UNUSED static void put_functions(struct bytes *to)
{
    for (uint64_t id = 1; id <= 3; id++)
        PUT(to, 5, id, MAIN + id - 1, MAIN + id - 1, F_C, id);
}

#endif
