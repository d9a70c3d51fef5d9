/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opener: has other processes, the openers, open the files of objects, and sends the descriptors to the client. The
 * reason is that a file system which another process serves may hang at any access. Such a hang then costs only the
 * symbols of its own files, and the first tracer never waits for it. wire/open-request.h describes the requests.
 *
 * There are two openers, so that files that may hang do not delay the others. Each is a process that is forked when it
 * is first needed, and opens one file at a time. If it does not answer, it is abandoned, and a new process takes its
 * place for the next file. Openers do not trace targets or write to them.
 */
#ifndef PPROFIL_OPENER_H
#define PPROFIL_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/open-request.h"
#include "wire/wire.h"

#define OPENER_REQUESTS_MAX 512
#define OPENER_HANGING_MAX 16 /* largest number of abandoned processes of an opener: then it opens no more files */

/* A request for a file, in the queue of an opener. */
struct opener_task {
    struct opener_task *next;
    uint32_t id;    /* id of the object */
    uint64_t due;   /* time before which it is not requested; 0: at once */
    uint64_t pause; /* JIT_NAMES: time between the last two looks, ns */
    dev_t device;   /* device of the file's file system; 0: unknown */
    struct open_request request;
};

struct opener {
    struct opener_task *queue; /* list of the tasks that wait, the oldest first */
    struct opener_task *task;  /* task that is being served; NULL: none */
    uint64_t asked_at;         /* time at which the task was sent to the process */
    bool answered;             /* the answer is here, but was not sent to the client yet */
    struct wire_message answer;
    int fd;           /* owned: descriptor of the answer, or -1 */
    int socket;       /* socket to the process; 0: there is no process */
    unsigned hanging; /* number of processes that were abandoned */
    struct opener_hang {
        dev_t device;   /* device of the file at which one of these processes hangs */
        uint64_t until; /* time until which no other file of that device is requested */
    } hangs[OPENER_HANGING_MAX];
};

enum opener_kind {
    OPENER_SURE, /* opens files that are not known to hang */
    OPENER_SLOW, /* opens files that may hang, and paths that may lead to such files */
    OPENER_KINDS,
};

/* All 0 at the beginning. */
struct openers {
    struct opener of[OPENER_KINDS];
    struct opener_task tasks[OPENER_REQUESTS_MAX];
    struct opener_task *free_tasks; /* list of tasks that were used and are free again */
    unsigned used;                  /* tasks[0] to tasks[used - 1] were used at least once */
    unsigned jit_count;             /* number of tasks of kind JIT_NAMES; at most half of all tasks */
    unsigned requests;              /* number of requests made so far */
    unsigned served;                /* number of these that the first tracer has seen */
};

/* Returns true if there is room for another request of a kind other than JIT_NAMES. */
bool opener_has_room(const struct openers *openers);
/* Queues a copy of the request. device: struct opener_task. Returns false if there is no room; then the client gets no
 * answer for this id. */
bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device);
/* Receives answers, sends them to the client, and sends further requests to the openers, without waiting; may fork. Not
 * to be called while the stop of a tracee of the caller waits for its answer. socket: the client's; epoll: watches the
 * sockets of openers. */
void openers_advance(struct openers *openers, int socket, int epoll);
/* Returns true if an answer is still to come, other than names of JITs. */
bool openers_are_busy(const struct openers *openers);
/* Reports to the client that all files which it has not got yet hang (ETIMEDOUT). */
void openers_give_up(struct openers *openers, int socket);

/* --- the process --- */

/* Receives requests from the socket, opens one file at a time, and sends the descriptors back. Returns when the other
 * end is closed, when an answer cannot be sent, or after a file that another process serves. May hang. To be called in
 * a process of its own, which must end after the return. */
void opener_serve(int socket);

#endif
