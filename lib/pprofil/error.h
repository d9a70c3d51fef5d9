/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors. A function that fails returns a negative errno, which means what errno(3) says of it, or one of the errors
 * below, which no errno fits.
 */
#ifndef PPROFIL_PUBLIC_ERROR_H
#define PPROFIL_PUBLIC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel promises that no errno is larger than 4095 (MAX_ERRNO in its include/linux/err.h), so no negative errno
 * equals one of these, now or later. */
enum pprofil_error {
    /* Reading a file. */
    PPROFIL_ERROR_FORMAT = -5000,   /* the file is of no known format */
    PPROFIL_ERROR_UNREADABLE,       /* there is no format of this name, or it can only be written */
    PPROFIL_ERROR_DAMAGED,          /* the file contradicts itself, ends too early, or has sums that are too large */
    PPROFIL_ERROR_NOT_REGULAR,      /* the path is not that of a regular file */
    PPROFIL_ERROR_PIPED,            /* a perf.data that was written to a pipe */
    PPROFIL_ERROR_BYTE_ORDER,       /* a perf.data of the other byte order */
    PPROFIL_ERROR_COMPRESSED,       /* a perf.data that is compressed */
    PPROFIL_ERROR_NO_OBJECT,        /* the object that the caller named cannot be opened */
    PPROFIL_ERROR_NOT_ELF,          /* the object that the caller named is not an ELF file with code in it */
    PPROFIL_ERROR_LOAD_ADDRESS,     /* counters of an object that may be loaded anywhere, without the address of that */

    /* Writing a file. */
    PPROFIL_ERROR_UNWRITABLE,       /* there is no format of this name, or it can only be read */
    PPROFIL_ERROR_NO_SAMPLES,       /* there are no samples that the format could hold */
    PPROFIL_ERROR_COUNTERS,         /* the format cannot hold counters of this width or scale */
    PPROFIL_ERROR_ADDRESSES,        /* addresses are too large for the format */
    PPROFIL_ERROR_DIALECT,          /* there is no such dialect */
    PPROFIL_ERROR_OFF,              /* the dialect counts nothing at this scale */
    PPROFIL_ERROR_NO_COMPARISON,    /* there is a baseline, and the format cannot show a comparison */

    /* Comparing or merging two profiles. */
    PPROFIL_ERROR_MIXED_TIMES,      /* one is of elapsed time, the other of CPU time */
    PPROFIL_ERROR_NO_DURATION,      /* one does not say how long it took */

    /* What a profile does not have. */
    PPROFIL_ERROR_NO_STACKS,        /* it has no stacks */
    PPROFIL_ERROR_NO_SELECTION,     /* it is not a part of another profile */
    PPROFIL_ERROR_NOT_PROFILED,     /* it has no such object, or no file of a program */
    PPROFIL_ERROR_NO_CODE,          /* the code of a function cannot be read */

    PPROFIL_ERROR_EXPLAINED,        /* the reason has been written to the stream that the caller gave */
    PPROFIL_ERROR_REFUSED,          /* the session that was commanded refuses, and says why */
};

/* Returns one line for people, without a newline: of an enum pprofil_error, of a negative errno, or of 0. It is valid
 * until the next call, and never freed. */
const char *pprofil_error_text(int error);

#ifdef __cplusplus
}
#endif

#endif
