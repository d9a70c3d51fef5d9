/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sockets for commands. If a session is killed, its socket file stays in the file system. The next session at the
 * same path replaces the file, in several steps. One of these steps is to remove a file whose socket does not listen.
 * But a new socket does not listen at first either. So if two sessions did these steps at the same time, one could
 * remove the new socket of the other. To prevent this, a session locks the directory during these steps.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "session/control-socket.h"
#include "session/proc.h"

#define BACKLOG 64
#define LOCK_TRIES_MAX 200
#define LOCK_PAUSE_NS 10000000

int control_address(const char *target, bool is_path, struct sockaddr_un *address, socklen_t *size)
{
    bool number = !is_path && *target != '\0' && strspn(target, "0123456789") == strlen(target);
    size_t room = sizeof address->sun_path;

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = number ? snprintf(address->sun_path + 1, room - 1, "pprofil/%s", target)
                        : snprintf(address->sun_path, room, "%s", target);
    if (length <= 0 || (size_t)length >= room - 1)
        return -ENAMETOOLONG;
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
    return 0;
}

/* --- listening ------------------------------------------------------------------------- */

/* Locks the directory that contains `path`. Returns a descriptor that holds the lock; the caller closes the descriptor.
 * Returns -1 if the directory cannot be opened, or if another process holds the lock for 2 s. In these cases the caller
 * continues without the lock. (Sessions hold the lock only for a few system calls.) */
static int lock_directory(const char *path)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX] = ".";

    if (slash != NULL)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path) + 1, path);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LOCK_TRIES_MAX; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&pause, NULL);
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Removes a socket file if no process listens on the socket. Returns -EADDRINUSE if a process listens, -EEXIST if the
 * file is not a socket; otherwise 0 or another negative errno. */
static int remove_stale(const struct sockaddr_un *address, socklen_t size)
{
    struct stat status;
    int error = 0;

    if (lstat(address->sun_path, &status) < 0)
        return -errno;
    if (!S_ISSOCK(status.st_mode))
        return -EEXIST;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *)address, size) == 0 || errno != ECONNREFUSED)
        error = -EADDRINUSE;
    else if (unlink(address->sun_path) < 0)
        error = -errno;
    close(fd);
    return error;
}

static int try_bind(int fd, const struct sockaddr_un *address, socklen_t size)
{
    return bind(fd, (const struct sockaddr *)address, size) < 0 ? -errno : 0;
}

static int bind_and_listen(int fd, const struct sockaddr_un *address, socklen_t size)
{
    int error = try_bind(fd, address, size);

    if (error == -EADDRINUSE && address->sun_path[0] != '\0') {
        error = remove_stale(address, size);
        if (error == 0)
            error = try_bind(fd, address, size);
    }
    return error == 0 && listen(fd, BACKLOG) < 0 ? -errno : error;
}

static void remember_path(struct control_socket *socket, const struct sockaddr_un *address)
{
    struct stat status;

    if (lstat(address->sun_path, &status) < 0)
        return;
    memcpy(socket->path, address->sun_path, sizeof socket->path);
    socket->device = status.st_dev;
    socket->inode = status.st_ino;
}

int control_listen(const char *target, bool is_path, struct control_socket *result)
{
    struct sockaddr_un address;
    socklen_t size;
    int lock = -1, error = control_address(target, is_path, &address, &size);

    if (error != 0)
        return error;
    *result = (struct control_socket){
        .fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (result->fd < 0)
        return -errno;
    bool file = address.sun_path[0] != '\0';
    /* bind(2) makes the socket file with the mode that is set here, so other users can at no moment connect to the
     * socket */
    if (fchmod(result->fd, 0600) < 0)
        error = -errno;
    if (file)
        lock = lock_directory(address.sun_path);
    if (error == 0)
        error = bind_and_listen(result->fd, &address, size);
    if (error == 0 && file)
        remember_path(result, &address);
    if (lock >= 0)
        close(lock);
    if (error != 0)
        close(result->fd);
    return error;
}

void control_close(const struct control_socket *socket)
{
    struct stat status;

    if (socket->path[0] != '\0' && lstat(socket->path, &status) == 0 &&
        status.st_dev == socket->device && status.st_ino == socket->inode)
        unlink(socket->path);
    close(socket->fd);
}

/* --- trust ----------------------------------------------------------------------------- */

/* Returns true if `uid` may stand for several users. In a user namespace that does not map all users, every user that
 * is not mapped appears as the overflow user: user_namespaces(7), "Unmapped user and group IDs". In a namespace that
 * maps all users, the overflow user is an ordinary user. */
static bool may_be_anybody(uid_t uid)
{
    char text[64];
    unsigned long first, count, overflow = 65534;

    if (proc_read(AT_FDCWD, "/proc/sys/kernel/overflowuid", text, sizeof text) > 0)
        overflow = strtoul(text, NULL, 10);
    if (uid != overflow)
        return false;
    bool known = proc_read(AT_FDCWD, "/proc/self/uid_map", text, sizeof text) > 0 &&
                 sscanf(text, "%lu %*u %lu", &first, &count) == 2;
    return !known || first != 0 || count < UINT32_MAX;
}

bool control_trusts(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == getuid() || peer.uid == geteuid() || peer.uid == 0) && !may_be_anybody(peer.uid);
}
