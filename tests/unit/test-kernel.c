/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels on which a look at a thread may wait for an exec. */
#include "config.h"

#include <criterion/criterion.h>

#include "supervisor/proc/kernel.h"

Test(kernel, looks_wait)
{
    static const char *const waiting[] = {"5.3.18-150300.59.106-default", "5.3.0", "5.4.0-42-generic",
                                          "5.4.87", "5.5.19", "5.6.0-rc1", "5.6", "4.19.0-27-amd64",
                                          "Ubuntu 5.4.0-42.46-generic 5.4.44\n", "", "unknown"};

    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        cr_expect(kernel_syscall_file_blocks(waiting[i]), "%s", waiting[i]);
}

Test(kernel, looks_do_not_wait)
{
    static const char *const others[] = {"5.4.88", "5.4.301-1.el8.elrepo.x86_64", "5.7.0", "5.10.0-32",
                                         "5.70.1", "6.1.0-56-amd64", "6.18.44", "10.0",
                                         "Ubuntu 5.4.0-150.167-generic 5.4.233\n"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(!kernel_syscall_file_blocks(others[i]), "%s", others[i]);
}
