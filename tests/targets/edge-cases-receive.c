/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receives that end before they have all bytes, even without a tracer, and receives that go on until they have all
 * bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge-cases.h"

/* A receive that waits for all bytes (MSG_WAITALL) or for the low mark (SO_RCVLOWAT) ends at urgent data. */
static bool ends_at_mark(int flags, int low_mark)
{
    char room[8];
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVLOWAT, &low_mark, sizeof low_mark);
    send(pair[1], "aaaa", 4, 0);
    bool urgent = send(pair[1], "!", 1, MSG_OOB) == 1; /* local sockets have urgent data since Linux 5.15 */
    send(pair[1], "bbbb", 4, 0);
    bool right = recv(pair[0], room, 8, flags) == (urgent ? 4 : 8);
    close(pair[0]);
    close(pair[1]);
    return right;
}

bool try_urgent_mark(void)
{
    return ends_at_mark(MSG_WAITALL, 1);
}

bool try_low_mark_at_urgent(void)
{
    return ends_at_mark(0, 8);
}

/* A peek begins where the last peek ended: SO_PEEK_OFF of socket(7). */
bool try_peek_offset(void)
{
    char room[16] = "";
    int pair[2], begin = 0;

    /* TCP has SO_PEEK_OFF since Linux 6.7 */
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
    bool right = recv(pair[0], room, 16, MSG_PEEK | MSG_WAITALL) == 16 && memcmp(room, "ABCDEFGHIJKLMNOP", 16) == 0;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* After the end of a stream, recvmmsg(2) returns empty messages. */
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

/* The time limit of the socket begins anew for each message. An ignored signal interrupts the wait for the first
 * message. */
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
    double *longest = shared_time();
    *longest = 0;
    pid_t child = fork();
    if (child == 0) {
        double last = now();
        usleep(20000);
        kill(parent, SIGWINCH);
        for (int i = 0; i < 3; i++) {
            usleep(200000);
            send(pair[1], "x", 1, 0);
            *longest = now() - last > *longest ? now() - last : *longest;
            last = now();
        }
        _exit(0);
    }
    bool right = recvmmsg(pair[0], messages, 3, 0, NULL) == 3;
    /* no error is left for the next call */
    right = recv(pair[0], room, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN && right;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    note_lateness(*longest > 0.4);
    return right;
}

/* On a local socket, a peek returns what there is, although MSG_WAITALL asks it to wait for more. */
bool try_local_peek(void)
{
    char room[16];
    const struct timeval limit = {.tv_sec = 10};
    int pair[2], begin = 0;

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(pair[0], SOL_SOCKET, SO_PEEK_OFF, &begin, sizeof begin);
    send(pair[1], "0123456789", 10, 0);
    double start = now();
    bool right = recv(pair[0], room, sizeof room, MSG_PEEK | MSG_WAITALL) == 10 && now() - start < 8;
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* With SO_PASSCRED, a receive takes the bytes of one sender only. Here all bytes come from one sender, which did not
 * make the socket. */
bool try_told_sender(void)
{
    enum { RECORD = 1 << 16, RECORDS = 50 };
    static char record[RECORD];
    bool right = true;
    int pair[2], on = 1;

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        for (int i = 0; i < RECORDS; i++)
            send(pair[1], record, RECORD, MSG_NOSIGNAL);
        _exit(0);
    }
    for (int i = 0; i < RECORDS; i++)
        right = recv(pair[0], record, RECORD, MSG_WAITALL) == RECORD && right;
    close(pair[0]);
    close(pair[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* Sends one byte and, with it, a descriptor. */
static void send_descriptor(int to, int fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec vector = {"d", 1};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    sendmsg(to, &message, MSG_NOSIGNAL);
}

/* A receive on a local socket ends after a byte that comes with a descriptor, although the receive does not ask for
 * descriptors. The sender then waits until the receive has ended. 16 MiB come before that byte, so that a tracer has
 * cut the receive short by then. */
static bool ends_at_descriptor(void)
{
    enum { RECORD = 1 << 16, RECORDS = 256, SIZE = RECORD * RECORDS };
    static char all[SIZE + 2];
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pid_t child = fork();
    if (child == 0) {
        struct pollfd reply = {.fd = pair[1], .events = POLLIN};
        close(pair[0]);
        for (int i = 0; i < RECORDS; i++)
            send(pair[1], all + (size_t)i * RECORD, RECORD, MSG_NOSIGNAL);
        usleep(2000);
        send_descriptor(pair[1], 0);
        poll(&reply, 1, 10000);
        _exit(0);
    }
    close(pair[1]);
    double start = now();
    bool right = recv(pair[0], all, sizeof all, MSG_WAITALL) == SIZE + 1 && now() - start < 8;
    close(pair[0]);
    waitpid(child, NULL, 0);
    return right;
}

/* If a tracer stops a receive at the moment at which it should end, the receive goes on. At 10 kHz this happens in one
 * of 500 tries. So only three tries in a row that go wrong are an error. */
bool try_descriptors(void)
{
    return ends_at_descriptor() || ends_at_descriptor() || ends_at_descriptor();
}

enum { URGENT_RECORD = 1 << 12, URGENT_RECORDS = 64, URGENT_SIZE = URGENT_RECORD * URGENT_RECORDS };

static char before_mark[URGENT_SIZE], behind_mark[16];

/* Forks a process that sends before_mark in records, then an urgent byte (the mark), then behind_mark. Sets *took to
 * the seconds that it took to send the last record and the mark. */
static pid_t sender_of_mark(int to, double *took)
{
    int cork = 1;

    *took = 0;
    pid_t child = fork();
    if (child != 0)
        return child;
    for (int i = 0; i < URGENT_RECORDS - 1; i++) {
        usleep(10);
        send(to, before_mark, URGENT_RECORD, MSG_NOSIGNAL);
    }
    /* TCP_CORK holds the last record back until the mark is sent, but for at most 0.2 s: tcp(7) */
    setsockopt(to, IPPROTO_TCP, TCP_CORK, &cork, sizeof cork);
    double start = now();
    send(to, before_mark, URGENT_RECORD, MSG_NOSIGNAL);
    send(to, "!", 1, MSG_OOB | MSG_NOSIGNAL);
    *took = now() - start;
    send(to, behind_mark, sizeof behind_mark, MSG_NOSIGNAL);
    _exit(0);
}

/* A receive ends at urgent data that lies between two elements of its vector. */
bool try_mark_between_elements(void)
{
    struct iovec vector[] = {{before_mark, sizeof before_mark}, {behind_mark, sizeof behind_mark}};
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = 2};
    int pair[2];

    if (!connect_tcp(pair))
        return false;
    double *took = shared_time();
    pid_t child = sender_of_mark(pair[1], took);
    bool right = recvmsg(pair[0], &message, MSG_WAITALL) == URGENT_SIZE;
    waitpid(child, NULL, 0);
    note_lateness(*took > 0.15);
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* Urgent data between two messages ends the first message, and recvmmsg(2) goes on with the second. */
bool try_mark_between_messages(void)
{
    struct iovec first = {before_mark, sizeof before_mark}, second = {behind_mark, sizeof behind_mark};
    struct mmsghdr messages[] = {{.msg_hdr = {.msg_iov = &first, .msg_iovlen = 1}},
                                 {.msg_hdr = {.msg_iov = &second, .msg_iovlen = 1}}};
    int pair[2];

    if (!connect_tcp(pair))
        return false;
    double *took = shared_time();
    pid_t child = sender_of_mark(pair[1], took);
    bool right = recvmmsg(pair[0], messages, 2, MSG_WAITALL, NULL) == 2 && messages[0].msg_len == URGENT_SIZE &&
                 messages[1].msg_len == sizeof behind_mark;
    waitpid(child, NULL, 0);
    note_lateness(*took > 0.15);
    close(pair[0]);
    close(pair[1]);
    return right;
}

/* A blocked SIGCONT makes a traced thread stop, although the process is not stopped (prepare_signal in
 * kernel/signal.c). A receive goes on after that stop. */
bool try_blocked_continue(void)
{
    enum { BYTES = 40 };
    char room[BYTES];
    sigset_t mask, before;
    int pair[2];

    sigemptyset(&mask);
    sigaddset(&mask, SIGCONT);
    sigprocmask(SIG_BLOCK, &mask, &before);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < BYTES; i++) {
            usleep(50);
            send(pair[1], "x", 1, 0);
            kill(getppid(), i % 8 == 3 ? SIGCONT : 0);
        }
        _exit(0);
    }
    bool right = recv(pair[0], room, BYTES, MSG_WAITALL) == BYTES;
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    sigtimedwait(&mask, NULL, &(struct timespec){0});
    sigprocmask(SIG_SETMASK, &before, NULL);
    return right;
}

/* If the time limit does not run out, no message is lost. */
bool try_time_for_messages(void)
{
    enum { MESSAGES = 16 };
    char room[MESSAGES];
    struct iovec vectors[MESSAGES];
    struct mmsghdr messages[MESSAGES] = {0};
    struct timespec limit = {10, 0};
    int pair[2];

    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    for (int i = 0; i < MESSAGES; i++) {
        vectors[i] = (struct iovec){&room[i], 1};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < MESSAGES; i++) {
            usleep(50);
            send(pair[1], "x", 1, 0);
        }
        _exit(0);
    }
    bool right = recvmmsg(pair[0], messages, MESSAGES, 0, &limit) == MESSAGES;
    close(pair[0]);
    close(pair[1]);
    waitpid(child, NULL, 0);
    return right;
}
