/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds profiles from names: processes, threads, functions and locations. What was added before is found through the
 * memo of the builder or the hash tables of the profile.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "format/profile-builder.h"
#include "pprofil/error.h"

/* limit for the addresses that are tried for one location; it never happens by chance that all of them are taken */
#define PROBES_MAX 1000
#define HASHED_MAX 4096 /* at most this number of bytes of a name are hashed */

enum { MEMO_PROCESS, MEMO_IMAGE, MEMO_THREAD, MEMO_PLACE };

int builder_object(struct builder *builder, const char *path, uint32_t *object)
{
    struct profile_object made = {.kind = PROFILE_OBJECT_FILE, .invented = true, .fd = -1};

    if (strcmp(path, "[vdso]") == 0)
        made.kind = PROFILE_OBJECT_VDSO;
    if (path[0] == '\0' || strcmp(path, "[unknown]") == 0) {
        made.kind = PROFILE_OBJECT_UNKNOWN;
        path = "[unknown]";
    }
    int error = profile_string(builder->profile, path, &made.path);
    return error == 0 ? profile_object(builder->profile, &made, object) : error;
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
    struct profile *profile = builder->profile;
    struct profile_function made = {.object = object + 1, .line = line};

    int error = profile_string(profile, name[0] != '\0' ? name : "[unknown]", &made.name);
    if (error == 0)
        error = profile_string(profile, file, &made.file);
    made.system_name = made.name;
    return error == 0 ? profile_function(profile, &made, function) : error;
}

/* Hashes a text with its NUL, but at most HASHED_MAX bytes. Without this limit, a name of several megabytes would be
 * hashed whole for each line of its function. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_fnv(hash, text, strnlen(text, HASHED_MAX - 1) + 1);
}

/* Invents the address of a location: a hash of the names and line numbers in `lines`. It has 47 bits, like the
 * addresses of real programs. */
static uint64_t make_address(const struct profile *profile, const struct profile_line *lines, uint32_t count)
{
    uint64_t hash = HASH_FNV_START;

    for (uint32_t i = 0; i < count; i++) {
        const struct profile_function *function = &profile->functions[lines[i].function];
        hash = hash_text(hash, profile->strings[function->name]);
        hash = hash_text(hash, profile->strings[function->file]);
        hash = hash_text(hash, profile->strings[lines[i].file]);
        hash = (hash ^ lines[i].line ^ (uint64_t)function->line << 32) * UINT64_C(0x9e3779b97f4a7c15);
    }
    hash ^= hash >> 29;
    return hash >> 17 | 1;
}

static bool has_lines(const struct profile_location *place, const struct profile_line *lines, uint32_t count)
{
    if (place->line_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (place->lines[i].function != lines[i].function ||
            place->lines[i].file != lines[i].file || place->lines[i].line != lines[i].line)
            return false;
    return true;
}

static int add_location(struct profile *profile, uint32_t object, uint64_t address,
                        const struct profile_line *lines, uint32_t count, uint32_t *location)
{
    for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
        uint32_t before = profile->location_count;
        int error = profile_location(profile, object, address, location);
        if (error != 0)
            return error;
        if (profile->location_count != before)
            return profile_set_lines(profile, *location, lines, count, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
        if (has_lines(&profile->locations[*location], lines, count))
            return 0;
        address = (address * UINT64_C(0x9e3779b97f4a7c15) + probe) >> 17 | 1;
    }
    return PPROFIL_ERROR_DAMAGED;
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
        error = add_location(builder->profile, object, make_address(builder->profile, lines, count),
                             lines, count, location);
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
        "[broken stack]", "[too deep]",        "[stack copy not read]"};

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
