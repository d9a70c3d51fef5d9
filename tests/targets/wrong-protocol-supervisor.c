/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A supervisor of another build, for PPROFIL_SUPERVISE: what it says is in STRANGER: "version",
 * a hello of an older protocol; "size", one whose messages have another size; "nothing".
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
    const char *way = getenv("STRANGER");

    if (argc < 4 || way == NULL || strcmp(way, "nothing") == 0)
        return 125;
    size_t size = strcmp(way, "size") == 0 ? sizeof hello - 8 : sizeof hello;
    int client = atoi(argv[argc - 3]);
    send(client, &hello, size, MSG_NOSIGNAL);
    char command[64];
    while (recv(client, command, sizeof command, 0) > 0)
        ;
    return 0; /* like a real one, it ends with its client */
}
