/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async-symbolizer: names, lines and code for a profile that is still growing.
 *
 * A worker thread makes the look-ups in a profile of its own that has the same objects and
 * locations. So reading the symbols of a large file delays nobody. Only the functions below touch
 * the caller's profile. None of them waits for a look-up, except async_symbolizer_free.
 */
#ifndef PPROFIL_ASYNC_SYMBOLIZER_H
#define PPROFIL_ASYNC_SYMBOLIZER_H

#include "profile/profile.h"
#include "symbol/function-code.h"

struct async_symbolizer;

/* This function is called for each location when its name or its source lines have arrived. */
typedef void async_symbolizer_named(void *context, uint32_t location);

/* Creates an async_symbolizer for a profile. The profile must outlive the async_symbolizer. 0,
 * -ENOMEM or -EAGAIN (no thread). */
int async_symbolizer_new(struct profile *profile, async_symbolizer_named *named, void *context,
                         struct async_symbolizer **result);
/* Ends the thread and frees everything. Waits for the thread, but at most a second. If the thread needs more time for a
 * look-up, it goes on alone, ends after the look-up, and frees its memory itself. */
void async_symbolizer_free(struct async_symbolizer *async);

/* Requests names for the profile's new locations, and everything that the functions below have
 * requested since the last call. Then adds the worker's results to the profile, and calls `named`
 * for each location that has got something new. 0 or -ENOMEM. */
int async_symbolizer_exchange(struct async_symbolizer *async);

/* Returns how many locations have no name yet. */
uint32_t async_symbolizer_pending(const struct async_symbolizer *async);

/* From now on, requests not only names but also source lines, for all locations. */
void async_symbolizer_want_lines(struct async_symbolizer *async);
/* Requests where the function around a location is defined. A repeated request costs nothing. */
void async_symbolizer_want_definition(struct async_symbolizer *async, uint32_t location);
/* Requests the code of the function around a location. 0 or -ENOMEM. */
int async_symbolizer_want_code(struct async_symbolizer *async, uint32_t location);
/* Takes the next listing that has arrived. The caller then owns it. False: none has arrived. */
bool async_symbolizer_take_code(struct async_symbolizer *async, struct code_listing *code);

#endif
