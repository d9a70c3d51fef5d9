/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * namer: names, lines and code for a profile that is still growing.
 *
 * A thread of its own looks everything up, in a profile of its own that has the same objects and
 * places, so that reading the symbols of a large file delays nobody. The profile itself is
 * touched only in the calls below, which never wait for a look-up.
 */
#ifndef PPROFIL_NAMER_H
#define PPROFIL_NAMER_H

#include "profile/profile.h"
#include "symbol/source-listing.h"

struct namer;

/* Is told of each location that has got a name, or lines. */
typedef void namer_named(void *context, uint32_t location);

/* For a profile that must outlive it. 0, -ENOMEM or -EAGAIN (no thread). */
int namer_new(struct profile *profile, namer_named *named, void *context, struct namer **namer);
/* Returns soon: a look-up that takes long goes on without us. */
void namer_free(struct namer *namer);

/* Hands over what is new in the profile and what was wanted since, and puts into the profile what
 * has been found out. 0 or -ENOMEM. */
int namer_exchange(struct namer *namer);

/* Places without a name. */
uint32_t namer_pending(const struct namer *namer);

/* From now on source lines are wanted too. */
void namer_want_lines(struct namer *namer);
/* Where is the function around a location defined? Asking again costs nothing. */
void namer_want_definition(struct namer *namer, uint32_t location);
/* The code of the function around a location. 0 or -ENOMEM. */
int namer_want_code(struct namer *namer, uint32_t location);

/* Code that has come. */
struct namer_code {
    uint32_t location;       /* that it was asked by */
    struct listing *listing; /* owned; NULL: there is none to be had */
    char *problem;           /* owned: why; may be NULL */
};

/* The next of it, which is the caller's then; false where there is none. */
bool namer_take_code(struct namer *namer, struct namer_code *code);
void namer_code_clear(struct namer_code *code);

#endif
