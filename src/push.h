/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * push: what the files of pprofil push share. A saved profile becomes a request, and the request is sent or kept:
 *
 *     push-profile.c  a file becomes pprof bytes, with a name, labels and times
 *     push-labels.c   which names and labels servers take
 *     push-server.c   the addresses of servers, and the request that each kind of server takes
 *     push-entry.c    a request becomes the bytes of a file, and is read again
 *     push-queue.c    the folder with requests that could not be delivered
 *     push-http.c     sends a request
 *     push-deliver.c  what is sent, kept or dropped, and what is said about it
 *
 * All that servers differ in is in the request. So the queue and HTTP know no kinds of servers.
 */
#ifndef PPROFIL_PUSH_H
#define PPROFIL_PUSH_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choices.h"
#include "command.h"

/* Pyroscope takes 30 labels, names of 1024 bytes and values of 2048 bytes if nobody configured it otherwise. It adds
 * some labels of its own. */
#define PUSH_LABELS_MAX 24u
#define PUSH_LABELS_GIVEN_MAX (PUSH_LABELS_MAX - 3) /* labels of the command line; pprofil adds host, job and rank */
#define PUSH_NAME_MAX 1024u
#define PUSH_VALUE_MAX 2048u
#define PUSH_HEADERS_MAX 32u
#define PUSH_PAUSE_MAX 3600 /* s; a server that asks for a longer pause is asked again after this time */
#define PUSH_TEXT_SIZE 512  /* room for a reason, with its NUL */

/* --- push-labels.c ------------------------------------------------------------------------------ */

struct push_label {
    char *name, *value; /* owned */
};

/* An empty list is all 0. */
struct push_labels {
    struct push_label items[PUSH_LABELS_MAX];
    size_t count;
};

/* Return why servers of this kind take no application of this name, or no such label. They return NULL if the servers
 * take it. The texts are static. */
const char *push_name_problem(const char *name);
const char *push_label_problem(enum push_server server, const char *name, const char *value);
/* Replace each character that some server refuses by "_". `text` is a name, or the value of a label. */
void push_clean_name(char *text);
void push_clean_value(char *text);
/* Adds copies of the name and the value. Returns 0, -ENOMEM, -EEXIST (the list has a label of this name) or -E2BIG. */
int push_labels_add(struct push_labels *labels, const char *name, const char *value);
/* Returns the label of this name, which the list owns; NULL: it has none. */
const struct push_label *push_labels_find(const struct push_labels *labels, const char *name);
void push_labels_clear(struct push_labels *labels);

/* --- push-profile.c ----------------------------------------------------------------------------- */

struct push_profile {
    char *name; /* owned; name of the application */
    struct push_labels labels;
    int64_t from, until; /* UNIX time, s; `until` is later than `from` */
    char *pprof;         /* owned; compressed with gzip */
    size_t size;         /* bytes of `pprof` */
};

/* How a file is read. */
struct push_reading {
    struct pprofil_file file;
    const char *name;                 /* name of the application; NULL: that of the profile's program */
    const struct push_labels *labels; /* of the command line; they replace those of the profile */
    bool symbolize;
};

/* Reads a file of any format; "-": standard input. The caller clears *profile, also after a failure. Returns 0, or
 * complains and returns EXIT_OWN_FAILURE. */
int push_profile_read(const char *path, const struct push_reading *reading, struct push_profile *profile);
void push_profile_clear(struct push_profile *profile);

/* --- push-server.c ------------------------------------------------------------------------------ */

/* An HTTP request with POST. */
struct push_request {
    char *source;                    /* owned; path of the profile, for messages */
    char *url;                       /* owned; with its query */
    char *headers[PUSH_HEADERS_MAX]; /* owned; "NAME: VALUE" */
    size_t header_count;
    char *user;       /* owned; NULL: the token is sent as a bearer's */
    char *token_file; /* owned; absolute path of a file with a token, or with the user's password; NULL: none */
    void *body;       /* owned */
    size_t size;      /* bytes of `body` */
};

/* Where profiles go. The strings are borrowed. */
struct push_target {
    enum push_server server;
    const char *url;
    const char *tenant; /* NULL: none */
    const char *headers[PUSH_HEADERS_MAX];
    size_t header_count;
    const char *user, *token_file; /* as in struct push_request */
};

/* Return why this cannot be an address of a server, a tenant, or a header. They return NULL if it can. The texts are
 * static. */
const char *push_url_problem(enum push_server server, const char *url);
const char *push_tenant_problem(const char *tenant);
const char *push_header_problem(const char *header);
/* Makes the request that brings a profile to a server. All of *request is owned by the caller, also after a failure.
 * Returns 0, -ENOMEM or -E2BIG (there are too many headers). */
int push_request_make(const struct push_target *target, const char *source, const struct push_profile *profile,
                      struct push_request *request);
void push_request_clear(struct push_request *request);

/* --- push-entry.c ------------------------------------------------------------------------------- */

/* Writes a request as bytes, which the caller frees. Returns 0, -ENOMEM, or -EILSEQ (a text is not UTF-8). */
int push_entry_pack(const struct push_request *request, char **bytes, size_t *size);
/* Reads what push_entry_pack has written. The caller clears *request, also after a failure. Returns 0, -ENOMEM or
 * PPROFIL_ERROR_DAMAGED. */
int push_entry_unpack(const char *bytes, size_t size, struct push_request *request);

/* --- push-queue.c ------------------------------------------------------------------------------- */

/* A folder with a file for each request. Files are sent and removed only by the process that has the lock. */
struct push_queue {
    const char *path; /* borrowed */
    int lock;         /* descriptor of the file that is locked; -1: the queue is not open */
};

/* Opens the queue, and makes its folder if there is none. The caller closes it, also after a failure. Returns 0 or
 * -errno; -EPERM: the folder belongs to another user, or others may write to it. */
int push_queue_open(struct push_queue *queue, const char *path);
void push_queue_close(struct push_queue *queue);
/* Adds a request as the latest one. Needs no lock. Returns 0, -EFBIG (its file would have more than size_max bytes),
 * another negative errno, or an error of push_entry_pack. */
int push_queue_add(const struct push_queue *queue, const struct push_request *request, size_t size_max);
/* Waits for the lock, at most this many seconds. Returns 0 or -errno; -EAGAIN: another process has it all the time. */
int push_queue_lock(const struct push_queue *queue, double seconds);
/* Lists the files of the queue, oldest first, as scandir(3) does. Returns their number, or -errno. The caller frees the
 * list; after -errno it may, too. */
int push_queue_list(const struct push_queue *queue, struct dirent ***entries);
void push_queue_free_list(struct dirent **entries, int count);
/* Reads a file. The caller clears *request, also after a failure. Returns 0, -errno, or an error of
 * push_entry_unpack. */
int push_queue_read(const struct push_queue *queue, const char *name, struct push_request *request);
/* Removes a file. Returns 0 or -errno. */
int push_queue_remove(const struct push_queue *queue, const char *name);
/* Removes the oldest files until the rest has at most `size_max` bytes. Stores how many it has removed. Returns how
 * many files are left. Also removes the temporary files of pushes that were killed. To be called with the lock. */
size_t push_queue_trim(const struct push_queue *queue, uint64_t size_max, size_t *removed);
/* Return and set the UNIX time (s) before which the server wants no further request. */
int64_t push_queue_not_before(const struct push_queue *queue);
void push_queue_set_not_before(const struct push_queue *queue, int64_t when);

/* --- push-http.c -------------------------------------------------------------------------------- */

enum push_outcome {
    PUSH_SENT,
    PUSH_LATER,   /* it may be taken later */
    PUSH_REFUSED, /* it will not be taken later either */
};

struct push_answer {
    enum push_outcome outcome;
    char reason[PUSH_TEXT_SIZE]; /* why it was not sent; may have any characters */
    unsigned retry_after;        /* s; 0: the server did not say */
    bool unauthorized;           /* PUSH_LATER: the server wants another token */
};

struct push_http;

/* Returns why this pprofil cannot send, and what to do about it. Returns NULL if it can. The text is static. */
const char *push_http_problem(void);
/* Prepares for sending. Returns NULL if there is no memory, or if push_http_problem returns a text. */
struct push_http *push_http_open(void);
/* `http` may be NULL. */
void push_http_close(struct push_http *http);
/* Sends a request, and waits for the answer at most `timeout` seconds. Follows no redirects. */
void push_http_send(struct push_http *http, const struct push_request *request, double timeout,
                    struct push_answer *answer);

/* --- push-deliver.c ----------------------------------------------------------------------------- */

#define PUSH_EXIT_QUEUED 1 /* at least one profile waits in the queue */

struct push_delivery {
    struct push_http *http;
    struct push_queue queue; /* not open: there is none */
    size_t queue_size_max;   /* bytes */
    double timeout;          /* s, for each request */
    bool quiet;              /* say only what failed or was lost */
};

/* Sends a request at once. Returns 0, or complains and returns EXIT_OWN_FAILURE. */
int push_deliver_now(const struct push_delivery *delivery, const struct push_request *request);
/* Sends the requests of the queue, oldest first. If one has to wait, later ones for the same server wait, too. Then
 * cuts the queue to its limit. Returns 0, PUSH_EXIT_QUEUED, or EXIT_OWN_FAILURE if a request was refused, could not be
 * read, or was dropped, of which it complains. */
int push_deliver_queue(const struct push_delivery *delivery);

#endif
