/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes Chrome's trace event format, with the members stackFrames and samples (section "Samples" of the document
 * "Trace Event Format"). The frames form a tree, like the nodes of a profile. Each node becomes a frame. If functions
 * were inlined there, each of them becomes one more frame.
 *
 * Some readers take the time between a sample and the next sample of its thread as the weight of the sample. So each
 * thread has its own clock, and each sample advances this clock by the time that the sample stands for.
 *
 * Viewers show slices (events with a beginning and an end) better than samples. But no slices are written, because
 * samples do not show when a function was called.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/text.h"
#include "format/timestamps.h"

static void put_names(FILE *out, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->process_count; i++) {
        fprintf(out,
                "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":%u,\"ts\":0,"
                "\"args\":{\"name\":",
                i == 0 ? "" : ",", profile->processes[i].pid, profile->processes[i].pid);
        text_put_json(out, profile->strings[profile->processes[i].comm]);
        fputs("}}", out);
    }
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        fprintf(out,
                ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"ts\":0,"
                "\"args\":{\"name\":",
                profile->processes[thread->process].pid, thread->tid);
        text_put_json(out, profile->strings[thread->comm]);
        fputs("}}", out);
    }
}

/* Writes the id of a node's innermost function. Samples refer to this id, and so do the frames that this function
 * called. "12" is the outermost function of node 12, "12.1" is the function that was inlined into it, and so on. */
static void put_id(FILE *out, const struct profile *profile, uint32_t node)
{
    uint32_t lines = profile->locations[profile->nodes[node].location].line_count;

    if (lines > 1)
        fprintf(out, "\"%u.%u\"", node, lines - 1);
    else
        fprintf(out, "\"%u\"", node);
}

static void put_frame(FILE *out, const struct profile *profile, uint32_t node, uint32_t depth)
{
    uint32_t location = profile->nodes[node].location;
    struct frame frame = frame_at(profile, location, frame_count(profile, location) - 1 - depth);
    char buffer[FRAME_NAME];

    if (depth == 0)
        fprintf(out, "%s\n\"%u\":{\"name\":", node == 1 ? "" : ",", node);
    else
        fprintf(out, ",\n\"%u.%u\":{\"name\":", node, depth);
    text_put_json(out, frame_name(profile, &frame, buffer));
    fputs(",\"category\":", out);
    text_put_json(out, profile->strings[profile->objects[profile->locations[location].object].path]);
    if (depth > 1)
        fprintf(out, ",\"parent\":\"%u.%u\"", node, depth - 1);
    else if (depth == 1)
        fprintf(out, ",\"parent\":\"%u\"", node);
    else if (profile->nodes[node].parent != PROFILE_NONE) {
        fputs(",\"parent\":", out);
        put_id(out, profile, profile->nodes[node].parent);
    }
    putc('}', out);
}

/* Writes the samples. `clocks` has the clock of each thread, in ns. The caller sets all clocks to 0 before the call. */
static void put_samples(FILE *out, const struct profile *profile, const struct timestamps *timestamps, uint64_t *clocks)
{
    const char *name = profile->totals.wall ? "wall-clock" : "cpu-clock";

    for (size_t i = 0; i < timestamps->count; i++) {
        const struct timed_sample *timed = &timestamps->samples[i];
        const struct profile_sample *sample = &profile->samples[timed->sample];
        const struct profile_thread *thread = &profile->threads[sample->thread];
        fprintf(out, "%s\n{\"pid\":%u,\"tid\":%u,\"ts\":", i == 0 ? "" : ",",
                profile->processes[thread->process].pid, thread->tid);
        text_put_time(out, clocks[sample->thread], 1000);
        clocks[sample->thread] += timed->ns;
        fprintf(out, ",\"name\":\"%s\",\"weight\":%llu,\"sf\":", name, (unsigned long long)timed->ns);
        put_id(out, profile, sample->node);
        putc('}', out);
    }
}

static int chrome_trace_write(int fd, const struct profile *profile)
{
    struct timestamps timestamps;
    int error = timestamps_make(&timestamps, profile);

    if (error != 0)
        return error;
    uint64_t *clocks = calloc(profile->thread_count + 1u, sizeof *clocks);
    FILE *out = clocks == NULL ? NULL : text_open(fd);
    if (out == NULL) {
        error = -errno;
        timestamps_free(&timestamps);
        free(clocks);
        return error;
    }
    fputs("{\"traceEvents\":[", out);
    put_names(out, profile);
    fputs("],\n\"stackFrames\":{", out);
    for (uint32_t node = 1; node < profile->node_count && !ferror(out); node++) {
        uint32_t lines = profile->locations[profile->nodes[node].location].line_count;
        put_frame(out, profile, node, 0);
        for (uint32_t depth = 1; depth < lines; depth++)
            put_frame(out, profile, node, depth);
    }
    fputs("},\n\"samples\":[", out);
    put_samples(out, profile, &timestamps, clocks);
    fputs("],\n\"displayTimeUnit\":\"ms\"}\n", out);
    timestamps_free(&timestamps);
    free(clocks);
    return text_close(out);
}

const struct format format_chrome_trace = {
    .name = "chrome-trace",
    .extensions = ".trace.json .chrome.json",
    .summary = "Chrome's trace events: frames and samples",
    .keeps = "stacks with inlined functions, marks, times, processes and threads; "
             "paths of objects as categories",
    .loses = "addresses, lines, sample counts, system calls, states, totals",
    .write = chrome_trace_write,
};
