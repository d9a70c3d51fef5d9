/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open-request: requests to a process that opens files for another one.
 *
 * A file system that another process serves (FUSE) may hang at any access to one of its files. A task that waits for an
 * answer cannot even be killed once the server has taken the request (request_wait_answer() in fs/fuse/dev.c), and a
 * process does not end before its threads do. So a separate process, the opener, opens such files. Whoever waits too
 * long for its answer leaves it behind. The opener is another pprofil-supervise. lib/supervisor/proc/opener.c
 * implements it and asks it for the supervisor; lib/launch/file-opener.c asks it for everybody else.
 *
 * A request is sent when the one before has been answered. The answer is a wire_message DONE with error, 0 or an errno,
 * and the descriptor. If its flags have OPENER_ENDS, it is the last one of this process.
 */
#ifndef PPROFIL_OPEN_REQUEST_H
#define PPROFIL_OPEN_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPENER_ENDS 1u /* of wire_message.flags */

enum open_kind {
    OPEN_PATH,      /* a path, as the opener itself sees it */
    OPEN_MAPPING,   /* the file behind a mapping of a process */
    OPEN_JIT_NAMES, /* the names of code that a process makes at run time */
    OPEN_VDSO,      /* a process's vDSO; the supervisor copies it itself */
};

struct open_request {
    uint32_t kind;       /* enum open_kind */
    int32_t pid;         /* all but PATH: the process */
    uint64_t inode;      /* PATH, MAPPING: the inode that the file must have; 0: any */
    uint64_t start, end; /* MAPPING, VDSO: addresses [start, end) */
    uint64_t began;      /* JIT_NAMES: when the process began, CLOCK_REALTIME ns */
    char path[PATH_MAX]; /* PATH: as the opener sees it; MAPPING, JIT_NAMES: as the process sees it */
};

/* Returns for how long to wait for an opener, ms. hanging: openers that were left behind before. The first one may only
 * be slow; a later one has probably met the same file system. */
int open_request_patience(unsigned hanging);

/* Sends a request without waiting. Returns 0 or -errno; -EPIPE: the opener is gone. */
int open_request_send(int socket, const struct open_request *request);
/* Waits for a request. Returns 0 or -errno; -EPIPE: the other side is gone; -EPROTO: it was not a request. */
int open_request_receive(int socket, struct open_request *request);

#endif
