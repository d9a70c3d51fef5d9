/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue between an async_symbolizer and its worker thread. It carries requests one way and
 * results the other way, and tells the worker when to end. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "symbol/async-queue.h"

int async_list_add(struct async_list *list, uint32_t index)
{
    int error = array_grow(&list->indexes, list->count, sizeof *list->indexes);

    if (error == 0)
        list->indexes[list->count++] = index;
    return error;
}

void async_requests_clear(struct async_requests *requests)
{
    for (uint32_t i = 0; i < requests->object_count; i++) {
        free(requests->objects[i].path);
        if (requests->objects[i].object.fd >= 0)
            close(requests->objects[i].object.fd);
    }
    for (uint32_t i = 0; i < requests->file_count; i++)
        if (requests->files[i].fd >= 0)
            close(requests->files[i].fd);
    free(requests->objects);
    free(requests->locations);
    free(requests->files);
    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++)
        free(requests->wanted[kind].indexes);
    *requests = (struct async_requests){0};
}

void async_results_clear(struct async_results *results)
{
    for (uint32_t i = 0; i < results->listing_count; i++)
        code_listing_clear(&results->listings[i]);
    free(results->strings);
    free(results->functions);
    free(results->found);
    free(results->lines);
    free(results->definitions);
    free(results->listings);
    *results = (struct async_results){0};
}

/* --- the queue ---------------------------------------------------------------------------- */

struct async_queue *async_queue_new(void)
{
    struct async_queue *queue = calloc(1, sizeof *queue);
    pthread_condattr_t monotonic;

    if (queue == NULL)
        return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, &monotonic);
    pthread_cond_init(&queue->ended_now, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return queue;
}

void async_queue_free(struct async_queue *queue)
{
    async_requests_clear(&queue->requests);
    while (queue->results != NULL)
        queue->results = async_results_next(queue->results);
    pthread_cond_destroy(&queue->changed);
    pthread_cond_destroy(&queue->ended_now);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

static struct timespec async_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

static bool has_requests(const struct async_requests *requests)
{
    bool some = requests->object_count + requests->location_count + requests->file_count > 0;

    for (unsigned kind = 0; kind < ASYNC_KINDS; kind++)
        some = some || requests->wanted[kind].count > 0;
    return some;
}

struct async_requests async_queue_take(struct async_queue *queue, uint64_t until)
{
    const struct timespec end = async_timespec(until);
    int error = until == 0 ? ETIMEDOUT : 0;

    pthread_mutex_lock(&queue->lock);
    while (error == 0 && !atomic_load(&queue->closing) && !has_requests(&queue->requests))
        error = until == UINT64_MAX ? pthread_cond_wait(&queue->changed, &queue->lock)
                                    : pthread_cond_timedwait(&queue->changed, &queue->lock, &end);
    struct async_requests requests = queue->requests;
    queue->requests = (struct async_requests){0};
    pthread_mutex_unlock(&queue->lock);
    return requests;
}

/* --- results ------------------------------------------------------------------------------ */

int async_queue_post(struct async_queue *queue, struct async_results *results)
{
    struct async_results *sent, **end = &queue->results;

    if (results->string_count + results->found_count + results->definition_count + results->listing_count == 0)
        return 0;
    sent = malloc(sizeof *sent);
    if (sent == NULL)
        return -ENOMEM;
    *sent = *results;
    *results = (struct async_results){0};
    pthread_mutex_lock(&queue->lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = sent;
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

struct async_results *async_results_next(struct async_results *results)
{
    struct async_results *next = results->next;

    async_results_clear(results);
    free(results);
    return next;
}

/* --- the end ------------------------------------------------------------------------------ */

void async_queue_await_close(struct async_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!atomic_load(&queue->closing))
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

void async_queue_end(struct async_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ended = true;
    bool abandoned = queue->abandoned;
    pthread_cond_signal(&queue->ended_now);
    pthread_mutex_unlock(&queue->lock);
    if (abandoned)
        async_queue_free(queue);
}

bool async_queue_close(struct async_queue *queue, uint64_t wait_ns)
{
    const struct timespec end = async_timespec(time_now() + wait_ns);
    int error = 0;

    pthread_mutex_lock(&queue->lock);
    atomic_store(&queue->closing, true);
    pthread_cond_signal(&queue->changed);
    while (!queue->ended && error == 0)
        error = pthread_cond_timedwait(&queue->ended_now, &queue->lock, &end);
    bool ended = queue->ended;
    queue->abandoned = !ended;
    pthread_mutex_unlock(&queue->lock);
    return ended;
}
