/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that end at a bound of their own: what comes behind it is not theirs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edges.h"

#ifndef RWF_NOSIGNAL
#define RWF_NOSIGNAL 0x100
#endif
#define PAGE 4096

static int temporary_file(off_t size)
{
    char name[] = "/tmp/pprofil-edges-XXXXXX";
    int fd = mkstemp(name);

    unlink(name);
    return ftruncate(fd, size) == 0 ? fd : -1;
}

/* It ends at the largest size that a file may have, and raises no SIGXFSZ. */
bool try_copy_to_limit(void)
{
    enum { SIZE = 16 << 20, LARGEST = 12 << 20 };
    struct rlimit before, limit;
    off_t from = 0, to = 0;
    int source = temporary_file(SIZE), target = temporary_file(0);

    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){LARGEST, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    bool right = copy_file_range(source, &from, target, &to, SIZE, 0) == LARGEST;
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

static pid_t reader_that_leaves(int fd, int other)
{
    static char some[PAGE];
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    for (int i = 0; i < 4; i++)
        if (read(fd, some, sizeof some) <= 0)
            break;
    _exit(0);
}

/* The reader goes away amid the write, which asks for no SIGPIPE. */
bool try_no_sigpipe(void)
{
    static char block[1 << 20];
    const struct iovec vector = {block, sizeof block};
    int end[2];

    if (pipe(end) < 0)
        return false;
    pid_t child = reader_that_leaves(end[0], end[1]);
    close(end[0]);
    ssize_t size = pwritev2(end[1], &vector, 1, -1, RWF_NOSIGNAL);
    bool right = size > 0 || errno == EPIPE || errno == EOPNOTSUPP; /* before Linux 6.18 */
    close(end[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* A receive ends at urgent data. */
bool try_urgent_mark(void)
{
    static int pair[2] = {-1, -1};
    char room[8];

    if (pair[0] < 0)
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    send(pair[1], "aaaa", 4, 0);
    if (send(pair[1], "!", 1, MSG_OOB) < 0) { /* before Linux 5.15 */
        recv(pair[0], room, 4, MSG_WAITALL);
        return true;
    }
    send(pair[1], "bbbb", 4, 0);
    bool right = recv(pair[0], room, 8, MSG_WAITALL) == 4;
    recv(pair[0], room, 1, MSG_OOB | MSG_DONTWAIT);
    while (recv(pair[0], room, sizeof room, MSG_DONTWAIT) > 0)
        ;
    return right;
}

/* A peek goes on where the last one ended: SO_PEEK_OFF of socket(7). */
bool try_peek_offset(void)
{
    char room[16] = "";
    int pair[2], begin = 0;

    /* of TCP since Linux 6.7 */
    if (!connect_tcp(pair) || setsockopt(pair[0], SOL_SOCKET, SO_PEEK_OFF, &begin, sizeof begin) < 0) {
        close(pair[0]);
        close(pair[1]);
        return true;
    }
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 16; i++) {
            usleep(50);
            send(pair[1], &"ABCDEFGHIJKLMNOP"[i], 1, 0);
        }
        _exit(0);
    }
    bool right = recv(pair[0], room, 16, MSG_PEEK | MSG_WAITALL) == 16 &&
                 memcmp(room, "ABCDEFGHIJKLMNOP", 16) == 0;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* Messages behind the end of a stream are empty ones. */
bool try_end_of_messages(void)
{
    static char room[8][20];
    struct iovec vectors[8];
    struct mmsghdr messages[8];
    int pair[2];

    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 8; i++) {
        vectors[i] = (struct iovec){room[i], sizeof room[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    send(pair[1], "0123456789", 10, 0);
    close(pair[1]);
    bool right = recvmmsg(pair[0], messages, 8, MSG_WAITALL, NULL) == 8 && messages[0].msg_len == 10 &&
                 messages[7].msg_len == 0;
    close(pair[0]);
    return right;
}

/* sendmmsg(2) sends no more than 1024 messages. */
bool try_most_messages(void)
{
    static struct mmsghdr messages[1100];
    static char room[2000];
    struct iovec vector = {room, 1};
    int pair[2], size = 4 << 20;

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
    for (int i = 0; i < 1100; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vector, .msg_iovlen = 1};
    int sent = sendmmsg(pair[1], messages, 1100, MSG_DONTWAIT); /* a buffer may be too small for so many */
    bool right = sent > 0 && sent <= 1024;
    if (sent == 1024) {
        recv(pair[0], room, sizeof room, 0);
        right = sendmmsg(pair[1], messages, 1100, 0) == 1024;
    }
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* Each message has all of the socket's time; an ignored signal breaks the wait for the first. */
bool try_limit_of_each_message(void)
{
    char room[3];
    struct iovec vectors[3];
    struct mmsghdr messages[3] = {0};
    pid_t parent = getpid();
    int pair[2];

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    limit_socket(pair[0], SO_RCVTIMEO, 500000);
    for (int i = 0; i < 3; i++) {
        vectors[i] = (struct iovec){&room[i], 1};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        kill(parent, SIGWINCH);
        for (int i = 0; i < 3; i++) {
            usleep(200000);
            send(pair[1], "x", 1, 0);
        }
        _exit(0);
    }
    bool right = recvmmsg(pair[0], messages, 3, 0, NULL) == 3;
    /* no error of the call that was broken is left */
    right = recv(pair[0], room, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN && right;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* A pipe keeps writes apart, page by page. */
bool try_packets(void)
{
    static char block[60 * PAGE], some[2 * PAGE];
    bool right = true;
    int end[2], status;

    if (pipe2(end, O_DIRECT) < 0)
        return errno == EINVAL;
    pid_t child = fork();
    if (child == 0) {
        close(end[0]);
        _exit(write(end[1], block, sizeof block) != sizeof block);
    }
    close(end[1]);
    for (ssize_t size; (size = read(end[0], some, sizeof some)) > 0;)
        right = right && size == PAGE;
    close(end[0]);
    return waitpid(child, &status, 0) == child && status == 0 && right;
}
