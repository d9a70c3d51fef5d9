/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sends a command to the session of a process, and does not check who owns the session. Prints the answer.
 *
 *   control-client PID COMMAND
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer[1024];

    if (argc < 3)
        return 2;
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "pprofil/%s", argv[1]);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1)) < 0) {
        perror(argv[1]);
        return 1;
    }
    dprintf(fd, "%s\n", argv[2]);
    ssize_t got = read(fd, answer, sizeof answer);
    if (got > 0)
        fwrite(answer, 1, (size_t)got, stdout);
    return got > 0 ? 0 : 1;
}
