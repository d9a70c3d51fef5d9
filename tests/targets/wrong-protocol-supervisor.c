/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Acts as a supervisor of another build if PPROFIL_SUPERVISE is its path. WRONG_PROTOCOL says what it sends first.
 * "version": the first message of an older protocol. "size": a first message with a wrong size. "nothing": no message;
 * it exits with 125.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/wire.h"

int main(int argc, char **argv)
{
    const struct wire_message hello = {
        .op = WIRE_OP_DONE, .pid = getpid(), .value = WIRE_VERSION - 1};
    const char *way = getenv("WRONG_PROTOCOL");

    if (argc < 4 || way == NULL || strcmp(way, "nothing") == 0)
        return 125;
    size_t size = strcmp(way, "size") == 0 ? WIRE_HELLO_SIZE - 8 : WIRE_HELLO_SIZE;
    int client = atoi(argv[argc - 3]);
    send(client, &hello, size, MSG_NOSIGNAL);
    char command[64];
    while (recv(client, command, sizeof command, 0) > 0)
        ;
    return 0; /* like a real supervisor, it ends when its client has ended */
}
