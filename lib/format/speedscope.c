/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes speedscope's own JSON. It has a profile of type "sampled" for each thread. The samples of such a profile are
 * stacks, and their weights are nanoseconds. speedscope takes each entry in the list of frames as a different function.
 * So each function has only one entry, with the line where it begins.
 *
 * https://www.speedscope.app/file-format-schema.json
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/text.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
    const struct profile *profile;
    struct frame_tree tree;
    struct frame_list list;
    /* an element for each frame id: index + 1 of the frame in the file's list of frames; 0: not in the list yet */
    uint32_t *numbers;
    uint32_t number_count;
    FILE *out;
};

/* Writes the function of a frame into the file's list of frames, unless it has been written already. The list is
 * numbered in the order of writing. */
static void put_frame(struct writer *writer, const struct frame *frame)
{
    const struct profile *profile = writer->profile;
    const struct profile_function *function = &profile->functions[frame->function];
    char buffer[FRAME_NAME];

    if (writer->numbers[frame->id] != 0)
        return;
    fputs(writer->number_count == 0 ? "\n" : ",\n", writer->out);
    writer->numbers[frame->id] = ++writer->number_count;
    fputs("{\"name\":", writer->out);
    text_put_json(writer->out, frame_name(profile, frame, buffer));
    if (function->file != 0) {
        fputs(",\"file\":", writer->out);
        text_put_json(writer->out, profile->strings[function->file]);
    }
    if (function->line != 0)
        fprintf(writer->out, ",\"line\":%u", function->line);
    putc('}', writer->out);
}

static void put_samples(struct writer *writer, uint32_t first, uint32_t last, int *error)
{
    for (uint32_t i = first; *error == 0 && i < last; i++) {
        *error = frame_tree_stack(&writer->tree, writer->tree.weights[i].node, &writer->list);
        fputs(i > first ? ",\n[" : "\n[", writer->out);
        for (uint32_t k = 0; k < writer->list.count; k++)
            fprintf(writer->out, k > 0 ? ",%u" : "%u", writer->numbers[writer->list.all[k].id] - 1);
        putc(']', writer->out);
    }
}

/* Writes the profile of one thread. The samples of the thread are tree.weights[i], where i is at least `first` and
 * below `last`. */
static int put_profile(struct writer *writer, uint32_t first, uint32_t last)
{
    const struct profile *profile = writer->profile;
    const struct frame_weight *weights = writer->tree.weights;
    uint32_t thread = weights[first].group;
    uint64_t all = 0;
    int error = 0;

    for (uint32_t i = first; i < last; i++)
        all += weights[i].ns;
    size_t size;
    char *name;
    FILE *text = open_memstream(&name, &size);
    if (text == NULL)
        return -ENOMEM;
    fprintf(text, "%s (%u/%u)", frame_comm(profile, thread),
            profile->processes[profile->threads[thread].process].pid, profile->threads[thread].tid);
    if (fclose(text) != 0)
        return -ENOMEM;
    fputs("{\"type\":\"sampled\",\"name\":", writer->out);
    text_put_json(writer->out, name);
    free(name);
    fprintf(writer->out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%llu,\"samples\":[",
            (unsigned long long)all);
    put_samples(writer, first, last, &error);
    fputs("],\n\"weights\":[", writer->out);
    for (uint32_t i = first; i < last; i++)
        fprintf(writer->out, i > first ? ",%llu" : "%llu", (unsigned long long)weights[i].ns);
    fputs("]}", writer->out);
    return error;
}

static int put_profiles(struct writer *writer)
{
    const struct frame_tree *tree = &writer->tree;
    int error = 0;

    for (uint32_t first = 0, last; error == 0 && first < tree->weight_count; first = last) {
        for (last = first; last < tree->weight_count; last++)
            if (tree->weights[last].group != tree->weights[first].group)
                break;
        fputs(first > 0 ? ",\n" : "\n", writer->out);
        error = put_profile(writer, first, last);
    }
    return error;
}

static int put_all(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    FILE *out = writer->out;
    int error = 0;

    fputs("{\"$schema\":\"" SCHEMA "\",\n\"exporter\":\"pprofil " PACKAGE_VERSION "\",\"name\":", out);
    text_put_json(out, profile->command != NULL ? profile->command : "pprofil");
    fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
    for (uint32_t i = 1; i < writer->tree.node_count; i++)
        put_frame(writer, &writer->tree.nodes[i].frame);
    fputs("]},\n\"profiles\":[", out);
    error = put_profiles(writer);
    fputs("]}\n", out);
    return error;
}

static int write_speedscope(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile, .out = text_open(fd)};
    uint32_t *groups = calloc(profile->thread_count + 1u, sizeof *groups);
    int closed = 0, error = writer.out == NULL || groups == NULL ? -ENOMEM : 0;

    writer.numbers = calloc((size_t)frame_ids(profile) + 1, sizeof *writer.numbers);
    if (writer.numbers == NULL)
        error = -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < profile->thread_count; i++)
        groups[i] = i;
    if (error == 0)
        error = frame_tree_make(&writer.tree, profile, groups);
    if (error == 0)
        error = put_all(&writer);
    if (writer.out != NULL)
        closed = text_close(writer.out);
    frame_tree_clear(&writer.tree);
    free(writer.list.all);
    free(writer.numbers);
    free(groups);
    return error != 0 ? error : closed;
}

const struct format format_speedscope = {
    .name = "speedscope",
    .extensions = ".speedscope.json",
    .summary = "for speedscope: a profile for each thread",
    .keeps = "stacks of functions with the file and line where they begin, inlined functions as "
             "frames, marks, times, processes and threads by name and number, the command",
    .loses = "sample counts, objects, addresses, lines within functions, system calls, states, "
             "other totals",
    .write = write_speedscope,
};
