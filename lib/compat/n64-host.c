/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The I/O thread of osProfileInit, and its host. "A thread is started in order to service requests for profile data
 * from gperf": osProfile(3P). The host is pprofil gperf, at abstract addresses of unix(7). Both ends look at the
 * other's user, so that nobody else reads a profile or is taken for the other end.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/spawn.h"
#include "compat/compat.h"
#include "compat/n64-internal.h"
#include "base/gperf-address.h"

#define HOST_WAIT_S 5 /* for a host that does not read */

static struct {
    _Atomic pid_t owner; /* the process that has the thread; a forked child has none */
    const struct n64_profile *profile;
    int listener;
    ino_t inode; /* of the socket: the program may close descriptors that it does not know */
} host;

static bool host_is_ours(int fd)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           (credentials.uid == geteuid() || credentials.uid == 0);
}

/* The length of the meta lines, these, and the stream. */
static int host_put(int fd, const struct n64_profile *profile)
{
    int meta = memfd_create("pprofil-meta", MFD_CLOEXEC);
    int error = meta < 0 ? -errno : n64_meta_write(meta, 0);
    off_t length = error == 0 ? lseek(meta, 0, SEEK_CUR) : 0;
    uint32_t prefix = htonl((uint32_t)length);
    char bytes[4096];
    ssize_t got;

    if (error == 0 && send(fd, &prefix, sizeof prefix, MSG_NOSIGNAL) != (ssize_t)sizeof prefix)
        error = -EPIPE;
    if (error == 0 && lseek(meta, 0, SEEK_SET) < 0)
        error = -errno;
    while (error == 0 && (got = read(meta, bytes, sizeof bytes)) > 0)
        if (send(fd, bytes, (size_t)got, MSG_NOSIGNAL) != got)
            error = -EPIPE;
    if (meta >= 0)
        close(meta);
    return error == 0 ? n64_stream_write(fd, profile) : error;
}

static void host_answer(int fd)
{
    const struct timeval limit = {.tv_sec = HOST_WAIT_S};

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (host_is_ours(fd))
        host_put(fd, host.profile);
    close(fd);
}

static bool host_listens(void)
{
    struct stat status;

    return fstat(host.listener, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == host.inode;
}

static void *host_serve(void *unused)
{
    (void)unused;
    while (host_listens()) {
        int fd = accept4(host.listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            host_answer(fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            break;
    }
    return NULL;
}

static int host_open(void)
{
    struct sockaddr_un address;
    socklen_t size = gperf_program_address(&address, getpid());
    struct stat status;

    int fd = spawn_above_standard(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd < 0)
        return fd;
    if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 4) < 0 || fstat(fd, &status) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    host.listener = fd;
    host.inode = status.st_ino;
    return 0;
}

/* A thread that gets none of the program's signals. */
static int host_start_thread(void)
{
    sigset_t all, mask;
    pthread_t thread;

    int error = host_open();
    if (error != 0)
        return error;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    error = -pthread_create(&thread, NULL, host_serve, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (error != 0) {
        close(host.listener);
        return error;
    }
    pthread_setname_np(thread, "osProfile");
    pthread_detach(thread);
    return 0;
}

void n64_host_begin(const struct n64_profile *profile)
{
    pid_t self = getpid();

    host.profile = profile;
    if (atomic_exchange(&host.owner, self) == self)
        return;
    int error = host_start_thread();
    if (error != 0)
        compat_say("osProfileInit", "gperf cannot ask for the profile: %s", strerror(-error));
}

int n64_host_send(const struct n64_profile *profile)
{
    struct sockaddr_un address;
    socklen_t size = gperf_server_address(&address, geteuid());
    int error = 0;

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, size) < 0)
        error = -errno;
    else if (!host_is_ours(fd))
        error = -EPERM;
    if (error == 0)
        error = host_put(fd, profile);
    close(fd);
    return error;
}
