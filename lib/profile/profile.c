/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of a profile. Each table is an array. If entries of a table are searched by their content, the table also
 * has a hash index. An entry never changes its index, so indexes may be stored. No entry is ever removed, except that
 * profile_clear removes all samples. If a function returns an error, the table and the caller's *result have not
 * changed.
 */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/profile-internal.h"
#include "profile/profile.h"

static int add_nothing_entries(struct profile *profile)
{
    uint32_t index;
    int error = profile_string(profile, "", &index);

    if (error == 0)
        error = profile_function(profile, &(struct profile_function){0}, &index);
    if (error == 0)
        error = profile_location(profile, 0, 0, &index);
    if (error == 0)
        error = profile_node(profile, PROFILE_NONE, PROFILE_NONE, &index);
    if (error == 0)
        error = profile_syscall(profile, "", -1, 0, &index);
    if (error == 0)
        error = profile_wait(profile, "", 0, &index);
    return error;
}

struct profile *profile_new(void)
{
    struct profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL)
        return NULL;

    profile->index = calloc(1, sizeof *profile->index);
    if (profile->index == NULL || add_nothing_entries(profile) != 0) {
        profile_free(profile);
        return NULL;
    }
    profile->index->unknown_object = HASH_NONE;
    return profile;
}

void profile_free_live(void *process)
{
    struct live_process *live = process;

    free(live->mappings);
    free(live);
}

static void free_index(struct profile_index *index)
{
    struct hash_index *all[] = {&index->strings,  &index->functions, &index->objects,
                                &index->threads,  &index->locations, &index->nodes,
                                &index->syscalls, &index->waits,     &index->samples,
                                &index->known_processes, &index->known_threads};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hash_free(all[i]);
    for (uint32_t i = 0; i < index->pending_count; i++)
        if (index->pending[i].fd >= 0)
            close(index->pending[i].fd);
    free(index->pending);
    free(index->asleep_stacks);
    free(index->wait_ids);
    tdestroy(index->live, profile_free_live);
    free(index);
}

void profile_free(struct profile *profile)
{
    if (profile == NULL)
        return;
    if (profile->index != NULL)
        free_index(profile->index);
    for (uint32_t i = 0; i < profile->string_count; i++)
        free(profile->strings[i]);
    for (uint32_t i = 0; i < profile->object_count; i++)
        if (profile->objects[i].fd >= 0)
            close(profile->objects[i].fd);
    for (uint32_t i = 0; i < profile->location_count; i++)
        free(profile->locations[i].lines);
    free(profile->strings);
    free(profile->objects);
    free(profile->processes);
    free(profile->threads);
    free(profile->functions);
    free(profile->locations);
    free(profile->nodes);
    free(profile->syscalls);
    free(profile->waits);
    free(profile->samples);
    timeline_clear(&profile->timeline);
    history_clear(&profile->history);
    free(profile->command);
    free(profile);
}

uint64_t profile_history_start(const struct profile *profile)
{
    return history_is_uptime(profile->history.start) ? profile->totals.start_time : profile->history.start;
}

uint64_t profile_end_time(const struct profile_totals *totals)
{
    if (totals->start_time == 0)
        return 0;
    if (totals->end_time != 0)
        return totals->end_time > totals->start_time ? totals->end_time : totals->start_time;
    return totals->start_time + totals->elapsed_ns;
}

int profile_set_host(struct profile *profile, const char *host)
{
    return profile_string(profile, host, &profile->host);
}

int profile_set_rank(struct profile *profile, uint32_t pid, const char *job, int32_t rank)
{
    uint32_t process, job_name, rank_name;
    char text[16] = "";

    if (!profile_find_process(profile, pid, &process))
        return 0;
    if (rank >= 0)
        snprintf(text, sizeof text, "%d", (int)rank);
    int error = profile_string(profile, job, &job_name);
    if (error == 0)
        error = profile_string(profile, text, &rank_name);
    if (error != 0)
        return error;
    profile->processes[process].job = job_name;
    profile->processes[process].rank = rank_name;
    return 0;
}

void profile_clear(struct profile *profile)
{
    struct profile_totals *totals = &profile->totals;

    profile->clears++;
    profile->index->before = (struct profile_totals){0};
    profile->sample_count = 0;
    hash_clear(&profile->index->samples);
    timeline_clear(&profile->timeline);
    history_clear(&profile->history);
    totals->samples = totals->running = totals->cpu_ns = totals->wall_ns = 0;
    totals->elapsed_ns = totals->target_cpu_ns = totals->stopped_ns = 0;
    totals->supervisor_cpu_ns = totals->ticks = totals->lost = 0;
    totals->full_ns = totals->throttled_ns = totals->repaired = totals->continued = totals->cut_short = 0;
}

int profile_append(void *array, uint32_t *count, const void *entry, size_t size,
                          struct hash_index *index, uint32_t hash, uint32_t *result)
{
    int error = array_grow(array, *count, size);

    if (error == 0 && index != NULL)
        error = hash_add(index, hash, *count);
    if (error != 0)
        return error;
    char *base = *(char **)array;
    memcpy(base + (size_t)*count * size, entry, size);
    *result = (*count)++;
    return 0;
}

int profile_string(struct profile *profile, const char *text, uint32_t *result)
{
    uint32_t hash = hash_bytes(text, strlen(text)), at = hash, found;
    struct hash_index *index = &profile->index->strings;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (strcmp(profile->strings[found], text) == 0) {
            *result = found;
            return 0;
        }
    char *copy = strdup(text);
    if (copy == NULL)
        return -ENOMEM;
    int error = profile_append(&profile->strings, &profile->string_count, &copy, sizeof copy, index, hash, result);
    if (error != 0)
        free(copy);
    return error;
}

int profile_function(struct profile *profile, const struct profile_function *function, uint32_t *result)
{
    uint32_t hash = hash_pair(hash_pair(function->name, (uint64_t)function->system_name << 32 | function->object),
                              (uint64_t)function->file << 32 | function->line);
    uint32_t at = hash, found;
    struct hash_index *index = &profile->index->functions;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE) {
        const struct profile_function *other = &profile->functions[found];
        if (other->name == function->name && other->system_name == function->system_name &&
            other->object == function->object && other->file == function->file && other->line == function->line) {
            *result = found;
            return 0;
        }
    }
    return profile_append(&profile->functions, &profile->function_count, function, sizeof *function,
                          index, hash, result);
}

void profile_define_function(struct profile *profile, uint32_t function, uint32_t file, uint32_t line)
{
    profile->functions[function].file = file;
    profile->functions[function].line = line;
}

static bool same_object(const struct profile_object *a, const struct profile_object *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == PROFILE_OBJECT_UNKNOWN)
        return true;
    if (a->kind == PROFILE_OBJECT_ANON)
        return a->process == b->process;
    if (a->build_id_size > 0 && b->build_id_size > 0)
        return a->build_id_size == b->build_id_size && memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
    return a->build_id_size == b->build_id_size && a->device == b->device && a->inode == b->inode && a->path == b->path;
}

static uint32_t hash_object(const struct profile_object *object)
{
    if (object->kind == PROFILE_OBJECT_UNKNOWN)
        return 1;
    if (object->kind == PROFILE_OBJECT_ANON)
        return hash_pair(2, object->process);
    if (object->build_id_size > 0)
        return hash_bytes(object->build_id, object->build_id_size);
    return hash_pair(hash_pair(object->path, object->device), object->inode);
}

int profile_object(struct profile *profile, const struct profile_object *object, uint32_t *result)
{
    uint32_t hash = hash_object(object), at = hash, found;
    struct hash_index *index = &profile->index->objects;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (same_object(&profile->objects[found], object)) {
            *result = found;
            return 0;
        }
    return profile_append(&profile->objects, &profile->object_count, object, sizeof *object, index, hash, result);
}

bool profile_is_kernel(const struct profile *profile, uint32_t object)
{
    return profile->objects[object].kind == PROFILE_OBJECT_FILE &&
           strcmp(profile->strings[profile->objects[object].path], PROFILE_KERNEL) == 0;
}

bool profile_is_mark(const struct profile *profile, uint32_t object, const char *name)
{
    return profile->objects[object].kind == PROFILE_OBJECT_MARK &&
           strcmp(profile->strings[profile->objects[object].path], name) == 0;
}

int profile_add_process(struct profile *profile, const struct profile_process *process, uint32_t *result)
{
    return profile_append(&profile->processes, &profile->process_count, process, sizeof *process, NULL, 0, result);
}

int profile_add_thread(struct profile *profile, const struct profile_thread *thread, uint32_t *result)
{
    return profile_append(&profile->threads, &profile->thread_count, thread, sizeof *thread, &profile->index->threads,
                          hash_pair(thread->process, thread->tid), result);
}

int profile_location(struct profile *profile, uint32_t object, uint64_t address, uint32_t *result)
{
    uint32_t hash = hash_pair(object, address), at = hash, found;
    struct hash_index *index = &profile->index->locations;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (profile->locations[found].address == address &&
            profile->locations[found].object == object && found != PROFILE_NONE) {
            *result = found;
            return 0;
        }
    struct profile_location location = {.object = object, .address = address};
    return profile_append(&profile->locations, &profile->location_count, &location, sizeof location,
                          index, hash, result);
}

int profile_node(struct profile *profile, uint32_t parent, uint32_t location, uint32_t *result)
{
    uint32_t hash = hash_pair(parent, location), at = hash, found;
    struct hash_index *index = &profile->index->nodes;

    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (profile->nodes[found].parent == parent && profile->nodes[found].location == location) {
            *result = found;
            return 0;
        }
    struct profile_node node = {.parent = parent, .location = location};
    return profile_append(&profile->nodes, &profile->node_count, &node, sizeof node, index, hash, result);
}

int profile_syscall(struct profile *profile, const char *name, int32_t number, uint32_t compat, uint32_t *result)
{
    struct profile_syscall call = {.number = number, .compat = compat};
    int error = profile_string(profile, name, &call.name);
    if (error != 0)
        return error;

    uint32_t hash = hash_pair(call.name, compat), at = hash, found;
    struct hash_index *index = &profile->index->syscalls;
    while ((found = hash_next(index, hash, &at)) != HASH_NONE)
        if (profile->syscalls[found].name == call.name && profile->syscalls[found].compat == compat) {
            *result = found;
            return 0;
        }
    return profile_append(&profile->syscalls, &profile->syscall_count, &call, sizeof call, index, hash, result);
}

int profile_set_lines(struct profile *profile, uint32_t location, const struct profile_line *lines,
                      uint32_t count, uint32_t looked)
{
    struct profile_location *place = &profile->locations[location];
    struct profile_line *copy = NULL;

    if (count > 0) {
        copy = malloc(count * sizeof *copy);
        if (copy == NULL)
            return -ENOMEM;
        memcpy(copy, lines, count * sizeof *copy);
    }
    free(place->lines);
    place->lines = copy;
    place->line_count = count;
    place->looked |= looked;
    return 0;
}

void profile_forget_lines(struct profile *profile, uint32_t location)
{
    struct profile_location *place = &profile->locations[location];

    free(place->lines);
    place->lines = NULL;
    place->line_count = place->looked = 0;
}

int profile_mark(struct profile *profile, const char *why, uint32_t *location)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_MARK, .fd = -1};
    struct profile_function function = {0};
    struct profile_line line = {0};
    uint32_t index;

    int error = profile_string(profile, why, &object.path);
    if (error == 0)
        error = profile_object(profile, &object, &index);
    if (error == 0)
        error = profile_location(profile, index, 0, location);
    if (error != 0 || profile->locations[*location].line_count > 0)
        return error;
    function.name = function.system_name = object.path;
    function.object = index + 1;
    error = profile_function(profile, &function, &line.function);
    if (error != 0)
        return error;
    return profile_set_lines(profile, *location, &line, 1, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE);
}
