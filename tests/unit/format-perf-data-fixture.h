/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers of test-format-perf-data.c: make a profile, and write profiles as texts. */
#ifndef PPROFIL_TEST_FORMAT_PERF_DATA_FIXTURE_H
#define PPROFIL_TEST_FORMAT_PERF_DATA_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build-events.h"
#include "format/format.h"
#include "test-directory.h"

#define UNUSED __attribute__((unused)) /* not every file uses all functions of this header */

UNUSED static unsigned char *get_file(size_t *size)
{
    int fd = open(in_directory("perf.data"), O_RDONLY);
    struct stat status;
    cr_assert_eq(fstat(fd, &status), 0);
    unsigned char *bytes = malloc((size_t)status.st_size);
    cr_assert_eq(read(fd, bytes, (size_t)status.st_size), status.st_size);
    close(fd);
    *size = (size_t)status.st_size;
    return bytes;
}

/* --- profiles in words, sorted -------------------------------------------------------- */

UNUSED static void describe_stack(FILE *out, const struct profile *profile, uint32_t node)
{
    for (; node != PROFILE_NONE; node = profile->nodes[node].parent) {
        const struct profile_location *place = &profile->locations[profile->nodes[node].location];
        const struct profile_object *object = &profile->objects[place->object];
        fprintf(out, " %s(%d,%" PRIx64 ",%02x)+%" PRIx64, profile->strings[object->path], object->kind, object->inode,
                object->build_id_size > 0 ? object->build_id[0] : 0, place->address);
    }
}

UNUSED static int compare_words(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

UNUSED static char *describe(const struct profile *profile)
{
    char **words = calloc(profile->sample_count + 1, sizeof *words), *all;
    size_t size;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_thread *thread = &profile->threads[sample->thread];
        const struct profile_process *process = &profile->processes[thread->process];
        FILE *out = open_memstream(&words[i], &size);
        fprintf(out, "%u<%u.%u/%u %s %s: %" PRIu64 " %" PRIu64 " %" PRIu64, process->pid,
                process->ppid, process->generation, thread->tid, profile->strings[process->comm],
                profile->strings[thread->comm], sample->count, sample->cpu_ns, sample->wall_ns);
        describe_stack(out, profile, sample->node);
        fclose(out);
    }
    qsort(words, profile->sample_count, sizeof *words, compare_words);
    FILE *out = open_memstream(&all, &size);
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        fprintf(out, "%s\n", words[i]);
        free(words[i]);
    }
    fclose(out);
    free(words);
    return all;
}

UNUSED static struct profile *read_back(void)
{
    struct profile *profile;
    cr_assert_eq(format_read_file(in_directory("perf.data"), &profile), 0);
    return profile;
}

/* --- our own files ------------------------------------------------------------------- */

UNUSED static void count(struct profile *profile, uint32_t process, uint32_t tid, uint32_t node,
                  uint64_t samples, uint64_t ns)
{
    struct profile_sample sample = {.node = node, .count = samples};

    cr_assert(profile_find_thread(profile, process, tid, &sample.thread));
    *(profile->totals.wall ? &sample.wall_ns : &sample.cpu_ns) = ns;
    cr_assert_eq(profile_count(profile, &sample), 0);
}

/* Makes a profile of processes 10 and 11, which map different files at the same addresses. Process 11 has executed
 * another program, and has code made at run time. Process 10 has a sample at an address that only process 11 maps, and
 * stacks with the mark "[truncated]". */
UNUSED static struct profile *make_profile(bool wall)
{
    struct profile *profile = profile_new();
    struct map_spec maps[] = {
        {.pid = 10,
         .kind = WIRE_MAP_FILE,
         .start = 0x401000,
         .end = 0x402000,
         .offset = 0x1000,
         .inode = 5,
         .name = "/bin/one",
         .build_id = 3},
        {.pid = 11,
         .kind = WIRE_MAP_FILE,
         .start = 0x401000,
         .end = 0x403000,
         .offset = 0x1000,
         .inode = 6,
         .name = "/bin/two (deleted)"},
        {.pid = 11, .kind = WIRE_MAP_ANON, .start = 0x9000, .end = 0xa000, .name = ""},
        {.pid = 11,
         .kind = WIRE_MAP_VDSO,
         .start = 0x7fff0000,
         .end = 0x7fff2000,
         .name = "[vdso]"},
    };
    uint32_t mark, caller, node;

    feed_fork(profile, 10, 1);
    feed_comm(profile, 10, 10, "one");
    feed_task(profile, WIRE_THREAD, 10, 12);
    feed_comm(profile, 10, 12, "worker");
    feed_map(profile, &maps[0]);
    feed_fork(profile, 11, 10);
    feed_task(profile, WIRE_EXEC, 11, 11);
    feed_comm(profile, 11, 11, "two");
    for (size_t i = 1; i < 4; i++)
        feed_map(profile, &maps[i]);
    for (uint64_t i = 0; !wall && i < 50; i++) {
        feed_sample(profile, 10, 10, 0x401000 + i * 16, 1000 + i, WIRE_NO_SYSCALL);
        feed_sample(profile, 11, 11, 0x401800 + i % 3, 77, WIRE_NO_SYSCALL);
    }
    profile->totals.wall = wall;
    feed_sample(profile, 11, 11, 0x9010, 0, WIRE_NO_SYSCALL);
    feed_sample(profile, 11, 11, 0x7fff0020, 0, WIRE_NO_SYSCALL);
    feed_sample(profile, 10, 12, 0x402004, 0, WIRE_NO_SYSCALL); /* process 10 does not map this address */
    profile_mark(profile, "[truncated]", &mark);
    profile_node(profile, PROFILE_NONE, mark, &caller);
    profile_node(profile, caller, 1, &caller);
    profile_node(profile, caller, wall ? 1 : 2, &node);
    count(profile, 0, 12, caller, 3, 1000);
    count(profile, 0, 12, node, 1, 1);
    profile->totals.asked_hz = 997;
    profile->totals.elapsed_ns = 5000000;
    profile->command = strdup("one --with two");
    return profile;
}

/* --- as perf writes them --------------------------------------------------------------- */

UNUSED static unsigned char made[4096];

#endif
