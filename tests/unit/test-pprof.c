/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "build-events.h"
#include "format/format.h"

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
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
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
                           .name = "/bin/pr\xffog",
                           .build_id = 3};
    struct map_spec jit = {
        .pid = 11, .kind = WIRE_MAP_ANON, .start = 0x9000, .end = 0xa000, .name = ""};
    struct wire_stats stats = {.header = {WIRE_STATS, sizeof stats},
                               .elapsed_ns = 12345,
                               .target_cpu_ns = 777,
                               .stopped_ns = 3,
                               .repaired = 2};

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
                                     .flags = WIRE_SAMPLE_SLEEPING};
        feed(profile, &asleep.header);
    }
    profile->totals.asked_hz = 997;
    profile->command = strdup("prog one --with arguments");
    struct profile_function function = {.line = 9};
    struct profile_line line = {.line = 11};
    profile_string(profile, "do_it(int)", &function.name);
    profile_string(profile, "_Z5do_iti", &function.system_name);
    profile_string(profile, "/src/a.c", &function.file);
    line.file = function.file;
    profile_function(profile, &function, &line.function);
    profile_set_lines(profile, 1, &line, 1, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
    return profile;
}

/* A sample in words, so that two profiles with other indexes can be compared. */
static void describe(const struct profile *profile, uint32_t index, char *text, size_t size)
{
    const struct profile_sample *sample = &profile->samples[index];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct profile_location *place =
        &profile->locations[profile->nodes[sample->node].location];
    const struct profile_object *object = &profile->objects[place->object];
    uint32_t function = place->line_count > 0 ? place->lines[0].function : 0;

    snprintf(text, size, "%u.%u/%u %s %s kind %d inode %lu id %u %s+%lx %s:%u call %s %u: %lu %lu %lu",
             process->pid, process->generation, thread->tid, profile->strings[thread->comm],
             profile->strings[process->comm], object->kind, (unsigned long)object->inode,
             object->build_id_size > 0 ? object->build_id[0] : 0,
             object->kind == PROFILE_OBJECT_FILE ? "" : profile->strings[object->path],
             (unsigned long)place->address, profile->strings[profile->functions[function].name],
             place->line_count > 0 ? place->lines[0].line : 0,
             profile->strings[profile->syscalls[sample->syscall].name], sample->sleeping,
             (unsigned long)sample->count, (unsigned long)sample->cpu_ns,
             (unsigned long)sample->wall_ns);
}

static void expect_same(const struct profile *a, const struct profile *b)
{
    char left[512], right[512];

    cr_assert_eq(a->sample_count, b->sample_count);
    for (uint32_t i = 0; i < a->sample_count; i++) {
        describe(a, i, left, sizeof left);
        describe(b, i, right, sizeof right);
        cr_assert_str_eq(left, right);
    }
    cr_assert_eq(a->process_count, b->process_count);
    for (uint32_t i = 0; i < a->process_count; i++) {
        cr_assert_eq(a->processes[i].pid, b->processes[i].pid);
        cr_assert_eq(a->processes[i].ppid, b->processes[i].ppid);
        cr_assert_eq(a->processes[i].status, b->processes[i].status);
        cr_assert_str_eq(a->strings[a->processes[i].comm], b->strings[b->processes[i].comm]);
    }
    cr_assert_eq(a->totals.elapsed_ns, b->totals.elapsed_ns);
    cr_assert_eq(a->totals.target_cpu_ns, b->totals.target_cpu_ns);
    cr_assert_eq(a->totals.repaired, b->totals.repaired);
    cr_assert_eq(a->totals.wall, b->totals.wall);
    cr_assert_float_eq(a->totals.asked_hz, b->totals.asked_hz, 1e-9);
    cr_assert_str_eq(a->command, b->command);
}

static void round_trip(bool wall)
{
    struct profile *profile = make_profile(wall), *again;

    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    cr_assert_eq(format_read_file(in_directory("p.pb.gz"), &again), 0);
    expect_same(profile, again);
    profile_free(again);
    profile_free(profile);
}

Test(pprof, what_is_written_is_read)
{
    round_trip(false);
}

Test(pprof, wall_time_too)
{
    round_trip(true);
}

Test(pprof, every_cut_is_noticed)
{
    struct profile *profile = make_profile(false), *again;
    char path[256];
    struct stat status;

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    cr_assert_eq(stat(path, &status), 0);
    for (off_t size = status.st_size - 1; size >= 0; size--) {
        cr_assert_eq(truncate(path, size), 0);
        int error = format_read_file(path, &again);
        cr_assert(error == -EBADMSG || (size < 2 && error == -ENOEXEC), "size %ld: %d",
                  (long)size, error);
    }
    profile_free(profile);
}

Test(pprof, damage_never_crashes)
{
    struct profile *profile = make_profile(true), *again;
    static unsigned char plain[1 << 18], changed[1 << 18];
    char path[256];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    gzFile file = gzopen(path, "rb");
    int size = gzread(file, plain, sizeof plain);
    gzclose(file);
    cr_assert_gt(size, 0);
    srand(3);
    for (int i = 0; i < 2000; i++) { /* of the message itself, past gzip's checksum */
        memcpy(changed, plain, (size_t)size);
        for (int flips = 1 + rand() % 4; flips > 0; flips--)
            changed[1 + rand() % (size - 1)] ^= (unsigned char)(1 << rand() % 8);
        int fd = open(path, O_WRONLY | O_TRUNC);
        cr_assert_eq(write(fd, changed, (size_t)size), size);
        close(fd);
        if (format_read_file(path, &again) == 0)
            profile_free(again);
    }
    profile_free(profile);
}

Test(pprof, a_bomb_is_refused)
{
    char path[256];
    struct profile *again;
    static unsigned char zeros[1 << 20];

    snprintf(path, sizeof path, "%s", in_directory("bomb.pb.gz"));
    gzFile file = gzopen(path, "wb1");
    memset(zeros, 0x0a, 1);
    for (int i = 0; i < 1100; i++)
        cr_assert_eq(gzwrite(file, zeros, sizeof zeros), (int)sizeof zeros);
    gzclose(file);
    cr_assert_eq(format_read_file(path, &again), -EBADMSG);
}

Test(pprof, errors_have_their_names)
{
    struct profile *profile = make_profile(false), *again;

    cr_assert_eq(format_read_file(in_directory("nothing"), &again), -ENOENT);
    cr_assert_eq(format_read_file(directory, &again), -EISDIR);
    cr_assert_eq(format_read_file("/dev/null", &again), -EINVAL);
    cr_assert_eq(format_read_file("/bin/sh", &again), -ENOEXEC);
    cr_assert_eq(format_write_file(&format_pprof, "/dev/full", profile), -ENOSPC);
    cr_assert_eq(format_write_file(&format_pprof, "/no/such/directory/p.pb.gz", profile), -ENOENT);
    cr_assert_eq(format_write_file(&format_events, in_directory("x"), profile), -EINVAL);
    profile_free(profile);
}

Test(pprof, a_failed_write_leaves_the_old_file)
{
    struct profile *profile = make_profile(false), *again;
    struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
    char path[256];

    snprintf(path, sizeof path, "%s", in_directory("p.pb.gz"));
    cr_assert_eq(format_write_file(&format_pprof, path, profile), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(format_write_file(&format_pprof, path, profile), -EFBIG);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(format_read_file(path, &again), 0);
    expect_same(profile, again);
    profile_free(again);
    profile_free(profile);
    char command[300];
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = 1", directory);
    cr_assert_eq(system(command), 0);
}

Test(pprof, other_readers_agree)
{
    struct profile *profile = make_profile(false);
    char command[600], line[512];
    bool found = false;

    if (system("command -v protoc >/dev/null 2>&1") != 0)
        cr_skip_test("protoc is not installed");
    cr_assert_eq(format_write_file(&format_pprof, in_directory("p.pb.gz"), profile), 0);
    snprintf(command, sizeof command,
             "gzip -dc %s | protoc --decode=perftools.profiles.Profile "
             "--proto_path=%s profile.proto",
             in_directory("p.pb.gz"), getenv("PPROFIL_PROTO") ? getenv("PPROFIL_PROTO") : ".");
    FILE *output = popen(command, "r");
    while (fgets(line, sizeof line, output) != NULL)
        found |= strstr(line, "\"do_it(int)\"") != NULL;
    cr_assert_eq(pclose(output), 0);
    cr_assert(found);
    profile_free(profile);
}
