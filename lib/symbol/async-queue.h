/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two sides of a namer share: what is asked, what is answered, and the lock. */
#ifndef PPROFIL_NAMER_INTERNAL_H
#define PPROFIL_NAMER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "symbol/async-symbolizer.h"

/* What can be asked about a location; the first is done first. */
enum namer_job { NAMER_CODE, NAMER_NAME, NAMER_DEFINE, NAMER_LINE, NAMER_JOBS };

struct namer_list {
    uint32_t *locations; /* owned */
    uint32_t count;
};

/* An object as the profile has it, but with a path and a descriptor of its own. */
struct namer_object {
    struct profile_object object;
    char *path;
};

struct namer_place {
    uint32_t object;
    uint64_t address;
};

/* A descriptor that came after its object was handed over. */
struct namer_file {
    uint32_t object;
    int fd; /* owned */
};

/* Objects and places go on where those handed over before ended. */
struct namer_questions {
    struct namer_object *objects; /* owned */
    struct namer_place *places;   /* owned */
    struct namer_file *files;     /* owned */
    uint32_t object_count, place_count, file_count;
    struct namer_list jobs[NAMER_JOBS];
};

struct namer_found {
    uint32_t location;
    uint32_t looked; /* enum profile_lookup */
    uint32_t lines;  /* so many, which go on where those found before ended */
};

struct namer_definition {
    uint32_t function, file, line;
};

/* Indexes are those of the thread's profile; strings and functions go on where those handed over
 * before ended. */
struct namer_answers {
    const char **strings; /* the array is owned; they are the thread's, which never change */
    struct profile_function *functions; /* owned */
    struct namer_found *found;          /* owned */
    struct profile_line *lines;         /* owned; of all that was found */
    struct namer_definition *definitions; /* owned */
    struct namer_code *codes;             /* owned */
    uint32_t string_count, function_count, found_count, line_count, definition_count, code_count;
};

/* Outlives whoever of the two goes first. */
struct namer_desk {
    pthread_mutex_t lock;
    pthread_cond_t asked; /* there are questions, or it is closing */
    pthread_cond_t ended_now;
    atomic_bool closing;
    bool ended;     /* the thread has */
    bool abandoned; /* nobody waits for the thread: it clears up */
    struct namer_questions questions;
    struct namer_answers answers;
};

/* CLOCK_MONOTONIC, ns. */
uint64_t namer_now(void);

/* The thread; its argument is the desk. */
void *namer_work(void *desk);

void namer_desk_free(struct namer_desk *desk);
void namer_questions_clear(struct namer_questions *questions);
void namer_answers_clear(struct namer_answers *answers);
/* 0, -ENOMEM or -EOVERFLOW. */
int namer_list_add(struct namer_list *list, uint32_t location);

#endif
