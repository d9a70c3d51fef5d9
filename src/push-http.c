/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends the requests of pprofil push with libcurl.
 *
 * libcurl brings some thirty libraries, which would make each start of pprofil slower. So it is loaded only here.
 */
#include "config.h"

#ifdef HAVE_CURL
#include <curl/curl.h>
#include <dlfcn.h>
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "base/utf8.h"
#include "push.h"

#ifndef HAVE_CURL

const char *push_http_problem(void)
{
    return "it was built without libcurl; install libcurl4-openssl-dev, and build pprofil again";
}

struct push_http *push_http_open(void)
{
    return NULL;
}

void push_http_close(struct push_http *http)
{
    (void)http;
}

void push_http_send(struct push_http *http, const struct push_request *request, double timeout,
                    struct push_answer *answer)
{
    (void)http;
    (void)request;
    (void)timeout;
    *answer = (struct push_answer){.outcome = PUSH_REFUSED};
    snprintf(answer->reason, sizeof answer->reason, "%s", push_http_problem());
}

#else

#define PUSH_LIBRARY "libcurl.so.4" /* the name of all releases since 7.16 */
#define PUSH_TOKEN_MAX 8192u        /* bytes; servers take no longer headers */

/* The functions of libcurl. */
struct push_http {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
    CURLcode (*easy_perform)(CURL *curl);
    CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
    void (*easy_cleanup)(CURL *curl);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
};

/* What one request needs while it is sent. */
struct push_transfer {
    const struct push_http *http;
    const struct push_request *request;
    CURL *curl;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];    /* libcurl's own words */
    char token[PUSH_TOKEN_MAX + 1]; /* "": none */
    char line[PUSH_TEXT_SIZE / 2];  /* beginning of the answer's body */
    size_t line_size;
};

/* --- the library -------------------------------------------------------------------------------- */

/* It stays loaded, for libraries that it uses have functions that run when the process exits. */
static bool push_load(struct push_http *http)
{
    void *object = dlopen(PUSH_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

    if (object == NULL)
        return false;
    *http = (struct push_http){.global_init = dlsym(object, "curl_global_init"),
                               .easy_init = dlsym(object, "curl_easy_init"),
                               .easy_setopt = dlsym(object, "curl_easy_setopt"),
                               .easy_perform = dlsym(object, "curl_easy_perform"),
                               .easy_getinfo = dlsym(object, "curl_easy_getinfo"),
                               .easy_cleanup = dlsym(object, "curl_easy_cleanup"),
                               .easy_strerror = dlsym(object, "curl_easy_strerror"),
                               .slist_append = dlsym(object, "curl_slist_append"),
                               .slist_free_all = dlsym(object, "curl_slist_free_all")};
    dlclose(object);
    return http->global_init != NULL && http->easy_init != NULL && http->easy_setopt != NULL &&
           http->easy_perform != NULL && http->easy_getinfo != NULL && http->easy_cleanup != NULL &&
           http->easy_strerror != NULL && http->slist_append != NULL && http->slist_free_all != NULL;
}

const char *push_http_problem(void)
{
    struct push_http http;

    return push_load(&http) ? NULL : PUSH_LIBRARY " was not found; install libcurl4";
}

struct push_http *push_http_open(void)
{
    struct push_http *http = malloc(sizeof *http);

    if (http != NULL && push_load(http) && http->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        return http;
    free(http);
    return NULL;
}

void push_http_close(struct push_http *http)
{
    free(http);
}

/* --- the token ---------------------------------------------------------------------------------- */

/* Reads the token, without blanks and line ends behind it. Returns 0, a negative errno or an enum pprofil_error;
 * -EINVAL: there is none, or it cannot be in a header. */
static int push_read_token(const char *path, char token[PUSH_TOKEN_MAX + 1])
{
    int fd = regular_file_open(path, 0);
    ssize_t size = fd >= 0 ? read(fd, token, PUSH_TOKEN_MAX) : 0;
    int error = fd < 0 ? fd : size < 0 ? -errno : 0;

    if (fd >= 0)
        close(fd);
    token[size > 0 ? size : 0] = '\0';
    token[strcspn(token, "\r\n")] = '\0';
    for (size_t length = strlen(token); length > 0 && token[length - 1] == ' '; length--)
        token[length - 1] = '\0';
    for (const char *at = token; error == 0 && *at != '\0'; at++)
        if (utf8_is_control(*at))
            error = -EINVAL;
    return error == 0 && token[0] == '\0' ? -EINVAL : error;
}

static void push_explain_token(const char *path, int error, struct push_answer *answer)
{
    const char *why = error == -EINVAL                     ? "it has no token in its first line"
                      : error == PPROFIL_ERROR_NOT_REGULAR ? "it is no regular file"
                                                           : pprofil_error_text(error);

    snprintf(answer->reason, sizeof answer->reason, "--token-file %s: %s", path, why);
}

/* --- a request ---------------------------------------------------------------------------------- */

static bool push_append_header(struct push_transfer *transfer, const char *header)
{
    struct curl_slist *longer = transfer->http->slist_append(transfer->headers, header);

    if (longer != NULL)
        transfer->headers = longer;
    return longer != NULL;
}

/* libcurl adds "Expect: 100-continue" to long requests, and then waits for servers that do not know it. */
static bool push_make_headers(struct push_transfer *transfer)
{
    char bearer[PUSH_TOKEN_MAX + 32];
    bool whole = push_append_header(transfer, "Expect:");

    for (size_t i = 0; i < transfer->request->header_count; i++)
        whole = push_append_header(transfer, transfer->request->headers[i]) && whole;
    if (transfer->token[0] != '\0' && transfer->request->user == NULL) {
        snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", transfer->token);
        whole = push_append_header(transfer, bearer) && whole;
    }
    return whole;
}

/* Keeps the beginning of the answer's body. libcurl takes another result than the size as an error. */
static size_t push_take_answer(char *bytes, size_t one, size_t size, void *context)
{
    struct push_transfer *transfer = context;
    size_t room = sizeof transfer->line - 1 - transfer->line_size, taken = size < room ? size : room;

    (void)one; /* always 1 */
    memcpy(transfer->line + transfer->line_size, bytes, taken);
    transfer->line_size += taken;
    return size;
}

static void push_set_options(struct push_transfer *transfer, double timeout)
{
    CURLcode (*const set)(CURL *, CURLoption, ...) = transfer->http->easy_setopt;
    const struct push_request *request = transfer->request;
    CURL *curl = transfer->curl;

    set(curl, CURLOPT_URL, request->url);
    set(curl, CURLOPT_POST, 1L);
    set(curl, CURLOPT_POSTFIELDS, request->body);
    set(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
    set(curl, CURLOPT_HTTPHEADER, transfer->headers);
    set(curl, CURLOPT_USERAGENT, "pprofil/" PACKAGE_VERSION);
    set(curl, CURLOPT_TIMEOUT_MS, (long)(timeout * 1e3));
    set(curl, CURLOPT_NOSIGNAL, 1L);
    set(curl, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
    set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    set(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    set(curl, CURLOPT_ERRORBUFFER, transfer->error);
    set(curl, CURLOPT_WRITEFUNCTION, push_take_answer);
    set(curl, CURLOPT_WRITEDATA, transfer);
    if (request->user != NULL) {
        set(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        set(curl, CURLOPT_USERNAME, request->user);
        set(curl, CURLOPT_PASSWORD, transfer->token);
    }
}

/* --- an answer ---------------------------------------------------------------------------------- */

/* Only two statuses of 4xx say that the same request may succeed later: RFC 9110, 15.5.9, and RFC 6585, 4. If the
 * server refused the token, a request with another token may succeed: RFC 9110, 15.5.2 and 15.5.4. The token is read
 * again each time. */
static enum push_outcome push_judge_status(long status, bool unauthorized)
{
    if (status >= 200 && status < 300)
        return PUSH_SENT;
    return status == 408 || status == 429 || status >= 500 || unauthorized ? PUSH_LATER : PUSH_REFUSED;
}

static void push_read_status(struct push_transfer *transfer, struct push_answer *answer)
{
    char *target = NULL;
    curl_off_t pause = 0;
    long status = 0;

    transfer->http->easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    transfer->http->easy_getinfo(transfer->curl, CURLINFO_RETRY_AFTER, &pause);
    transfer->http->easy_getinfo(transfer->curl, CURLINFO_REDIRECT_URL, &target);
    answer->unauthorized = (status == 401 || status == 403) && transfer->request->token_file != NULL;
    answer->outcome = push_judge_status(status, answer->unauthorized);
    answer->retry_after = pause <= 0 ? 0 : pause > PUSH_PAUSE_MAX ? PUSH_PAUSE_MAX : (unsigned)pause;
    transfer->line[transfer->line_size] = '\0';
    transfer->line[strcspn(transfer->line, "\r\n")] = '\0';
    if (target != NULL)
        snprintf(answer->reason, sizeof answer->reason, "HTTP status %ld: it redirects to %s; give that URL", status,
                 target);
    else
        snprintf(answer->reason, sizeof answer->reason, "HTTP status %ld%s%s", status,
                 transfer->line[0] != '\0' ? ": " : "", transfer->line);
}

/* An address that libcurl does not understand stays wrong. All else may be better later, certificates too. */
static void push_read_failure(struct push_transfer *transfer, CURLcode code, struct push_answer *answer)
{
    answer->outcome = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ? PUSH_REFUSED : PUSH_LATER;
    snprintf(answer->reason, sizeof answer->reason, "%s",
             transfer->error[0] != '\0' ? transfer->error : transfer->http->easy_strerror(code));
}

static void push_transfer_run(struct push_transfer *transfer, double timeout, struct push_answer *answer)
{
    if (!push_make_headers(transfer)) {
        snprintf(answer->reason, sizeof answer->reason, "%s", strerror(ENOMEM));
        return;
    }
    push_set_options(transfer, timeout);
    CURLcode code = transfer->http->easy_perform(transfer->curl);
    if (code == CURLE_OK)
        push_read_status(transfer, answer);
    else
        push_read_failure(transfer, code, answer);
}

void push_http_send(struct push_http *http, const struct push_request *request, double timeout,
                    struct push_answer *answer)
{
    struct push_transfer transfer = {.http = http, .request = request};
    int error = request->token_file != NULL ? push_read_token(request->token_file, transfer.token) : 0;

    *answer = (struct push_answer){.outcome = PUSH_LATER};
    if (error != 0)
        push_explain_token(request->token_file, error, answer);
    else if ((transfer.curl = http->easy_init()) == NULL)
        snprintf(answer->reason, sizeof answer->reason, "%s", strerror(ENOMEM));
    else
        push_transfer_run(&transfer, timeout, answer);
    http->slist_free_all(transfer.headers);
    if (transfer.curl != NULL)
        http->easy_cleanup(transfer.curl);
    explicit_bzero(transfer.token, sizeof transfer.token);
}

#endif
