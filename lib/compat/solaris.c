/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library for programs of Solaris: profil(2) and pcsample(2). */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>

#include "compat/compat.h"
#include "compat/solaris/pcsample.h"

extern void profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale);

void profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale)
{
    /* "In Solaris releases prior to 2.6, calling profil() in a multithreaded program would impact only the calling
     * LWP": profil(2), NOTES */
    const struct compat_call call = {.name = "profil",
                                     .dialect = "solaris",
                                     .counter_size = 2,
                                     .scope = compat_is_per_thread() ? WIRE_PROFIL_OWN_THREAD : WIRE_PROFIL_ALL_THREADS,
                                     .caller = __builtin_return_address(0)};

    /* a scale of 0 or 1 ends the counting, and also discards what pcsample counted */
    compat_profil(&call, buffer, size, offset, scale, false);
}

long pcsample(uintptr_t samples[], long count)
{
    const struct wire_profil request = {.op = WIRE_PROFIL_PCS,
                                        .counter_size = sizeof *samples,
                                        .dialect = "pcsample",
                                        .array = (uintptr_t)samples,
                                        .room = count};
    struct compat_guard guard;
    int64_t stored = 0;
    int error = -EINVAL;

    /* an array cannot be larger than the address space */
    if (count >= 0 && (unsigned long)count <= LONG_MAX / sizeof *samples) {
        compat_enter(&guard);
        if (count > 0)
            compat_check_buffer("pcsample", (uintptr_t)samples, (uint64_t)count * sizeof *samples);
        error = compat_ask("pcsample", &request, &stored);
        compat_leave(&guard);
    } else
        compat_say("pcsample", "nsamples is %ld", count);
    if (error == 0)
        return (long)stored;
    errno = -error;
    return -1;
}

/* The flags of pkg-config contain ld's option --wrap, which renames calls of profil to this name. So these calls never
 * go to the profil of another library. */
extern void __wrap_profil(unsigned short *buffer, unsigned int size, unsigned long offset, unsigned int scale)
    __attribute__((alias("profil")));
