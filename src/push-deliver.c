/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends requests, and says what became of them.
 *
 * With a queue, each request is first written to the queue. So none is lost if pprofil is killed while it sends, and
 * all are sent in the order in which they came. If one has to wait, all later ones for the same server wait, too,
 * because the server would not take them either.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "push.h"

#define PUSH_URL_SHOWN_MAX 200u
/* If requests for this many servers wait, nothing more is sent: each server may take as long as the timeout. */
#define PUSH_WAITING_MAX 4u

/* Returns how much of an address messages have: neither its query nor the rest of a very long one. */
static int push_url_size(const struct push_request *request)
{
    size_t size = strcspn(request->url, "?");

    return size < PUSH_URL_SHOWN_MAX ? (int)size : (int)PUSH_URL_SHOWN_MAX;
}

static void push_say_sent(const struct push_delivery *delivery, const struct push_request *request)
{
    if (!delivery->quiet)
        complain("%s: sent to %.*s", request->source, push_url_size(request), request->url);
}

static int push_complain_refused(const struct push_request *request, const struct push_answer *answer)
{
    return complain("%s: %.*s does not take it: %s", request->source, push_url_size(request), request->url,
                    answer->reason);
}

int push_deliver_now(const struct push_delivery *delivery, const struct push_request *request)
{
    struct push_answer answer;

    push_http_send(delivery->http, request, delivery->timeout, &answer);
    if (answer.outcome == PUSH_REFUSED)
        return push_complain_refused(request, &answer);
    if (answer.outcome == PUSH_LATER)
        return complain("%s: could not be sent to %.*s: %s; --queue DIR keeps it for later", request->source,
                        push_url_size(request), request->url, answer.reason);
    push_say_sent(delivery, request);
    return 0;
}

/* --- the queue ---------------------------------------------------------------------------------- */

/* What became of the queue so far. */
struct push_progress {
    int status;                      /* worst exit status so far, without PUSH_EXIT_QUEUED */
    bool ended;                      /* nothing more is sent */
    bool unauthorized;               /* a server refused the token */
    char after[NAME_MAX + 1];        /* name of the last file that was looked at; "": none */
    char *waiting[PUSH_WAITING_MAX]; /* owned; addresses of which at least one request waits */
    size_t waiting_count;
    char reason[PUSH_TEXT_SIZE]; /* why the first request that waits could not be sent; "": nothing waits */
};

/* Returns the length of "http://HOST:PORT" at the beginning of an address. */
static size_t push_server_length(const char *url)
{
    const char *host = strstr(url, "://");

    return host == NULL ? strlen(url) : (size_t)(host + 3 - url) + strcspn(host + 3, "/?");
}

/* Returns true if an earlier request for the same server waits. */
static bool push_server_waits(const struct push_progress *progress, const char *url)
{
    size_t length = push_server_length(url);

    for (size_t i = 0; i < progress->waiting_count; i++)
        if (push_server_length(progress->waiting[i]) == length && strncmp(progress->waiting[i], url, length) == 0)
            return true;
    return false;
}

static void push_wait(const struct push_delivery *delivery, const struct push_request *request,
                      const struct push_answer *answer, struct push_progress *progress)
{
    char *url = strdup(request->url);

    if (progress->reason[0] == '\0')
        snprintf(progress->reason, sizeof progress->reason, "%.*s: %.300s", push_url_size(request), request->url,
                 answer->reason);
    progress->unauthorized = progress->unauthorized || answer->unauthorized;
    if (url != NULL)
        progress->waiting[progress->waiting_count++] = url;
    progress->ended = url == NULL || progress->waiting_count == PUSH_WAITING_MAX || answer->retry_after > 0;
    if (answer->retry_after > 0)
        push_queue_set_not_before(&delivery->queue, (int64_t)time(NULL) + answer->retry_after);
}

/* Removes a request that is done with. If it stayed, it would be sent again and again. */
static void push_finish(const struct push_delivery *delivery, const char *name, struct push_progress *progress)
{
    int error = push_queue_remove(&delivery->queue, name);

    if (error == 0)
        return;
    progress->status = complain("%s/%s: cannot be removed: %s", delivery->queue.path, name, pprofil_error_text(error));
    progress->ended = true;
}

static void push_send_one(const struct push_delivery *delivery, const char *name, const struct push_request *request,
                          struct push_progress *progress)
{
    struct push_answer answer;

    push_http_send(delivery->http, request, delivery->timeout, &answer);
    if (answer.outcome == PUSH_LATER) {
        push_wait(delivery, request, &answer, progress);
        return;
    }
    if (answer.outcome == PUSH_REFUSED)
        progress->status = push_complain_refused(request, &answer);
    else
        push_say_sent(delivery, request);
    push_finish(delivery, name, progress);
}

static void push_drop_unreadable(const struct push_delivery *delivery, const char *name, int error,
                                 struct push_progress *progress)
{
    if (error == PPROFIL_ERROR_DAMAGED) {
        progress->status = complain("%s/%s: it is damaged, and was removed", delivery->queue.path, name);
        push_finish(delivery, name, progress);
        return;
    }
    progress->status = complain("%s/%s: cannot read: %s", delivery->queue.path, name, pprofil_error_text(error));
    progress->ended = true;
}

static void push_send_file(const struct push_delivery *delivery, const char *name, struct push_progress *progress)
{
    struct push_request request = {0};
    int error = push_queue_read(&delivery->queue, name, &request);

    if (error != 0 && error != -ENOENT) /* -ENOENT: somebody has removed it since it was listed */
        push_drop_unreadable(delivery, name, error, progress);
    else if (error == 0 && !push_server_waits(progress, request.url))
        push_send_one(delivery, name, &request, progress);
    push_request_clear(&request);
    snprintf(progress->after, sizeof progress->after, "%s", name);
}

/* Sends the files that are in the queue now, and later than those of the list before. Other pushes may add files
 * meanwhile, which they leave to this one. Returns how many files there were. */
static int push_send_files(const struct push_delivery *delivery, struct push_progress *progress)
{
    struct dirent **entries;
    int count = push_queue_list(&delivery->queue, &entries), seen = 0;

    if (count < 0) {
        progress->status = complain("%s: cannot read: %s", delivery->queue.path, pprofil_error_text(count));
        return 0;
    }
    for (int i = 0; i < count && !progress->ended; i++)
        if (strcmp(entries[i]->d_name, progress->after) > 0) {
            push_send_file(delivery, entries[i]->d_name, progress);
            seen++;
        }
    push_queue_free_list(entries, count);
    return seen;
}

/* Says what the queue still has, and what was dropped so that it keeps its limit. If a server refuses the token, says
 * so even if pprofil is to be quiet: somebody must renew it. */
static int push_end_queue(const struct push_delivery *delivery, struct push_progress *progress)
{
    size_t dropped, left = push_queue_trim(&delivery->queue, delivery->queue_size_max, &dropped);

    if (dropped > 0)
        progress->status = complain("%s: dropped the oldest profiles, %zu of %zu, for --queue-max is %zu bytes: %s",
                                    delivery->queue.path, dropped, dropped + left, delivery->queue_size_max,
                                    progress->reason);
    else if (left > 0 && progress->reason[0] != '\0' && (!delivery->quiet || progress->unauthorized))
        complain("%s: %zu profile%s wait%s: %s", delivery->queue.path, left, left == 1 ? "" : "s", left == 1 ? "s" : "",
                 progress->reason);
    for (size_t i = 0; i < progress->waiting_count; i++)
        free(progress->waiting[i]);
    if (progress->status != 0)
        return progress->status;
    return left > 0 ? PUSH_EXIT_QUEUED : 0;
}

/* A time that is too far away was set before the clock was set back. */
static void push_check_pause(const struct push_delivery *delivery, struct push_progress *progress)
{
    int64_t pause = push_queue_not_before(&delivery->queue) - (int64_t)time(NULL);

    if (pause <= 0 || pause > PUSH_PAUSE_MAX)
        return;
    progress->ended = true;
    snprintf(progress->reason, sizeof progress->reason, "the server wants no more for %d s", (int)pause);
}

int push_deliver_queue(const struct push_delivery *delivery)
{
    struct push_progress progress = {0};
    int error = push_queue_lock(&delivery->queue, delivery->timeout);

    if (error == -EAGAIN) {
        if (!delivery->quiet)
            complain("%s: the profiles wait: another pprofil push is sending", delivery->queue.path);
        return PUSH_EXIT_QUEUED;
    }
    if (error != 0)
        return complain("%s: cannot be locked: %s", delivery->queue.path, pprofil_error_text(error));
    push_check_pause(delivery, &progress);
    while (!progress.ended && push_send_files(delivery, &progress) > 0)
        ;
    return push_end_queue(delivery, &progress);
}
