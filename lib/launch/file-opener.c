/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files through the opener, a process that may hang instead of this one. The opener is started when the first
 * file is opened, and ends when this process ends. The opener is a separate program: a fork would copy the page tables
 * of this process, which may be large.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "launch/file-opener.h"
#include "launch/spawn.h"
#include "wire/open-request.h"
#include "wire/wire.h"

#define HANGING_MAX 16 /* after this many files have hung, the opener gets no more requests */

struct file_opener {
    pthread_mutex_t lock;
    pid_t owner;      /* the process that started the opener; a forked child needs its own opener */
    uid_t user;       /* effective user id of the owner when it started the opener */
    int socket;       /* connection to the opener; -1: it is not running */
    unsigned hanging; /* number of openers that hung and were abandoned */
};

static void file_opener_forget(struct file_opener *opener)
{
    close(opener->socket);
    opener->socket = -1;
}

static int file_opener_spawn(int socket)
{
    struct spawn_supervisor found;
    char number[16];
    char *argv[] = {(char *)SPAWN_SUPERVISOR, (char *)"--open", number, NULL};

    snprintf(number, sizeof number, "%d", socket);
    spawn_find_supervisor(true, &found);
    return spawn_quietly(found.path, argv, &socket, 1);
}

static int file_opener_start(struct file_opener *opener)
{
    int sockets[2];

    if (opener->socket >= 0 && (opener->owner != getpid() || opener->user != geteuid()))
        file_opener_forget(opener);
    if (opener->socket >= 0)
        return 0;
    int error = wire_socket_pair(sockets);
    if (error != 0)
        return error;
    opener->socket = spawn_above_standard(sockets[0]);
    opener->owner = getpid();
    opener->user = geteuid();
    int theirs = spawn_above_standard(sockets[1]);
    error = theirs < 0 ? theirs : file_opener_spawn(theirs);
    if (theirs >= 0)
        close(theirs);
    if (error != 0)
        file_opener_forget(opener);
    return opener->socket < 0 ? -EPIPE : 0;
}

/* Sends a request, and waits for the answer. Returns the descriptor or an error; -EPIPE: the opener has ended, or
 * cannot be started; -ETIMEDOUT: the opener hangs. */
static int file_opener_ask(struct file_opener *opener, const struct open_request *request)
{
    struct pollfd poller = {.events = POLLIN};
    struct wire_message answer;
    int came, fd;

    if (file_opener_start(opener) != 0)
        return -EPIPE;
    poller.fd = opener->socket;
    int error = open_request_send(opener->socket, request);
    if (error == 0) {
        do
            came = poll(&poller, 1, open_request_patience(opener->hanging));
        while (came < 0 && errno == EINTR);
        error = came == 0 ? -ETIMEDOUT : wire_receive(opener->socket, &answer, &fd);
    }
    opener->hanging += error == -ETIMEDOUT;
    if (error != 0 || (answer.flags & OPENER_ENDS))
        file_opener_forget(opener);
    if (error != 0)
        return error == -ETIMEDOUT ? error : -EPIPE;
    return answer.error != 0 ? -answer.error : fd;
}

/* Opens a file in this process, as the opener would do it. */
static int file_opener_open_here(const char *path, uint64_t inode)
{
    int fd = regular_file_open(path, inode);

    if (fd < 0 || !regular_file_is_served(fd))
        return fd;
    int copy = regular_file_copy(fd, REGULAR_FILE_COPY_MAX);
    close(fd);
    return copy;
}

int file_opener_open(const char *path, uint64_t inode)
{
    static struct file_opener opener = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};
    struct open_request request = {.kind = OPEN_PATH, .inode = inode};
    int fd;

    /* for the opener, these would lead elsewhere: it has another working directory, and is another process */
    if (path[0] != '/' || strncmp(path, "/proc/self/", strlen("/proc/self/")) == 0)
        return file_opener_open_here(path, inode);
    if (strlen(path) >= sizeof request.path)
        return -ENAMETOOLONG;
    strcpy(request.path, path);
    pthread_mutex_lock(&opener.lock);
    fd = opener.hanging < HANGING_MAX ? file_opener_ask(&opener, &request) : -ETIMEDOUT;
    pthread_mutex_unlock(&opener.lock);
    return fd == -EPIPE ? file_opener_open_here(path, inode) : fd;
}
