/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a profile as a message of profile.proto. Makes its samples, totals and notes; pprof-message.c makes the
 * tables. There may be millions of samples, so each is written before the next one is made.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/pprof/pprof.h"

/* --- samples ------------------------------------------------------------------------- */

struct label_keys {
    int64_t pid, tid, generation, comm, process, host, job, rank, syscall, abi, compat, state, wait, holder;
    int64_t states[PROFILE_STATES];
};
#define LABELS_MAX 13

/* A sample that is being written, and all that it refers to. */
struct sample_room {
    PbSample sample;
    PbLabel labels[LABELS_MAX], *label_pointers[LABELS_MAX];
    int64_t values[3];
    uint64_t *ids; /* owned */
    uint32_t id_count;
};

static void pprof_add_label(struct sample_room *room, int64_t key, int64_t text, int64_t number)
{
    PbLabel *added = &room->labels[room->sample.n_label];

    *added = (PbLabel)PERFTOOLS__PROFILES__LABEL__INIT;
    added->key = key;
    added->str = text;
    added->num = number;
    room->label_pointers[room->sample.n_label++] = added;
}

static void pprof_put_labels(struct pprof_writer *writer, const struct profile_sample *from,
                             const struct label_keys *keys, struct sample_room *to)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[from->thread];
    const struct profile_process *process = &profile->processes[thread->process];
    const struct profile_syscall *call = &profile->syscalls[from->syscall];

    to->sample.label = to->label_pointers;
    pprof_add_label(to, keys->pid, 0, process->pid);
    pprof_add_label(to, keys->tid, 0, thread->tid);
    if (process->generation > 0)
        pprof_add_label(to, keys->generation, 0, process->generation);
    if (thread->comm != 0)
        pprof_add_label(to, keys->comm, pprof_string_index(writer, thread->comm), 0);
    if (process->comm != 0 && process->comm != thread->comm)
        pprof_add_label(to, keys->process, pprof_string_index(writer, process->comm), 0);
    if (process->rank != 0) {
        pprof_add_label(to, keys->rank, pprof_string_index(writer, process->rank), 0);
        if (process->host != 0)
            pprof_add_label(to, keys->host, pprof_string_index(writer, process->host), 0);
        if (process->job != 0)
            pprof_add_label(to, keys->job, pprof_string_index(writer, process->job), 0);
    }
    if (from->syscall != PROFILE_NONE)
        pprof_add_label(to, keys->syscall, pprof_string_index(writer, call->name), 0);
    if (from->syscall != PROFILE_NONE && call->compat)
        pprof_add_label(to, keys->abi, keys->compat, 0);
    if (from->state != PROFILE_RUNNING)
        pprof_add_label(to, keys->state, keys->states[from->state], 0);
    if (from->wait != PROFILE_NONE)
        pprof_add_label(to, keys->wait, pprof_string_index(writer, profile->waits[from->wait].name), 0);
    if (profile->waits[from->wait].holder != 0)
        pprof_add_label(to, keys->holder, 0, profile->waits[from->wait].holder);
}

static void pprof_put_stack(struct pprof_writer *writer, uint32_t leaf, struct sample_room *to)
{
    const struct profile_node *nodes = writer->profile->nodes;
    uint32_t depth = 0;

    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        depth++;
    if (array_extend(&to->ids, &to->id_count, depth, sizeof *to->ids) != 0) {
        writer->out_of_memory = true;
        return;
    }
    to->sample.location_id = to->ids;
    for (uint32_t node = leaf; node != PROFILE_NONE; node = nodes[node].parent)
        to->ids[to->sample.n_location_id++] = nodes[node].location;
}

static void pprof_put_values(const struct pprof_writer *writer, const struct profile_sample *from,
                             struct sample_room *to)
{
    to->sample.value = to->values;
    to->sample.n_value = writer->message.n_sample_type;
    to->values[0] = (int64_t)from->count;
    to->values[1] = (int64_t)from->cpu_ns;
    to->values[2] = (int64_t)from->wall_ns; /* not written in a profile without wall time, where n_value is 2 */
}

/* Computes the place of each node in the order of a walk over the tree: a node comes before all that it called. A
 * parent has a lower index than its children. Both arrays have an element for each node; `sizes` is scratch space. */
static void pprof_order_nodes(const struct profile *profile, uint32_t *sizes, uint32_t *places)
{
    const struct profile_node *nodes = profile->nodes;

    for (uint32_t i = 0; i < profile->node_count; i++)
        sizes[i] = 1;
    for (uint32_t i = profile->node_count; i-- > 1;)
        sizes[nodes[i].parent] += sizes[i];
    /* from here on, sizes[i] of a node that has a place is the place of its next child */
    for (uint32_t i = 0; i < profile->node_count; i++) {
        uint32_t size = sizes[i];
        places[i] = i == 0 ? 0 : sizes[nodes[i].parent];
        if (i > 0)
            sizes[nodes[i].parent] += size;
        sizes[i] = places[i] + 1;
    }
}

/* Orders samples by stack. ends: scratch space, an element for each node. */
static void pprof_order_by_stack(const struct profile *profile, const uint32_t *places, uint32_t *ends, uint32_t *order)
{
    for (uint32_t i = 0; i < profile->node_count; i++)
        ends[i] = 0;
    for (uint32_t i = 0; i < profile->sample_count; i++)
        ends[places[profile->samples[i].node]]++;
    for (uint32_t i = 1; i < profile->node_count; i++)
        ends[i] += ends[i - 1];
    for (uint32_t i = profile->sample_count; i-- > 0;)
        order[--ends[places[profile->samples[i].node]]] = i;
}

/* Moves the first sample of each thread to the front, so that a reader finds the threads in the order in which they
 * appeared. met: scratch space, an element for each thread, all false. first: the same for each sample. */
static void pprof_order_by_thread(const struct profile *profile, bool *met, bool *first, uint32_t *order)
{
    uint32_t count = profile->sample_count, to = count;

    for (uint32_t i = 0; i < count; i++) {
        first[i] = !met[profile->samples[i].thread];
        met[profile->samples[i].thread] = true;
    }
    for (uint32_t at = count; at-- > 0;)
        if (!first[order[at]])
            order[--to] = order[at];
    for (uint32_t i = count; i-- > 0;)
        if (first[i])
            order[--to] = i;
}

/* Returns the samples in the order in which they are written. Most samples are ordered by stack: neighbours then have
 * most of their frames in common, which makes the file smaller, and faster to read. The caller frees the array. Returns
 * NULL if there is no memory. */
static uint32_t *pprof_order_samples(const struct profile *profile)
{
    uint32_t *places = malloc(profile->node_count * sizeof *places);
    uint32_t *scratch = malloc(profile->node_count * sizeof *scratch);
    uint32_t *order = malloc((profile->sample_count + 1u) * sizeof *order);
    bool *met = calloc(profile->thread_count + 1u, sizeof *met);
    bool *first = calloc(profile->sample_count + 1u, sizeof *first);

    if (places != NULL && scratch != NULL && order != NULL && met != NULL && first != NULL) {
        pprof_order_nodes(profile, scratch, places);
        pprof_order_by_stack(profile, places, scratch, order);
        pprof_order_by_thread(profile, met, first, order);
    } else {
        free(order);
        order = NULL;
    }
    free(places);
    free(scratch);
    free(met);
    free(first);
    return order;
}

static struct label_keys pprof_add_label_keys(struct pprof_writer *writer)
{
    struct label_keys keys = {
        .pid = pprof_add_string(writer, "pid"),
        .tid = pprof_add_string(writer, "tid"),
        .generation = pprof_add_string(writer, "generation"),
        .comm = pprof_add_string(writer, "comm"),
        .process = pprof_add_string(writer, "process"),
        .host = pprof_add_string(writer, "host"),
        .job = pprof_add_string(writer, "job"),
        .rank = pprof_add_string(writer, "rank"),
        .syscall = pprof_add_string(writer, "syscall"),
        .abi = pprof_add_string(writer, "abi"),
        .compat = pprof_add_string(writer, "compat"),
        .state = pprof_add_string(writer, "state"),
        .wait = pprof_add_string(writer, "wait"),
        .holder = pprof_add_string(writer, "holder"),
    };

    for (unsigned state = 0; state < PROFILE_STATES; state++)
        keys.states[state] = pprof_add_string(writer, profile_state_name((enum profile_state)state));
    return keys;
}

/* Writes the samples, and makes the field that says when they were taken. */
static void pprof_put_samples(struct pprof_writer *writer, struct pprof_output *output)
{
    const struct profile *profile = writer->profile;
    uint32_t count = profile->sample_count, written = 0;
    const struct label_keys keys = pprof_add_label_keys(writer);
    uint32_t *indexes = pprof_allocate(writer, count * sizeof *indexes + 1), *order = pprof_order_samples(profile);
    struct sample_room room = {0};

    writer->out_of_memory |= order == NULL;
    for (uint32_t at = 0; at < count && !writer->out_of_memory; at++) {
        uint32_t i = order[at];
        indexes[i] = PROFILE_NO_SAMPLE;
        if (!profile_counts_sample(profile, &profile->samples[i]))
            continue;
        indexes[i] = written++;
        room.sample = (PbSample)PERFTOOLS__PROFILES__SAMPLE__INIT;
        pprof_put_stack(writer, profile->samples[i].node, &room);
        pprof_put_labels(writer, &profile->samples[i], &keys, &room);
        pprof_put_values(writer, &profile->samples[i], &room);
        pprof_output_put_sample(output, &room.sample);
    }
    free(room.ids);
    free(order);
    if (!writer->out_of_memory)
        pprof_add_history(writer, indexes);
}

/* --- the whole ----------------------------------------------------------------------- */

static PbValueType *value_type(struct pprof_writer *writer, const char *type, const char *unit)
{
    PbValueType *value = pprof_allocate(writer, sizeof *value);

    *value = (PbValueType)PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
    value->type = pprof_add_string(writer, type);
    value->unit = pprof_add_string(writer, unit);
    return value;
}

static void pprof_put_types(struct pprof_writer *writer)
{
    const struct profile_totals *totals = &writer->profile->totals;
    PbProfile *message = &writer->message;
    PbValueType *last = value_type(writer, "cpu", "nanoseconds");
    PbValueType **types = pprof_allocate(writer, 3 * sizeof *types);

    types[message->n_sample_type++] = value_type(writer, "samples", "count");
    types[message->n_sample_type++] = last;
    if (totals->wall)
        types[message->n_sample_type++] = last = value_type(writer, "wall", "nanoseconds");
    message->sample_type = types;
    message->default_sample_type = last->type;
    message->period_type = value_type(writer, "cpu", "nanoseconds");
    if (totals->asked_hz > 1e-9 && totals->asked_hz <= 1e9)
        message->period = (int64_t)(1e9 / totals->asked_hz);
    message->time_nanos = (int64_t)totals->start_time;
    message->duration_nanos = (int64_t)totals->elapsed_ns;
}

static void pprof_put_notes(struct pprof_writer *writer)
{
    const struct profile *profile = writer->profile;

    pprof_add_note(writer, pprof_encode_totals(profile));
    if (profile->command != NULL)
        pprof_add_comment(writer, pprof_encode_command(profile));
    for (uint32_t i = 0; i < profile->process_count; i++)
        pprof_add_note(writer, pprof_encode_process(profile, i));
    for (uint32_t slot = 0; slot < profile->timeline.count && !writer->out_of_memory;)
        pprof_add_note(writer, pprof_encode_timeline(profile, &slot));
}

/* Makes all of the message but its samples. */
static void pprof_build_message(struct pprof_writer *writer)
{
    pprof_add_string(writer, "");
    pprof_put_types(writer);
    pprof_put_notes(writer);
    pprof_write_tables(writer);
}

/* Writes the message in the order of its fields: the types, which are the first, the samples, and the rest, which has
 * the strings that the samples refer to. */
static int pprof_write_message(struct pprof_writer *writer, int fd)
{
    PbProfile types = PERFTOOLS__PROFILES__PROFILE__INIT;
    struct pprof_output output;
    int error = pprof_output_open(&output, fd);

    if (error != 0)
        return error;
    types.sample_type = writer->message.sample_type;
    types.n_sample_type = writer->message.n_sample_type;
    pprof_output_put(&output, &types);
    pprof_put_samples(writer, &output);
    writer->message.n_sample_type = 0;
    if (!writer->out_of_memory)
        pprof_output_put(&output, &writer->message);
    error = pprof_output_close(&output);
    return writer->out_of_memory ? -ENOMEM : error;
}

int pprof_write(int fd, const struct profile *profile)
{
    struct pprof_writer writer = {0};
    int error = pprof_writer_begin(&writer, profile);

    if (error == 0)
        pprof_build_message(&writer);
    if (error == 0)
        error = writer.out_of_memory ? -ENOMEM : pprof_write_message(&writer, fd);
    pprof_writer_clear(&writer);
    return error;
}
