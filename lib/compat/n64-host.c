/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * This file contains the list of segments, which the osProfile calls share with the I/O thread. It also contains the
 * I/O thread, and the connection to the host. The manual page osProfile(3P) says: "A thread is started in order to
 * service requests for profile data from gperf". Here the host is the command pprofil gperf. base/gperf-address.h has
 * the addresses of the sockets. Each end of a connection checks that the other end is a process of the same user or of
 * root. So nobody else can read a profile, or pretend to be the other end.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gperf-address.h"
#include "compat/compat.h"
#include "compat/n64-internal.h"
#include "launch/spawn.h"

#define HOST_WAIT_S 1      /* time limit of each connect and each send, seconds */
#define HOST_TRANSFER_S 10 /* time limit for sending a whole profile, seconds */
#define META_MAX (1u << 20) /* largest size of all lines of a .meta file, bytes */
#define DEFAULT_US 10000    /* the period until osProfileStart sets another; "a typical value", says osProfile(3P) */

/* --- the segments of the last osProfileInit --------------------------------------------------- */

struct n64_list n64_list = {.counter_size = sizeof(u16), .period_us = DEFAULT_US};

static pthread_mutex_t n64_list_lock = PTHREAD_MUTEX_INITIALIZER;

static int n64_list_make(struct n64_list *list, const OSProf *segments, u32 count)
{
    list->room = (count + 1u) * sizeof *segments;
    list->segments = compat_map(list->room);
    if (list->segments == NULL)
        return -ENOMEM;
    if (count > 0)
        memcpy(list->segments, segments, count * sizeof *segments);
    list->count = count;
    return 0;
}

/* Frees the segments of a copied list, or of a list that is no longer the current one. */
static void n64_list_free(struct n64_list *copy)
{
    if (copy->segments != NULL)
        compat_unmap(copy->segments, copy->room);
    copy->segments = NULL;
}

int n64_list_replace(const OSProf *segments, u32 count, u32 counter_size)
{
    struct n64_list made = {.counter_size = counter_size, .period_us = n64_list.period_us};
    struct compat_guard guard;

    int error = n64_list_make(&made, segments, count);
    if (error != 0)
        return error;
    compat_enter(&guard);
    pthread_mutex_lock(&n64_list_lock);
    struct n64_list former = n64_list;
    n64_list = made;
    pthread_mutex_unlock(&n64_list_lock);
    compat_leave(&guard);
    n64_list_free(&former);
    return 0;
}

/* Copies the current list. Returns 0 or -ENOMEM. n64_list_free frees the copy. */
static int n64_list_copy(struct n64_list *copy)
{
    struct compat_guard guard;

    compat_enter(&guard);
    pthread_mutex_lock(&n64_list_lock);
    *copy = n64_list;
    int error = n64_list_make(copy, n64_list.segments, n64_list.count);
    pthread_mutex_unlock(&n64_list_lock);
    compat_leave(&guard);
    return error;
}

/* --- the thread and the connection to its host ------------------------------------------------- */

static struct {
    _Atomic pid_t owner; /* the process that has the I/O thread; 0: none. A forked child does not have the thread */
    int listener;
    /* inode of the socket. If the descriptor `listener` has another inode, the program has closed the socket and opened
     * another file */
    ino_t inode;
} host;

static bool host_is_ours(int fd)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           (credentials.uid == geteuid() || credentials.uid == 0);
}

/* Limits the time of each connect and send on a socket, because any user could bind the address first, and then never
 * answer. */
static void host_limit(int fd)
{
    const struct timeval limit = {.tv_sec = HOST_WAIT_S};

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static struct n64_stream host_stream(int fd)
{
    return (struct n64_stream){.fd = fd, .deadline_ns = time_now() + HOST_TRANSFER_S * UINT64_C(1000000000)};
}

/* Sends the length of the lines of the .meta file, and then the lines. If the lines cannot be made, sends the length 0,
 * because a profile is useful without them. */
static int host_put_meta(struct n64_stream *stream)
{
    int meta = n64_meta_make(0);
    off_t length = meta < 0 ? 0 : lseek(meta, 0, SEEK_END);
    uint32_t left = length > 0 && length <= META_MAX ? (uint32_t)length : 0, prefix = htonl(left);
    char bytes[4096];

    int error = n64_stream_put(stream, &prefix, sizeof prefix);
    for (off_t at = 0; error == 0 && left > 0;) {
        ssize_t got = pread(meta, bytes, left < sizeof bytes ? left : sizeof bytes, at);
        if (got <= 0)
            error = -EIO;
        else
            error = n64_stream_put(stream, bytes, (size_t)got);
        at += got;
        left -= got > 0 ? (uint32_t)got : 0;
    }
    if (meta >= 0)
        close(meta);
    return error;
}

static int host_put(int fd, const struct n64_list *list)
{
    struct n64_stream stream = host_stream(fd);
    int error = host_put_meta(&stream);

    return error == 0 ? n64_stream_write(&stream, list) : error;
}

static void host_answer(int fd)
{
    struct n64_list list;

    host_limit(fd);
    if (host_is_ours(fd) && n64_list_copy(&list) == 0) {
        host_put(fd, &list);
        n64_list_free(&list);
    }
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

/* Runs in a forked child. The I/O thread and its socket belong to the parent, so the child closes its copy of the
 * socket. Also resets the lock of the list. */
static void host_leave_child(void)
{
    if (host.owner != 0 && host_listens())
        close(host.listener);
    host.owner = 0;
    /* the child does not have the thread that holds the lock and could unlock it */
    pthread_mutex_init(&n64_list_lock, NULL);
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

/* Starts the I/O thread. The caller has blocked all signals, so the thread never runs handlers of the program. */
static int host_start_thread(void)
{
    static bool registered;
    pthread_t thread;

    if (!registered)
        registered = pthread_atfork(NULL, NULL, host_leave_child) == 0;
    int error = host_open();
    if (error != 0)
        return error;
    error = -pthread_create(&thread, NULL, host_serve, NULL);
    if (error != 0) {
        close(host.listener);
        return error;
    }
    pthread_setname_np(thread, "osProfile");
    pthread_detach(thread);
    return 0;
}

void n64_host_begin(void)
{
    struct compat_guard guard;
    pid_t self = getpid();

    compat_enter(&guard);
    /* a program that closes all descriptors also closes this socket */
    if (host.owner != self || !host_listens()) {
        int error = host_start_thread();
        host.owner = error == 0 ? self : 0;
        if (error != 0)
            compat_say("osProfileInit", "gperf cannot ask for the profile: %s", strerror(-error));
    }
    compat_leave(&guard);
}

int n64_host_send(const struct n64_list *list)
{
    struct sockaddr_un address;
    socklen_t size = gperf_server_address(&address, geteuid());
    int error = 0;

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    host_limit(fd);
    if (connect(fd, (struct sockaddr *)&address, size) < 0)
        error = -errno;
    else if (!host_is_ours(fd))
        error = -EPERM;
    if (error == 0)
        error = host_put(fd, list);
    close(fd);
    return error;
}
