/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread of a namer. It has a profile of its own whose objects and locations have the same
 * indexes as those of the profile it works for; strings and functions have not, and are told
 * in the order in which they came, so that the other side can translate them.
 *
 * It takes what was asked, does a slice of it, and hands over what it found: first what somebody
 * waits for, names before lines. Code made at run time may get its name later: what had none is
 * looked up again when the list of names has grown.
 *
 * Where there is no memory it gives up; the profile stays as it is.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "symbol/async-queue.h"
#include "symbol/symbol.h"

#define SLICE_NS UINT64_C(20000000)    /* of work before answers are handed over */
#define RENEW_NS UINT64_C(1000000000)  /* between two looks at a list of names */
#define SPARE_STACK 65536 /* a frame with all vector registers in it is 11 KiB */

struct queue {
    struct namer_list list;
    uint32_t next;
};

struct work {
    struct namer_desk *desk;
    struct profile *profile;       /* owned */
    struct symbolizer *symbolizer; /* owned */
    struct queue queues[NAMER_JOBS];
    struct namer_list unlisted; /* looked up, and not in the list of their object's names */
    uint64_t renewed_at;
    uint32_t told_strings, told_functions;
    struct namer_answers answers; /* found in this slice */
};

uint64_t namer_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* --- questions ----------------------------------------------------------------------- */

static bool has_work(const struct work *work)
{
    for (unsigned job = 0; job < NAMER_JOBS; job++)
        if (work->queues[job].next < work->queues[job].list.count)
            return true;
    return false;
}

static bool has_questions(const struct namer_questions *questions)
{
    bool some = questions->object_count + questions->place_count + questions->file_count > 0;

    for (unsigned job = 0; job < NAMER_JOBS; job++)
        some = some || questions->jobs[job].count > 0;
    return some;
}

static void wait_for_questions(struct work *work)
{
    struct namer_desk *desk = work->desk;
    uint64_t due = work->renewed_at + RENEW_NS;
    struct timespec until = {.tv_sec = (time_t)(due / 1000000000u),
                             .tv_nsec = (long)(due % 1000000000u)};
    int error = 0;

    while (error == 0 && !atomic_load(&desk->closing) && !has_questions(&desk->questions))
        error = work->unlisted.count > 0 ? pthread_cond_timedwait(&desk->asked, &desk->lock, &until)
                                         : pthread_cond_wait(&desk->asked, &desk->lock);
}

/* Enters objects and places into our own profile: the tables grow in the same order as those
 * they are copied from, and hold the same, so their indexes agree. */
static int enter(struct profile *profile, struct namer_questions *questions)
{
    uint32_t index;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < questions->object_count; i++) {
        struct namer_object *from = &questions->objects[i];
        uint32_t next = profile->object_count;
        error = profile_string(profile, from->path, &from->object.path);
        if (error == 0)
            error = profile_object(profile, &from->object, &index);
        if (error == 0 && index != next)
            error = -EPROTO;
        if (error == 0)
            from->object.fd = -1; /* it has it now */
    }
    for (uint32_t i = 0; error == 0 && i < questions->place_count; i++) {
        uint32_t next = profile->location_count;
        error = profile_location(profile, questions->places[i].object,
                                 questions->places[i].address, &index);
        if (error == 0 && index != next)
            error = -EPROTO;
    }
    return error;
}

static int enqueue(struct queue *queue, const struct namer_list *jobs)
{
    int error = 0;

    if (queue->next == queue->list.count)
        queue->next = queue->list.count = 0;
    for (uint32_t i = 0; error == 0 && i < jobs->count; i++)
        error = namer_list_add(&queue->list, jobs->locations[i]);
    return error;
}

/* Everything that was looked up in the object is to be looked up again. */
static int take_file(struct work *work, struct namer_file *file)
{
    const struct profile *profile = work->profile;
    struct namer_list again[NAMER_JOBS] = {0};
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++) {
        uint32_t looked = profile->locations[i].object == file->object ? profile->locations[i].looked : 0;
        if (looked & PROFILE_LOOKED_NAME)
            error = namer_list_add(&again[NAMER_NAME], i);
        if (error == 0 && (looked & PROFILE_LOOKED_LINE))
            error = namer_list_add(&again[NAMER_LINE], i);
    }
    if (error == 0) {
        symbolizer_take_file(work->symbolizer, file->object, file->fd);
        file->fd = -1; /* it has it now */
    }
    for (unsigned job = 0; job < NAMER_JOBS; job++) {
        if (error == 0)
            error = enqueue(&work->queues[job], &again[job]);
        free(again[job].locations);
    }
    return error;
}

static int take_questions(struct work *work)
{
    struct namer_desk *desk = work->desk;

    pthread_mutex_lock(&desk->lock);
    if (!has_work(work))
        wait_for_questions(work);
    struct namer_questions questions = desk->questions;
    desk->questions = (struct namer_questions){0};
    pthread_mutex_unlock(&desk->lock);

    int error = enter(work->profile, &questions);
    for (unsigned job = 0; error == 0 && job < NAMER_JOBS; job++)
        error = enqueue(&work->queues[job], &questions.jobs[job]);
    for (uint32_t i = 0; error == 0 && i < questions.file_count; i++)
        error = take_file(work, &questions.files[i]);
    namer_questions_clear(&questions);
    return error;
}

/* Appends one array to another, which is mostly empty. */
static int namer_thread_append(void *to, uint32_t *to_count, const void *from, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        int error = array_grow(to, *to_count, size);
        if (error != 0)
            return error;
        memcpy(*(char **)to + (size_t)*to_count * size, (const char *)from + i * size, size);
        ++*to_count;
    }
    return 0;
}

/* --- jobs ---------------------------------------------------------------------------- */

static int answer_place(struct work *work, uint32_t location)
{
    const struct profile_location *place = &work->profile->locations[location];
    struct namer_answers *answers = &work->answers;
    int error = namer_thread_append(&answers->lines, &answers->line_count, place->lines, place->line_count,
                                    sizeof *answers->lines);

    if (error == 0)
        error = array_grow(&answers->found, answers->found_count, sizeof *answers->found);
    if (error == 0)
        answers->found[answers->found_count++] = (struct namer_found){
            .location = location, .looked = place->looked, .lines = place->line_count};
    return error;
}

static int look_up(struct work *work, uint32_t location, uint32_t what)
{
    bool first = (work->profile->locations[location].looked & PROFILE_LOOKED_NAME) == 0;
    int error = symbolizer_look_up(work->symbolizer, location, what);

    if (error == 0 && first && symbolizer_unlisted(work->symbolizer, location))
        error = namer_list_add(&work->unlisted, location);
    return error == 0 ? answer_place(work, location) : error;
}

static int define(struct work *work, uint32_t location)
{
    const struct profile *profile = work->profile;
    const struct profile_location *place = &profile->locations[location];
    struct namer_answers *answers = &work->answers;
    int error = symbolizer_define(work->symbolizer, location);

    if (error != 0 || place->line_count == 0)
        return error;
    uint32_t function = place->lines[place->line_count - 1].function;
    if (profile->functions[function].file == 0)
        return 0;
    error = array_grow(&answers->definitions, answers->definition_count,
                       sizeof *answers->definitions);
    if (error == 0)
        answers->definitions[answers->definition_count++] =
            (struct namer_definition){.function = function,
                                      .file = profile->functions[function].file,
                                      .line = profile->functions[function].line};
    return error;
}

static int read_code(struct work *work, uint32_t location)
{
    struct namer_answers *answers = &work->answers;
    struct namer_code answer = {.location = location};
    struct symbol_code *code = NULL;
    const char *problem = NULL;

    int error = symbolizer_code(work->symbolizer, location, &code, &problem);
    if (error == 0)
        error = listing_new(code, &answer.listing);
    else if (error == -ENODATA && problem != NULL)
        answer.problem = strdup(problem);
    if (error == 0 || error == -ENODATA)
        error = array_grow(&answers->codes, answers->code_count, sizeof *answers->codes);
    if (error != 0) {
        namer_code_clear(&answer);
        return error;
    }
    answers->codes[answers->code_count++] = answer;
    return 0;
}

static int do_next(struct work *work)
{
    unsigned job = 0;

    while (work->queues[job].next == work->queues[job].list.count)
        job++;
    struct queue *queue = &work->queues[job];
    uint32_t location = queue->list.locations[queue->next++];
    switch (job) {
    case NAMER_CODE:
        return read_code(work, location);
    case NAMER_DEFINE:
        return define(work, location);
    default:
        return look_up(work, location,
                       job == NAMER_LINE ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME);
    }
}

static int do_slice(struct work *work)
{
    uint64_t end = namer_now() + SLICE_NS;
    int error = 0;

    while (error == 0 && has_work(work) && !atomic_load(&work->desk->closing) && namer_now() < end)
        error = do_next(work);
    return error;
}

/* --- code made at run time ------------------------------------------------------------- */

/* Has the list of any of these objects grown? Each is asked once: those of one object mostly
 * follow each other. */
static bool renew_lists(struct work *work, bool *renewed)
{
    bool any = false;

    for (uint32_t i = 0; i < work->unlisted.count; i++) {
        uint32_t object = work->profile->locations[work->unlisted.locations[i]].object;
        if (renewed[object])
            continue;
        renewed[object] = true;
        any = symbolizer_renew(work->symbolizer, object) || any;
    }
    return any;
}

static int rename_unlisted(struct work *work)
{
    uint64_t now = namer_now();
    int error = 0;

    if (work->unlisted.count == 0 || now < work->renewed_at + RENEW_NS)
        return 0;
    work->renewed_at = now;
    bool *renewed = calloc(work->profile->object_count, sizeof *renewed);
    if (renewed == NULL)
        return -ENOMEM;
    bool any = renew_lists(work, renewed);
    free(renewed);
    struct namer_list again = work->unlisted;
    if (!any)
        return 0;
    work->unlisted = (struct namer_list){0};
    for (uint32_t i = 0; error == 0 && i < again.count; i++) {
        uint32_t location = again.locations[i];
        if (symbolizer_unlisted(work->symbolizer, location))
            error = namer_list_add(&work->unlisted, location);
        else if ((error = symbolizer_rename(work->symbolizer, location)) == 0)
            error = answer_place(work, location);
    }
    free(again.locations);
    return error;
}

/* --- answers --------------------------------------------------------------------------- */

static int tell_tables(struct work *work, struct namer_answers *to)
{
    const struct profile *profile = work->profile;
    uint32_t strings = profile->string_count - work->told_strings;
    int error = namer_thread_append(&to->strings, &to->string_count, profile->strings + work->told_strings,
                                    strings, sizeof *to->strings);

    if (error == 0)
        work->told_strings += strings;
    uint32_t functions = profile->function_count - work->told_functions;
    if (error == 0)
        error = namer_thread_append(&to->functions, &to->function_count,
                                    profile->functions + work->told_functions, functions,
                                    sizeof *to->functions);
    if (error == 0)
        work->told_functions += functions;
    return error;
}

static int hand_over(struct work *work)
{
    struct namer_answers *from = &work->answers, *to = &work->desk->answers;

    pthread_mutex_lock(&work->desk->lock);
    int error = tell_tables(work, to);
    if (error == 0)
        error = namer_thread_append(&to->found, &to->found_count, from->found, from->found_count,
                                    sizeof *to->found);
    if (error == 0)
        error = namer_thread_append(&to->lines, &to->line_count, from->lines, from->line_count,
                                    sizeof *to->lines);
    if (error == 0)
        error = namer_thread_append(&to->definitions, &to->definition_count, from->definitions,
                                    from->definition_count, sizeof *to->definitions);
    for (uint32_t i = 0; error == 0 && i < from->code_count; i++) {
        error = namer_thread_append(&to->codes, &to->code_count, &from->codes[i], 1, sizeof *to->codes);
        if (error == 0)
            from->codes[i] = (struct namer_code){0}; /* theirs now */
    }
    pthread_mutex_unlock(&work->desk->lock);
    namer_answers_clear(from);
    return error;
}

/* --- the thread ------------------------------------------------------------------------ */

static void clear_up(struct work *work)
{
    namer_answers_clear(&work->answers);
    for (unsigned job = 0; job < NAMER_JOBS; job++)
        free(work->queues[job].list.locations);
    free(work->unlisted.locations);
    symbolizer_free(work->symbolizer);
    profile_free(work->profile);
}

static void serve(struct namer_desk *desk)
{
    struct work work = {.desk = desk, .profile = profile_new()};
    int error = work.profile == NULL ? -ENOMEM : 0;

    if (error == 0 && (work.symbolizer = symbolizer_new(work.profile)) == NULL)
        error = -ENOMEM;
    while (error == 0 && !atomic_load(&desk->closing)) {
        error = take_questions(&work);
        if (error == 0)
            error = do_slice(&work);
        if (error == 0)
            error = rename_unlisted(&work);
        if (error == 0)
            error = hand_over(&work);
    }
    /* its strings are those of the answers: it stays until nobody reads them any more */
    pthread_mutex_lock(&desk->lock);
    while (!atomic_load(&desk->closing))
        pthread_cond_wait(&desk->asked, &desk->lock);
    pthread_mutex_unlock(&desk->lock);
    clear_up(&work);
    pthread_mutex_lock(&desk->lock);
    desk->ended = true;
    bool abandoned = desk->abandoned;
    pthread_cond_signal(&desk->ended_now);
    pthread_mutex_unlock(&desk->lock);
    if (abandoned)
        namer_desk_free(desk);
}

/* A hostile name may recurse until the stack is spent: the handler of that gets its other end. */
void *namer_work(void *desk)
{
    char spare[SPARE_STACK];
    stack_t stack = {.ss_sp = spare, .ss_size = sizeof spare}, before;
    bool set = sigaltstack(&stack, &before) == 0;

    serve(desk);
    if (set)
        sigaltstack(&before, NULL);
    return NULL;
}
