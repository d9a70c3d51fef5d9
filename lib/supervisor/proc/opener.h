/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opener: has other processes, the openers, open the files of objects, and sends the descriptors to the client. If
 * another process serves a file system, any access to it may hang. If an opener hangs, only the symbols of that file
 * system's files are lost. openers_advance never waits for an opener. wire/open-request.h describes the requests.
 *
 * There are two openers, so that files that may hang do not delay other files. Each opener is a process that opens one
 * file at a time. It is forked when it is first needed. If it does not answer, it is abandoned, and a new process takes
 * its place for the next file. Openers do not trace targets or write to them.
 */
#ifndef PPROFIL_OPENER_H
#define PPROFIL_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/open-request.h"
#include "wire/wire.h"

#define OPENER_REQUESTS_MAX 512
/* largest number of abandoned processes of an opener; when it is reached, the opener opens no more files */
#define OPENER_HANGING_MAX 16

/* A request for a file, in the queue of an opener. */
struct opener_task {
    struct opener_task *next;
    uint32_t id;    /* id of the object */
    uint64_t due;   /* earliest time of the request, CLOCK_MONOTONIC ns; 0: no delay */
    uint64_t pause; /* JIT_NAMES: time between the last two attempts, ns */
    dev_t device;   /* device of the file's file system; 0: unknown */
    struct open_request request;
};

struct opener {
    struct opener_task *queue; /* list of the waiting tasks, the oldest first */
    struct opener_task *task;  /* task that is being served; NULL: none */
    uint64_t asked_at;         /* time at which the task was sent to the process, CLOCK_MONOTONIC ns */
    bool answered;             /* the process has answered, but the client does not have the answer yet */
    struct wire_message answer;
    int fd;           /* owned: descriptor that belongs to the answer, or -1 */
    int socket;       /* socket to the process; 0: there is no process */
    unsigned hanging; /* number of processes that were abandoned */
    struct opener_hang {
        dev_t device;   /* device of the file at which an abandoned process hangs */
        uint64_t until; /* time up to which no other file of the device is requested, CLOCK_MONOTONIC ns */
    } hangs[OPENER_HANGING_MAX];
};

enum opener_kind {
    OPENER_SURE, /* opens files that are not known to hang */
    OPENER_SLOW, /* opens files that may hang, and paths that may lead to such files */
    OPENER_KINDS,
};

/* Initialized with zeros. */
struct openers {
    struct opener of[OPENER_KINDS];
    struct opener_task tasks[OPENER_REQUESTS_MAX];
    struct opener_task *free_tasks; /* list of free tasks that were used before */
    unsigned used;                  /* tasks[0] to tasks[used - 1] were used at least once */
    unsigned jit_count;             /* number of tasks of kind JIT_NAMES, at most half of all tasks */
    unsigned requests;              /* number of requests made so far */
    unsigned served;                /* value of `requests` when the first tracer last called openers_advance */
};

/* Returns true if there is room for another request of a kind other than JIT_NAMES. */
bool opener_has_room(const struct openers *openers);
/* Queues a copy of the request. device: see struct opener_task. Returns false if there is no room. Then the client gets
 * no answer for this id. */
bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device);
/* Receives answers, sends them to the client, and sends further requests to the openers. Never waits, but may fork.
 * Must not be called while the caller handles the stop of a tracee and has not resumed it yet. socket: the client's;
 * epoll: watches the sockets of openers. */
void openers_advance(struct openers *openers, int socket, int epoll);
/* Returns true if a task other than one for a JIT's names is queued or has no answer yet. */
bool openers_are_busy(const struct openers *openers);
/* Answers ETIMEDOUT to the client for every task that is queued or has no answer yet. */
void openers_give_up(struct openers *openers, int socket);

/* --- the opener process --- */

/* Receives requests from the socket, opens one file at a time, and sends the descriptors back. Returns when the other
 * end is closed, when an answer cannot be sent, or after a file that another process serves. May hang. Runs in a
 * process of its own, which must end after the return. */
void opener_serve(int socket);

#endif
