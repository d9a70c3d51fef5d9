/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends a signal to one thread, as the kernel does when that thread crashes:
 *
 *   tgkill SIGNAL PID TID
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 4 || syscall(SYS_tgkill, atoi(argv[2]), atoi(argv[3]), atoi(argv[1])) < 0) {
        perror("tgkill");
        return 1;
    }
    return 0;
}
