/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Executes a command as a reaper of orphans, as a service manager may be one:
 *
 *   subreaper COMMAND [ARG...]
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return 2;
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
