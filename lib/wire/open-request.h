/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open-request: requests to the opener, a separate process that opens files.
 *
 * If another process serves a file system (FUSE), any access to one of its files may hang. Once the FUSE server has
 * taken a request, the thread that waits for the answer cannot be killed (request_wait_answer() in fs/fuse/dev.c). A
 * process does not end before all its threads have ended. So a client that must not hang asks the opener to open a
 * file, and the opener sends the descriptor. A client that waits too long for an answer abandons the opener.
 *
 * The opener is a process of the program pprofil-supervise. lib/supervisor/proc/opener.c implements it, and sends it
 * the requests of the supervisor. lib/launch/file-opener.c sends it the requests of all other programs.
 *
 * A client sends its next request only after the answer to the previous request. The answer is a struct wire_message
 * with op WIRE_OP_DONE. The field error is 0 or an errno. The descriptor of the file comes with the message. If the
 * field flags contains OPENER_ENDS, this is the last answer of the opener.
 */
#ifndef PPROFIL_OPEN_REQUEST_H
#define PPROFIL_OPEN_REQUEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPENER_ENDS 1u /* flag in the field wire_message.flags: this is the last answer of the opener */

enum open_kind {
    OPEN_PATH,      /* open the file at a path, as the opener sees the path */
    OPEN_MAPPING,   /* open a file that a process has mapped */
    OPEN_JIT_NAMES, /* open the file in which a process stores the names of code that it makes at run time */
    /* copy the vDSO of a process. The supervisor makes the copy itself, so the opener does not get this request */
    OPEN_VDSO,
};

struct open_request {
    uint32_t kind;       /* enum open_kind */
    int32_t pid;         /* id of the process; not used for OPEN_PATH */
    uint64_t inode;      /* OPEN_PATH and OPEN_MAPPING: the inode that the file must have; 0: any inode */
    uint64_t start, end; /* OPEN_MAPPING and OPEN_VDSO: the mapping or the vDSO is at addresses [start, end) */
    uint64_t began;      /* OPEN_JIT_NAMES: time when the process began, CLOCK_REALTIME ns */
    /* OPEN_PATH: path as the opener sees it. OPEN_MAPPING and OPEN_JIT_NAMES: path as the process sees it */
    char path[PATH_MAX];
};

/* Returns how long to wait for an answer of the opener, ms. hanging: how many openers have hung before. If it is not 0,
 * the wait is shorter: the first opener may only be slow, but a later opener probably hangs in the same file system. */
int open_request_patience(unsigned hanging);

/* Sends a request without waiting. Returns 0 or a negative errno; -EPIPE: the opener has ended. */
int open_request_send(int socket, const struct open_request *request);
/* Waits for a request. Returns 0 or a negative errno; -EPIPE: the other side has closed the socket; -EPROTO: the data
 * is not a request. */
int open_request_receive(int socket, struct open_request *request);

#endif
