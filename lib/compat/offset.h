/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * offset: where a histogram begins whose offset came in 32 bits.
 *
 * The pages of IRIX and Solaris have "unsigned int offset", and an old program says (unsigned)main. Today's programs
 * and libraries are loaded above 4 GiB. The upper half is then that of the one object that has such an address.
 */
#ifndef PPROFIL_COMPAT_OFFSET_H
#define PPROFIL_COMPAT_OFFSET_H

#include <stdint.h>

enum offset_found {
    OFFSET_AS_GIVEN,  /* it covers some text */
    OFFSET_COMPLETED, /* *offset has got its upper half */
    OFFSET_AMBIGUOUS, /* several objects have such an address, and none of them holds the caller */
    OFFSET_NOWHERE,   /* it has 32 bits, and no object has such an address */
    OFFSET_NOWHERE_YET, /* it is a whole address, and there is no text, or not yet */
};

/* Completes *offset where its upper half is 0 or a sign.
 *
 * reach: bytes of text that the histogram covers from the offset on; UINT64_MAX: all. caller: an address in the object
 * that makes the call. That object is meant where several could be. May be called in a signal handler. */
enum offset_found offset_complete(uint64_t *offset, uint64_t reach, uint64_t caller);

#endif
