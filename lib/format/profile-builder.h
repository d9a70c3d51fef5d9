/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile-builder: builds profiles from names, for readers of formats that have no addresses.
 *
 * A location has an object, a function and a line. Its address is a hash of the names and the line
 * (profile_object.invented). So the same location gets the same address, whichever file it was read from.
 */
#ifndef PPROFIL_PROFILE_BUILDER_H
#define PPROFIL_PROFILE_BUILDER_H

#include "format/memo.h"
#include "profile/profile.h"

struct builder {
    struct profile *profile;
    struct memo memo; /* the caller frees it */
};

/* All functions except builder_is_mark return 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. Texts are copied. */

/* Finds or adds an object by its path. path "": the object is not known. */
int builder_object(struct builder *builder, const char *path, uint32_t *object);
/* Finds or adds a process by pid and name. A new name for a known pid means that the process has executed another
 * program. Then the next generation of the process is added. */
int builder_process(struct builder *builder, uint32_t pid, const char *comm, uint32_t *process);
/* Finds or adds a thread by tid. A thread keeps its first name. */
int builder_thread(struct builder *builder, uint32_t process, uint32_t tid, const char *comm, uint32_t *thread);
/* Finds or adds a thread, for files that do not name processes. A new process gets the name of this thread. If the main
 * thread of a known process has a new name, the next generation of the process is added. Other threads belong to the
 * last generation of their process. */
int builder_task(struct builder *builder, uint32_t pid, uint32_t tid, const char *comm, uint32_t *thread);
/* Finds or adds a function of an object. name "": not known. file and line: where the function is defined. */
int builder_function(struct builder *builder, uint32_t object, const char *name, const char *file, uint32_t line,
                     uint32_t *function);
/* Finds or adds the location with these lines, at least one, innermost first. Their functions belong to the object. */
int builder_location(struct builder *builder, uint32_t object, const struct profile_line *lines, uint32_t count,
                     uint32_t *location);
/* Finds or adds a node below parent, for a function that has only a name. If parent is PROFILE_NONE and the name is the
 * name of a mark, the node becomes a mark. */
int builder_frame(struct builder *builder, uint32_t parent, const char *name, uint32_t *node);
/* Is this the name of a mark? No function has such a name. */
bool builder_is_mark(const char *name);

/* Counts a sample, as profile_count does. PPROFIL_ERROR_DAMAGED: a total would become larger than 2^63 - 1. A sample
 * with neither count nor time is ignored. */
int builder_count_sample(struct profile *profile, const struct profile_sample *sample);
/* Sets the command, unless the profile has one. */
int builder_set_command(struct profile *profile, const char *command);

#endif
