/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open-request: requests to the opener, a separate process that opens files.
 *
 * A file system that another process serves (FUSE) may hang at any access to one of its files. A task that waits for an
 * answer cannot be killed once the server has taken the request (request_wait_answer() in fs/fuse/dev.c). A process
 * does not end before its threads have ended. So the opener opens such files, and a client that waits too long for its
 * answer abandons it. The opener is another pprofil-supervise. lib/supervisor/proc/opener.c implements it, and sends it
 * the requests of the supervisor. lib/launch/file-opener.c sends it the requests of all others.
 *
 * A client sends a request after the answer to the previous one. The answer is a wire_message DONE with error, 0 or an
 * errno, and the descriptor. If its flags contain OPENER_ENDS, it is the last answer of this opener.
 */
#ifndef PPROFIL_OPEN_REQUEST_H
#define PPROFIL_OPEN_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPENER_ENDS 1u /* flag in wire_message.flags */

enum open_kind {
    OPEN_PATH,      /* open a path in the file system of the opener */
    OPEN_MAPPING,   /* open the file of a mapping of a process */
    OPEN_JIT_NAMES, /* open the file with the names of code that a process makes at run time */
    /* a copy of the vDSO of a process. The supervisor makes it itself, and does not send this request */
    OPEN_VDSO,
};

struct open_request {
    uint32_t kind;       /* enum open_kind */
    int32_t pid;         /* the process, except for PATH */
    uint64_t inode;      /* PATH, MAPPING: the inode that the file must have; 0: any */
    uint64_t start, end; /* MAPPING, VDSO: addresses [start, end) */
    uint64_t began;      /* JIT_NAMES: time when the process began, CLOCK_REALTIME ns */
    char path[PATH_MAX]; /* PATH: path as the opener sees it; MAPPING, JIT_NAMES: path as the process sees it */
};

/* Returns how long to wait for an answer of the opener, ms. hanging: number of openers that were abandoned before. The
 * first opener may only be slow. A later one probably hangs in the same file system. */
int open_request_patience(unsigned hanging);

/* Sends a request without waiting. Returns 0 or a negative errno; -EPIPE: the opener has ended. */
int open_request_send(int socket, const struct open_request *request);
/* Waits for a request. Returns 0 or a negative errno; -EPIPE: the other side has closed the socket; -EPROTO: the data
 * is not a request. */
int open_request_receive(int socket, struct open_request *request);

#endif
