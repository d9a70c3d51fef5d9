/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a profile as a perf.data: an event, and a record for each sample. Before the samples come records of the
 * processes, threads and mappings that the samples belong to.
 *
 * perf looks up names itself, by offsets in the object's file. It computes such an offset as address - start of the
 * mapping + offset of the mapping. So a mapping may start at any address (address-layout.h). Marks, which are not code,
 * become mappings that are not executable, so that perf does not look up names in them. The addresses of callers are
 * within the call instruction, as in the profile. perf looks them up unchanged. Other readers take them as return
 * addresses and subtract 1, but still find the call.
 *
 * The header contains the size of the data. The size cannot be filled in later, because the file may be a pipe. So all
 * records and features are made twice. The first time their bytes are only counted.
 */
#include "config.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "format/address-layout.h"
#include "format/perf-data/perf-data-write.h"

#define SAMPLE_ID_SIZE 24u /* bytes at the end of every record that is not a sample: pid, tid, time, event */
#define CHAIN_LENGTH_MAX 8000u   /* limit for the entries of a stack, because a record has at most 65535 bytes */

/* --- records ------------------------------------------------------------------------- */

static void put_sample_id(struct perf_writer *writer, uint32_t pid, uint32_t tid, uint64_t time)
{
    perf_put4(writer, pid);
    perf_put4(writer, tid);
    perf_put8(writer, time);
    perf_put8(writer, PERF_EVENT_ID);
}

static void put_comm(struct perf_writer *writer, uint32_t pid, uint32_t tid, const char *comm, bool exec, uint64_t time)
{
    perf_put_head(writer, PERF_COMM, exec ? PERF_MISC_EXEC : 0, 16 + perf_text_room(comm, 8) + SAMPLE_ID_SIZE);
    perf_put4(writer, pid);
    perf_put4(writer, tid);
    perf_put_text(writer, comm, 8);
    put_sample_id(writer, pid, tid, time);
}

static void put_process(struct perf_writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_process *process = &writer->profile->processes[index];

    if (process->generation == 0) {
        perf_put_head(writer, PERF_FORK, PERF_MISC_EXEC, 32 + SAMPLE_ID_SIZE);
        perf_put4(writer, process->pid);
        perf_put4(writer, process->ppid);
        perf_put4(writer, process->pid);
        perf_put4(writer, process->ppid);
        perf_put8(writer, time);
        put_sample_id(writer, process->ppid, process->ppid, time);
    }
    put_comm(writer, process->pid, process->pid, writer->profile->strings[process->comm],
             process->generation > 0, time);
}

static void put_thread(struct perf_writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_thread *thread = &writer->profile->threads[index];
    const struct profile_process *process = &writer->profile->processes[thread->process];

    if (thread->tid != process->pid || thread->comm != process->comm)
        put_comm(writer, process->pid, thread->tid, writer->profile->strings[thread->comm], false, time);
}

static void put_end(struct perf_writer *writer, uint32_t index, uint64_t time)
{
    const struct profile_process *process = &writer->profile->processes[index];

    perf_put_head(writer, PERF_EXIT, 0, 32 + SAMPLE_ID_SIZE);
    perf_put4(writer, process->pid);
    perf_put4(writer, process->ppid);
    perf_put4(writer, process->pid);
    perf_put4(writer, process->ppid);
    perf_put8(writer, time);
    put_sample_id(writer, process->pid, process->pid, time);
}

static void put_map(struct perf_writer *writer, const struct step *step)
{
    const struct profile_object *object = &writer->profile->objects[step->index];
    const struct mapped_object *mapped = &writer->plan.mapped[step->index];
    const char *path = writer->profile->strings[object->path];
    uint32_t pid = writer->profile->processes[step->process].pid;
    bool code = object->kind != PROFILE_OBJECT_MARK;

    perf_put_head(writer, PERF_MMAP2, PERF_MISC_USER, 72 + perf_text_room(path, 8) + SAMPLE_ID_SIZE);
    perf_put4(writer, pid);
    perf_put4(writer, pid);
    perf_put8(writer, mapped->start);
    perf_put8(writer, mapped->size);
    perf_put8(writer, mapped->low);
    perf_put4(writer, major(object->device));
    perf_put4(writer, minor(object->device));
    perf_put8(writer, object->inode);
    perf_put8(writer, 0);
    perf_put4(writer, code ? 5 : 0); /* PROT_READ | PROT_EXEC */
    perf_put4(writer, code ? 2 : 0); /* MAP_PRIVATE */
    perf_put_text(writer, path, 8);
    put_sample_id(writer, pid, pid, step->time);
}

static void put_step(struct perf_writer *writer, const struct step *step)
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

static bool in_kernel(const struct perf_writer *writer, uint32_t node)
{
    const struct profile *profile = writer->profile;
    return profile_is_kernel(profile, profile->locations[profile->nodes[node].location].object);
}

static uint64_t address_of(const struct perf_writer *writer, uint32_t node)
{
    return layout_address(writer->profile, writer->plan.mapped, writer->profile->nodes[node].location);
}

/* Writes the addresses of a stack, leaf first. A marker comes before the first address, and before each address where
 * the stack changes between user code and the kernel. Returns the number of addresses and markers. If `out` is false,
 * they are only counted. */
static uint32_t put_chain(struct perf_writer *writer, uint32_t leaf, bool out)
{
    const struct profile_node *nodes = writer->profile->nodes;
    uint32_t count = 0;
    int mode = -1;

    for (uint32_t node = leaf; node != PROFILE_NONE && count + 2 <= CHAIN_LENGTH_MAX; node = nodes[node].parent) {
        bool kernel = in_kernel(writer, node);
        if (kernel != mode) {
            count++;
            if (out)
                perf_put8(writer, kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
        }
        mode = kernel;
        count++;
        if (out)
            perf_put8(writer, address_of(writer, node));
    }
    return count;
}

static void put_sample(struct perf_writer *writer, const struct timed_sample *timed)
{
    const struct profile *profile = writer->profile;
    const struct profile_sample *sample = &profile->samples[timed->sample];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    bool stack = writer->has & PERF_HAS_CALLCHAIN;
    uint32_t entries = stack ? put_chain(writer, sample->node, false) : 0;

    perf_put_head(writer, PERF_SAMPLE, in_kernel(writer, sample->node) ? PERF_MISC_KERNEL : PERF_MISC_USER,
                  48u + (stack ? 8u + 8u * entries : 0));
    perf_put8(writer, PERF_EVENT_ID);
    perf_put8(writer, address_of(writer, sample->node));
    perf_put4(writer, profile->processes[thread->process].pid);
    perf_put4(writer, thread->tid);
    perf_put8(writer, timed->time);
    perf_put8(writer, timed->ns);
    if (!stack)
        return;
    perf_put8(writer, entries);
    put_chain(writer, sample->node, true);
}

static void put_data(struct perf_writer *writer)
{
    const struct timestamps *timestamps = &writer->plan.timestamps;
    uint32_t next = 0;

    for (size_t i = 0; i < timestamps->count && writer->out->error == 0; i++) {
        const struct timed_sample *timed = &timestamps->samples[i];
        for (; next < writer->plan.step_count; next++) {
            const struct step *step = &writer->plan.steps[next];
            if (step->time > timed->time || (step->time == timed->time && step->kind == STEP_END))
                break;
            put_step(writer, step);
        }
        put_sample(writer, timed);
    }
    for (; next < writer->plan.step_count; next++)
        put_step(writer, &writer->plan.steps[next]);
}

/* --- the whole ----------------------------------------------------------------------- */

static bool has_stacks(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (profile->nodes[profile->samples[i].node].parent != PROFILE_NONE)
            return true;
    return false;
}

static int write_planned(struct perf_writer *writer, int fd)
{
    uint64_t sizes[PERF_FEATURES];

    bytes_begin(writer->out, -1, 8, false);
    put_data(writer);
    writer->data_size = bytes_put_so_far(writer->out);
    perf_measure_features(writer, sizes);
    if (writer->out->error != 0)
        return writer->out->error;
    bytes_begin(writer->out, fd, 8, false);
    perf_put_header(writer);
    put_data(writer);
    perf_put_features(writer, sizes);
    return bytes_finish(writer->out);
}

int perf_data_write(int fd, const struct profile *profile)
{
    struct bytes_out out;
    struct perf_writer writer = {.profile = profile,
                                 .has = PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME |
                                        PERF_HAS_PERIOD | PERF_HAS_IDENTIFIER,
                                 .out = &out};
    int error = layout_has_code(profile) ? perf_plan_make(&writer.plan, profile) : PPROFIL_ERROR_NO_SAMPLES;

    if (has_stacks(profile))
        writer.has |= PERF_HAS_CALLCHAIN;
    if (error == 0)
        error = write_planned(&writer, fd);
    perf_plan_free(&writer.plan);
    return error;
}
