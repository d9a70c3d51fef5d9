/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * speedscope's JSON, also of others: profiles of samples, and profiles of events, in which
 * frames are opened and closed and time passes between. Weights that are no times are taken
 * for counts, of a millisecond each.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/json-read.h"
#include "format/named.h"
#include "format/speedscope.h"
#include "format/text.h"

#define NS_IN_COUNT 1e6

struct reader {
    struct profile *profile;
    struct named named;
    uint32_t *locations; /* of the shared frames */
    uint64_t frame_count;
    double unit; /* nanoseconds; of the profile being read */
    bool counts; /* its weights are no times */
    uint32_t thread;
};

/* --- frames -------------------------------------------------------------------------- */

static int read_frame(struct reader *reader, const json_t *frame, uint32_t *location)
{
    const char *name = json_text(frame, "name", NULL), *file = json_text(frame, "file", "");
    struct profile_line line = {0};
    uint64_t number;
    uint32_t object;

    if (name == NULL)
        return -EBADMSG;
    if (named_is_mark(name))
        return profile_mark(reader->profile, name, location);
    if (!json_member(frame, "line", UINT32_MAX, &number))
        number = 0;
    int error = named_object(&reader->named, "", &object);
    if (error == 0)
        error =
            named_function(&reader->named, object, name, file, (uint32_t)number, &line.function);
    return error == 0 ? named_location(&reader->named, object, &line, 1, location) : error;
}

static int read_frames(struct reader *reader, const json_t *root)
{
    const json_t *frames = json_list(json_object_get(root, "shared"), "frames");
    int error = 0;

    if (frames == NULL)
        return -EBADMSG;
    reader->frame_count = json_array_size(frames);
    reader->locations = calloc(reader->frame_count + 1, sizeof *reader->locations);
    if (reader->locations == NULL)
        return -ENOMEM;
    for (size_t i = 0; error == 0 && i < reader->frame_count; i++)
        error = read_frame(reader, json_array_get(frames, i), &reader->locations[i]);
    return error;
}

/* --- samples ------------------------------------------------------------------------- */

static int count(struct reader *reader, uint32_t node, double weight)
{
    struct profile_sample sample = {.thread = reader->thread, .node = node, .count = 1};
    double ns = weight * reader->unit;
    uint32_t root;

    if (!(ns >= 0) || ns > 9e18)
        return -EBADMSG;
    if (ns < 0.5)
        return 0;
    if (node == PROFILE_NONE) { /* nothing was on the stack */
        int error = named_frame(&reader->named, PROFILE_NONE, "[idle]", &root);
        if (error != 0)
            return error;
        sample.node = root;
    }
    sample.cpu_ns = (uint64_t)llround(ns);
    if (reader->counts)
        sample.count = (uint64_t)llround(weight);
    return named_count(reader->profile, &sample);
}

static int push(struct reader *reader, const json_t *frame, uint32_t *node)
{
    uint64_t index;

    if (!json_whole(frame, UINT32_MAX, &index) || index >= reader->frame_count)
        return -EBADMSG;
    return profile_node(reader->profile, *node, reader->locations[index], node);
}

static int read_sampled(struct reader *reader, const json_t *profile)
{
    const json_t *samples = json_list(profile, "samples"), *weights = json_list(profile, "weights");
    int error = 0;

    if (samples == NULL || json_array_size(samples) != json_array_size(weights))
        return -EBADMSG;
    for (size_t i = 0; error == 0 && i < json_array_size(samples); i++) {
        const json_t *stack = json_array_get(samples, i), *weight = json_array_get(weights, i);
        uint32_t node = PROFILE_NONE;
        if (!json_is_array(stack) || !json_is_number(weight))
            return -EBADMSG;
        for (size_t k = 0; error == 0 && k < json_array_size(stack); k++)
            error = push(reader, json_array_get(stack, k), &node);
        if (error == 0)
            error = count(reader, node, json_number_value(weight));
    }
    return error;
}

/* The open frames are a node of the profile: closing one leads to its caller. */
static int read_event(struct reader *reader, const json_t *event, uint32_t *node)
{
    const char *type = json_text(event, "type", "");
    uint64_t index;

    if (strcmp(type, "O") == 0)
        return push(reader, json_object_get(event, "frame"), node);
    if (strcmp(type, "C") != 0 || *node == PROFILE_NONE ||
        !json_whole(json_object_get(event, "frame"), UINT32_MAX, &index) ||
        index >= reader->frame_count ||
        reader->locations[index] != reader->profile->nodes[*node].location)
        return -EBADMSG;
    *node = reader->profile->nodes[*node].parent;
    return 0;
}

static int read_evented(struct reader *reader, const json_t *profile)
{
    const json_t *events = json_list(profile, "events");
    uint32_t node = PROFILE_NONE;
    double last = 0;
    int error = events == NULL ? -EBADMSG : 0;

    for (size_t i = 0; error == 0 && i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *at = json_object_get(event, "at");
        if (!json_is_number(at))
            return -EBADMSG;
        double now = json_number_value(at);
        if (i > 0 && node != PROFILE_NONE)
            error = count(reader, node, now - last);
        last = now;
        if (error == 0)
            error = read_event(reader, event, &node);
    }
    return error;
}

/* --- profiles ------------------------------------------------------------------------ */

/* Ours are called "comm (pid/tid)". */
static int read_thread(struct reader *reader, const char *name, size_t number)
{
    const char *open = strrchr(name, '('), *at = open != NULL ? open + 1 : "";
    uint64_t pid, tid;

    if (open == NULL || open < name + 2 || open[-1] != ' ' || !text_number(&at, 10, &pid) ||
        *at++ != '/' || !text_number(&at, 10, &tid) || strcmp(at, ")") != 0 || pid > UINT32_MAX ||
        tid > UINT32_MAX)
        return named_task(&reader->named, 0, (uint32_t)number,
                            name[0] != '\0' ? name : "[unknown]", &reader->thread);
    char *comm = strndup(name, (size_t)(open - 1 - name));
    int error = comm == NULL ? -ENOMEM
                             : named_task(&reader->named, (uint32_t)pid, (uint32_t)tid, comm,
                                            &reader->thread);
    free(comm);
    return error;
}

static int read_profile(struct reader *reader, const json_t *profile, size_t number)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        {"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};
    const char *type = json_text(profile, "type", ""), *unit = json_text(profile, "unit", "none");

    reader->counts = true;
    reader->unit = NS_IN_COUNT;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0) {
            reader->counts = false;
            reader->unit = units[i].ns;
        }
    int error = read_thread(reader, json_text(profile, "name", ""), number);
    if (error != 0)
        return error;
    if (strcmp(type, "sampled") == 0)
        return read_sampled(reader, profile);
    return strcmp(type, "evented") == 0 ? read_evented(reader, profile) : -EBADMSG;
}

int speedscope_read(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .named = {.profile = profile}};
    json_t *root;
    int error = json_read_file(path, &root);
    const json_t *profiles = json_list(root, "profiles");

    if (error == 0)
        error = profiles == NULL ? -EBADMSG : read_frames(&reader, root);
    for (size_t i = 0; error == 0 && i < json_array_size(profiles); i++)
        error = read_profile(&reader, json_array_get(profiles, i), i + 1);
    if (error == 0 && json_text(root, "name", NULL) != NULL)
        error = named_command(profile, json_text(root, "name", NULL));
    free(reader.locations);
    free(reader.named.memo.slots);
    json_decref(root);
    return error;
}
