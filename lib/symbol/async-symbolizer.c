/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The caller's side of a namer. An object is handed over with a copy of its descriptor, which
 * comes by another way than the events: until it is there, or has been waited for long enough, the
 * object and all after it stay here, and with them their places. A descriptor that comes later is handed
 * over alone, and the object's places are looked up again.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbol/async-queue.h"

#define DESCRIPTOR_NS UINT64_C(1000000000) /* longest wait for one */
#define LEAVE_NS UINT64_C(1000000000)      /* longest wait for the thread's end */

/* A table of the thread's, as the profile has it. */
struct translation {
    uint32_t *indexes; /* owned */
    uint32_t count;
};

/* What is known here of a location. */
enum known {
    KNOWN_NAMED = 1u << 0,   /* it is not pending any more */
    KNOWN_DEFINED = 1u << 1, /* its definition was asked for */
};

struct namer {
    struct profile *profile; /* borrowed */
    namer_named *named;
    void *context;
    pthread_t thread;
    struct namer_desk *desk;
    /* handed over: */
    uint32_t objects, places, lines; /* up to this index */
    uint64_t *seen_at;               /* owned: by object, when it was first seen here */
    uint32_t seen_count;
    struct namer_list awaited; /* objects that were handed over before their descriptors came */
    bool want_lines;
    uint8_t *known; /* owned: by location, a set of enum known */
    uint32_t known_count;
    struct namer_list jobs[NAMER_JOBS]; /* to be handed over with the next exchange */
    /* taken: */
    uint32_t names; /* locations that have one */
    struct translation strings, functions;
    struct namer_code *codes; /* owned */
    uint32_t code_count, code_next;
};

static struct namer_desk *new_desk(void)
{
    struct namer_desk *desk = calloc(1, sizeof *desk);
    pthread_condattr_t monotonic;

    if (desk == NULL)
        return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->asked, &monotonic);
    pthread_cond_init(&desk->ended_now, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return desk;
}

/* Signals are for the program whose library this is; but a crash is its own thread's, and blocked
 * it would end the process without the handler that tidies up. */
static int start_thread(struct namer *namer)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
    sigset_t blocked, before;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigdelset(&blocked, crashes[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(&namer->thread, NULL, namer_work, namer->desk);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -error;
}

int namer_new(struct profile *profile, namer_named *named, void *context, struct namer **result)
{
    struct namer *namer = calloc(1, sizeof *namer);

    if (namer == NULL || (namer->desk = new_desk()) == NULL) {
        free(namer);
        return -ENOMEM;
    }
    namer->profile = profile;
    namer->named = named;
    namer->context = context;
    namer->places = namer->lines = 1; /* PROFILE_NONE is in every profile */
    int error = start_thread(namer);
    if (error != 0) {
        namer_desk_free(namer->desk);
        free(namer);
        return error;
    }
    *result = namer;
    return 0;
}

/* A look-up may wait for a server far away: then the thread stays behind, and clears up when it
 * gets to it. */
static void leave(struct namer *namer)
{
    struct namer_desk *desk = namer->desk;
    uint64_t end = namer_now() + LEAVE_NS;
    struct timespec until = {.tv_sec = (time_t)(end / 1000000000u),
                             .tv_nsec = (long)(end % 1000000000u)};
    int error = 0;

    pthread_mutex_lock(&desk->lock);
    atomic_store(&desk->closing, true);
    pthread_cond_signal(&desk->asked);
    while (!desk->ended && error == 0)
        error = pthread_cond_timedwait(&desk->ended_now, &desk->lock, &until);
    bool ended = desk->ended;
    desk->abandoned = !ended;
    pthread_mutex_unlock(&desk->lock);
    if (ended) {
        pthread_join(namer->thread, NULL);
        namer_desk_free(desk);
    } else {
        pthread_detach(namer->thread);
    }
}

void namer_free(struct namer *namer)
{
    if (namer == NULL)
        return;
    leave(namer);
    for (uint32_t i = namer->code_next; i < namer->code_count; i++)
        namer_code_clear(&namer->codes[i]);
    free(namer->codes);
    for (unsigned job = 0; job < NAMER_JOBS; job++)
        free(namer->jobs[job].locations);
    free(namer->seen_at);
    free(namer->awaited.locations);
    free(namer->known);
    free(namer->strings.indexes);
    free(namer->functions.indexes);
    free(namer);
}

/* --- questions ------------------------------------------------------------------------- */

static int note_objects(struct namer *namer)
{
    int error = 0;

    while (error == 0 && namer->seen_count < namer->profile->object_count) {
        error = array_grow(&namer->seen_at, namer->seen_count, sizeof *namer->seen_at);
        if (error == 0)
            namer->seen_at[namer->seen_count++] = namer_now();
    }
    return error;
}

/* A list of names for code made at run time is found without a descriptor too. */
static bool is_ready(const struct namer *namer, uint32_t object)
{
    return namer->profile->objects[object].kind == PROFILE_OBJECT_ANON ||
           !profile_awaits_object(namer->profile, object) ||
           namer_now() - namer->seen_at[object] > DESCRIPTOR_NS;
}

static int hand_over_object(struct namer *namer, struct namer_questions *questions)
{
    const struct profile *profile = namer->profile;
    struct namer_object copy = {.object = profile->objects[namer->objects]};
    int error = array_grow(&questions->objects, questions->object_count,
                           sizeof *questions->objects);

    if (error != 0)
        return error;
    copy.path = strdup(profile->strings[copy.object.path]);
    if (copy.path == NULL)
        return -ENOMEM;
    /* a file that does not come is not looked for by its path, where it may hang */
    if (profile_awaits_object(profile, namer->objects)) {
        copy.object.hangs = true;
        if (copy.object.kind != PROFILE_OBJECT_ANON) /* lists of names are looked for again as they grow */
            error = namer_list_add(&namer->awaited, namer->objects);
    }
    if (error != 0) {
        free(copy.path);
        return error;
    }
    if (copy.object.fd >= 0) /* without a copy there is still the path */
        copy.object.fd = fcntl(copy.object.fd, F_DUPFD_CLOEXEC, 3);
    questions->objects[questions->object_count++] = copy;
    namer->objects++;
    return 0;
}

/* Where functions of the object are defined was asked in vain, and is asked again when somebody wants it again. */
static int hand_over_file(struct namer *namer, uint32_t object, struct namer_questions *questions)
{
    const struct profile *profile = namer->profile;
    int error = array_grow(&questions->files, questions->file_count, sizeof *questions->files);

    if (error != 0)
        return error;
    questions->files[questions->file_count++] = (struct namer_file){
        .object = object, .fd = fcntl(profile->objects[object].fd, F_DUPFD_CLOEXEC, 3)};
    for (uint32_t i = 0; i < namer->known_count; i++)
        if (profile->locations[i].object == object)
            namer->known[i] &= (uint8_t)~KNOWN_DEFINED;
    return 0;
}

static int hand_over_late_files(struct namer *namer, struct namer_questions *questions)
{
    struct namer_list *awaited = &namer->awaited;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < awaited->count; i++) {
        uint32_t object = awaited->locations[i];
        if (profile_awaits_object(namer->profile, object))
            continue;
        if (namer->profile->objects[object].fd >= 0)
            error = hand_over_file(namer, object, questions);
        awaited->locations[i--] = awaited->locations[--awaited->count];
    }
    return error;
}

static void note_name(struct namer *namer, uint32_t location)
{
    namer->names += (namer->known[location] & KNOWN_NAMED) == 0;
    namer->known[location] |= KNOWN_NAMED;
    namer->named(namer->context, location);
}

static int hand_over_place(struct namer *namer, struct namer_questions *questions)
{
    uint32_t location = namer->places;
    const struct profile_location *place = &namer->profile->locations[location];
    int error =
        array_grow(&questions->places, questions->place_count, sizeof *questions->places);

    while (error == 0 && namer->known_count <= location) {
        error = array_grow(&namer->known, namer->known_count, sizeof *namer->known);
        if (error == 0)
            namer->known[namer->known_count++] = 0;
    }
    if (error == 0 && (place->looked & PROFILE_LOOKED_NAME) == 0)
        error = namer_list_add(&namer->jobs[NAMER_NAME], location);
    if (error != 0)
        return error;
    if (place->looked & PROFILE_LOOKED_NAME)
        note_name(namer, location);
    questions->places[questions->place_count++] =
        (struct namer_place){.object = place->object, .address = place->address};
    namer->places++;
    return 0;
}

static int hand_over_tables(struct namer *namer, struct namer_questions *questions)
{
    const struct profile *profile = namer->profile;
    int error = note_objects(namer);

    while (error == 0 && namer->objects < profile->object_count && is_ready(namer, namer->objects))
        error = hand_over_object(namer, questions);
    while (error == 0 && namer->places < profile->location_count &&
           profile->locations[namer->places].object < namer->objects)
        error = hand_over_place(namer, questions);
    for (; error == 0 && namer->want_lines && namer->lines < namer->places; namer->lines++)
        if ((profile->locations[namer->lines].looked & PROFILE_LOOKED_LINE) == 0)
            error = namer_list_add(&namer->jobs[NAMER_LINE], namer->lines);
    return error;
}

static int hand_over_jobs(struct namer *namer, struct namer_questions *questions)
{
    int error = 0;

    for (unsigned job = 0; job < NAMER_JOBS; job++) {
        struct namer_list *from = &namer->jobs[job], *to = &questions->jobs[job];
        for (uint32_t i = 0; error == 0 && i < from->count; i++)
            error = namer_list_add(to, from->locations[i]);
        from->count = 0;
    }
    return error;
}

/* --- answers --------------------------------------------------------------------------- */

static int translate(struct translation *translation, uint32_t index)
{
    int error =
        array_grow(&translation->indexes, translation->count, sizeof *translation->indexes);

    if (error == 0)
        translation->indexes[translation->count++] = index;
    return error;
}

static int take_tables(struct namer *namer, const struct namer_answers *answers)
{
    const struct translation *strings = &namer->strings;
    uint32_t index;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < answers->string_count; i++) {
        error = profile_string(namer->profile, answers->strings[i], &index);
        if (error == 0)
            error = translate(&namer->strings, index);
    }
    for (uint32_t i = 0; error == 0 && i < answers->function_count; i++) {
        struct profile_function function = answers->functions[i];
        function.name = strings->indexes[function.name];
        function.system_name = strings->indexes[function.system_name];
        function.file = strings->indexes[function.file];
        error = profile_function(namer->profile, &function, &index);
        if (error == 0)
            error = translate(&namer->functions, index);
    }
    return error;
}

static int take_found(struct namer *namer, const struct namer_found *found,
                      struct profile_line *lines)
{
    for (uint32_t i = 0; i < found->lines; i++) {
        lines[i].function = namer->functions.indexes[lines[i].function];
        lines[i].file = namer->strings.indexes[lines[i].file];
    }
    int error =
        profile_set_lines(namer->profile, found->location, lines, found->lines, found->looked);
    if (error == 0)
        note_name(namer, found->location);
    return error;
}

static int take_codes(struct namer *namer, struct namer_answers *answers)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < answers->code_count; i++) {
        error = array_grow(&namer->codes, namer->code_count, sizeof *namer->codes);
        if (error != 0)
            break;
        namer->codes[namer->code_count++] = answers->codes[i];
        answers->codes[i] = (struct namer_code){0};
    }
    return error;
}

static int take_answers(struct namer *namer, struct namer_answers *answers)
{
    uint32_t lines = 0;
    int error = take_tables(namer, answers);

    for (uint32_t i = 0; error == 0 && i < answers->found_count; i++) {
        error = take_found(namer, &answers->found[i], answers->lines + lines);
        lines += answers->found[i].lines;
    }
    for (uint32_t i = 0; error == 0 && i < answers->definition_count; i++) {
        const struct namer_definition *definition = &answers->definitions[i];
        profile_define_function(namer->profile, namer->functions.indexes[definition->function],
                                namer->strings.indexes[definition->file], definition->line);
    }
    return error == 0 ? take_codes(namer, answers) : error;
}

int namer_exchange(struct namer *namer)
{
    struct namer_desk *desk = namer->desk;

    pthread_mutex_lock(&desk->lock);
    int error = hand_over_tables(namer, &desk->questions);
    if (error == 0)
        error = hand_over_late_files(namer, &desk->questions);
    if (error == 0)
        error = hand_over_jobs(namer, &desk->questions);
    struct namer_answers answers = desk->answers;
    desk->answers = (struct namer_answers){0};
    pthread_cond_signal(&desk->asked);
    pthread_mutex_unlock(&desk->lock);

    int taken = take_answers(namer, &answers);
    namer_answers_clear(&answers);
    return error != 0 ? error : taken;
}

uint32_t namer_pending(const struct namer *namer)
{
    return namer->profile->location_count - 1 - namer->names;
}

void namer_want_lines(struct namer *namer)
{
    namer->want_lines = true;
}

void namer_want_definition(struct namer *namer, uint32_t location)
{
    if (location < namer->places && (namer->known[location] & KNOWN_DEFINED) == 0 &&
        namer_list_add(&namer->jobs[NAMER_DEFINE], location) == 0)
        namer->known[location] |= KNOWN_DEFINED;
}

int namer_want_code(struct namer *namer, uint32_t location)
{
    return namer_list_add(&namer->jobs[NAMER_CODE], location);
}

bool namer_take_code(struct namer *namer, struct namer_code *code)
{
    if (namer->code_next == namer->code_count) {
        namer->code_next = namer->code_count = 0;
        return false;
    }
    *code = namer->codes[namer->code_next++];
    return true;
}
