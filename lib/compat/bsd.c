/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profil(2) for programs of 4.4BSD and of Mac OS X. */
#include "config.h"

#include <errno.h>

#include "compat/compat.h"
#include "dialect/dialect.h"

int bsd_profil(const char *dialect, const char *samples, size_t size, unsigned long offset, unsigned int scale,
               const void *caller)
{
    const struct compat_call call = {.name = "profil", .dialect = dialect, .counter_size = 2, .caller = caller};
    int error = -EINVAL;

    if (scale <= DIALECT_ONE_TO_ONE)
        /* a caller without a prototype may pass `size` as an int. Then its upper 32 bits can have any value */
        error = compat_profil(&call, samples, (uint32_t)size, offset, scale, compat_is_strict());
    else
        compat_say("profil", "a scale of %u is above 65536", scale);
    if (error == 0)
        return 0;
    errno = -error;
    return -1;
}
