/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of system calls, from the kernel headers that this was built with. */
#include "config.h"

#include "profile/profile.h"
#include "profile/syscall-table.h"

const char *profile_syscall_name(int32_t number, bool compat)
{
    const char *const *calls = compat ? compat_calls : native_calls;
    size_t count = compat ? sizeof compat_calls / sizeof *compat_calls
                          : sizeof native_calls / sizeof *native_calls;

    return number >= 0 && (size_t)number < count ? calls[number] : NULL;
}
