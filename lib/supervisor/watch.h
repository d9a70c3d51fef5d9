/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* watch: the threads that wait for descriptors, and for SIGTERM. Without the lock. */
#ifndef PPROFIL_SUPERVISOR_WATCH_H
#define PPROFIL_SUPERVISOR_WATCH_H

#include <semaphore.h>
#include <stdbool.h>

struct supervisor;

struct watch {
    int term;           /* eventfd: SIGTERM has come; -1: nobody waits for that */
    _Atomic bool ready; /* some descriptor is */
    sem_t served;       /* posted when the first tracer has looked at them */
};

/* Makes supervisor->epoll, and watches the socket and, when serving, SIGTERM's eventfd. 0 or -errno; descriptors that
 * were made stay open then. */
int watch_open(struct supervisor *supervisor);
/* Starts the watcher, once the first tracer is there. 0 or -errno. */
int watch_start(struct supervisor *supervisor);
/* The first tracer's: serves the descriptors that are ready. */
void watch_serve(struct supervisor *supervisor);

#endif
