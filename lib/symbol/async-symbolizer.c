/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asynchronous look-ups: the part that runs in the caller's thread. async-worker.c has the part of the worker thread.
 *
 * An object is sent to the worker with a copy of its file descriptor. The supervisor sends descriptors separately from
 * events, and they may come later than the events. So an object waits for its descriptor, but no longer than
 * DESCRIPTOR_NS. All later objects wait with it, and so do the locations in all of them. A descriptor that comes even
 * later is sent alone, and the object's locations are looked up again.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "symbol/async-queue.h"
#include "symbol/async-symbolizer.h"

#define DESCRIPTOR_NS UINT64_C(1000000000) /* longest wait for an object's descriptor */
#define LEAVE_NS UINT64_C(1000000000)      /* longest wait for the end of the worker thread */

/* Translates indexes in one of the worker's tables to indexes in the table of the profile. */
struct translation {
    uint32_t *indexes; /* owned */
    uint32_t count;
};

/* Flags of a location. */
enum known {
    KNOWN_NAMED = 1u << 0,   /* the location has a name, and is not pending any more */
    KNOWN_DEFINED = 1u << 1, /* the definition of the location's function was requested */
};

struct async_symbolizer {
    struct profile *profile; /* borrowed */
    async_symbolizer_named *named;
    void *context; /* borrowed; argument for `named` */
    pthread_t thread;
    struct async_queue *queue; /* shared with the thread */
    /* How many objects and locations were sent, and for how many locations source lines were requested. These are
     * always the first ones in the tables. */
    uint32_t objects, locations, lines;
    /* owned; indexed by object: when the object was first seen, CLOCK_MONOTONIC, ns */
    uint64_t *seen_at;
    uint32_t seen_count;
    struct async_list awaited; /* objects that were sent before their descriptors came */
    bool want_lines;
    uint8_t *known; /* owned; indexed by location: a set of enum known */
    uint32_t known_count;
    /* locations to send at the next exchange; one list for each kind of request */
    struct async_list wanted[ASYNC_KINDS];
    /* The fields below are for results that have arrived from the worker. */
    uint32_t names; /* number of locations that have a name */
    struct translation strings, functions;
    struct code_listing *listings; /* owned */
    uint32_t listing_count, listing_next;
};

int async_symbolizer_new(struct profile *profile, async_symbolizer_named *named, void *context,
                         struct async_symbolizer **result)
{
    struct async_symbolizer *async = calloc(1, sizeof *async);

    if (async == NULL || (async->queue = async_queue_new()) == NULL) {
        free(async);
        return -ENOMEM;
    }
    async->profile = profile;
    async->named = named;
    async->context = context;
    async->locations = async->lines = 1; /* location 0 is PROFILE_NONE, and is not sent */
    int error = async_worker_start(async->queue, &async->thread);
    if (error != 0) {
        async_queue_free(async->queue);
        free(async);
        return error;
    }
    *result = async;
    return 0;
}

/* Ends the thread. A look-up may wait for a remote server. If it takes longer than LEAVE_NS, the thread is left behind,
 * and frees the queue when the look-up has ended. */
static void leave_thread(struct async_symbolizer *async)
{
    if (async_queue_close(async->queue, LEAVE_NS)) {
        pthread_join(async->thread, NULL);
        async_queue_free(async->queue);
    } else {
        pthread_detach(async->thread);
    }
}

void async_symbolizer_free(struct async_symbolizer *async)
{
    if (async == NULL)
        return;
    leave_thread(async);
    for (uint32_t i = async->listing_next; i < async->listing_count; i++)
        code_listing_clear(&async->listings[i]);
    free(async->listings);
    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++)
        free(async->wanted[kind].indexes);
    free(async->seen_at);
    free(async->awaited.indexes);
    free(async->known);
    free(async->strings.indexes);
    free(async->functions.indexes);
    free(async);
}

/* --- requests -------------------------------------------------------------------------- */

static int note_objects(struct async_symbolizer *async)
{
    int error = 0;

    while (error == 0 && async->seen_count < async->profile->object_count) {
        error = array_grow(&async->seen_at, async->seen_count, sizeof *async->seen_at);
        if (error == 0)
            async->seen_at[async->seen_count++] = time_now();
    }
    return error;
}

/* Returns whether an object can be sent. An ANON object (JIT code) needs no descriptor, because its
 * list of names can also be found by its path. */
static bool object_is_ready(const struct async_symbolizer *async, uint32_t object)
{
    return async->profile->objects[object].kind == PROFILE_OBJECT_ANON ||
           !profile_awaits_object(async->profile, object) || time_now() - async->seen_at[object] > DESCRIPTOR_NS;
}

static int send_object(struct async_symbolizer *async, struct async_requests *requests)
{
    const struct profile *profile = async->profile;
    struct async_object copy = {.object = profile->objects[async->objects]};
    int error = array_grow(&requests->objects, requests->object_count, sizeof *requests->objects);

    if (error != 0)
        return error;
    copy.path = strdup(profile->strings[copy.object.path]);
    if (copy.path == NULL)
        return -ENOMEM;
    /* The descriptor has not come. The worker must not open the file by its path, because that may hang. The flag
     * `hangs` prevents this. */
    if (profile_awaits_object(profile, async->objects)) {
        copy.object.hangs = true;
        /* an ANON object needs no descriptor, because its list of names is found by the path, and
         * is read again when it grows */
        if (copy.object.kind != PROFILE_OBJECT_ANON)
            error = async_list_add(&async->awaited, async->objects);
    }
    if (error != 0) {
        free(copy.path);
        return error;
    }
    if (copy.object.fd >= 0) /* if fcntl fails, the worker opens the file by its path */
        copy.object.fd = fcntl(copy.object.fd, F_DUPFD_CLOEXEC, 3);
    requests->objects[requests->object_count++] = copy;
    async->objects++;
    return 0;
}

/* Sends a descriptor that came after its object was sent. Without the descriptor, the worker may have failed to find
 * definitions of functions. So KNOWN_DEFINED is cleared, and they can be requested again. */
static int send_file(struct async_symbolizer *async, uint32_t object, struct async_requests *requests)
{
    const struct profile *profile = async->profile;
    int error = array_grow(&requests->files, requests->file_count, sizeof *requests->files);

    if (error != 0)
        return error;
    requests->files[requests->file_count++] = (struct async_file){
        .object = object, .fd = fcntl(profile->objects[object].fd, F_DUPFD_CLOEXEC, 3)};
    for (uint32_t i = 0; i < async->known_count; i++)
        if (profile->locations[i].object == object)
            async->known[i] &= (uint8_t)~KNOWN_DEFINED;
    return 0;
}

static int send_late_files(struct async_symbolizer *async, struct async_requests *requests)
{
    struct async_list *awaited = &async->awaited;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < awaited->count; i++) {
        uint32_t object = awaited->indexes[i];
        if (profile_awaits_object(async->profile, object))
            continue;
        if (async->profile->objects[object].fd >= 0)
            error = send_file(async, object, requests);
        awaited->indexes[i--] = awaited->indexes[--awaited->count];
    }
    return error;
}

static void note_name(struct async_symbolizer *async, uint32_t location)
{
    async->names += (async->known[location] & KNOWN_NAMED) == 0;
    async->known[location] |= KNOWN_NAMED;
    async->named(async->context, location);
}

static int send_location(struct async_symbolizer *async, struct async_requests *requests)
{
    uint32_t index = async->locations;
    const struct profile_location *location = &async->profile->locations[index];
    int error = array_grow(&requests->locations, requests->location_count, sizeof *requests->locations);

    while (error == 0 && async->known_count <= index) {
        error = array_grow(&async->known, async->known_count, sizeof *async->known);
        if (error == 0)
            async->known[async->known_count++] = 0;
    }
    if (error == 0 && (location->looked & PROFILE_LOOKED_NAME) == 0)
        error = async_list_add(&async->wanted[ASYNC_NAME], index);
    if (error != 0)
        return error;
    if (location->looked & PROFILE_LOOKED_NAME)
        note_name(async, index);
    requests->locations[requests->location_count++] =
        (struct async_location){.object = location->object, .address = location->address};
    async->locations++;
    return 0;
}

static int send_tables(struct async_symbolizer *async, struct async_requests *requests)
{
    const struct profile *profile = async->profile;
    int error = note_objects(async);

    while (error == 0 && async->objects < profile->object_count && object_is_ready(async, async->objects))
        error = send_object(async, requests);
    while (error == 0 && async->locations < profile->location_count &&
           profile->locations[async->locations].object < async->objects)
        error = send_location(async, requests);
    for (; error == 0 && async->want_lines && async->lines < async->locations; async->lines++)
        if ((profile->locations[async->lines].looked & PROFILE_LOOKED_LINE) == 0)
            error = async_list_add(&async->wanted[ASYNC_LINES], async->lines);
    return error;
}

static int send_wanted(struct async_symbolizer *async, struct async_requests *requests)
{
    int error = 0;

    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++) {
        struct async_list *from = &async->wanted[kind], *to = &requests->wanted[kind];
        for (uint32_t i = 0; error == 0 && i < from->count; i++)
            error = async_list_add(to, from->indexes[i]);
        from->count = 0;
    }
    return error;
}

/* --- results --------------------------------------------------------------------------- */

static int translation_add(struct translation *translation, uint32_t index)
{
    int error = array_grow(&translation->indexes, translation->count, sizeof *translation->indexes);

    if (error == 0)
        translation->indexes[translation->count++] = index;
    return error;
}

static int receive_tables(struct async_symbolizer *async, const struct async_results *results)
{
    const struct translation *strings = &async->strings;
    uint32_t index;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < results->string_count; i++) {
        error = profile_string(async->profile, results->strings[i], &index);
        if (error == 0)
            error = translation_add(&async->strings, index);
    }
    for (uint32_t i = 0; error == 0 && i < results->function_count; i++) {
        struct profile_function function = results->functions[i];
        function.name = strings->indexes[function.name];
        function.system_name = strings->indexes[function.system_name];
        function.file = strings->indexes[function.file];
        error = profile_function(async->profile, &function, &index);
        if (error == 0)
            error = translation_add(&async->functions, index);
    }
    return error;
}

static int receive_lines(struct async_symbolizer *async, const struct async_found *found, struct profile_line *lines)
{
    for (uint32_t i = 0; i < found->lines; i++) {
        lines[i].function = async->functions.indexes[lines[i].function];
        lines[i].file = async->strings.indexes[lines[i].file];
    }
    int error = profile_set_lines(async->profile, found->location, lines, found->lines, found->looked);
    if (error == 0)
        note_name(async, found->location);
    return error;
}

static int receive_listings(struct async_symbolizer *async, struct async_results *results)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < results->listing_count; i++) {
        error = array_grow(&async->listings, async->listing_count, sizeof *async->listings);
        if (error != 0)
            break;
        async->listings[async->listing_count++] = results->listings[i];
        results->listings[i] = (struct code_listing){0};
    }
    return error;
}

static int receive_results(struct async_symbolizer *async, struct async_results *results)
{
    uint32_t lines = 0;
    int error = receive_tables(async, results);

    for (uint32_t i = 0; error == 0 && i < results->found_count; i++) {
        error = receive_lines(async, &results->found[i], results->lines + lines);
        lines += results->found[i].lines;
    }
    for (uint32_t i = 0; error == 0 && i < results->definition_count; i++) {
        const struct async_definition *definition = &results->definitions[i];
        profile_define_function(async->profile, async->functions.indexes[definition->function],
                                async->strings.indexes[definition->file], definition->line);
    }
    return error == 0 ? receive_listings(async, results) : error;
}

/* --- the calls of async-symbolizer.h ------------------------------------------------------ */

int async_symbolizer_exchange(struct async_symbolizer *async)
{
    struct async_queue *queue = async->queue;

    pthread_mutex_lock(&queue->lock);
    int error = send_tables(async, &queue->requests);
    if (error == 0)
        error = send_late_files(async, &queue->requests);
    if (error == 0)
        error = send_wanted(async, &queue->requests);
    struct async_results *results = queue->results;
    queue->results = NULL;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);

    int received = 0;
    for (; results != NULL; results = async_results_next(results))
        if (received == 0)
            received = receive_results(async, results);
    return error != 0 ? error : received;
}

uint32_t async_symbolizer_pending(const struct async_symbolizer *async)
{
    return async->profile->location_count - 1 - async->names;
}

void async_symbolizer_want_lines(struct async_symbolizer *async)
{
    async->want_lines = true;
}

void async_symbolizer_want_definition(struct async_symbolizer *async, uint32_t location)
{
    if (location < async->locations && (async->known[location] & KNOWN_DEFINED) == 0 &&
        async_list_add(&async->wanted[ASYNC_DEFINITION], location) == 0)
        async->known[location] |= KNOWN_DEFINED;
}

int async_symbolizer_want_code(struct async_symbolizer *async, uint32_t location)
{
    return async_list_add(&async->wanted[ASYNC_CODE], location);
}

bool async_symbolizer_take_code(struct async_symbolizer *async, struct code_listing *code)
{
    if (async->listing_next == async->listing_count) {
        async->listing_next = async->listing_count = 0;
        return false;
    }
    *code = async->listings[async->listing_next++];
    return true;
}
