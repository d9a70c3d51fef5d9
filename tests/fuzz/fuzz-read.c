/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads an input in a format of lib/format, and writes the profile in another format. Some inputs are read once more,
 * in the format that pprofil recognizes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/format.h"
#include "fuzz.h"

#define SAMPLES_MAX 10000

static void add(uint64_t *sum, uint64_t more)
{
    if (more > INT64_MAX - *sum)
        abort();
    *sum += more;
}

static void check_index(uint32_t index, uint32_t count)
{
    if (index >= count)
        abort();
}

/* Checks that a profile that was read keeps the invariants of profile.h, and that its totals are the sums of its
 * samples. */
static void check(const struct profile *profile)
{
    uint64_t count = 0, cpu_ns = 0, wall_ns = 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        check_index(sample->thread, profile->thread_count);
        check_index(sample->node, profile->node_count);
        check_index(sample->syscall, profile->syscall_count);
        add(&count, sample->count);
        add(&cpu_ns, sample->cpu_ns);
        add(&wall_ns, sample->wall_ns);
    }
    if (count != profile->totals.samples || cpu_ns != profile->totals.cpu_ns || wall_ns != profile->totals.wall_ns)
        abort();
    for (uint32_t i = 0; i < profile->thread_count; i++)
        check_index(profile->threads[i].process, profile->process_count);
    for (uint32_t i = 1; i < profile->node_count; i++) {
        check_index(profile->nodes[i].parent, i);
        check_index(profile->nodes[i].location, profile->location_count);
    }
    for (uint32_t i = 1; i < profile->location_count; i++) {
        check_index(profile->locations[i].object, profile->object_count);
        for (uint32_t j = 0; j < profile->locations[i].line_count; j++)
            check_index(profile->locations[i].lines[j].function, profile->function_count);
    }
    for (uint32_t i = 0; i < profile->object_count; i++)
        check_index(profile->objects[i].path, profile->string_count);
}

/* All writers together would take twenty times as long as the reader. So the input decides which one writes.
 * perf-script is left out: it writes each sample, and three bytes of input may stand for a million samples. */
static void write_one(const struct profile *profile, uint32_t which)
{
    unsigned count = 0;

    while (format_at(count) != NULL)
        count++;
    const struct format *format = format_at(which % count);
    if (profile->totals.samples <= SAMPLES_MAX && format_writable(format) && format->codec == NULL)
        format_write_file(format, "/dev/null", profile);
}

static void read_as(const char *path, const struct format *format, uint32_t which)
{
    struct format_options options = {0};
    struct profile *profile;

    if (format_read_file_as(path, format, &options, &profile) != 0)
        return;
    check(profile);
    write_one(profile, which);
    profile_free(profile);
}

/* FNV-1a */
static uint32_t hash(const uint8_t *data, size_t size)
{
    uint32_t sum = 2166136261u;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 16777619u;
    return sum;
}

bool fuzz_read(const char *name, const uint8_t *data, size_t size)
{
    const struct format *format = format_by_name(name);
    uint32_t which = hash(data, size);
    char path[64];

    if (format == NULL || !format_readable(format))
        return false;
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_as(path, format, which);
    if (which % 64 == 0)
        read_as(path, NULL, which);
    close(fd);
    return true;
}
