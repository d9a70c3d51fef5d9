/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files in the queue of pprofil push. The first line is a JSON object with all of a request but its body, and the
 * body follows. So a file is whole or it is not there, and needs nothing but the file of the token, which is read again
 * when the request is sent: a token may have been renewed by then.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "push.h"

/* Returns the object without the body, or NULL. */
static json_t *push_entry_head(const struct push_request *request)
{
    json_t *headers = json_array();
    bool whole = true;

    for (size_t i = 0; i < request->header_count; i++)
        whole = json_array_append_new(headers, json_string(request->headers[i])) == 0 && whole;
    json_t *head = json_pack("{s:o, s:s, s:o, s:s?, s:s?}", "source", json_text(request->source), "url", request->url,
                             "headers", headers, "user", request->user, "token_file", request->token_file);
    if (whole)
        return head;
    json_decref(head);
    return NULL;
}

int push_entry_pack(const struct push_request *request, char **bytes, size_t *size)
{
    json_t *head = push_entry_head(request);
    char *line = head != NULL ? json_dumps(head, JSON_COMPACT) : NULL;
    size_t length = line != NULL ? strlen(line) : 0;

    json_decref(head);
    if (line == NULL)
        return -EILSEQ;
    *size = length + 1 + request->size;
    *bytes = realloc(line, *size);
    if (*bytes == NULL) {
        free(line);
        return -ENOMEM;
    }
    (*bytes)[length] = '\n';
    memcpy(*bytes + length + 1, request->body, request->size);
    return 0;
}

/* Copies a text of the object. Returns 0, -ENOMEM, or PPROFIL_ERROR_DAMAGED if there is none and `optional` is
 * false. */
static int push_entry_text(const json_t *value, bool optional, char **text)
{
    const char *found = json_string_value(value);

    if (found == NULL)
        return optional ? 0 : PPROFIL_ERROR_DAMAGED;
    *text = strdup(found);
    return *text != NULL ? 0 : -ENOMEM;
}

static int push_entry_headers(const json_t *headers, struct push_request *request)
{
    int error = json_array_size(headers) <= PUSH_HEADERS_MAX ? 0 : PPROFIL_ERROR_DAMAGED;

    for (size_t i = 0; error == 0 && i < json_array_size(headers); i++) {
        error = push_entry_text(json_array_get(headers, i), false, &request->headers[request->header_count]);
        if (error == 0)
            request->header_count++;
    }
    return error;
}

static int push_entry_read_head(const json_t *head, struct push_request *request)
{
    int error = push_entry_text(json_object_get(head, "source"), false, &request->source);

    if (error == 0)
        error = push_entry_text(json_object_get(head, "url"), false, &request->url);
    if (error == 0)
        error = push_entry_text(json_object_get(head, "user"), true, &request->user);
    if (error == 0)
        error = push_entry_text(json_object_get(head, "token_file"), true, &request->token_file);
    return error == 0 ? push_entry_headers(json_object_get(head, "headers"), request) : error;
}

int push_entry_unpack(const char *bytes, size_t size, struct push_request *request)
{
    const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    json_t *head = end != NULL ? json_loadb(bytes, (size_t)(end - bytes), 0, NULL) : NULL;

    if (head == NULL)
        return PPROFIL_ERROR_DAMAGED;
    int error = push_entry_read_head(head, request);
    json_decref(head);
    if (error != 0)
        return error;
    request->size = size - (size_t)(end + 1 - bytes);
    request->body = malloc(request->size + 1);
    if (request->body == NULL)
        return -ENOMEM;
    memcpy(request->body, end + 1, request->size);
    return 0;
}
