/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async-queue: what passes between an async_symbolizer, which works for a profile, and its worker
 * thread, which has a profile of its own: requests one way, results the other way, under one lock.
 *
 * Objects and locations have the same indexes in both profiles, because both sides number them in
 * the same order. Strings and functions do not: the worker sends its tables of them piece by piece,
 * and the other side translates indexes.
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
    uint32_t *indexes; /* owned; of locations, or of objects */
    uint32_t count;
};

/* An object as the profile has it, but with a path and a descriptor of its own. */
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
    struct async_object *objects;     /* owned; they follow the objects sent before */
    struct async_location *locations; /* owned; they follow the locations sent before */
    struct async_file *files;         /* owned */
    uint32_t object_count, location_count, file_count;
    struct async_list wanted[ASYNC_KINDS]; /* locations */
};

/* What was found for a location. */
struct async_found {
    uint32_t location;
    uint32_t looked; /* enum profile_lookup */
    uint32_t lines;  /* how many of async_results.lines belong to it; they follow those of the one
                        before */
};

/* Where a function is defined. */
struct async_definition {
    uint32_t function, file, line;
};

/* What the worker has found in one slice. Indexes are those of its profile. */
struct async_results {
    struct async_results *next; /* owned; found later; NULL: nothing was */
    const char **strings;       /* owned array of strings that the worker's profile owns and never
                                 * changes; they follow the strings sent before */
    struct profile_function *functions;   /* owned; they follow the functions sent before */
    struct async_found *found;            /* owned */
    struct profile_line *lines;           /* owned; of everything in found */
    struct async_definition *definitions; /* owned */
    struct code_listing *listings;        /* owned */
    uint32_t string_count, function_count, found_count, line_count, definition_count, listing_count;
};

/* Freed by the side that leaves last. */
struct async_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* there are requests, or the queue is closing */
    pthread_cond_t ended_now;
    atomic_bool closing;
    bool ended;     /* the worker has left */
    bool abandoned; /* nobody waits for the worker: it frees the queue */
    struct async_requests requests;
    struct async_results *results; /* owned; what was not received yet */
};

/* NULL where there is no memory. */
struct async_queue *async_queue_new(void);
void async_queue_free(struct async_queue *queue);

/* --- the worker's side -------------------------------------------------------------------- */

/* Starts the thread, which serves the queue until it is closed. 0 or -EAGAIN. */
int async_worker_start(struct async_queue *queue, pthread_t *thread);

/* Takes all requests, which are the caller's then. Waits for some, or for the end, unless until is
 * 0; no longer than until (CLOCK_MONOTONIC, ns; UINT64_MAX: any time). */
struct async_requests async_queue_take(struct async_queue *queue, uint64_t until);
/* Sends results, and empties them. 0 or -ENOMEM. */
int async_queue_post(struct async_queue *queue, struct async_results *results);
/* Waits until the other side closes the queue. */
void async_queue_await_close(struct async_queue *queue);
/* The worker has freed all that was its own, and touches the queue no more. */
void async_queue_end(struct async_queue *queue);

/* --- the other side ----------------------------------------------------------------------- */

/* Tells the worker to leave, and waits for at most wait_ns until it has left. True: it has, and the
 * caller frees the queue; false: the worker will. */
bool async_queue_close(struct async_queue *queue, uint64_t wait_ns);

/* --- both --------------------------------------------------------------------------------- */

void async_requests_clear(struct async_requests *requests);
void async_results_clear(struct async_results *results);
/* Frees results that were sent, and returns the next ones. */
struct async_results *async_results_next(struct async_results *results);
/* 0, -ENOMEM or -EOVERFLOW. */
int async_list_add(struct async_list *list, uint32_t index);

#endif
