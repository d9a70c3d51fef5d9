/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error.h: the error codes of libpprofil. A function that fails returns a negative errno, whose meaning is in errno(3),
 * or an enum pprofil_error. The enum has only errors for which no errno fits.
 */
#ifndef PPROFIL_PUBLIC_ERROR_H
#define PPROFIL_PUBLIC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* No errno of the kernel is larger than 4095 (MAX_ERRNO in include/linux/err.h). So no negative errno can equal a value
 * of this enum. */
enum pprofil_error {
    /* Reading a file. */
    PPROFIL_ERROR_FORMAT = -5000,   /* the format of the file is not known */
    PPROFIL_ERROR_UNREADABLE,       /* no format has the requested name, or the format can only be written */
    PPROFIL_ERROR_DAMAGED,          /* the file contradicts itself, ends too early, or has sums that are too large */
    PPROFIL_ERROR_NOT_REGULAR,      /* the path does not lead to a regular file */
    PPROFIL_ERROR_PIPED,            /* the file is a perf.data that was written to a pipe */
    PPROFIL_ERROR_BYTE_ORDER,       /* the file is a perf.data from a machine with the other byte order */
    PPROFIL_ERROR_COMPRESSED,       /* the file is a perf.data that is compressed */
    PPROFIL_ERROR_NO_OBJECT,        /* the object that the caller named cannot be opened */
    PPROFIL_ERROR_NOT_ELF,          /* the object that the caller named is not an ELF file with code in it */
    PPROFIL_ERROR_LOAD_ADDRESS,     /* the load address of the counted object is not known */

    /* Writing a file. */
    PPROFIL_ERROR_UNWRITABLE,       /* no format has the requested name, or the format can only be read */
    PPROFIL_ERROR_NO_SAMPLES,       /* the profile has no samples that the format can hold */
    PPROFIL_ERROR_COUNTERS,         /* the format cannot hold counters of this width or scale */
    PPROFIL_ERROR_ADDRESSES,        /* the profile has addresses that are too large for the format */
    PPROFIL_ERROR_DIALECT,          /* no dialect has the requested name */
    PPROFIL_ERROR_OFF,              /* the dialect counts nothing at the requested scale: the scale means "off" */
    PPROFIL_ERROR_NO_COMPARISON,    /* the caller gave a baseline, but the format cannot show a comparison */

    /* Comparing or merging two profiles. */
    PPROFIL_ERROR_MIXED_TIMES,      /* one profile has elapsed times, the other has CPU times */
    PPROFIL_ERROR_NO_DURATION,      /* the sampling time of one profile is not known */
    PPROFIL_ERROR_NO_TIMES,         /* the samples of one profile are only counted, and have no times */

    /* The caller requested something that the profile does not have. */
    PPROFIL_ERROR_NO_STACKS,        /* the profile has no stacks */
    PPROFIL_ERROR_NO_SELECTION,     /* pprofil_profile_select did not make the profile */
    PPROFIL_ERROR_NOT_PROFILED,     /* the profile has no object of the requested name, or no samples of any program */
    PPROFIL_ERROR_NO_CODE,          /* the code of a function cannot be read */
    PPROFIL_ERROR_NO_RANKS,         /* the profile has processes of fewer than two ranks of a job */
    PPROFIL_ERROR_SEVERAL_JOBS,     /* the profile has ranks of several jobs, which cannot be compared */

    PPROFIL_ERROR_EXPLAINED,        /* the reason has been written to the stream that the caller gave */
    PPROFIL_ERROR_REFUSED,          /* the session refused the command; the answer has the reason */
};

/* Returns one line of text, without a newline, about an enum pprofil_error, a negative errno, or 0. The text is valid
 * until the next call. The caller does not free it. */
const char *pprofil_error_text(int error);

#ifdef __cplusplus
}
#endif

#endif
