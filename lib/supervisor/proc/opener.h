/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opener: the files of objects are opened by other processes, and sent to the client from here,
 * because a file system that another process serves may hang at any look at a file. It then costs
 * the names of its own files, and the first tracer waits for nobody. wire/open-request.h says more.
 *
 * There are two openers, so that files that may hang do not hold up the others. Each is a process
 * that is forked when it is first needed, opens one file at a time, and is left alone when it does
 * not answer; another takes its place for the next file. None of them traces a target or writes to it.
 */
#ifndef PPROFIL_OPENER_H
#define PPROFIL_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/open-request.h"
#include "wire/wire.h"

#define OPENER_REQUESTS_MAX 512
#define OPENER_HANGING_MAX 16 /* processes that are left alone: then no more files are opened */

/* What is to be opened for the client, in one of the queues of an opener. */
struct opener_task {
    struct opener_task *next;
    uint32_t id;    /* of the object */
    uint64_t due;   /* time: not before; 0: at once */
    uint64_t pause; /* JIT_NAMES: ns between the last two looks */
    dev_t device;   /* that the file is on; 0: unknown */
    struct open_request request;
};

struct opener {
    struct opener_task *queue; /* those that wait, the oldest first */
    struct opener_task *task;  /* it is being served; NULL: none is */
    uint64_t asked_at;         /* time: the process was sent the task */
    bool answered;             /* the answer is here, but not with the client yet */
    struct wire_message answer;
    int fd;           /* owned; of the answer, or -1 */
    int socket;       /* to the process; 0: there is none */
    unsigned hanging; /* processes that were left alone */
    struct opener_hang {
        dev_t device;   /* of the file that one of them was asked for */
        uint64_t until; /* time: no other file of that device is asked for before */
    } hangs[OPENER_HANGING_MAX];
};

enum opener_kind {
    OPENER_SURE, /* opens files that are not known to hang */
    OPENER_SLOW, /* opens files that may hang, and paths that may lead to such */
    OPENER_KINDS,
};

/* Zero at the beginning. */
struct openers {
    struct opener of[OPENER_KINDS];
    struct opener_task tasks[OPENER_REQUESTS_MAX];
    struct opener_task *free_tasks; /* a list of those that were used before */
    unsigned used;                  /* tasks[0] to tasks[used - 1] were used at least once */
    unsigned jit_count;             /* tasks of JIT_NAMES; others always have room */
    unsigned requests;              /* number of requests that were made */
    unsigned served;                /* number of those that the first tracer has seen */
};

/* Is there room for another request that is not of JIT_NAMES? */
bool opener_has_room(const struct openers *openers);
/* Queues a request, which is copied. device: that the file is on, or 0. False: there is no room, and
 * nobody will be told of it. */
bool opener_add(struct openers *openers, enum opener_kind kind, uint32_t id,
                const struct open_request *request, dev_t device);
/* Takes answers, sends them to the client and asks for more, without waiting; may fork. Not
 * to be called while a tracee of the caller's waits for an answer to its stop. socket: the client's; epoll: is told of
 * an opener's answers. */
void openers_advance(struct openers *openers, int socket, int epoll);
/* Is there something to be sent, but for names of JITs? */
bool openers_are_busy(const struct openers *openers);
/* Tells the client that whatever it has not got hangs. */
void openers_give_up(struct openers *openers, int socket);

/* --- the process --- */

/* Opens what the socket asks for, one file at a time, and sends the descriptors. Returns when nobody asks any more,
 * when an answer cannot be sent, or after a file that another process serves. May hang: for a process of its own,
 * which ends then. */
void opener_serve(int socket);
/* Forks one. Returns its socket, which is the caller's, or -errno. */
int opener_fork(void);

#endif
