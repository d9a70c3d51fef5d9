/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * named-locations: locations that are known by names, not by addresses: those of interpreted code, and of files of
 * formats without addresses.
 *
 * A location has an object, a function and a line. Its address is invented (profile_object.invented): it follows from
 * the names and line numbers. So the same location gets the same address in every profile. The addresses of the lines
 * of a function have the same order as the lines.
 *
 * All functions return 0, -ENOMEM or -EOVERFLOW. They copy the texts that the caller gives them.
 */
#ifndef PPROFIL_NAMED_LOCATIONS_H
#define PPROFIL_NAMED_LOCATIONS_H

#include "profile/profile.h"

/* Finds or adds an object by its path. An empty path means that the object is not known. */
int profile_named_object(struct profile *profile, const char *path, uint32_t *object);
/* Finds or adds a function of an object. An empty name means that the function is not known. `file` and `line` say
 * where the function is defined. */
int profile_named_function(struct profile *profile, uint32_t object, const char *name, const char *file, uint32_t line,
                           uint32_t *function);
/* Finds or adds the location with the given source lines. There is at least one line, and the line of the innermost
 * function comes first. The functions of the lines belong to the object. May also return PPROFIL_ERROR_DAMAGED, if
 * somebody has chosen names whose hashes are equal. */
int profile_named_location(struct profile *profile, uint32_t object, const struct profile_line *lines, uint32_t count,
                           uint32_t *location);

#endif
