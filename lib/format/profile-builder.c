/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds profiles from names: processes, threads, functions and locations. What was added before is found through the
 * memo of the builder or the hash tables of the profile.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/profile-builder.h"
#include "pprofil/error.h"
#include "profile/named-locations.h"

enum { MEMO_PROCESS, MEMO_IMAGE, MEMO_THREAD, MEMO_PLACE };

int builder_object(struct builder *builder, const char *path, uint32_t *object)
{
    return profile_named_object(builder->profile, path, object);
}

/* --- who ----------------------------------------------------------------------------- */

static int add_image(struct builder *builder, uint32_t pid, uint32_t comm, struct memo_entry *last, uint32_t *process)
{
    struct profile *profile = builder->profile;
    struct profile_process made = {.pid = pid, .comm = comm, .status = -1};

    if (last->used)
        made.generation = profile->processes[last->index].generation + 1;
    else
        profile->totals.processes_seen++;
    return profile_add_process(profile, &made, process);
}

/* The memo has two kinds of entries for processes. MEMO_PROCESS finds the last generation of a process by pid.
 * MEMO_IMAGE finds any generation by pid and name. */
int builder_process(struct builder *builder, uint32_t pid, const char *comm, uint32_t *process)
{
    struct memo_entry *known;
    uint32_t name;
    int error = profile_string(builder->profile, comm, &name);

    if (error == 0)
        error = memo_find(&builder->memo, MEMO_IMAGE, pid, name, &known);
    if (error == 0 && known->used)
        *process = known->index;
    if (error != 0 || known->used)
        return error;
    error = memo_find(&builder->memo, MEMO_PROCESS, pid, 0, &known);
    if (error == 0)
        error = add_image(builder, pid, name, known, process);
    if (error != 0)
        return error;
    if (!known->used)
        memo_set(known, *process);
    known->index = *process;
    error = memo_find(&builder->memo, MEMO_IMAGE, pid, name, &known);
    if (error == 0)
        memo_set(known, *process);
    return error;
}

int builder_thread(struct builder *builder, uint32_t process, uint32_t tid, const char *comm, uint32_t *thread)
{
    struct profile_thread made = {.process = process, .tid = tid};
    struct memo_entry *known;
    int error = memo_find(&builder->memo, MEMO_THREAD, process, tid, &known);

    if (error != 0)
        return error;
    if (!known->used) {
        error = profile_string(builder->profile, comm, &made.comm);
        if (error == 0)
            error = profile_add_thread(builder->profile, &made, thread);
        if (error != 0)
            return error;
        memo_set(known, *thread);
        builder->profile->totals.threads_seen++;
    }
    *thread = known->index;
    return 0;
}

int builder_task(struct builder *builder, uint32_t pid, uint32_t tid, const char *comm, uint32_t *thread)
{
    struct memo_entry *last;
    uint32_t process;
    int error = memo_find(&builder->memo, MEMO_PROCESS, pid, 0, &last);

    if (error != 0)
        return error;
    if (last->used && tid != pid)
        process = last->index;
    else
        error = builder_process(builder, pid, comm, &process);
    return error == 0 ? builder_thread(builder, process, tid, comm, thread) : error;
}

/* --- where --------------------------------------------------------------------------- */

int builder_function(struct builder *builder, uint32_t object, const char *name, const char *file,
                     uint32_t line, uint32_t *function)
{
    return profile_named_function(builder->profile, object, name, file, line, function);
}

/* A location with only one line is also stored in the memo. So the names of its function and file, which may be long,
 * are hashed only once. */
int builder_location(struct builder *builder, uint32_t object, const struct profile_line *lines,
                   uint32_t count, uint32_t *location)
{
    struct memo_entry *known = NULL;
    int error = 0;

    if (count == 1)
        error = memo_find(&builder->memo, MEMO_PLACE, lines->function,
                            (uint64_t)lines->file << 32 | lines->line, &known);
    if (error == 0 && (known == NULL || !known->used)) {
        error = profile_named_location(builder->profile, object, lines, count, location);
        if (error == 0 && known != NULL)
            memo_set(known, *location);
    }
    if (error == 0 && known != NULL)
        *location = known->index;
    return error;
}

bool builder_is_mark(const char *name)
{
    /* the names of the marks that lib/unwind and the reader of perf.data make */
    static const char *const marks[] = {
        "[truncated]",    "[no unwind info: ", "[no unwind info]",
        "[broken stack]", "[too deep]",        "[frames left out]", "[stack copy not read]"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        if (strncmp(name, marks[i], length) == 0 && (name[length] == '\0' || marks[i][length - 1] != ']'))
            return true;
    }
    return false;
}

int builder_frame(struct builder *builder, uint32_t parent, const char *name, uint32_t *node)
{
    struct profile_line line = {0};
    uint32_t object, location;
    int error;

    if (parent == PROFILE_NONE && builder_is_mark(name)) {
        error = profile_mark(builder->profile, name, &location);
    } else {
        error = builder_object(builder, "", &object);
        if (error == 0)
            error = builder_function(builder, object, name, "", 0, &line.function);
        if (error == 0)
            error = builder_location(builder, object, &line, 1, &location);
    }
    return error == 0 ? profile_node(builder->profile, parent, location, node) : error;
}

/* --- how much ------------------------------------------------------------------------ */

int builder_count_sample(struct profile *profile, const struct profile_sample *sample)
{
    const struct profile_totals *totals = &profile->totals;

    if (sample->count > INT64_MAX - totals->samples || sample->cpu_ns > INT64_MAX - totals->cpu_ns ||
        sample->wall_ns > INT64_MAX - totals->wall_ns)
        return PPROFIL_ERROR_DAMAGED;
    if ((sample->count | sample->cpu_ns | sample->wall_ns) == 0)
        return 0;
    return profile_count(profile, sample);
}

int builder_set_command(struct profile *profile, const char *command)
{
    if (profile->command == NULL)
        profile->command = strdup(command);
    return profile->command == NULL ? -ENOMEM : 0;
}
