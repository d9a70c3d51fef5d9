/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Becomes a reaper of orphans, as some service managers do, and executes a command:
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
