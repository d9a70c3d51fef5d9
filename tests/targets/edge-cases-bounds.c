/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files and pipes, and sends, that end at a bound of their own: what comes behind it is not theirs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge-cases.h"

int temporary_file(off_t size)
{
    char name[] = "/tmp/pprofil-edges-XXXXXX";
    int fd = mkstemp(name);

    unlink(name);
    return ftruncate(fd, size) == 0 ? fd : -1;
}

/* It ends at the largest size that a file may have, and raises no SIGXFSZ. */
bool try_copy_to_limit(void)
{
    enum { SIZE = 16 << 20, LIMIT = 12 << 20 };
    struct rlimit before, limit;
    off_t from = 0, to = 0;
    int source = temporary_file(SIZE), target = temporary_file(0);

    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){LIMIT, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool right = copy_file_range(source, &from, target, &to, SIZE, 0) == LIMIT;
    setrlimit(RLIMIT_FSIZE, &before);
    close(source);
    close(target);
    return right;
}

/* It ends where the file ended when the call began. */
bool try_append_to_itself(void)
{
    enum { SIZE = 4 << 20 };
    struct stat status;
    off_t from = 0, to = SIZE;
    int file = temporary_file(SIZE);
    bool right = copy_file_range(file, &from, file, &to, 10 * SIZE, 0) == SIZE &&
                 fstat(file, &status) == 0 && status.st_size == 2 * SIZE;

    close(file);
    return right;
}

/* sendmmsg(2) sends no more than 1024 messages. The reader's pauses make it wait amid them. */
bool try_most_messages(void)
{
    enum { ASKED = 1100, SENT = 1024, SIZE = 1000 };
    static struct mmsghdr messages[ASKED];
    static char room[SIZE];
    struct iovec vector = {room, SIZE};
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    for (int i = 0; i < ASKED; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vector, .msg_iovlen = 1};
    pid_t child = reader_of_all(pair[0], pair[1]);
    close(pair[0]);
    bool right = sendmmsg(pair[1], messages, ASKED, 0) == SENT;
    close(pair[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* Each page of what a writev(2) writes is a packet of the pipe, wherever its elements begin and end. */
bool try_packets(void)
{
    enum { ELEMENTS = 60 };
    static char block[ELEMENTS << 16], some[1 << 16];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page * 3 / 2, got = 0;
    struct iovec vector[ELEMENTS];
    bool right = true;
    int end[2], status;

    if (page > sizeof some / 2)
        return true;
    for (size_t i = 0; i < ELEMENTS; i++)
        vector[i] = (struct iovec){block + i * size, size};
    if (pipe2(end, O_DIRECT) < 0)
        return errno == EINVAL;
    pid_t child = fork();
    if (child == 0) {
        close(end[0]);
        ssize_t written = writev(end[1], vector, ELEMENTS);
        _exit(written > 0 && (size_t)written % page == 0 ? 0 : 1); /* it may be short, but not within a packet */
    }
    close(end[1]);
    for (ssize_t packet; (packet = read(end[0], some, sizeof some)) > 0; got += (size_t)packet)
        right = right && (size_t)packet == page;
    close(end[0]);
    return waitpid(child, &status, 0) == child && status == 0 && right && got > 0;
}
