/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async-symbolizer: names, lines and code for a profile that is still growing.
 *
 * A thread of its own looks everything up, in a profile of its own that has the same objects and
 * locations, so that reading the symbols of a large file delays nobody. The profile itself is
 * touched only in the calls below, which never wait for a look-up.
 */
#ifndef PPROFIL_ASYNC_SYMBOLIZER_H
#define PPROFIL_ASYNC_SYMBOLIZER_H

#include "profile/profile.h"
#include "symbol/function-code.h"

struct async_symbolizer;

/* Called for each location that has got a name, or lines. */
typedef void async_symbolizer_named(void *context, uint32_t location);

/* For a profile that must outlive it. 0, -ENOMEM or -EAGAIN (no thread). */
int async_symbolizer_new(struct profile *profile, async_symbolizer_named *named, void *context,
                         struct async_symbolizer **result);
/* Returns within a second: a look-up that takes longer goes on without us. */
void async_symbolizer_free(struct async_symbolizer *async);

/* Requests what is new in the profile, and what was wanted since the last call; enters into the
 * profile what has been found. Calls named. 0 or -ENOMEM. */
int async_symbolizer_exchange(struct async_symbolizer *async);

/* How many locations have no name yet. */
uint32_t async_symbolizer_pending(const struct async_symbolizer *async);

/* From now on source lines are wanted too. */
void async_symbolizer_want_lines(struct async_symbolizer *async);
/* Wants to know where the function around a location is defined. Asking again costs nothing. */
void async_symbolizer_want_definition(struct async_symbolizer *async, uint32_t location);
/* Wants the code of the function around a location. 0 or -ENOMEM. */
int async_symbolizer_want_code(struct async_symbolizer *async, uint32_t location);
/* Takes the next code that has come, which is the caller's then. False: none has. */
bool async_symbolizer_take_code(struct async_symbolizer *async, struct code_listing *code);

#endif
