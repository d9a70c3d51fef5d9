/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the text that perf script prints, for stackcollapse-perf.pl and other tools that read it:
 *
 *    comm pid/tid time:  period event:
 *            address function (object)
 *            ...
 *
 * The leaf is first, and an empty line ends a sample. Some readers count samples, some add up periods, and some
 * subtract times. So each sample has its own entry in the file, and this entry begins when the period of the thread's
 * previous entry is over. If a profile has more than ENTRIES_MAX samples, each entry of profile->samples becomes only
 * one entry of the file, with the sum of the samples' periods.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/perf-script/perf-script.h"
#include "format/text.h"

#define ENTRIES_MAX 1000000u
#define NS_IN_SECOND 1000000000u

struct writer {
    const struct profile *profile;
    struct frame_list list;
    FILE *out;
    uint64_t now; /* time at which the next entry of the current thread begins, ns */
    bool each;    /* true: every sample gets its own entry in the file */
};

/* Returns the address that is written for a frame. For a caller in a file it is 1 more than the address in the profile,
 * because perf prints return addresses, which are after the call instruction. */
static uint64_t address_of(const struct profile *profile, const struct frame *frame, bool leaf)
{
    const struct profile_location *place = &profile->locations[frame->location];
    const struct profile_object *object = &profile->objects[place->object];

    if (object->kind == PROFILE_OBJECT_MARK)
        return 0;
    if (object->invented || object->kind == PROFILE_OBJECT_ANON || object->kind == PROFILE_OBJECT_UNKNOWN)
        return place->address;
    return place->address - object->offset + object->start + !leaf;
}

/* Returns true if a name ends with something that looks like an offset in a function, as in "libx.so+0x1f30". */
static bool has_offset(const char *name)
{
    const char *plus = strrchr(name, '+');
    return plus != NULL && strncmp(plus, "+0x", 3) == 0 && plus[3] != '\0' &&
           plus[3 + strspn(plus + 3, "0123456789abcdef")] == '\0';
}

static void put_frame(FILE *out, const struct profile *profile, const struct frame *frame, bool leaf)
{
    uint32_t object = profile->locations[frame->location].object;
    const char *name = profile->strings[profile->functions[frame->function].name];

    fprintf(out, "\t%16llx ", (unsigned long long)address_of(profile, frame, leaf));
    text_put(out, name[0] != '\0' ? name : "[unknown]", "", ' ');
    /* readers remove the last offset in a line. So a name that ends with an offset gets "+0x0" after it, which they
     * remove instead */
    fputs(has_offset(name) ? "+0x0 (" : " (", out);
    if (frame->inlined)
        fputs("inlined", out);
    else
        text_put(out, profile->strings[profile->objects[object].path], "", ' ');
    fputs(")\n", out);
}

static void put_head(struct writer *writer, uint32_t thread, uint64_t ns)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *who = &profile->threads[thread];

    const char *comm = frame_comm(profile, thread);

    if (comm[0] == '#') /* readers take a line that begins with '#' as a comment, so a blank is written first */
        putc(' ', writer->out);
    text_put(writer->out, comm, "", ' ');
    fprintf(writer->out, " %u/%u %llu.%09llu: %llu %s:\n", profile->processes[who->process].pid, who->tid,
            (unsigned long long)(writer->now / NS_IN_SECOND), (unsigned long long)(writer->now % NS_IN_SECOND),
            (unsigned long long)ns, profile->totals.wall ? PERF_SCRIPT_WALL : "cpu-clock");
    writer->now += ns;
}

/* Makes the text of a stack's lines. All entries that are written for one profile_sample have these lines in common.
 * The caller frees the text. Returns NULL if there is no memory. */
static char *make_lines(struct writer *writer, uint32_t leaf, size_t *size)
{
    char *lines = NULL;
    FILE *out = open_memstream(&lines, size);
    int error = out == NULL ? -ENOMEM : frame_list_of(writer->profile, leaf, &writer->list);
    bool in_leaf = true;

    for (uint32_t i = writer->list.count; error == 0 && i > 0; i--) {
        const struct frame *frame = &writer->list.all[i - 1];
        put_frame(out, writer->profile, frame, in_leaf);
        in_leaf &= frame->inlined;
    }
    if (out != NULL && (fclose(out) != 0 || error != 0)) {
        free(lines);
        return NULL;
    }
    return lines;
}

static int put_sample(struct writer *writer, const struct profile_sample *sample)
{
    uint64_t left = writer->profile->totals.wall ? sample->wall_ns : sample->cpu_ns;
    uint64_t entries = writer->each && sample->count > 0 ? sample->count : 1;
    size_t size;
    char *lines = make_lines(writer, sample->node, &size);

    if (lines == NULL)
        return -ENOMEM;
    for (; entries > 0 && !ferror(writer->out); entries--) {
        uint64_t ns = left / entries;
        put_head(writer, sample->thread, ns);
        fwrite(lines, 1, size, writer->out);
        putc('\n', writer->out);
        left -= ns;
    }
    free(lines);
    return 0;
}

static int compare_samples(const void *left, const void *right)
{
    const struct profile_sample *a = *(const struct profile_sample *const *)left;
    const struct profile_sample *b = *(const struct profile_sample *const *)right;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a < b ? -1 : a > b;
}

static int put_samples(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    const struct profile_sample **samples = calloc(profile->sample_count + 1u, sizeof *samples);
    int error = samples == NULL ? -ENOMEM : 0;
    uint32_t count = 0;

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        if (profile_counts_sample(profile, &profile->samples[i]))
            samples[count++] = &profile->samples[i];
    if (error == 0)
        qsort(samples, count, sizeof(struct profile_sample *), compare_samples);
    for (uint32_t i = 0; error == 0 && i < count; i++) {
        if (i == 0 || samples[i]->thread != samples[i - 1]->thread)
            writer->now = 0;
        error = put_sample(writer, samples[i]);
    }
    free(samples);
    return error;
}

static int write_perf_script(int fd, const struct profile *profile)
{
    struct writer writer = {
        .profile = profile, .out = text_open(fd), .each = profile->totals.samples <= ENTRIES_MAX};

    if (writer.out == NULL)
        return -ENOMEM;
    int error = put_samples(&writer), closed = text_close(writer.out);
    free(writer.list.all);
    return error != 0 ? error : closed;
}

/* Returns true if the first line that is neither empty nor a comment is the first line of a sample. */
static bool perf_script_matches(const unsigned char *head, size_t size, uint64_t all)
{
    char text[1024], *line = text, *rest;

    (void)all;
    if (!text_is(head, size))
        return false;
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, head, size);
    text[size] = '\0';
    for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        if (*line != '#')
            return perf_script_begins(line);
    return false;
}

const struct format format_perf_script = {
    .name = "perf-script",
    .extensions = ".perf-script .linux-perf.txt .perf.txt",
    .summary = "what perf script prints, for stackcollapse-perf.pl and others",
    .keeps = "stacks of functions with their objects, inlined functions, marks, processes and "
             "threads by name and number, sample counts (up to 1000000), times",
    .loses = "source lines, addresses within objects (and so the names of code without symbols), "
             "system calls, states, totals; control characters in names",
    .matches = perf_script_matches,
    .read = perf_script_read,
    .write = write_perf_script,
};
