/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * build-stacks: makes profiles from folded stacks. "main;f;g" begins with the outermost function. "f|g" is one location
 * in f, into which g is inlined. "[x]" is a mark, which stands for no function. Functions whose names begin with "lib"
 * are in another object.
 */
#ifndef PPROFIL_BUILD_STACKS_H
#define PPROFIL_BUILD_STACKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

static void stacks_must(int error)
{
    if (error != 0)
        abort();
}

static uint32_t stacks_object(struct profile *profile, const char *path)
{
    struct profile_object object = {.kind = PROFILE_OBJECT_FILE, .fd = -1};
    uint32_t index;

    stacks_must(profile_string(profile, path, &object.path));
    object.inode = object.path;
    stacks_must(profile_object(profile, &object, &index));
    return index;
}

static uint32_t stacks_function(struct profile *profile, const char *name, uint32_t object)
{
    struct profile_function function = {.object = object + 1, .line = 1};
    uint32_t index;

    stacks_must(profile_string(profile, name, &function.name));
    stacks_must(profile_string(profile, "/src/a.c", &function.file));
    stacks_must(profile_function(profile, &function, &index));
    return index;
}

/* Returns the location of a frame such as "f|g|h", in which h is the innermost function. The same text always has the
 * same location. */
static uint32_t stacks_location(struct profile *profile, const char *frame)
{
    struct profile_line lines[64];
    char names[1024], *at = names, *name;
    uint32_t location, address, object, count = 0, used = 0;

    if (frame[0] == '[') {
        stacks_must(profile_mark(profile, frame, &location));
        return location;
    }
    object = stacks_object(profile, strncmp(frame, "lib", 3) == 0 ? "/lib/libx.so" : "/bin/prog");
    stacks_must(profile_string(profile, frame, &address));
    stacks_must(profile_location(profile, object, address, &location));
    if (profile->locations[location].line_count > 0)
        return location;
    snprintf(names, sizeof names, "%s", frame);
    for (const char *c = frame; *c != '\0'; c++)
        count += *c == '|';
    memset(lines, 0, sizeof lines);
    while ((name = strsep(&at, "|")) != NULL) {
        struct profile_line *line = &lines[count - used++];
        line->function = stacks_function(profile, name, object);
        line->file = profile->functions[line->function].file;
        line->line = 10 + address;
    }
    stacks_must(profile_set_lines(profile, location, lines, used, PROFILE_LOOKED_NAME | PROFILE_LOOKED_LINE));
    return location;
}

static inline uint32_t stacks_node(struct profile *profile, const char *folded)
{
    char *copy = strdup(folded), *at = copy, *frame;
    uint32_t node = PROFILE_NONE;

    while ((frame = strsep(&at, ";")) != NULL)
        stacks_must(profile_node(profile, node, stacks_location(profile, frame), &node));
    free(copy);
    return node;
}

static uint32_t stacks_thread(struct profile *profile, uint32_t pid, const char *process_comm,
                              uint32_t tid, const char *comm)
{
    struct profile_process process = {.pid = pid, .status = -1};
    struct profile_thread thread = {.tid = tid};
    uint32_t index;

    stacks_must(profile_string(profile, process_comm, &process.comm));
    stacks_must(profile_string(profile, comm, &thread.comm));
    for (thread.process = 0; thread.process < profile->process_count; thread.process++)
        if (profile->processes[thread.process].pid == pid)
            break;
    if (thread.process == profile->process_count)
        stacks_must(profile_add_process(profile, &process, &thread.process));
    stacks_must(profile_add_thread(profile, &thread, &index));
    return index;
}

/* Adds `count` samples of 10 ns each. If the profile has no thread, makes one, which is thread 0. */
static inline void stacks_add(struct profile *profile, uint32_t thread, const char *folded, uint64_t count)
{
    if (profile->thread_count == 0)
        stacks_thread(profile, 7, "prog", 7, "prog");
    struct profile_sample sample = {.thread = thread,
                                    .node = stacks_node(profile, folded),
                                    .count = count,
                                    .cpu_ns = count * 10};
    stacks_must(profile_count(profile, &sample));
}

#endif
