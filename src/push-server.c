/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The requests that servers of profiles take, and their addresses.
 *
 *     Pyroscope  POST URL/ingest?name=APP{LABEL=VALUE,...}&from=SECONDS&until=SECONDS&format=pprof, with the pprof file
 *                as the body. A form with several parts, which it takes too, would only be needed to describe types of
 *                samples that it does not know.
 *     Parca      POST URL/api/profiles/writeraw, with a WriteRawRequest of parca.profilestore.v1alpha1 as JSON. The
 *                name of a series is a type of profile there, so the application becomes the label service_name.
 *     raw        POST URL?name=APP&LABEL=VALUE&...&from=SECONDS&until=SECONDS, with the pprof file as the body.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "push.h"

#define PUSH_LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define PUSH_TENANT_MAX 150u
#define PUSH_PORT_MAX 65535

/* --- what the command line gives ---------------------------------------------------------------- */

/* Checks the host and the port: "host", "host:4040", "[::1]:4040". */
static const char *push_host_problem(const char *host, size_t size)
{
    char text[256], *port;

    if (size == 0)
        return "it names no host";
    if (size >= sizeof text)
        return "the name of its host is too long";
    snprintf(text, sizeof text, "%.*s", (int)size, host);
    if (strchr(text, '@') != NULL)
        return "a password in it would be seen by all; give --user and --token-file";
    port = text[0] == '[' ? strchr(text, ']') : text;
    if (port == NULL)
        return "a ] is missing in it";
    port = strchr(port, ':');
    if (port == text)
        return "it names no host";
    if (port == NULL)
        return NULL;
    if (port[1] == '\0' || strspn(port + 1, "0123456789") != strlen(port + 1) || strlen(port + 1) > 5 ||
        atoi(port + 1) > PUSH_PORT_MAX || atoi(port + 1) == 0)
        return "its port is no number from 1 to 65535";
    return NULL;
}

const char *push_url_problem(enum push_server server, const char *url)
{
    size_t scheme = strncasecmp(url, "http://", 7) == 0 ? 7 : strncasecmp(url, "https://", 8) == 0 ? 8 : 0;
    const char *host = url + scheme;

    if (scheme == 0)
        return "it must begin with http:// or https://";
    for (const char *at = url; *at != '\0'; at++)
        if (*at <= ' ' || *at > '~')
            return "it may have visible ASCII characters only; write others as %XX";
    if (strchr(url, '#') != NULL)
        return "it must not have a #";
    if (server != PUSH_RAW && strchr(url, '?') != NULL)
        return "it must not have a query; only --to raw takes one";
    return push_host_problem(host, strcspn(host, "/?"));
}

const char *push_tenant_problem(const char *tenant)
{
    if (tenant[0] == '\0' || strlen(tenant) > PUSH_TENANT_MAX)
        return "it must have 1 to 150 characters";
    if (strcmp(tenant, ".") == 0 || strcmp(tenant, "..") == 0)
        return "this is no name of a tenant";
    return tenant[strspn(tenant, PUSH_LETTERS_AND_DIGITS "!-_.*'()")] == '\0'
               ? NULL
               : "it may have letters, digits and !-_.*'() only";
}

const char *push_header_problem(const char *header)
{
    size_t name = strspn(header, PUSH_LETTERS_AND_DIGITS "!#$%&'*+-.^_`|~");

    if (name == 0 || header[name] != ':')
        return "a header is 'NAME: VALUE'";
    if (header[name + 1 + strspn(header + name + 1, " ")] == '\0')
        return "it has no value";
    for (const char *at = header; *at != '\0'; at++)
        if (utf8_is_control(*at))
            return "it has a control character";
    return NULL;
}

/* --- a request ---------------------------------------------------------------------------------- */

/* Prints a text for the query of an address. Only characters that are never special there stay as they are. */
static void push_print_encoded(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (strchr(PUSH_LETTERS_AND_DIGITS "-._~", *text) != NULL)
            putc(*text, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*text);
}

/* Prints the address without slashes at its end. */
static void push_print_base(FILE *out, const char *url)
{
    size_t size = strlen(url);

    while (size > 0 && url[size - 1] == '/')
        size--;
    fwrite(url, 1, size, out);
}

static void push_print_times(FILE *out, const struct push_profile *profile)
{
    fprintf(out, "&from=%" PRId64 "&until=%" PRId64, profile->from, profile->until);
}

static void push_print_pyroscope(FILE *out, const char *url, const struct push_profile *profile)
{
    push_print_base(out, url);
    fputs("/ingest?name=", out);
    push_print_encoded(out, profile->name);
    push_print_encoded(out, "{");
    for (size_t i = 0; i < profile->labels.count; i++) {
        push_print_encoded(out, i > 0 ? "," : "");
        push_print_encoded(out, profile->labels.items[i].name);
        push_print_encoded(out, "=");
        push_print_encoded(out, profile->labels.items[i].value);
    }
    push_print_encoded(out, "}");
    push_print_times(out, profile);
    fputs("&format=pprof&spyName=pprofil", out);
}

static void push_print_parca(FILE *out, const char *url, const struct push_profile *profile)
{
    (void)profile;
    push_print_base(out, url);
    fputs("/api/profiles/writeraw", out);
}

static void push_print_raw(FILE *out, const char *url, const struct push_profile *profile)
{
    fprintf(out, "%s%cname=", url, strchr(url, '?') != NULL ? '&' : '?');
    push_print_encoded(out, profile->name);
    for (size_t i = 0; i < profile->labels.count; i++) {
        putc('&', out);
        push_print_encoded(out, profile->labels.items[i].name);
        putc('=', out);
        push_print_encoded(out, profile->labels.items[i].value);
    }
    push_print_times(out, profile);
}

/* --- bodies ------------------------------------------------------------------------------------- */

static int push_body_pprof(const struct push_profile *profile, struct push_request *request)
{
    request->body = malloc(profile->size + 1);
    if (request->body == NULL)
        return -ENOMEM;
    memcpy(request->body, profile->pprof, profile->size);
    request->size = profile->size;
    return 0;
}

/* Returns bytes as Base64 (RFC 4648), as JSON has them in place of bytes. The caller frees the text. */
static char *push_base64(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    static const char digits[] = PUSH_LETTERS_AND_DIGITS "+/";
    char *text = malloc(size / 3 * 4 + 5), *out = text;

    if (text == NULL)
        return NULL;
    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at;
        uint32_t three = (uint32_t)bytes[at] << 16 | (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                         (left > 2 ? bytes[at + 2] : 0);
        *out++ = digits[three >> 18];
        *out++ = digits[three >> 12 & 63];
        *out++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[three & 63] : '=';
    }
    *out = '\0';
    return text;
}

static json_t *push_parca_label(const char *name, const char *value)
{
    return json_pack("{s:s, s:s}", "name", name, "value", value);
}

/* All profiles have the name that Parca's documents give to profiles of processes. */
static json_t *push_parca_labels(const struct push_profile *profile)
{
    json_t *labels = json_array();

    json_array_append_new(labels, push_parca_label("__name__", "process_cpu"));
    if (push_labels_find(&profile->labels, "service_name") == NULL)
        json_array_append_new(labels, push_parca_label("service_name", profile->name));
    for (size_t i = 0; i < profile->labels.count; i++)
        json_array_append_new(labels, push_parca_label(profile->labels.items[i].name, profile->labels.items[i].value));
    return labels;
}

static int push_body_parca(const struct push_profile *profile, struct push_request *request)
{
    char *raw = push_base64(profile->pprof, profile->size);
    json_t *body = raw == NULL ? NULL
                               : json_pack("{s:[{s:{s:o}, s:[{s:s}]}], s:b}", "series", "labels", "labels",
                                           push_parca_labels(profile), "samples", "raw_profile", raw, "normalized", 0);

    request->body = body != NULL ? json_dumps(body, JSON_COMPACT) : NULL;
    request->size = request->body != NULL ? strlen(request->body) : 0;
    json_decref(body);
    free(raw);
    return request->body != NULL ? 0 : -ENOMEM;
}

/* --- all of it ---------------------------------------------------------------------------------- */

static const struct push_kind {
    void (*print_url)(FILE *out, const char *url, const struct push_profile *profile);
    int (*make_body)(const struct push_profile *profile, struct push_request *request);
    const char *type;
} push_kinds[] = {
    [PUSH_PYROSCOPE] = {push_print_pyroscope, push_body_pprof, "Content-Type: application/octet-stream"},
    [PUSH_PARCA] = {push_print_parca, push_body_parca, "Content-Type: application/json"},
    [PUSH_RAW] = {push_print_raw, push_body_pprof, "Content-Type: application/octet-stream"},
};

static int push_add_header(struct push_request *request, const char *name, const char *value)
{
    if (request->header_count == PUSH_HEADERS_MAX)
        return -E2BIG;
    if (asprintf(&request->headers[request->header_count], "%s%s", name, value) < 0)
        return -ENOMEM;
    request->header_count++;
    return 0;
}

static int push_add_headers(const struct push_target *target, struct push_request *request)
{
    int error = push_add_header(request, push_kinds[target->server].type, "");

    if (error == 0 && target->tenant != NULL)
        error = push_add_header(request, "X-Scope-OrgID: ", target->tenant);
    for (size_t i = 0; error == 0 && i < target->header_count; i++)
        error = push_add_header(request, target->headers[i], "");
    return error;
}

static int push_add_texts(const struct push_target *target, const char *source, const struct push_profile *profile,
                          struct push_request *request)
{
    size_t size;
    FILE *out = open_memstream(&request->url, &size);

    if (out == NULL)
        return -ENOMEM;
    push_kinds[target->server].print_url(out, target->url, profile);
    bool whole = !ferror(out);
    if (fclose(out) != 0 || !whole)
        return -ENOMEM;
    request->source = strdup(source);
    request->user = target->user != NULL ? strdup(target->user) : NULL;
    request->token_file = target->token_file != NULL ? strdup(target->token_file) : NULL;
    return request->source == NULL || (target->user != NULL && request->user == NULL) ||
                   (target->token_file != NULL && request->token_file == NULL)
               ? -ENOMEM
               : 0;
}

int push_request_make(const struct push_target *target, const char *source, const struct push_profile *profile,
                      struct push_request *request)
{
    int error = push_add_texts(target, source, profile, request);

    if (error == 0)
        error = push_add_headers(target, request);
    return error == 0 ? push_kinds[target->server].make_body(profile, request) : error;
}

void push_request_clear(struct push_request *request)
{
    for (size_t i = 0; i < request->header_count; i++)
        free(request->headers[i]);
    free(request->source);
    free(request->url);
    free(request->user);
    free(request->token_file);
    free(request->body);
    *request = (struct push_request){0};
}
