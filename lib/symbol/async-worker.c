/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The worker thread of an async_symbolizer. In a loop, it takes requests, makes look-ups for a time
 * of SLICE_NS, and sends the results. Code comes first, because a user waits for it. Then come
 * names, definitions and lines. JIT code may get its name later. So a location without a name is
 * looked up again when the list of names of its object has grown.
 *
 * After an error, such as no memory, the thread makes no more look-ups. The profile of the
 * async_symbolizer keeps the results that it has.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "pprofil/error.h"
#include "symbol/async-queue.h"
#include "symbol/symbol.h"

#define SLICE_NS UINT64_C(20000000) /* results are sent after this time of look-ups */
/* time between two checks whether the lists of names have grown, ns */
#define RENEW_NS UINT64_C(1000000000)
/* Bytes of stack for a signal handler. A signal frame with all vector registers takes 11 KiB. */
#define SPARE_STACK 65536

/* Locations to look up. Those before list.indexes[next] are done already. */
struct backlog {
    struct async_list list;
    uint32_t next;
};

struct worker {
    struct async_queue *queue;
    struct profile *profile;       /* owned */
    struct symbolizer *symbolizer; /* owned */
    struct backlog backlogs[ASYNC_KINDS];
    /* locations for which the list of names of their object has no name */
    struct async_list unlisted;
    uint64_t renewed_at; /* when lists of names were last checked, CLOCK_MONOTONIC, ns */
    uint32_t sent_strings, sent_functions;
    struct async_results results; /* what was found since results were last sent */
};

/* --- requests ------------------------------------------------------------------------- */

static bool worker_has_work(const struct worker *worker)
{
    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++)
        if (worker->backlogs[kind].next < worker->backlogs[kind].list.count)
            return true;
    return false;
}

/* Returns the time until which the worker may sleep, CLOCK_MONOTONIC, ns. 0: the worker may not
 * sleep; UINT64_MAX: there is no limit. */
static uint64_t worker_idle_until(const struct worker *worker)
{
    if (worker_has_work(worker))
        return 0;
    return worker->unlisted.count > 0 ? worker->renewed_at + RENEW_NS : UINT64_MAX;
}

/* Adds objects and locations to the worker's profile. It gets them in the same order as the profile of the
 * async_symbolizer, so they have the same indexes. -EPROTO: their indexes differ. */
static int worker_enter_tables(struct profile *profile, struct async_requests *requests)
{
    uint32_t index;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < requests->object_count; i++) {
        struct async_object *from = &requests->objects[i];
        uint32_t next = profile->object_count;
        error = profile_string(profile, from->path, &from->object.path);
        if (error == 0)
            error = profile_object(profile, &from->object, &index);
        if (error == 0 && index != next)
            error = -EPROTO;
        if (error == 0)
            from->object.fd = -1; /* the profile owns the descriptor now */
    }
    for (uint32_t i = 0; error == 0 && i < requests->location_count; i++) {
        uint32_t next = profile->location_count;
        error = profile_location(profile, requests->locations[i].object, requests->locations[i].address, &index);
        if (error == 0 && index != next)
            error = -EPROTO;
    }
    return error;
}

static int backlog_add(struct backlog *backlog, const struct async_list *locations)
{
    int error = 0;

    if (backlog->next == backlog->list.count)
        backlog->next = backlog->list.count = 0;
    for (uint32_t i = 0; error == 0 && i < locations->count; i++)
        error = async_list_add(&backlog->list, locations->indexes[i]);
    return error;
}

/* Gives an object its descriptor, which has come late. Whatever was looked up in the object before
 * will be looked up again. */
static int worker_take_file(struct worker *worker, struct async_file *file)
{
    const struct profile *profile = worker->profile;
    struct async_list again[ASYNC_KINDS] = {0};
    int error = 0;

    for (uint32_t i = 1; error == 0 && i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        uint32_t looked = location->object == file->object ? location->looked : 0;
        if (looked & PROFILE_LOOKED_NAME)
            error = async_list_add(&again[ASYNC_NAME], i);
        if (error == 0 && (looked & PROFILE_LOOKED_LINE))
            error = async_list_add(&again[ASYNC_LINES], i);
    }
    if (error == 0) {
        symbolizer_take_file(worker->symbolizer, file->object, file->fd);
        file->fd = -1; /* the profile owns the descriptor now */
    }
    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++) {
        if (error == 0)
            error = backlog_add(&worker->backlogs[kind], &again[kind]);
        free(again[kind].indexes);
    }
    return error;
}

static int worker_take_requests(struct worker *worker)
{
    struct async_requests requests = async_queue_take(worker->queue, worker_idle_until(worker));
    int error = worker_enter_tables(worker->profile, &requests);

    for (unsigned kind = 0; error == 0 && kind < ASYNC_KINDS; kind++)
        error = backlog_add(&worker->backlogs[kind], &requests.wanted[kind]);
    for (uint32_t i = 0; error == 0 && i < requests.file_count; i++)
        error = worker_take_file(worker, &requests.files[i]);
    async_requests_clear(&requests);
    return error;
}

/* --- look-ups ------------------------------------------------------------------------- */

/* Puts the lines of a location into the results. */
static int worker_report_location(struct worker *worker, uint32_t location)
{
    const struct profile_location *found = &worker->profile->locations[location];
    struct async_results *results = &worker->results;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < found->line_count; i++) {
        error = array_grow(&results->lines, results->line_count, sizeof *results->lines);
        if (error == 0)
            results->lines[results->line_count++] = found->lines[i];
    }
    if (error == 0)
        error = array_grow(&results->found, results->found_count, sizeof *results->found);
    if (error == 0)
        results->found[results->found_count++] = (struct async_found){
            .location = location, .looked = found->looked, .lines = found->line_count};
    return error;
}

static int worker_look_up(struct worker *worker, uint32_t location, uint32_t what)
{
    bool first = (worker->profile->locations[location].looked & PROFILE_LOOKED_NAME) == 0;
    int error = symbolizer_look_up(worker->symbolizer, location, what);

    if (error == 0 && first && symbolizer_unlisted(worker->symbolizer, location))
        error = async_list_add(&worker->unlisted, location);
    return error == 0 ? worker_report_location(worker, location) : error;
}

static int worker_look_up_definition(struct worker *worker, uint32_t location)
{
    const struct profile *profile = worker->profile;
    const struct profile_location *found = &profile->locations[location];
    struct async_results *results = &worker->results;
    int error = symbolizer_define(worker->symbolizer, location);

    if (error != 0 || found->line_count == 0)
        return error;
    uint32_t function = found->lines[found->line_count - 1].function;
    if (profile->functions[function].file == 0)
        return 0;
    error = array_grow(&results->definitions, results->definition_count, sizeof *results->definitions);
    if (error == 0)
        results->definitions[results->definition_count++] =
            (struct async_definition){.function = function,
                                      .file = profile->functions[function].file,
                                      .line = profile->functions[function].line};
    return error;
}

static int worker_look_up_code(struct worker *worker, uint32_t location)
{
    struct async_results *results = &worker->results;
    struct code_listing result = {.location = location};
    struct symbol_code *code = NULL;
    const char *problem = NULL;

    int error = symbolizer_code(worker->symbolizer, location, &code, &problem);
    if (error == 0)
        error = listing_new(code, &result.listing);
    else if (error == PPROFIL_ERROR_NO_CODE && problem != NULL)
        result.problem = strdup(problem);
    if (error == 0 || error == PPROFIL_ERROR_NO_CODE)
        error = array_grow(&results->listings, results->listing_count, sizeof *results->listings);
    if (error != 0) {
        code_listing_clear(&result);
        return error;
    }
    results->listings[results->listing_count++] = result;
    return 0;
}

static int worker_look_up_next(struct worker *worker)
{
    unsigned kind = 0;

    while (worker->backlogs[kind].next == worker->backlogs[kind].list.count)
        kind++;
    struct backlog *backlog = &worker->backlogs[kind];
    uint32_t location = backlog->list.indexes[backlog->next++];
    switch (kind) {
    case ASYNC_CODE:
        return worker_look_up_code(worker, location);
    case ASYNC_DEFINITION:
        return worker_look_up_definition(worker, location);
    default:
        return worker_look_up(worker, location, kind == ASYNC_LINES ? PROFILE_LOOKED_LINE : PROFILE_LOOKED_NAME);
    }
}

static int worker_run_slice(struct worker *worker)
{
    uint64_t end = time_now() + SLICE_NS;
    int error = 0;

    while (error == 0 && worker_has_work(worker) && !atomic_load(&worker->queue->closing) && time_now() < end)
        error = worker_look_up_next(worker);
    return error;
}

/* --- code made at run time ------------------------------------------------------------- */

/* For each object with locations in worker->unlisted, reads the list of names again if the list has
 * grown. Returns whether any list has grown. renewed[i] becomes true once object i was checked. */
static bool worker_renew_lists(struct worker *worker, bool *renewed)
{
    bool any = false;

    for (uint32_t i = 0; i < worker->unlisted.count; i++) {
        uint32_t object = worker->profile->locations[worker->unlisted.indexes[i]].object;
        if (renewed[object])
            continue;
        renewed[object] = true;
        any = symbolizer_renew(worker->symbolizer, object) || any;
    }
    return any;
}

static int worker_rename_unlisted(struct worker *worker)
{
    uint64_t now = time_now();
    int error = 0;

    if (worker->unlisted.count == 0 || now < worker->renewed_at + RENEW_NS)
        return 0;
    worker->renewed_at = now;
    bool *renewed = calloc(worker->profile->object_count, sizeof *renewed);
    if (renewed == NULL)
        return -ENOMEM;
    bool any = worker_renew_lists(worker, renewed);
    free(renewed);
    struct async_list again = worker->unlisted;
    if (!any)
        return 0;
    worker->unlisted = (struct async_list){0};
    for (uint32_t i = 0; error == 0 && i < again.count; i++) {
        uint32_t location = again.indexes[i];
        if (symbolizer_unlisted(worker->symbolizer, location))
            error = async_list_add(&worker->unlisted, location);
        else if ((error = symbolizer_rename(worker->symbolizer, location)) == 0)
            error = worker_report_location(worker, location);
    }
    free(again.indexes);
    return error;
}

/* --- results --------------------------------------------------------------------------- */

/* Adds to the results the strings and functions that were not sent yet. */
static int worker_report_tables(struct worker *worker)
{
    const struct profile *profile = worker->profile;
    struct async_results *results = &worker->results;
    int error = 0;

    while (error == 0 && worker->sent_strings < profile->string_count) {
        error = array_grow(&results->strings, results->string_count, sizeof *results->strings);
        if (error == 0)
            results->strings[results->string_count++] = profile->strings[worker->sent_strings++];
    }
    while (error == 0 && worker->sent_functions < profile->function_count) {
        error = array_grow(&results->functions, results->function_count, sizeof *results->functions);
        if (error == 0)
            results->functions[results->function_count++] = profile->functions[worker->sent_functions++];
    }
    return error;
}

/* --- the thread ------------------------------------------------------------------------ */

/* Serves requests until the queue closes, or an error occurs. */
static void worker_run_until_closed(struct worker *worker)
{
    int error = 0;

    while (error == 0 && !atomic_load(&worker->queue->closing)) {
        error = worker_take_requests(worker);
        if (error == 0)
            error = worker_run_slice(worker);
        if (error == 0)
            error = worker_rename_unlisted(worker);
        if (error == 0)
            error = worker_report_tables(worker);
        if (error == 0)
            error = async_queue_post(worker->queue, &worker->results);
    }
}

static void worker_clear(struct worker *worker)
{
    async_results_clear(&worker->results);
    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++)
        free(worker->backlogs[kind].list.indexes);
    free(worker->unlisted.indexes);
    symbolizer_free(worker->symbolizer);
    profile_free(worker->profile);
}

static void worker_serve(struct async_queue *queue)
{
    struct worker worker = {.queue = queue, .profile = profile_new()};

    if (worker.profile != NULL)
        worker.symbolizer = symbolizer_new(worker.profile);
    if (worker.symbolizer != NULL)
        worker_run_until_closed(&worker);
    /* results in the queue borrow strings of the worker's profile, so the profile is kept until the queue closes */
    async_queue_await_close(queue);
    worker_clear(&worker);
    async_queue_end(queue);
}

/* Runs the thread. Demangling a hostile name may recurse until the stack overflows. The handler of
 * SIGSEGV cannot run on that stack, so the thread has an alternate signal stack. */
static void *worker_run(void *queue)
{
    char spare[SPARE_STACK];
    stack_t stack = {.ss_sp = spare, .ss_size = sizeof spare}, before;
    bool set = sigaltstack(&stack, &before) == 0;

    worker_serve(queue);
    if (set)
        sigaltstack(&before, NULL);
    return NULL;
}

/* The thread blocks all signals except those that report a crash. The blocked signals are for the
 * program that uses this library. If the signal of a crash were blocked in the thread that crashes,
 * the kernel would end the process without calling the handler that tidies up. */
int async_worker_start(struct async_queue *queue, pthread_t *thread)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
    sigset_t blocked, before;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigdelset(&blocked, crashes[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(thread, NULL, worker_run, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -error;
}
