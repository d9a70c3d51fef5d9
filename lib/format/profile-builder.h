/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile-builder: builds profiles from names, for readers of formats that have no addresses.
 *
 * Locations have invented addresses: profile/named-locations.h. So the same location gets the same address, whichever
 * file it was read from.
 */
#ifndef PPROFIL_PROFILE_BUILDER_H
#define PPROFIL_PROFILE_BUILDER_H

#include "format/memo.h"
#include "profile/profile.h"

struct builder {
    struct profile *profile;
    struct memo memo; /* the caller frees it */
};

/* All functions except builder_is_mark return 0, -ENOMEM, -EOVERFLOW or PPROFIL_ERROR_DAMAGED. They copy the texts that
 * the caller gives them. */

/* Finds or adds an object by its path. An empty path means that the object is not known. */
int builder_object(struct builder *builder, const char *path, uint32_t *object);
/* Finds or adds a process by its pid and name. If the profile has this pid only with other names, the process has
 * executed another program. Then a process with the same pid and the next generation number is added. */
int builder_process(struct builder *builder, uint32_t pid, const char *comm, uint32_t *process);
/* Finds or adds a thread by its tid. If the thread is found, it keeps its name, and `comm` is ignored. */
int builder_thread(struct builder *builder, uint32_t process, uint32_t tid, const char *comm, uint32_t *thread);
/* Finds or adds a thread, for files that list threads but no processes. A new process gets the name of its first
 * thread. If the main thread of a known process has a new name, the process has executed another program, and is added
 * again with the next generation number. Any other thread belongs to the last generation of its process. */
int builder_task(struct builder *builder, uint32_t pid, uint32_t tid, const char *comm, uint32_t *thread);
/* Finds or adds a function of an object. An empty name means that the function is not known. `file` and `line` say
 * where the function is defined. */
int builder_function(struct builder *builder, uint32_t object, const char *name, const char *file, uint32_t line,
                     uint32_t *function);
/* Finds or adds the location with the given source lines. There is at least one line, and the line of the innermost
 * function comes first. The functions of the lines belong to the object. */
int builder_location(struct builder *builder, uint32_t object, const struct profile_line *lines, uint32_t count,
                     uint32_t *location);
/* Finds or adds a node below the node `parent`, for a function of which only the name is known. If parent is
 * PROFILE_NONE and the name is the name of a mark, such as "[truncated]", the node becomes a mark (profile_mark). */
int builder_frame(struct builder *builder, uint32_t parent, const char *name, uint32_t *node);
/* Returns true if this is the name of a mark, such as "[truncated]". No function has such a name. */
bool builder_is_mark(const char *name);

/* Counts a sample as profile_count does, but ignores a sample with neither count nor time. Returns
 * PPROFIL_ERROR_DAMAGED if a total would become larger than 2^63 - 1. */
int builder_count_sample(struct profile *profile, const struct profile_sample *sample);
/* Sets the command that was profiled, unless the profile has one already. */
int builder_set_command(struct profile *profile, const char *command);

#endif
