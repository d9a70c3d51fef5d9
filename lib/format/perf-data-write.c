/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile as a file of perf: one event, a record for each sample, and before them records of
 * the processes, threads and mappings that they are in.
 *
 * perf looks up names itself, so what it needs is that an address less its mapping's start plus
 * the mapping's offset is the place in the file; where the mapping is does not matter
 * (placement.h). Marks are mappings that cannot be executed, so that perf looks for nothing in
 * them. Callers are written as a profile has them, inside of the call: perf looks them up as
 * they are, and other readers, which take them for return addresses and subtract one, still get
 * the call.
 *
 * The header says how large the data is and cannot be written later, for the file may be a
 * pipe: so everything is made twice, and only counted at first.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "format/bytes.h"
#include "format/perf-data-plan.h"
#include "format/perf-data.h"

#define EVENT_ID 1u
#define SAMPLE_ID_SIZE 24u /* what every record but a sample ends with: pid, tid, time, event */
#define CHAIN_MOST 8000u   /* entries: a record has at most 65535 bytes */
#define TEXT_MOST 4095u    /* bytes of a name */

struct writer {
    const struct profile *profile;
    struct perf_plan plan;
    uint64_t has; /* enum perf_has */
    uint64_t data_size;
    struct bytes_out *out;
};

static void put4(struct writer *writer, uint64_t number)
{
    bytes_put(writer->out, number & UINT32_MAX, 4);
}

static void put8(struct writer *writer, uint64_t number)
{
    bytes_put(writer->out, number, 8);
}

/* --- records ------------------------------------------------------------------------- */

static void put_head(struct writer *writer, enum perf_record type, unsigned misc, size_t size)
{
    bytes_put(writer->out, type, 4);
    bytes_put(writer->out, misc, 2);
    bytes_put(writer->out, size, 2);
}

static size_t text_length(const char *text)
{
    size_t length = strlen(text);
    return length < TEXT_MOST ? length : TEXT_MOST;
}

/* Bytes of a text with its end, a multiple of align. */
static size_t text_room(const char *text, size_t align)
{
    return (text_length(text) + align) / align * align;
}

static void put_text(struct writer *writer, const char *text, size_t align)
{
    size_t length = text_length(text);

    bytes_put_all(writer->out, text, length);
    bytes_put_zeros(writer->out, text_room(text, align) - length);
}

static void put_sample_id(struct writer *writer, uint32_t pid, uint32_t tid, uint64_t time)
{
    put4(writer, pid);
    put4(writer, tid);
    put8(writer, time);
    put8(writer, EVENT_ID);
}

static void put_comm(struct writer *writer, uint32_t pid, uint32_t tid, const char *comm, bool exec,
                     uint64_t time)
{
    put_head(writer, PERF_COMM, exec ? PERF_MISC_EXEC : 0,
             16 + text_room(comm, 8) + SAMPLE_ID_SIZE);
    put4(writer, pid);
    put4(writer, tid);
    put_text(writer, comm, 8);
    put_sample_id(writer, pid, tid, time);
}

static void put_process(struct writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_process *process = &writer->profile->processes[index];

    if (process->generation == 0) {
        put_head(writer, PERF_FORK, PERF_MISC_EXEC, 32 + SAMPLE_ID_SIZE);
        put4(writer, process->pid);
        put4(writer, process->ppid);
        put4(writer, process->pid);
        put4(writer, process->ppid);
        put8(writer, time);
        put_sample_id(writer, process->ppid, process->ppid, time);
    }
    put_comm(writer, process->pid, process->pid, writer->profile->strings[process->comm],
             process->generation > 0, time);
}

static void put_thread(struct writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_thread *thread = &writer->profile->threads[index];
    const struct profile_process *process = &writer->profile->processes[thread->process];

    if (thread->tid != process->pid || thread->comm != process->comm)
        put_comm(writer, process->pid, thread->tid, writer->profile->strings[thread->comm], false,
                 time);
}

static void put_end(struct writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_process *process = &writer->profile->processes[index];

    put_head(writer, PERF_EXIT, 0, 32 + SAMPLE_ID_SIZE);
    put4(writer, process->pid);
    put4(writer, process->ppid);
    put4(writer, process->pid);
    put4(writer, process->ppid);
    put8(writer, time);
    put_sample_id(writer, process->pid, process->pid, time);
}

static void put_map(struct writer *writer, const struct step *step)
{
    const struct profile_object *object = &writer->profile->objects[step->index];
    const struct place *place = &writer->plan.places[step->index];
    const char *path = writer->profile->strings[object->path];
    uint32_t pid = writer->profile->processes[step->process].pid;
    bool code = object->kind != PROFILE_OBJECT_MARK;

    put_head(writer, PERF_MMAP2, PERF_MISC_USER, 72 + text_room(path, 8) + SAMPLE_ID_SIZE);
    put4(writer, pid);
    put4(writer, pid);
    put8(writer, place->start);
    put8(writer, place->size);
    put8(writer, place->low);
    put4(writer, major(object->device));
    put4(writer, minor(object->device));
    put8(writer, object->inode);
    put8(writer, 0);
    put4(writer, code ? 5 : 0); /* PROT_READ | PROT_EXEC */
    put4(writer, code ? 2 : 0); /* MAP_PRIVATE */
    put_text(writer, path, 8);
    put_sample_id(writer, pid, pid, step->time);
}

static void put_step(struct writer *writer, const struct step *step)
{
    switch (step->kind) {
    case STEP_PROCESS:
        put_process(writer, step->process, step->time);
        break;
    case STEP_THREAD:
        put_thread(writer, step->index, step->time);
        break;
    case STEP_MAP:
        put_map(writer, step);
        break;
    case STEP_END:
        put_end(writer, step->process, step->time);
        break;
    }
}

/* --- samples ------------------------------------------------------------------------- */

static bool in_kernel(const struct writer *writer, uint32_t node)
{
    const struct profile *profile = writer->profile;
    return placement_is_kernel(profile, profile->locations[profile->nodes[node].location].object);
}

static uint64_t address_of(const struct writer *writer, uint32_t node)
{
    return placement_address(writer->profile, writer->plan.places,
                             writer->profile->nodes[node].location);
}

/* Leaf first, and before the first and wherever it changes whose they are. Returns how many
 * entries; without out they are only counted. */
static uint32_t put_chain(struct writer *writer, uint32_t leaf, bool out)
{
    const struct profile_node *nodes = writer->profile->nodes;
    uint32_t count = 0;
    int mode = -1;

    for (uint32_t node = leaf; node != PROFILE_NONE && count + 2 <= CHAIN_MOST;
         node = nodes[node].parent) {
        bool kernel = in_kernel(writer, node);
        if (kernel != mode) {
            count++;
            if (out)
                put8(writer, kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
        }
        mode = kernel;
        count++;
        if (out)
            put8(writer, address_of(writer, node));
    }
    return count;
}

static void put_sample(struct writer *writer, const struct instant *instant)
{
    const struct profile *profile = writer->profile;
    const struct profile_sample *sample = &profile->samples[instant->sample];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    bool stack = writer->has & PERF_HAS_CALLCHAIN;
    uint32_t entries = stack ? put_chain(writer, sample->node, false) : 0;

    put_head(writer, PERF_SAMPLE,
             in_kernel(writer, sample->node) ? PERF_MISC_KERNEL : PERF_MISC_USER,
             48u + (stack ? 8u + 8u * entries : 0));
    put8(writer, EVENT_ID);
    put8(writer, address_of(writer, sample->node));
    put4(writer, profile->processes[thread->process].pid);
    put4(writer, thread->tid);
    put8(writer, instant->time);
    put8(writer, instant->ns);
    if (!stack)
        return;
    put8(writer, entries);
    put_chain(writer, sample->node, true);
}

static void put_data(struct writer *writer)
{
    const struct instants *instants = &writer->plan.instants;
    uint32_t next = 0;

    for (size_t i = 0; i < instants->count && writer->out->error == 0; i++) {
        const struct instant *instant = &instants->instants[i];
        for (; next < writer->plan.step_count; next++) {
            const struct step *step = &writer->plan.steps[next];
            if (step->time > instant->time ||
                (step->time == instant->time && step->kind == STEP_END))
                break;
            put_step(writer, step);
        }
        put_sample(writer, instant);
    }
    for (; next < writer->plan.step_count; next++)
        put_step(writer, &writer->plan.steps[next]);
}

/* --- what is in the header ------------------------------------------------------------- */

static bool has_kernel(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->object_count; i++)
        if (placement_is_kernel(profile, i))
            return true;
    return false;
}

static void put_attr(struct writer *writer)
{
    double hz = writer->profile->totals.asked_hz;
    uint64_t flags = PERF_FLAG_EXCLUDE_HV | PERF_FLAG_MMAP | PERF_FLAG_COMM | PERF_FLAG_TASK |
                     PERF_FLAG_SAMPLE_ID_ALL | PERF_FLAG_MMAP2 | PERF_FLAG_COMM_EXEC |
                     PERF_FLAG_FREQ;

    if (!has_kernel(writer->profile))
        flags |= PERF_FLAG_EXCLUDE_KERNEL;
    put4(writer, PERF_TYPE_SOFTWARE);
    put4(writer, PERF_ATTR_SIZE);
    put8(writer, PERF_CPU_CLOCK);
    put8(writer, hz >= 1 && hz <= 1e9 ? (uint64_t)(hz + 0.5) : 1);
    put8(writer, writer->has);
    put8(writer, 0);
    put8(writer, flags);
    bytes_put_zeros(writer->out, 16);
}

/* A text with its length before it. */
static void put_string(struct writer *writer, const char *text)
{
    put4(writer, text_room(text, 64));
    put_text(writer, text, 64);
}

static void put_build_ids(struct writer *writer)
{
    const struct profile *profile = writer->profile;

    for (uint32_t i = 0; i < profile->object_count; i++) {
        const struct profile_object *object = &profile->objects[i];
        const char *path = profile->strings[object->path];
        if (object->build_id_size == 0 || object->build_id_size > PERF_BUILD_ID_MOST)
            continue;
        put_head(writer, 0, PERF_MISC_USER | PERF_MISC_BUILD_ID_SIZE, 36 + text_room(path, 64));
        put4(writer, UINT32_MAX); /* of no guest */
        bytes_put_all(writer->out, object->build_id, object->build_id_size);
        bytes_put_zeros(writer->out, PERF_BUILD_ID_MOST - object->build_id_size);
        bytes_put(writer->out, object->build_id_size, 1);
        bytes_put_zeros(writer->out, 3);
        put_text(writer, path, 64);
    }
}

static void put_event(struct writer *writer)
{
    put4(writer, 1);
    put4(writer, PERF_ATTR_SIZE);
    put_attr(writer);
    put4(writer, 1);
    put_string(writer, writer->profile->totals.wall ? PERF_WALL_EVENT : "cpu-clock");
    put8(writer, EVENT_ID);
}

static void put_feature(struct writer *writer, enum perf_feature feature)
{
    const char *command = writer->profile->command;
    struct utsname machine = {0};

    uname(&machine);
    switch (feature) {
    case PERF_FEATURE_BUILD_ID:
        put_build_ids(writer);
        break;
    case PERF_FEATURE_HOSTNAME:
        put_string(writer, machine.nodename);
        break;
    case PERF_FEATURE_OSRELEASE:
        put_string(writer, machine.release);
        break;
    case PERF_FEATURE_VERSION:
        put_string(writer, PERF_OWN_VERSION PACKAGE_VERSION);
        break;
    case PERF_FEATURE_ARCH:
        put_string(writer, machine.machine);
        break;
    case PERF_FEATURE_NRCPUS:
        put4(writer, (uint64_t)get_nprocs());
        put4(writer, (uint64_t)get_nprocs_conf());
        break;
    case PERF_FEATURE_CPUDESC:
        put_string(writer, machine.machine);
        break;
    case PERF_FEATURE_CMDLINE: /* readers take the first word for perf's own */
        put4(writer, 2);
        put_string(writer, PERF_OWN_COMMAND);
        put_string(writer, command != NULL ? command : "");
        break;
    case PERF_FEATURE_EVENT_DESC:
        put_event(writer);
        break;
    case PERF_FEATURE_SAMPLE_TIME:
        put8(writer, writer->plan.instants.begin);
        put8(writer, writer->plan.instants.end);
        break;
    default:
        break;
    }
}

/* In the order of their bits. perf data convert takes no file without the first eight. */
static const enum perf_feature features[] = {
    PERF_FEATURE_BUILD_ID,   PERF_FEATURE_HOSTNAME,    PERF_FEATURE_OSRELEASE, PERF_FEATURE_VERSION,
    PERF_FEATURE_ARCH,       PERF_FEATURE_NRCPUS,      PERF_FEATURE_CPUDESC,   PERF_FEATURE_CMDLINE,
    PERF_FEATURE_EVENT_DESC, PERF_FEATURE_SAMPLE_TIME,
};
#define FEATURES (sizeof features / sizeof *features)

/* Where the data begins: behind the header, the event's id and its attr with where that is. */
#define DATA_AT (PERF_HEADER_SIZE + 8u + PERF_ATTR_SIZE + 16u)

static void put_header(struct writer *writer)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < FEATURES; i++)
        bits |= UINT64_C(1) << features[i];
    bytes_put_all(writer->out, PERF_MAGIC, 8);
    put8(writer, PERF_HEADER_SIZE);
    put8(writer, PERF_ATTR_SIZE + 16u);
    put8(writer, PERF_HEADER_SIZE + 8u);
    put8(writer, PERF_ATTR_SIZE + 16u);
    put8(writer, DATA_AT);
    put8(writer, writer->data_size);
    bytes_put_zeros(writer->out, 16);
    put8(writer, bits);
    bytes_put_zeros(writer->out, 24);
    put8(writer, EVENT_ID);
    put_attr(writer);
    put8(writer, PERF_HEADER_SIZE);
    put8(writer, 8);
}

/* A table of where each is, and then each. */
static void put_features(struct writer *writer, const uint64_t sizes[FEATURES])
{
    uint64_t at = DATA_AT + writer->data_size + 16 * FEATURES;

    for (size_t i = 0; i < FEATURES; i++) {
        put8(writer, at);
        put8(writer, sizes[i]);
        at += sizes[i];
    }
    for (size_t i = 0; i < FEATURES; i++)
        put_feature(writer, features[i]);
}

static void measure(struct writer *writer, uint64_t sizes[FEATURES])
{
    put_data(writer);
    writer->data_size = bytes_put_so_far(writer->out);
    for (size_t i = 0; i < FEATURES; i++) {
        uint64_t before = bytes_put_so_far(writer->out);
        put_feature(writer, features[i]);
        sizes[i] = bytes_put_so_far(writer->out) - before;
    }
}

static bool has_stacks(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile->nodes[profile->samples[i].node].parent != PROFILE_NONE)
            return true;
    return false;
}

static int write_planned(struct writer *writer, int fd)
{
    uint64_t sizes[FEATURES];

    bytes_begin(writer->out, -1, 8, false);
    measure(writer, sizes);
    if (writer->out->error != 0)
        return writer->out->error;
    bytes_begin(writer->out, fd, 8, false);
    put_header(writer);
    put_data(writer);
    put_features(writer, sizes);
    return bytes_finish(writer->out);
}

int perf_data_write(int fd, const struct profile *profile)
{
    struct bytes_out out;
    struct writer writer = {.profile = profile,
                            .has = PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_PERIOD |
                                   PERF_HAS_IDENTIFIER,
                            .out = &out};
    int error = perf_plan_make(&writer.plan, profile);

    if (has_stacks(profile))
        writer.has |= PERF_HAS_CALLCHAIN;
    if (error == 0)
        error = write_planned(&writer, fd);
    perf_plan_free(&writer.plan);
    return error;
}
