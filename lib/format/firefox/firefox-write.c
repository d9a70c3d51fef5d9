/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes profiles for the Firefox Profiler, in version 47 of its "processed profile format". This is the last version
 * in which each thread has its own tables. All later versions of the Profiler can read it
 * (docs-developer/CHANGELOG-formats.md in the source of the Profiler).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "format/firefox/firefox-tables.h"
#include "format/format.h"
#include "format/text.h"
#include "format/timestamps.h"

#define MS UINT64_C(1000000)
#define FIREFOX_VERSION 47

struct writer {
    const struct profile *profile;
    struct timestamps timestamps;
    uint32_t *order; /* owned: indexes in timestamps.samples, sorted by thread */
    /* owned: first[i] is the index in `order` of thread i's first sample; the last element is the length of `order` */
    uint32_t *first;
    FILE *out;
    uint32_t *chain; /* owned: memory for the nodes of one stack, enough for the deepest stack */
    int error;
};

/* --- threads ------------------------------------------------------------------------- */

static void put_thread_head(const struct writer *writer, uint32_t index)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[index];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct lifetime *life = &writer->timestamps.lifetimes[thread->process];
    FILE *out = writer->out;

    fputs("{\"name\":", out);
    text_put_json(out, profile->strings[thread->comm]);
    fprintf(out, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\"processName\":",
            thread->tid == process->pid ? "true" : "false", process->pid, thread->tid);
    text_put_json(out, profile->strings[process->comm]);
    fputs(",\"processType\":\"default\",\"processStartupTime\":", out);
    text_put_time(out, life->begin - writer->timestamps.begin, MS);
    fputs(",\"processShutdownTime\":", out);
    if (process->end != 0)
        text_put_time(out, life->end - writer->timestamps.begin, MS);
    else
        fputs("null", out);
    fputs(",\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[]", out);
}

static void put_thread(struct writer *writer, uint32_t index)
{
    const struct timestamps *timestamps = &writer->timestamps;
    struct firefox_tables tables;
    int error = firefox_tables_open(&tables, writer->profile, writer->chain);

    for (uint32_t i = writer->first[index]; error == 0 && i < writer->first[index + 1]; i++) {
        struct timed_sample timed = timestamps->samples[writer->order[i]];
        timed.time -= timestamps->begin;
        firefox_tables_add(&tables, &timed);
        error = tables.error;
    }
    if (error == 0)
        error = firefox_tables_finish(&tables);
    if (error == 0) {
        put_thread_head(writer, index);
        firefox_tables_put(&tables, writer->out);
    }
    firefox_tables_clear(&tables);
    writer->error = error;
}

static uint32_t thread_of(const struct writer *writer, size_t timed)
{
    return writer->profile->samples[writer->timestamps.samples[timed].sample].thread;
}

/* Allocates writer->chain, with memory for the nodes of the deepest stack. Parents come before their children, so one
 * pass is enough to find the depth of each node. */
static int make_chain(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    uint32_t *depths = calloc(profile->node_count + 1u, sizeof *depths), deepest = 0;

    if (depths == NULL)
        return -ENOMEM;
    for (uint32_t i = 1; i < profile->node_count; i++) {
        depths[i] = depths[profile->nodes[i].parent] + 1;
        if (depths[i] > deepest)
            deepest = depths[i];
    }
    free(depths);
    writer->chain = calloc(deepest + 1u, sizeof *writer->chain);
    return writer->chain == NULL ? -ENOMEM : 0;
}

/* Sorts the samples by thread with a counting sort. The samples of one thread stay in the order of their times. */
static int sort_by_thread(struct writer *writer)
{
    uint32_t threads = writer->profile->thread_count;

    writer->order = calloc(writer->timestamps.count + 1, sizeof *writer->order);
    writer->first = calloc(threads + 2u, sizeof *writer->first);
    if (writer->order == NULL || writer->first == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < writer->timestamps.count; i++)
        writer->first[thread_of(writer, i) + 2]++;
    for (uint32_t i = 2; i < threads + 2; i++)
        writer->first[i] += writer->first[i - 1];
    for (size_t i = 0; i < writer->timestamps.count; i++)
        writer->order[writer->first[thread_of(writer, i) + 1]++] = (uint32_t)i;
    return 0;
}

static void put_threads(struct writer *writer)
{
    bool first = true;

    fputs("],\n\"threads\":[", writer->out);
    for (uint32_t i = 0; i < writer->profile->thread_count && writer->error == 0; i++) {
        if (writer->first[i] == writer->first[i + 1])
            continue;
        fputs(first ? "\n" : ",\n", writer->out);
        first = false;
        put_thread(writer, i);
    }
    fputs("]}\n", writer->out);
}

/* --- the head ------------------------------------------------------------------------ */

static void put_category(FILE *out, const struct profile *profile, const char *name, const char *colour)
{
    fprintf(out, "{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"", name, colour);
    for (uint32_t i = 1; profile != NULL && i < profile->syscall_count; i++) {
        putc(',', out);
        text_put_json(out, profile->strings[profile->syscalls[i].name]);
    }
    fputs("]}", out);
}

static void put_meta(const struct writer *writer)
{
    const struct profile_totals *totals = &writer->profile->totals;
    FILE *out = writer->out;

    fprintf(out, "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":%d,\"interval\":", FIREFOX_VERSION);
    text_put_time(out, totals->asked_hz > 1e-3 ? (uint64_t)(1e9 / totals->asked_hz) : MS, MS);
    fputs(",\"startTime\":", out);
    text_put_time(out, totals->start_time, MS);
    fputs(",\"product\":", out);
    text_put_json(out, writer->profile->command != NULL ? writer->profile->command : "");
    fputs(",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
          "\"importedFrom\":\"pprofil\",\"usesOnlyOneStackType\":true,"
          "\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":true,"
          "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
          "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
          "\"markerSchema\":[],\"extra\":[{\"label\":\"Samples\",\"entries\":[{\"label\":\"Weight\","
          "\"format\":\"string\",\"value\":",
          out);
    text_put_json(out, totals->wall ? "elapsed time" : "CPU time");
    fputs("}]}],\"categories\":[", out);
    put_category(out, NULL, "Other", "grey");
    putc(',', out);
    put_category(out, NULL, "User", "blue");
    putc(',', out);
    put_category(out, writer->profile, "System call", "orange");
    putc(',', out);
    put_category(out, writer->profile, "Waiting for a CPU", "red");
    putc(',', out);
    put_category(out, writer->profile, "Asleep", "transparent");
    putc(',', out);
    put_category(out, writer->profile, "Uninterruptible", "purple");
    fputs("]},\n\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n\"libs\":[", out);
}

static void put_lib(FILE *out, const struct profile *profile, uint32_t index)
{
    const struct profile_object *object = &profile->objects[index];
    const char *path = profile->strings[object->path], *base = path_base_name(path);
    const char *name = *base != '\0' ? base : path;

    fputs(index == 0 ? "\n{\"name\":" : ",\n{\"name\":", out);
    text_put_json(out, name);
    fputs(",\"debugName\":", out);
    text_put_json(out, name);
    fputs(",\"path\":", out);
    text_put_json(out, path);
    fputs(",\"debugPath\":", out);
    text_put_json(out, path);
    fputs(",\"breakpadId\":\"\",\"arch\":null,\"codeId\":", out);
    if (object->build_id_size == 0)
        fputs("null", out);
    else
        putc('"', out);
    for (uint32_t i = 0; i < object->build_id_size; i++)
        fprintf(out, "%02x", object->build_id[i]);
    fputs(object->build_id_size == 0 ? "}" : "\"}", out);
}

static int firefox_write(int fd, const struct profile *profile)
{
    struct writer writer = {.profile = profile};
    int error = timestamps_make(&writer.timestamps, profile);

    if (error == 0)
        error = sort_by_thread(&writer);
    if (error == 0)
        error = make_chain(&writer);
    if (error == 0 && (writer.out = text_open(fd)) == NULL)
        error = -errno;
    if (error == 0) {
        put_meta(&writer);
        for (uint32_t i = 0; i < profile->object_count; i++)
            put_lib(writer.out, profile, i);
        put_threads(&writer);
        error = text_close(writer.out);
        if (writer.error != 0)
            error = writer.error;
    }
    timestamps_free(&writer.timestamps);
    free(writer.order);
    free(writer.first);
    free(writer.chain);
    return error;
}

const struct format format_firefox = {
    .name = "firefox",
    .extensions = ".firefox.json .profile.json",
    .summary = "for the Firefox Profiler, version 47",
    .keeps = "stacks of addresses with inlined functions, names, lines, marks, processes and "
             "threads by name and number, objects with build-ids, sample counts (up to 1048576), "
             "times; system calls and states as categories",
    .loses = "linker names, addresses of the kernel, where objects were mapped, the timeline, totals",
    .write = firefox_write,
};
