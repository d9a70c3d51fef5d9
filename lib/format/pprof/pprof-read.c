/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a file of profile.proto into a profile. If pprofil wrote the file, it contains everything that a profile has.
 * Files of other programs contain less.
 *
 * Nothing in the file is trusted: the reader checks that every index and id refers to an entry. An id may be any 64-bit
 * number, so ids are sorted and searched. The time is proportional to the size of the file, because a string or a
 * thread is added only once, even if many entries refer to it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/pprof/pprof.h"

/* limit for the bytes of a system call's name, because the name is hashed for each sample */
#define CALL_NAME_SIZE_MAX 256
/* Room is made for at most so many samples: a small damaged file may have very many of a few bytes. */
#define SAMPLES_EXPECTED_MAX (1u << 22)

/* --- the run, and who ran ------------------------------------------------------------ */

static int read_process(struct pprof_reader *reader, const char *text)
{
    struct memo_entry *known;
    uint32_t index;
    int error = pprof_decode_process(text, reader->profile, &index);

    if (error != 0)
        return error;
    const struct profile_process *process = &reader->profile->processes[index];
    error = memo_find(&reader->memo, PPROF_MEMO_PROCESS, process->pid, process->generation, &known);
    if (error == 0 && !known->used)
        memo_set(known, index);
    else if (error == 0)
        /* if two processes have the same pid and generation, the last one gets the samples of both */
        known->index = index;
    return error;
}

static int read_note(struct pprof_reader *reader, uint32_t string)
{
    struct profile *profile = reader->profile;
    const char *text = reader->message->string_table[string];

    switch (pprof_note_kind(&text)) {
    case PPROF_TOTALS:
        pprof_decode_totals(text, profile);
        return 0;
    case PPROF_COMMAND:
        return pprof_decode_command(text + 1, profile);
    case PPROF_PROCESS:
        return read_process(reader, text);
    case PPROF_OBJECT:
        reader->notes.sorted[reader->notes.count++] = (struct pprof_id){.id = pprof_number(text, "mapping"),
                                                                        .index = string};
        return 0;
    case PPROF_TIMELINE:
        return pprof_decode_timeline(text, profile);
    default:
        return 0;
    }
}

/* Reads comments or notes, whose texts are strings[0] to strings[count - 1]. If several have the same text, only the
 * first of them is read. heard: an element for each text of the file, true if it was read. */
static int read_texts(struct pprof_reader *reader, const int64_t *strings, size_t count, bool *heard)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < count; i++) {
        if (pprof_text_at(reader, strings[i]) == NULL)
            error = PPROFIL_ERROR_DAMAGED;
        else if (!heard[strings[i]]) {
            heard[strings[i]] = true;
            error = read_note(reader, (uint32_t)strings[i]);
        }
    }
    return error;
}

static int read_notes(struct pprof_reader *reader)
{
    const PbProfile *message = reader->message;
    bool *heard = calloc(message->n_string_table, sizeof *heard);
    int error = pprof_ids_make(&reader->notes, message->n_string_table);

    if (heard == NULL)
        error = -ENOMEM;
    if (error == 0)
        error = read_texts(reader, message->comment, message->n_comment, heard);
    if (error == 0)
        error = read_texts(reader, message->pprofil_note, message->n_pprofil_note, heard);
    free(heard);
    if (error == 0)
        /* the result is ignored, because two notes about one mapping are no error: one of them is used */
        pprof_ids_sort(&reader->notes);
    return error;
}

static void read_run(const struct pprof_reader *reader)
{
    const PbProfile *message = reader->message;
    struct profile_totals *totals = &reader->profile->totals;

    if (message->duration_nanos > 0)
        totals->elapsed_ns = (uint64_t)message->duration_nanos;
    if (message->time_nanos > 0)
        totals->start_time = (uint64_t)message->time_nanos;
    if (message->period > 0 && pprof_is_type(message, message->period_type, NULL, "nanoseconds"))
        totals->asked_hz = 1e9 / (double)message->period;
}

/* --- samples ------------------------------------------------------------------------- */

static uint64_t value_of(const PbSample *sample, int which)
{
    return which < 0 || sample->value[which] < 0 ? 0 : (uint64_t)sample->value[which];
}

/* Reads the values of a sample. Fails if the sample has a wrong number of values, or if a total would overflow. */
static int read_values(const struct pprof_reader *reader, const PbSample *sample, struct profile_sample *made)
{
    const struct profile_totals *totals = &reader->profile->totals;
    const struct pprof_values *values = &reader->values;

    if (sample->n_value != reader->message->n_sample_type)
        return PPROFIL_ERROR_DAMAGED;
    made->wall_ns = value_of(sample, values->wall);
    made->count = values->count >= 0 ? value_of(sample, values->count) : 1;
    if (__builtin_mul_overflow(value_of(sample, values->time), values->unit, &made->cpu_ns) ||
        made->cpu_ns > INT64_MAX - totals->cpu_ns || made->count > INT64_MAX - totals->samples ||
        made->wall_ns > INT64_MAX - totals->wall_ns)
        return PPROFIL_ERROR_DAMAGED;
    return 0;
}

struct labels {
    uint32_t pid, tid, generation, comm, process, holder;
    const char *syscall, *wait; /* NULL: none */
    bool compat;
    enum profile_state state;
};

static int read_label(const struct pprof_reader *reader, const PbLabel *label, struct labels *labels)
{
    const char *key = pprof_text_at(reader, label->key), *text = pprof_text_at(reader, label->str);

    if (key == NULL || text == NULL)
        return PPROFIL_ERROR_DAMAGED;
    if (strcmp(key, "pid") == 0)
        labels->pid = (uint32_t)label->num;
    else if (strcmp(key, "tid") == 0)
        labels->tid = (uint32_t)label->num;
    else if (strcmp(key, "generation") == 0)
        labels->generation = (uint32_t)label->num;
    else if (strcmp(key, "comm") == 0)
        return pprof_read_string(reader, label->str, &labels->comm);
    else if (strcmp(key, "process") == 0)
        return pprof_read_string(reader, label->str, &labels->process);
    else if (strcmp(key, "syscall") == 0)
        labels->syscall = strnlen(text, CALL_NAME_SIZE_MAX) < CALL_NAME_SIZE_MAX ? text : "[unknown]";
    else if (strcmp(key, "abi") == 0)
        labels->compat = strcmp(text, "compat") == 0;
    else if (strcmp(key, "wait") == 0)
        labels->wait = text;
    else if (strcmp(key, "holder") == 0)
        labels->holder = (uint32_t)label->num;
    else if (strcmp(key, "state") == 0)
        labels->state = profile_state_named(text);
    return 0;
}

static int find_thread(struct pprof_reader *reader, const struct labels *labels, uint32_t *index)
{
    struct profile_thread thread = {.tid = labels->tid, .comm = labels->comm};
    struct memo_entry *known;
    int error = pprof_find_process(reader, labels->pid, labels->generation,
                                   labels->process != 0 ? labels->process : labels->comm, &thread.process);

    if (error == 0)
        error = memo_find(&reader->memo, PPROF_MEMO_THREAD, thread.process, thread.tid, &known);
    if (error != 0)
        return error;
    if (!known->used) {
        error = profile_add_thread(reader->profile, &thread, index);
        if (error != 0)
            return error;
        memo_set(known, *index);
    }
    *index = known->index;
    return 0;
}

/* Adds the node of a frame. `depth`: number of frames that are further out. *node: the node of the caller, which
 * becomes that of the frame. */
static int read_frame(struct pprof_reader *reader, uint32_t depth, uint64_t location, uint32_t *node)
{
    if (depth < reader->stack_depth && reader->stack[depth].location == location) {
        *node = reader->stack[depth].node;
        return 0;
    }
    reader->stack_depth = depth; /* what lies further in belongs to another stack */
    const struct pprof_id *entry = pprof_ids_find(&reader->locations, location);
    if (entry == NULL)
        return PPROFIL_ERROR_DAMAGED;
    int error = profile_node(reader->profile, *node, entry->index, node);
    if (error == 0)
        error = array_grow(&reader->stack, depth, sizeof *reader->stack);
    if (error == 0)
        reader->stack[reader->stack_depth++] = (struct pprof_frame){location, *node};
    return error;
}

/* Adds the nodes of a stack, root first. If the sample has no stack, adds a node for code that is not known. */
static int read_stack(struct pprof_reader *reader, const PbSample *sample, uint32_t *node)
{
    uint32_t object, location;
    int error = 0;

    *node = PROFILE_NONE;
    if (sample->n_location_id == 0) {
        error = pprof_unknown_object(reader, &object);
        if (error == 0)
            error = profile_location(reader->profile, object, 0, &location);
        return error == 0 ? profile_node(reader->profile, *node, location, node) : error;
    }
    for (size_t i = sample->n_location_id; error == 0 && i > 0; i--)
        error = read_frame(reader, (uint32_t)(sample->n_location_id - i), sample->location_id[i - 1], node);
    return error;
}

/* Reads a sample, and sets *index to its index in the profile, or to PROFILE_NO_SAMPLE. */
static int read_sample(struct pprof_reader *reader, const PbSample *sample, uint32_t *index)
{
    struct profile_sample made = {0};
    struct labels labels = {0};
    int error = read_values(reader, sample, &made);

    *index = PROFILE_NO_SAMPLE;
    for (size_t i = 0; error == 0 && i < sample->n_label; i++)
        error = read_label(reader, sample->label[i], &labels);
    if (error == 0)
        error = find_thread(reader, &labels, &made.thread);
    if (error == 0)
        error = read_stack(reader, sample, &made.node);
    if (error == 0 && labels.syscall != NULL)
        error = profile_syscall(reader->profile, labels.syscall, -1, labels.compat, &made.syscall);
    if (error == 0 && labels.wait != NULL)
        error = profile_wait(reader->profile, labels.wait, labels.holder, &made.wait);
    if (error != 0 || (made.count | made.cpu_ns | made.wall_ns) == 0)
        /* samples without count and time are left out. Heap profiles of other programs have such samples for freed
         * memory */
        return error;
    made.state = labels.state;
    return profile_count_entry(reader->profile, &made, index);
}

static int read_samples(struct pprof_reader *reader, struct pprof_file *file)
{
    uint32_t *indexes = calloc(file->sample_count + 1, sizeof *indexes);
    uint32_t expected = file->sample_count < SAMPLES_EXPECTED_MAX ? (uint32_t)file->sample_count : SAMPLES_EXPECTED_MAX;
    int error = indexes == NULL ? -ENOMEM : profile_expect_samples(reader->profile, expected);

    for (size_t i = 0; error == 0 && i < file->sample_count; i++) {
        PbSample *sample = NULL;
        error = pprof_next_sample(file, &sample);
        if (error == 0)
            error = read_sample(reader, sample, &indexes[i]);
        if (sample != NULL)
            perftools__profiles__sample__free_unpacked(sample, NULL);
    }
    if (error == 0)
        error = pprof_read_history(file, indexes, reader->profile);
    free(indexes);
    return error;
}

/* --- the whole ----------------------------------------------------------------------- */

static int read_message(struct pprof_reader *reader, struct pprof_file *file)
{
    const PbProfile *message = reader->message;

    if (message->n_string_table == 0 || message->string_table[0][0] != '\0' || message->n_sample_type == 0)
        return PPROFIL_ERROR_DAMAGED;
    reader->strings = calloc(message->n_string_table, sizeof *reader->strings);
    if (reader->strings == NULL)
        return -ENOMEM;
    read_run(reader);
    pprof_choose_values(message, &reader->values);
    int error = read_notes(reader);
    if (error == 0)
        error = pprof_read_tables(reader);
    if (error == 0)
        error = read_samples(reader, file);
    if (error == 0 && reader->values.wall >= 0)
        reader->profile->totals.wall = true;
    return error;
}

static int read_pprof(const char *path, struct profile *profile)
{
    struct pprof_reader reader = {.profile = profile, .made_up = 1};
    struct pprof_file file;
    int error = pprof_load(path, &file);

    reader.message = file.message;
    if (error == 0)
        error = read_message(&reader, &file);
    free(reader.strings);
    free(reader.stack);
    free(reader.mappings.sorted);
    free(reader.functions.sorted);
    free(reader.locations.sorted);
    free(reader.notes.sorted);
    memo_free(&reader.memo);
    pprof_unload(&file);
    return error;
}

/* Returns true if the file is gzip'd, or if it is a message that begins with the field sample_type. */
static bool pprof_matches(const unsigned char *head, size_t size, uint64_t all)
{
    (void)all;
    return size >= 2 && ((head[0] == 0x1f && head[1] == 0x8b) || head[0] == 0x0a);
}

const struct format format_pprof = {
    .name = "pprof",
    .extensions = ".pb.gz .pprof .pb",
    .summary = "pprof's profile.proto, gzip'd; keeps everything",
    .keeps = "everything",
    .loses = "nothing, except that bytes of names that are not UTF-8 become U+FFFD",
    .binary = true,
    .matches = pprof_matches,
    .read = read_pprof,
    .write = pprof_write,
};
