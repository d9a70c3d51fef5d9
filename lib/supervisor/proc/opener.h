/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opener: makes other processes, the openers, open the files that targets map, and sends the descriptors to the client,
 * which reads the symbols. If another process serves a file system, any access to that file system may hang. If an
 * opener hangs, only the symbols of the files on that file system are lost. openers_advance never waits for an opener.
 * wire/open-request.h describes the requests.
 *
 * There are two openers, one for files that may hang, and one for all other files, which must not be delayed. Each
 * opener is a process that opens one file at a time, and is forked when it is first needed. If it does not answer in
 * time, we abandon the process, and fork a new one for the next file. Openers do not trace targets or write to them.
 */
#ifndef PPROFIL_OPENER_H
#define PPROFIL_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/open-request.h"
#include "wire/wire.h"

#define OPENER_REQUESTS_MAX 512
/* when an opener has abandoned this many processes because they hang, it opens no more files */
#define OPENER_HANGING_MAX 16

/* A request to open a file. It waits in the queue of an opener, or is being carried out. */
struct opener_task {
    struct opener_task *next;
    uint32_t id;    /* id that the client uses for the file */
    /* the request must not be sent to the opener before this time, CLOCK_MONOTONIC ns; 0: it may be sent immediately */
    uint64_t due;
    uint64_t pause; /* OPEN_JIT_NAMES: how long we waited between the last two attempts, ns */
    dev_t device;   /* device number of the file system that contains the file; 0: unknown */
    struct open_request request;
};

struct opener {
    struct opener_task *queue; /* list of the waiting tasks, the oldest first */
    struct opener_task *task;  /* task that the process is carrying out; NULL: none */
    uint64_t asked_at;         /* time at which `task` was sent to the process, CLOCK_MONOTONIC ns */
    bool answered;             /* the process has answered, but the client does not have the answer yet */
    struct wire_message answer;
    int fd;           /* owned: descriptor that belongs to the answer, or -1 */
    int socket;       /* our end of the socket to the process; 0: there is no process */
    unsigned hanging; /* how many processes were abandoned because they hang */
    struct opener_hang {
        dev_t device;   /* device of the file at which an abandoned process hangs */
        uint64_t until; /* no other file on that device is requested before this time, CLOCK_MONOTONIC ns */
    } hangs[OPENER_HANGING_MAX];
};

enum opener_kind {
    OPENER_SURE, /* opens files whose opening is not expected to hang */
    OPENER_SLOW, /* opens files whose opening may hang, and paths that may lead to such files */
    OPENER_KINDS,
};

/* Both openers, and the requests for them. The owner initializes this structure with zeros. */
struct openers {
    struct opener of[OPENER_KINDS];
    struct opener_task tasks[OPENER_REQUESTS_MAX];
    struct opener_task *free_tasks; /* list of the tasks that were used before and are free now */
    unsigned used;                  /* the elements tasks[0] to tasks[used - 1] were used at least once */
    /* how many tasks have a request of kind OPEN_JIT_NAMES; at most half of all tasks */
    unsigned jit_count;
    unsigned requests;              /* how many requests were made so far, by all tracers */
    unsigned served;                /* value of `requests` when the first tracer last called openers_advance */
};

/* Returns true if there is room for another request of any kind except OPEN_JIT_NAMES. */
bool opener_has_room(const struct openers *openers);
/* Puts a copy of the request into the queue of the opener `kind`. id, device: as in struct opener_task. Returns false
 * if there is no room for it. Then the client gets no answer for this id. */
bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device);
/* Receives answers of the openers, sends them to the client, and sends further requests to the openers. Never waits,
 * but may fork, which takes long. So the caller must first resume any tracee whose stop it is handling. socket:
 * connection to the client; epoll: epoll descriptor that watches the sockets to the openers. */
void openers_advance(struct openers *openers, int socket, int epoll);
/* Returns true if a task is queued or has no answer yet. Ignores tasks of kind OPEN_JIT_NAMES. */
bool openers_are_busy(const struct openers *openers);
/* For every task that is queued or has no answer yet, sends the answer ETIMEDOUT to the client. */
void openers_give_up(struct openers *openers, int socket);

/* --- the opener process --- */

/* Receives requests from the socket, opens one file at a time, and sends the descriptors back. Returns when the other
 * end of the socket is closed, when an answer cannot be sent, or after it has opened a file that another process
 * serves. May hang, so it runs in a process of its own, which must end when this function has returned. */
void opener_serve(int socket);

#endif
