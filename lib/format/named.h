/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * named: profiles made of names, for readers of formats that have no addresses. A place is an
 * object, a function and a line; its address is made up (profile_object.invented) of these names,
 * so that the same place has the same address in every file.
 */
#ifndef PPROFIL_NAMED_H
#define PPROFIL_NAMED_H

#include "format/memo.h"
#include "profile/profile.h"

struct named {
    struct profile *profile;
    struct memo memo; /* the caller frees it */
};

/* All of them: 0, -ENOMEM, -EOVERFLOW, or PPROFIL_ERROR_DAMAGED. Texts are copied. */

/* path "": the object that is not known. */
int named_object(struct named *named, const char *path, uint32_t *object);
/* A process with this number and name: of a number that has several names each is an image, the
 * next generation, as execs make them. */
int named_process(struct named *named, uint32_t pid, const char *comm, uint32_t *process);
/* By number; the name is that of the first time. */
int named_thread(struct named *named, uint32_t process, uint32_t tid, const char *comm,
                 uint32_t *thread);
/* The same where no more is known of the process than its number: a first thread is called as its
 * process is, any other is of the image that was met last. */
int named_task(struct named *named, uint32_t pid, uint32_t tid, const char *comm,
               uint32_t *thread);
/* A function: name "": not known; file and line: where it is defined. */
int named_function(struct named *named, uint32_t object, const char *name, const char *file,
                   uint32_t line, uint32_t *function);
/* The location with these lines, innermost first, at least one, of functions of this object. */
int named_location(struct named *named, uint32_t object, const struct profile_line *lines,
                   uint32_t count, uint32_t *location);
/* A function that nothing but the name is known of: the node of it below parent. A name that is a
 * mark's, at the root, becomes one. */
int named_frame(struct named *named, uint32_t parent, const char *name, uint32_t *node);
/* Is this what a mark is called? Those words stand for no function anywhere. */
bool named_is_mark(const char *name);

/* As profile_count; PPROFIL_ERROR_DAMAGED where a sum would be more than numbers can hold. */
int named_count(struct profile *profile, const struct profile_sample *sample);

/* The command, unless it is known. */
int named_command(struct profile *profile, const char *command);

#endif
