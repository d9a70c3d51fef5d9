/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Round trips: what a format promises to keep (format.h, .keeps) comes back, whatever the names
 * are. A profile is put into words with what the format loses left out, and so is what was read
 * of what was written of it. It is long because that is also how files of others are judged.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/text.h"

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

TestSuite(formats, .init = make_directory, .fini = remove_directory);

static const char *in_directory(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* --- a profile with everything in it ------------------------------------------------- */

static uint32_t add_string(struct profile *profile, const char *text)
{
    uint32_t index;
    cr_assert_eq(profile_string(profile, text, &index), 0);
    return index;
}

static uint32_t add_object(struct profile *profile, enum profile_object_kind kind, const char *path,
                           uint64_t start)
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

static struct profile_line make_line(struct profile *profile, uint32_t object, const char *name,
                                     const char *file, uint32_t line)
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
    cr_assert_eq(profile_set_lines(profile, location, lines, count,
                                   PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE),
                 0);
    return location;
}

static uint32_t add_node(struct profile *profile, uint32_t parent, uint32_t location)
{
    uint32_t node;
    cr_assert_eq(profile_node(profile, parent, location, &node), 0);
    return node;
}

static uint32_t add_thread(struct profile *profile, uint32_t process, uint32_t tid,
                           const char *comm)
{
    struct profile_thread thread = {
        .process = process, .tid = tid, .comm = add_string(profile, comm)};
    uint32_t index;

    cr_assert_eq(profile_add_thread(profile, &thread, &index), 0);
    return index;
}

static void add_samples(struct profile *profile, uint32_t thread, uint32_t node, uint64_t count,
                        const char *call, bool wall)
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

static const char *const hostile[] = {
    "plain",
    "operator()(int, char)",
    "a;b",
    "new\nline",
    "say \"it\", twice",
    "bad\xffutf8",
    "ends with 12",
    "  spaces  ",
    "std::map<int, (anonymous)>::at(int)",
    "[brackets]",
    "x+0x1f y",
    "\xc3\xa4\xe2\x82\xac",
    "fn=(3)",
    "#comment",
    "tab\there",
    "back\\slash",
    "-1/2",
    "(4) five",
    "libz.so.1+0x1f30",
};
#define HOSTILE (sizeof hostile / sizeof *hostile)

static const char *const marks[] = {"[truncated]", "[no unwind info: libx.so]", "[broken stack]",
                                    "[too deep]", "[stack copy not read]"};
#define MARKS (sizeof marks / sizeof *marks)

static struct profile *make_profile(bool wall)
{
    struct profile *profile = profile_new();
    static const char *const comms[] = {"pro g", "o;ther-7", "#execed"};
    uint32_t process[3], threads[4], location, node, leaf;

    for (uint32_t i = 0; i < 3; i++) { /* the third is the second, after an exec */
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
    add_samples(profile, threads[1],
                add_node(profile, node, add_location(profile, jit, 0x7f0000000010, &line, 1)), 11,
                NULL, wall);
    line = make_line(profile, vdso, "clock_gettime", "", 0);
    add_samples(profile, threads[2],
                add_node(profile, node, add_location(profile, vdso, 0x10, &line, 1)), 13, "futex",
                wall);
    for (uint32_t i = 0; i < MARKS; i++) {
        cr_assert_eq(profile_mark(profile, marks[i], &location), 0);
        node = add_node(profile, PROFILE_NONE, location);
        line = make_line(profile, prog, "deep", "/src/main.c", 99);
        add_samples(profile, threads[0],
                    add_node(profile, node, add_location(profile, prog, 0x1900, &line, 1)), 17 + i,
                    NULL, wall);
    }
    profile->command = strdup("prog --with \"quotes\"");
    profile->totals.asked_hz = 1000;
    profile->totals.elapsed_ns = 12345;
    profile->totals.processes_seen = 2;
    return profile;
}

/* --- profiles in words --------------------------------------------------------------- */

enum show {
    STACKS = 1 << 0, /* else the innermost frames */
    OBJECTS = 1 << 1,
    FUNCTION_PLACE = 1 << 2, /* where functions are defined */
    LINES = 1 << 3,
    ADDRESSES = 1 << 4, /* instead of names */
    WHO = 1 << 5,
    CALLS = 1 << 6,
    COUNT = 1 << 7,
    NS = 1 << 8, /* CPU time, in wall mode elapsed time, as cpu_ns when read */
    TIMES = 1 << 9,
    INLINED = 1 << 10, /* which frames are inlined */
    NUMBERS = 1 << 11, /* of the line and of the file, but not of the function's file */
};

struct fact {
    char *key;
    uint64_t count, cpu, wall;
};

static bool shown(const struct profile *profile, const struct frame *frame, unsigned show)
{
    uint32_t object = profile->locations[frame->location].object;
    return !(show & ADDRESSES) || profile->objects[object].kind != PROFILE_OBJECT_MARK;
}

static void tell_name(FILE *out, const char *name, const char *bad)
{
    for (; *name != '\0'; name++) {
        if (*name == '\xff')
            fputs("\xef\xbf\xbd", out);
        else if (strchr(bad, *name) != NULL)
            putc(*name == ';' ? ':' : ' ', out);
        else
            putc(*name, out);
    }
}

static void tell_frame(FILE *out, const struct profile *profile, const struct frame *frame,
                       unsigned show, const char *bad)
{
    const struct profile_location *place = &profile->locations[frame->location];
    const struct profile_function *function = &profile->functions[frame->function];
    const struct profile_object *object = &profile->objects[place->object];
    bool mark = object->kind == PROFILE_OBJECT_MARK;

    fputs(" <", out);
    if (show & ADDRESSES)
        fprintf(out, "%" PRIx64, place->address);
    else
        tell_name(out, profile->strings[function->name], bad);
    if ((show & OBJECTS) && !mark)
        fprintf(out, " in %s", profile->strings[object->path]);
    if ((show & FUNCTION_PLACE) && !mark)
        fprintf(out, " of %s:%u", profile->strings[function->file], function->line);
    if ((show & (LINES | NUMBERS)) && !mark)
        fprintf(out, " at %s:%u", profile->strings[frame->file], frame->line);
    if ((show & INLINED) && frame->inlined)
        fputs(" inlined", out);
    if (mark)
        fputs(" mark", out);
    putc('>', out);
}

static void tell_sample(FILE *out, const struct profile *profile,
                        const struct profile_sample *sample, unsigned show, const char *bad)
{
    const struct profile_thread *thread = &profile->threads[sample->thread];
    struct frame_list list = {0};

    if (show & WHO) {
        tell_name(out, profile->strings[thread->comm], bad);
        const struct profile_process *process = &profile->processes[thread->process];
        fprintf(out, " %u.%u/%u", process->pid, process->generation, thread->tid);
        if (thread->tid == process->pid) /* its process's name is known */
            tell_name(out, profile->strings[process->comm], bad);
    }
    if (show & CALLS)
        fprintf(out, " %s %s", profile->strings[profile->syscalls[sample->syscall].name],
                profile_state_name((enum profile_state)sample->state));
    cr_assert_eq(frames_of_stack(profile, sample->node, &list), 0);
    for (uint32_t i = show & STACKS ? 0 : list.count - 1; i < list.count; i++)
        if (shown(profile, &list.all[i], show) && (!(show & ADDRESSES) || !list.all[i].inlined))
            tell_frame(out, profile, &list.all[i], show, bad);
    free(list.all);
}

static int compare_facts(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->key, ((const struct fact *)b)->key);
}

static char *tell(const struct profile *profile, unsigned show, const char *bad)
{
    struct fact *facts = calloc(profile->sample_count + 1u, sizeof *facts);
    char *text;
    size_t size;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        FILE *out = open_memstream(&facts[i].key, &size);
        tell_sample(out, profile, sample, show, bad);
        fclose(out);
        facts[i].count = show & COUNT ? sample->count : 0;
        facts[i].cpu = show & (NS | TIMES) ? sample->cpu_ns : 0;
        facts[i].wall = show & TIMES ? sample->wall_ns : 0;
        if ((show & NS) && profile->totals.wall)
            facts[i].cpu = sample->wall_ns;
    }
    qsort(facts, profile->sample_count, sizeof *facts, compare_facts);
    FILE *out = open_memstream(&text, &size);
    struct fact sum = {0};
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        sum.count += facts[i].count;
        sum.cpu += facts[i].cpu;
        sum.wall += facts[i].wall;
        if (i + 1 == profile->sample_count || strcmp(facts[i].key, facts[i + 1].key) != 0) {
            fprintf(out, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", facts[i].key, sum.count,
                    sum.cpu, sum.wall);
            sum = (struct fact){0};
        }
    }
    for (uint32_t i = 0; i < profile->sample_count; i++)
        free(facts[i].key);
    free(facts);
    fclose(out);
    return text;
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
    /* and it shows what it is */
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
    const char *bad; /* characters in names that change */
} promises[] = {
    {"pprof", STACKS | OBJECTS | FUNCTION_PLACE | LINES | WHO | CALLS | COUNT | TIMES | INLINED,
     ""},
    {"json", STACKS | OBJECTS | FUNCTION_PLACE | LINES | WHO | CALLS | COUNT | TIMES | INLINED, ""},
    {"folded", STACKS | WHO | COUNT, CONTROLS ";"},
    {"speedscope", STACKS | FUNCTION_PLACE | WHO | NS, ""},
    {"callgrind", OBJECTS | LINES | COUNT | TIMES, CONTROLS},
    {"perf-script", STACKS | OBJECTS | INLINED | WHO | COUNT | NS, CONTROLS},
    {"csv", OBJECTS | LINES | WHO | CALLS | COUNT | TIMES, ""},
    {"gperftools", STACKS | ADDRESSES | COUNT, ""},
    {"firefox", STACKS | OBJECTS | FUNCTION_PLACE | LINES | WHO | CALLS | COUNT | TIMES | INLINED,
     ""},
    {"firefox", STACKS | OBJECTS | ADDRESSES | COUNT, ""},
};

Test(formats, what_is_promised_comes_back)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        expect_kept(promises[i].format, promises[i].show, promises[i].bad, false);
}

Test(formats, in_wall_mode_too)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        expect_kept(promises[i].format, promises[i].show, promises[i].bad, true);
}

/* The totals and the tables that no sample refers to. */
Test(formats, json_keeps_the_rest)
{
    struct format_options options = {0};
    struct profile *written = make_profile(true), *read;

    for (uint64_t i = 1; i < 40; i++)
        cr_assert_eq(timeline_add(&written->timeline, i * 50000000, i * 777777), 0);
    read = pass_through(written, "json", &options);
    cr_assert_eq(read->timeline.start, written->timeline.start);
    cr_assert_eq(read->timeline.slot_ns, written->timeline.slot_ns);
    cr_assert_eq(read->timeline.count, written->timeline.count);
    cr_assert_eq(memcmp(read->timeline.cpu_ns, written->timeline.cpu_ns,
                        read->timeline.count * sizeof *read->timeline.cpu_ns),
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

/* Addresses that were made up stay so, in the formats that keep everything; those that need
 * addresses find none. */
Test(formats, made_up_addresses_are_known_as_such)
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
                     -ENODATA);
    profile_free(written);
    profile_free(named);
    profile_free(again);
    profile_free(third);
}

/* The same place of two files is one place. */
Test(formats, made_up_addresses_are_the_same_everywhere)
{
    struct format_options options = {0};
    struct profile *written = make_profile(false);
    struct profile *a = pass_through(written, "callgrind", &options);
    struct profile *b = pass_through(a, "callgrind", &options);

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

    cr_assert_eq(format_write_file_as(format_by_name(name), in_directory("file"), profile, options),
                 0);
    FILE *file = fopen(in_directory("file"), "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    profile_free(profile);
    return text;
}

Test(formats, folded_says_whose)
{
    cr_assert_not_null(
        strstr(write_and_load("folded", &(struct format_options){0}), "pro g-100;main;plain 1\n"));
    cr_assert_not_null(
        strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_NONE}),
               "\nmain;plain;plain;plain 100\n"));
    cr_assert_not_null(
        strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_COMM}),
               "worker 7;main;outer;between;innermost 7\n"));
    cr_assert_not_null(
        strstr(write_and_load("folded", &(struct format_options){.roots = FORMAT_ROOTS_THREAD}),
               "worker 7-100/102;main;outer;between;innermost;jitted 11\n"));
    cr_assert_not_null(
        strstr(write_and_load("folded",
                              &(struct format_options){.roots = FORMAT_ROOTS_NONE, .time = true}),
               "\nmain;plain;plain;plain 100000\n"));
}

Test(formats, extensions)
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

/* --- files of others, and damaged ones ------------------------------------------------ */

static int read_text(const char *format, const char *text, struct profile **profile)
{
    int fd = open(in_directory("file"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return format_read_file_as(in_directory("file"), format_by_name(format),
                               &(struct format_options){0}, profile);
}

static void expect_told(const char *format, const char *text, unsigned show, const char *words)
{
    struct profile *profile;

    cr_assert_eq(read_text(format, text, &profile), 0, "%s", text);
    char *told = tell(profile, show, "");
    cr_assert_str_eq(told, words);
    free(told);
    profile_free(profile);
}

Test(formats, perf_script_of_perf)
{
    static const char text[] =
        "# captured on: today\n"
        "           :-1    12/13    [003] 46857.889326:    1001001 cpu-clock:u: \n"
        "\t            1159 hot+0x20 (/home/me/prog)\n"
        "\t            119b inner (inlined)\n"
        "\t            119b outer+0x10 (/home/me/prog (deleted))\n"
        "\tffffffff81000000 [unknown] ([kernel.kallsyms])\n"
        "\n"
        "Web Content  14 46858.000000: other-event: \n"
        "\t            1159 hot+0x20 (/home/me/prog)\n\n"
        "Web Content 14 46859.000000:          5 cpu-clock:u:      1159 hot+0x20 (/home/me/prog)\n";
    expect_told("perf-script", text, STACKS | OBJECTS | INLINED | WHO | COUNT | NS,
                ":-1 12.0/13 <[unknown] in [kernel.kallsyms]> <outer in /home/me/prog (deleted)>"
                " <inner in /home/me/prog (deleted) inlined> <hot in /home/me/prog>: 1 1001001 0\n"
                "Web Content 14.0/14Web Content <hot in /home/me/prog>: 1 5 0\n");
}

/* As a hostile program calls itself; and a program that has another name after its exec. */
Test(formats, perf_script_of_odd_names)
{
    static const char text[] = "     12/12 3.0:  5 cpu-clock: \n\t 1 hot (/p)\n\n"
                               "perf-exec 9/9 3.0:  6 cpu-clock: \n\t 1 hot (/p)\n\n"
                               "prog 9/9 3.0:  7 cpu-clock: \n\t 1 hot (/p)\n\n";
    expect_told("perf-script", text, STACKS | WHO | NS,
                "[unknown] 12.0/12[unknown] <hot>: 0 5 0\n"
                "perf-exec 9.0/9perf-exec <hot>: 0 6 0\nprog 9.1/9prog <hot>: 0 7 0\n");
}

Test(formats, callgrind_of_callgrind)
{
    static const char text[] = "# callgrind format\nversion: 1\ncmd:  ./prog\n\n"
                               "positions: instr line\nevents: Ir Dr\n\n"
                               "ob=(3) /lib/c.so\nfl=(1) a.c\nfn=(7) f\n0x50 50 1 1\n+4 +1 2\n"
                               "cob=(1) /lib/ld.so\ncfi=(2) b.c\ncfn=(8) g\ncalls=1 0x408 408\n"
                               "* * 19 2\nfi=(4) in.h\n+3 7 5 1\njump=3 +2 8\n* *\nfe=(1)\n* 52 6\n"
                               "\nob=(1)\nfl=(2)\nfn=(8)\n0x408 408 19 2\ntotals: 33 6\n";
    expect_told("callgrind", text, OBJECTS | FUNCTION_PLACE | LINES | COUNT,
                " <f in /lib/c.so of a.c:0 at a.c:50>: 1 0 0\n"
                " <f in /lib/c.so of a.c:0 at a.c:51>: 2 0 0\n"
                " <f in /lib/c.so of a.c:0 at a.c:52>: 6 0 0\n"
                " <f in /lib/c.so of a.c:0 at in.h:7>: 5 0 0\n"
                " <g in /lib/ld.so of b.c:0 at b.c:408>: 19 0 0\n");
}

Test(formats, speedscope_of_events)
{
    static const char text[] =
        "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":3}]},"
        "\"profiles\":[{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"milliseconds\","
        "\"startValue\":0,\"endValue\":10,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},"
        "{\"type\":\"O\",\"frame\":1,\"at\":2.5},{\"type\":\"C\",\"frame\":1,\"at\":7},"
        "{\"type\":\"C\",\"frame\":0,\"at\":10}]}]}";
    expect_told("speedscope", text, STACKS | NS, " <a>: 0 5500000 0\n <a> <b>: 0 4500000 0\n");
}

Test(formats, folded_of_others)
{
    expect_told("folded", "a;b 3\r\n\na;b 4\n;x 1.5\nfoo-1;b 2\n", STACKS | COUNT,
                " <[unknown]> <x>: 1 0 0\n <a> <b>: 7 0 0\n <foo-1> <b>: 2 0 0\n");
}

/* Cycles of many CPUs are no milliseconds: their shares still are right. */
Test(formats, folded_of_large_numbers)
{
    struct profile *profile;

    cr_assert_eq(read_text("folded", "a;b 30000000000000\na;c 10000000000000\n", &profile), 0);
    cr_assert_eq(profile->totals.cpu_ns, 40000000000000);
    cr_assert_eq(profile->totals.samples, 40000000000000);
    profile_free(profile);
}

#define FIREFOX(stack, frame, prefix, address, func)                                               \
    "{\"meta\":{\"interval\":2,\"product\":\"Other\",\"preprocessedProfileVersion\":60},"            \
    "\"libs\":[{\"name\":\"libx.so\",\"path\":\"/lib/libx.so\"}],\"threads\":[{\"name\":\"Worker\","     \
    "\"processName\":\"prog\",\"pid\":\"12.1\",\"tid\":13,\"samples\":{\"stack\":" stack "}}],"         \
    "\"shared\":{\"stackTable\":{\"frame\":" frame ",\"prefix\":" prefix                              \
    "},\"frameTable\":{\"address\":" address ",\"func\":" func ",\"inlineDepth\":[0,0,1],"             \
    "\"line\":[1,2,3]},\"funcTable\":{\"name\":[0,1,2],\"resource\":[0,-1,0]},"                      \
    "\"resourceTable\":{\"lib\":[0]},\"stringArray\":[\"f\",\"js\",\"g\"]}}"

/* As others have it: tables that threads share, functions of no library, no weights. */
Test(formats, firefox_of_others)
{
    expect_told("firefox",
                FIREFOX("[2,null,1,2]", "[1,0,2]", "[null,0,1]", "[5,-1,5]", "[0,1,2]"),
                STACKS | OBJECTS | LINES | WHO | COUNT | NS | INLINED,
                "Worker 12.0/13 <js in [unknown] at :2> <f in /lib/libx.so at :1>: 1 2000000 0\n"
                "Worker 12.0/13 <js in [unknown] at :2> <f in /lib/libx.so at :1> "
                "<g in /lib/libx.so at :3 inlined>: 2 4000000 0\n");
}

/* A function of callgrind is named once and then by a number: so often, and with lines so many,
 * that to look at its letters each time takes minutes. */
Test(formats, long_names_are_looked_at_once, .timeout = 20)
{
    enum { LETTERS = 1 << 20, ROUNDS = 50000 };
    size_t size;
    char *text;
    FILE *out = open_memstream(&text, &size);
    struct profile *profile;

    fputs("events: Ir\nfn=(1) ", out);
    for (int i = 0; i < LETTERS; i++)
        putc('a', out);
    fputs("\nfn=(2) other\n", out);
    for (int i = 1; i <= ROUNDS; i++)
        fprintf(out, "fn=(1)\n%d 1\nfn=(2)\n1 1\n", i);
    fclose(out);
    cr_assert_eq(read_text("callgrind", text, &profile), 0);
    cr_expect_eq(profile->totals.samples, 2 * ROUNDS);
    cr_expect_eq(profile->sample_count, ROUNDS + 1);
    profile_free(profile);
    free(text);
}

Test(formats, damaged_files_are_refused)
{
    static const struct {
        const char *format, *text;
    } bad[] = {
        {"folded", ""},
        {"folded", "a;b\n"},
        {"folded", "a;b 99999999999999999999\n"},
        {"folded", "a 9000000000000000000\nb 9000000000000000000\n"},
        {"callgrind", "fn=main\n1 2\n"},
        {"callgrind", "events: Ir\nfn=(3)\n1 2\n"},
        {"callgrind", "events: Ir\nfn=main\ncalls=1 2\n"},
        {"callgrind", "events: Ir\nwhat is this\n"},
        {"perf-script", "\t1159 hot (/home/me/prog)\n"},
        {"perf-script", "prog 1/2 3.4: 5 cycles:\n\t1159 ho"},
        {"perf-script", "prog 1/2 3.4: 5 cycles:\n\t1159 hot (inlined)\n\n"},
        {"csv", "pid,tid\n1,2\n"},
        {"csv", "function,samples\nf\n"},
        {"csv", "function,samples\nf,x\n"},
        {"csv", "function,samples\n\"f,1\n"},
        {"speedscope", "{\"shared\":{\"frames\":[]}}"},
        {"speedscope", "{\"shared\":{\"frames\":[]},\"profiles\":[{\"type\":\"sampled\","
                       "\"samples\":[[0]],\"weights\":[1]}]}"},
        {"speedscope", "{\"shared\":{\"frames\":[]},\"profiles\":[{\"type\":\"sampled\","
                       "\"samples\":[[]],\"weights\":[-1]}]}"},
        {"speedscope", "{\"shared\""},
        {"firefox", "{\"meta\":{}}"},
        {"firefox", "{\"meta\":{},\"threads\":[{\"samples\":{\"stack\":[0]}}]}"},
        {"firefox", FIREFOX("[0]", "[0]", "[0]", "[-2]", "[0]")},
        {"firefox", FIREFOX("[1]", "[0]", "[null]", "[5]", "[0]")},
        {"firefox", FIREFOX("[0]", "[0,0]", "[null,1]", "[5]", "[0]")},
        {"firefox", FIREFOX("[0]", "[1]", "[null]", "[5]", "[0]")},
        {"firefox", FIREFOX("[0]", "[0]", "[null]", "[5]", "[7]")},
        {"json", "{\"pprofil\":2}"},
        {"json", "{\"pprofil\":1}"},
        {"json", "{\"pprofil\":1,\"processes\":[],\"threads\":[],\"objects\":[],\"functions\":[],"
                 "\"locations\":[],\"nodes\":[],\"syscalls\":[],\"samples\":[],"
                 "\"timeline\":{\"start\":1,\"slot_ns\":3,\"cpu_ns\":[1]}}"},
        {"json", "{\"pprofil\":1,\"processes\":[],\"threads\":[{\"process\":1,\"tid\":1}]}"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct profile *profile;
        cr_assert_eq(read_text(bad[i].format, bad[i].text, &profile), -EBADMSG, "%s: %s",
                     bad[i].format, bad[i].text);
    }
}

/* The stream's buffer is full at some size, and empty when the stream is closed. */
Test(formats, whoever_reads_a_text_may_leave_at_any_byte)
{
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    for (size_t size = 1; size <= 3 * (size_t)BUFSIZ; size++) {
        FILE *out = text_open(ends[1]);
        cr_assert_not_null(out);
        for (size_t i = 0; i < size && !ferror(out); i++)
            putc('x', out);
        cr_assert_eq(text_close(out), -EPIPE, "at %zu bytes", size);
    }
    close(ends[1]);
}
