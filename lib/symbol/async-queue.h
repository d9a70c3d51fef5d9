/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async-queue: the queue between an async_symbolizer, which serves a profile, and its worker thread, which has a
 * profile of its own. Requests go to the worker and results come back, under one lock.
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

/* A copy of one of the profile's objects. The copy has its own path and its own descriptor. */
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
    /* owned; new objects. Their indexes go on from the last index that was sent earlier */
    struct async_object *objects;
    /* owned; new locations. Their indexes go on from the last index that was sent earlier */
    struct async_location *locations;
    struct async_file *files; /* owned */
    uint32_t object_count, location_count, file_count;
    struct async_list wanted[ASYNC_KINDS]; /* locations, one list for each kind of request */
};

/* What was found for a location. */
struct async_found {
    uint32_t location;
    uint32_t looked; /* what was looked up: a set of enum profile_lookup */
    /* how many elements of async_results.lines are for this location. They come after the elements
     * for the previous location of async_results.found */
    uint32_t lines;
};

/* Where a function is defined. */
struct async_definition {
    uint32_t function, file, line;
};

/* What the worker has found in one slice of work. Indexes are those of the worker's profile. */
struct async_results {
    /* owned; the results of the worker's next slice; NULL: there are none yet */
    struct async_results *next;
    /* owned; new strings, which are borrowed from the worker's profile. Their indexes go on from the last index that
     * was sent earlier */
    const char **strings;
    /* owned; new functions. Their indexes go on from the last index that was sent earlier */
    struct profile_function *functions;
    struct async_found *found;            /* owned */
    struct profile_line *lines;           /* owned; the lines of all locations in `found` */
    struct async_definition *definitions; /* owned */
    struct code_listing *listings;        /* owned */
    uint32_t string_count, function_count, found_count, line_count, definition_count, listing_count;
};

/* The queue. It is freed by the side that stops using it last. */
struct async_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when there are requests, or the queue is closing */
    pthread_cond_t ended_now;
    atomic_bool closing;
    bool ended; /* the worker does not use the queue any more */
    /* the async_symbolizer has stopped waiting for the worker, so the worker must free the queue */
    bool abandoned;
    struct async_requests requests;
    struct async_results *results; /* owned; results that were not received yet, oldest first */
};

/* Returns a new queue. NULL: no memory. */
struct async_queue *async_queue_new(void);
void async_queue_free(struct async_queue *queue);

/* --- the worker's side -------------------------------------------------------------------- */

/* Starts the worker thread, which serves the queue until it is closed. 0 or -EAGAIN. */
int async_worker_start(struct async_queue *queue, pthread_t *thread);

/* Takes all requests, which the caller then owns. If there are none, waits for some. The wait also
 * ends when the queue is being closed, and at the time `until` (CLOCK_MONOTONIC, ns). If `until` is
 * 0, does not wait; if it is UINT64_MAX, there is no time limit. */
struct async_requests async_queue_take(struct async_queue *queue, uint64_t until);
/* Sends results, and leaves *results empty. 0 or -ENOMEM. */
int async_queue_post(struct async_queue *queue, struct async_results *results);
/* Waits until the async_symbolizer closes the queue. */
void async_queue_await_close(struct async_queue *queue);
/* The worker calls this at its end, after it has freed its own memory. After the call, the worker
 * does not touch the queue any more. */
void async_queue_end(struct async_queue *queue);

/* --- the async_symbolizer's side ---------------------------------------------------------- */

/* Closes the queue, and waits for the end of the worker, but no longer than wait_ns. True: the worker has ended, and
 * the caller must free the queue. False: the worker still runs, and will free the queue. */
bool async_queue_close(struct async_queue *queue, uint64_t wait_ns);

/* --- for both sides ----------------------------------------------------------------------- */

void async_requests_clear(struct async_requests *requests);
void async_results_clear(struct async_results *results);
/* Frees the results of one slice, and returns the results of the next slice. */
struct async_results *async_results_next(struct async_results *results);
/* Appends an index to a list. 0, -ENOMEM or -EOVERFLOW. */
int async_list_add(struct async_list *list, uint32_t index);

#endif
