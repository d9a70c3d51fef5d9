/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The process that opens files, and may hang. It shares a socket with who asks, and no other
 * descriptor: a process that hangs may outlive who asks, and would keep them open.
 *
 * It copies a file that another process serves, and sends the copy, which hangs nobody. The file
 * itself may hang whoever closes it, so the opener ends after each such file, and nobody waits for
 * that.
 */
#include "config.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/regular-file.h"
#include "supervisor/proc/mapped-files.h"
#include "supervisor/proc/opener-process.h"
#include "supervisor/supervisor.h"

#define SOCKET_FD (STDERR_FILENO + 1)

/* Returns the socket's new number. */
static int opener_keep_only(int socket)
{
    if (socket != SOCKET_FD)
        dup2(socket, SOCKET_FD);
    descriptors_close(SOCKET_FD + 1);
    return SOCKET_FD;
}

/* A copy may take long. The priority of the tracer that forked us is not for that. */
static void opener_give_up_priority(void)
{
    const struct sched_param none = {0};

    sched_setscheduler(0, SCHED_OTHER, &none);
    if (getpriority(PRIO_PROCESS, 0) < 0)
        setpriority(PRIO_PROCESS, 0, 0);
}

void opener_serve(int socket)
{
    static struct open_request request;
    bool served = false;

    prctl(PR_SET_NAME, "pprofil-open");
    if (chdir("/") < 0) /* whoever asks may want to unmount where it began */
        return;
    while (!served && open_request_receive(socket, &request) == 0) {
        int file = object_open(&request);
        served = file >= 0 && regular_file_is_served(file);
        int fd = served ? regular_file_copy(file, REGULAR_FILE_COPY_MAX) : file;
        const struct wire_message answer = {
            .op = WIRE_OP_DONE, .error = fd < 0 ? -fd : 0, .flags = served ? OPENER_ENDS : 0};
        int error = wire_send(socket, &answer, fd);
        if (served || error != 0)
            close(socket);
        if (file >= 0)
            close(file);
        if (error != 0)
            return;
    }
}

int opener_fork(void)
{
    int sockets[2];
    int error = wire_socket_pair(sockets);

    if (error != 0)
        return error;
    pid_t child = fork();
    error = -errno;
    if (child == 0) {
        /* at once: another tracer may be looking at a copy of a target's descriptor, which we now have, too */
        int socket = opener_keep_only(sockets[1]);
        opener_give_up_priority();
        opener_serve(socket);
        _exit(0);
    }
    close(sockets[1]);
    if (child > 0)
        return sockets[0];
    close(sockets[0]);
    return error;
}
