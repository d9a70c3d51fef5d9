/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async-queue: the queue between an async_symbolizer, which serves a profile, and its worker
 * thread, which has a profile of its own. Requests go to the worker and results come back, under
 * one lock.
 *
 * Objects and locations have the same indexes in both profiles, because both sides number them in
 * the same order. Strings and functions have different indexes: the worker sends each new string
 * and function, and the async_symbolizer translates their indexes.
 */
#ifndef PPROFIL_ASYNC_QUEUE_H
#define PPROFIL_ASYNC_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "profile/profile.h"
#include "symbol/function-code.h"

/* What can be requested for a location. The worker serves the kinds in this order. */
enum async_kind { ASYNC_CODE, ASYNC_NAME, ASYNC_DEFINITION, ASYNC_LINES, ASYNC_KINDS };

struct async_list {
    uint32_t *indexes; /* owned; indexes of locations, or of objects */
    uint32_t count;
};

/* A copy of an object of the profile, with its own path and its own descriptor. */
struct async_object {
    struct profile_object object;
    char *path; /* owned */
};

struct async_location {
    uint32_t object;
    uint64_t address;
};

/* A descriptor that came after its object had been sent. */
struct async_file {
    uint32_t object;
    int fd; /* owned */
};

struct async_requests {
    /* owned; new objects; their indexes follow the indexes of the objects sent earlier */
    struct async_object *objects;
    /* owned; new locations; their indexes follow the indexes of the locations sent earlier */
    struct async_location *locations;
    struct async_file *files; /* owned */
    uint32_t object_count, location_count, file_count;
    struct async_list wanted[ASYNC_KINDS]; /* locations, by kind of request */
};

/* What was found for a location. */
struct async_found {
    uint32_t location;
    uint32_t looked; /* what was looked up: set of enum profile_lookup */
    /* number of elements of async_results.lines for this location; they follow those of the
     * previous element of async_results.found */
    uint32_t lines;
};

/* Where a function is defined. */
struct async_definition {
    uint32_t function, file, line;
};

/* What the worker has found in one slice of work. Indexes are those of the worker's profile. */
struct async_results {
    struct async_results *next; /* owned; the next slice's results; NULL: none */
    /* owned array of strings that belong to the worker's profile, which never changes them; their
     * indexes follow the indexes of the strings sent earlier */
    const char **strings;
    /* owned; new functions; their indexes follow the indexes of the functions sent earlier */
    struct profile_function *functions;
    struct async_found *found;            /* owned */
    struct profile_line *lines;           /* owned; lines of all locations in found */
    struct async_definition *definitions; /* owned */
    struct code_listing *listings;        /* owned */
    uint32_t string_count, function_count, found_count, line_count, definition_count, listing_count;
};

/* The queue. The side that leaves last frees it. */
struct async_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when there are requests, or the queue is closing */
    pthread_cond_t ended_now;
    atomic_bool closing;
    bool ended;     /* the worker has left */
    bool abandoned; /* nobody waits for the worker any more, so the worker frees the queue */
    struct async_requests requests;
    struct async_results *results; /* owned; results that were not received yet, oldest first */
};

/* Returns a new queue. NULL: no memory. */
struct async_queue *async_queue_new(void);
void async_queue_free(struct async_queue *queue);

/* --- the worker's side -------------------------------------------------------------------- */

/* Starts the worker thread, which serves the queue until it is closed. 0 or -EAGAIN. */
int async_worker_start(struct async_queue *queue, pthread_t *thread);

/* Takes all requests; the caller then owns them. If there are none, waits until there are some, or
 * the queue is closing. until is the time at which the wait ends in any case (CLOCK_MONOTONIC, ns).
 * 0: does not wait; UINT64_MAX: no limit. */
struct async_requests async_queue_take(struct async_queue *queue, uint64_t until);
/* Sends results, and leaves *results empty. 0 or -ENOMEM. */
int async_queue_post(struct async_queue *queue, struct async_results *results);
/* Waits until the async_symbolizer closes the queue. */
void async_queue_await_close(struct async_queue *queue);
/* The worker calls this after it has freed its memory, and does not touch the queue after the
 * call. */
void async_queue_end(struct async_queue *queue);

/* --- the async_symbolizer's side ---------------------------------------------------------- */

/* Closes the queue, and waits at most wait_ns until the worker has left. True: the worker has left,
 * and the caller frees the queue. False: the worker will free the queue. */
bool async_queue_close(struct async_queue *queue, uint64_t wait_ns);

/* --- for both sides ----------------------------------------------------------------------- */

void async_requests_clear(struct async_requests *requests);
void async_results_clear(struct async_results *results);
/* Frees one slice's results, and returns the next slice's. */
struct async_results *async_results_next(struct async_results *results);
/* Appends an index to a list. 0, -ENOMEM or -EOVERFLOW. */
int async_list_add(struct async_list *list, uint32_t index);

#endif
