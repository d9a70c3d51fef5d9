/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opener: the files of objects are opened by other processes, and sent to the client from here, because a file system
 * that another process serves may hang at any look at a file. Such a hang then costs only the names of its own files,
 * and the first tracer never waits for it. wire/open-request.h says more.
 *
 * There are two openers, so that files that may hang do not hold up the others. Each is a process that is forked when
 * it is first needed, and opens one file at a time. One that does not answer is abandoned, and another takes its place
 * for the next file. None of them traces a target or writes to it.
 */
#ifndef PPROFIL_OPENER_H
#define PPROFIL_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/open-request.h"
#include "wire/wire.h"

#define OPENER_REQUESTS_MAX 512
#define OPENER_HANGING_MAX 16 /* the most abandoned processes: then no more files are opened */

/* A file that is to be opened for the client, in the queue of an opener. */
struct opener_task {
    struct opener_task *next;
    uint32_t id;    /* id of the object */
    uint64_t due;   /* time before which it is not asked for; 0: at once */
    uint64_t pause; /* JIT_NAMES: time between the last two looks, ns */
    dev_t device;   /* the device that the file is on; 0: unknown */
    struct open_request request;
};

struct opener {
    struct opener_task *queue; /* the tasks that wait, the oldest first */
    struct opener_task *task;  /* the task that is being served; NULL: none */
    uint64_t asked_at;         /* time at which the process was sent the task */
    bool answered;             /* the answer is here, but the client does not have it yet */
    struct wire_message answer;
    int fd;           /* owned: the descriptor of the answer, or -1 */
    int socket;       /* to the process; 0: there is no process */
    unsigned hanging; /* number of processes that were abandoned */
    struct opener_hang {
        dev_t device;   /* the device of the file that one of them was asked for */
        uint64_t until; /* time before which no other file of that device is asked for */
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
    struct opener_task *free_tasks; /* list of the tasks that were used before */
    unsigned used;                  /* tasks[0] to tasks[used - 1] were used at least once */
    unsigned jit_count;             /* number of tasks of JIT_NAMES; others always have room */
    unsigned requests;              /* number of requests that were made */
    unsigned served;                /* number of those that the first tracer has seen */
};

/* Returns true if there is room for another request that is not of JIT_NAMES. */
bool opener_has_room(const struct openers *openers);
/* Queues a request, which is copied. device: the one that the file is on, or 0. Returns false if there is no room;
 * nobody will be told of the request then. */
bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device);
/* Takes answers, sends them to the client and asks for more, without waiting; may fork. Not to be called while a tracee
 * of the caller waits for an answer to its stop. socket: the client's; epoll: gets the sockets of openers. */
void openers_advance(struct openers *openers, int socket, int epoll);
/* Returns true if something is still to be sent, other than names of JITs. */
bool openers_are_busy(const struct openers *openers);
/* Tells the client that all files that it has not got yet hang. */
void openers_give_up(struct openers *openers, int socket);

/* --- the process --- */

/* Opens what the socket asks for, one file at a time, and sends the descriptors. Returns when nobody asks any more,
 * when an answer cannot be sent, or after a file that another process serves. May hang: this is for a process of its
 * own, which ends then. */
void opener_serve(int socket);

#endif
