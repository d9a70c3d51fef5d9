/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open-request: what a process that opens files for another is asked for.
 *
 * A file system that another process serves (FUSE) may hang at any look at one of its files. A task
 * that waits for the answer cannot even be killed once the request was taken
 * (request_wait_answer() in fs/fuse/dev.c), and no process ends before its threads do. So such
 * files are opened by a process of its own, the opener: whoever waits for it in vain leaves it
 * alone. pprofil-supervise is this process. lib/supervisor/proc/opener.c has it, and asks it for the
 * supervisor; everybody else asks by lib/launch/file-opener.c.
 *
 * One request is answered before the next is sent. The answer is a wire_message DONE: error, 0 or
 * an errno, and the descriptor. With OPENER_ENDS among its flags it is the process's last.
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
    OPEN_VDSO,      /* a process's vDSO: the supervisor does it itself */
};

struct open_request {
    uint32_t kind;       /* enum open_kind */
    int32_t pid;         /* all but PATH: the process */
    uint64_t inode;      /* PATH, MAPPING: the file has to have this one; 0: any will do */
    uint64_t start, end; /* MAPPING, VDSO: its addresses */
    uint64_t began;      /* JIT_NAMES: when the process began, CLOCK_REALTIME ns */
    char path[PATH_MAX]; /* MAPPING, JIT_NAMES: as the process sees it */
};

/* How long an opener is waited for: ms. hanging: how many were left alone before. The first that
 * hangs may only be slow; the next is likely to meet the same file system. */
int open_request_patience(unsigned hanging);

/* Sends a request without waiting. 0 or -errno; -EPIPE: the opener is gone. */
int open_request_send(int socket, const struct open_request *request);
/* Waits for a request. 0; -EPIPE: nobody asks any more; -EPROTO: it was no request. */
int open_request_receive(int socket, struct open_request *request);

#endif
