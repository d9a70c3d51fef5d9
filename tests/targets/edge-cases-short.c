/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that return less than was asked for, and calls that a tracer may continue only in a certain way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pty.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "edge-cases.h"

/* A write that may not wait (RWF_NOWAIT) writes only a part of its bytes if it has more than the pipe holds. */
bool try_no_wait(void)
{
    static char block[1 << 20], some[65536];
    const struct iovec vector = {block, sizeof block};
    int end[2];

    if (pipe(end) < 0)
        return false;
    pid_t child = fork();
    if (child == 0) { /* reads all bytes, so that a waiting write can end */
        close(end[1]);
        usleep(20000);
        while (read(end[0], some, sizeof some) > 0)
            ;
        _exit(0);
    }
    close(end[0]);
    ssize_t size = pwritev2(end[1], &vector, 1, -1, RWF_NOWAIT);
    bool right = (size > 0 && size < (ssize_t)sizeof block) || (size < 0 && errno == EOPNOTSUPP);
    close(end[1]);
    waitpid(child, NULL, 0);
    return right;
}

/* A time limit of 0 ends the call after the first message, although there is a second message. */
bool try_time_of_messages(void)
{
    static char room[4][4096];
    static int pair[2] = {-1, -1};
    struct mmsghdr messages[4] = {0};
    struct iovec vectors[4];
    struct timespec limit = {0};

    if (pair[0] < 0)
        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    while (recv(pair[0], room[0], sizeof room[0], MSG_DONTWAIT) > 0)
        ;
    for (int i = 0; i < 4; i++) {
        vectors[i] = (struct iovec){room[i], sizeof room[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    for (int i = 0; i < 2; i++)
        if (send(pair[1], room[0], sizeof room[0], 0) < 0)
            return false;
    return recvmmsg(pair[0], messages, 4, 0, &limit) == 1;
}

/* The stream arrives whole and in order, however many messages a call fills. A tracer that received the rest of a
 * message by another call would lose the message's control data (msg_control). */
bool try_control_of_messages(void)
{
    static char room[2][3000], control[2][64], block[500];
    static int pair[2] = {-1, -1};
    static unsigned char next;
    struct iovec vectors[2];
    struct mmsghdr messages[2];
    bool right = true;

    if (pair[0] < 0) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        if (fork() == 0) {
            close(pair[0]);
            for (unsigned char value = 0;; usleep(20)) {
                for (size_t i = 0; i < sizeof block; i++)
                    block[i] = (char)value++;
                if (send(pair[1], block, sizeof block, MSG_NOSIGNAL) != sizeof block)
                    _exit(0);
            }
        }
        close(pair[1]);
    }
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < 2; i++) {
        vectors[i] = (struct iovec){room[i], sizeof room[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i],
                                              .msg_iovlen = 1,
                                              .msg_control = control[i],
                                              .msg_controllen = sizeof control[i]};
    }
    int count = recvmmsg(pair[0], messages, 2, MSG_WAITALL, NULL);
    for (int i = 0; i < count; i++) {
        right = right && messages[i].msg_len > 0;
        for (unsigned at = 0; at < messages[i].msg_len; at++)
            right = (unsigned char)room[i][at] == next++ && right;
    }
    return right && count > 0;
}

/* The code that makes the call is at the beginning of a page, and the page before it is not mapped. */
bool try_call_behind_hole(void)
{
#ifdef __x86_64__
    static const unsigned char code[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3}; /* eax = 0: read; syscall; ret */
    static ssize_t (*call)(int fd, void *room, size_t size);
    static int pair[2];
    char byte;

    if (call == NULL) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(pages + page, code, sizeof code);
        munmap(pages, page);
        mprotect(pages + page, page, PROT_READ | PROT_EXEC);
        *(void **)&call = pages + page;
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        limit_socket(pair[0], SO_RCVTIMEO, 1000);
    }
    return call(pair[0], &byte, 1) == -EAGAIN;
#else
    return true;
#endif
}

/* A read of /dev/kmsg returns one record, however much room there is: dev-kmsg in Documentation/ABI/testing. */
bool try_records(void)
{
    static int log = -2;
    static char room[8192];

    if (log == -2)
        log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
    ssize_t size = log < 0 ? 0 : read(log, room, sizeof room - 1);
    if (size < 0)
        lseek(log, 0, SEEK_SET);
    room[size < 0 ? 0 : size] = '\0';
    for (const char *line = strchr(room, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        if (line[1] != '\0' && line[1] != ' ') /* further lines of a record begin with a space */
            return false;
    return true;
}

/* The low mark (SO_RCVLOWAT of socket(7)) holds for all calls that read. */
bool try_low_mark(void)
{
    static char room[1 << 20];
    static int pair[2] = {-1, -1};
    static long tries;
    const int least = 50000;
    struct iovec vector = {room, sizeof room};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

    if (pair[0] < 0) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        setsockopt(pair[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
        if (fork() == 0) {
            close(pair[0]);
            while (send(pair[1], room, 3000, MSG_NOSIGNAL) > 0)
                ;
            _exit(0);
        }
        close(pair[1]);
    }
    ssize_t size = tries++ % 2 == 0 ? readv(pair[0], &vector, 1) : recvmsg(pair[0], &message, 0);
    return size >= least;
}

/* A socket for messages also accepts SO_RCVLOWAT, the least number of bytes to receive, but ignores it. */
bool try_low_mark_of_messages(void)
{
    static char room[1000];
    static int pair[2] = {-1, -1};
    const int least = 100;

    if (pair[0] < 0) {
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
        setsockopt(pair[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
        if (fork() == 0) {
            close(pair[0]);
            while (send(pair[1], room, 10, MSG_NOSIGNAL) > 0)
                ;
            _exit(0);
        }
        close(pair[1]);
    }
    return recv(pair[0], room, sizeof room, 0) == 10;
}

/* A read of a terminal's master returns what was written to the slave, without waiting for more. VMIN holds only for
 * reads of the slave. */
bool try_terminal_master(void)
{
    static int master = -1, slave;
    struct termios settings;
    char room[100];

    if (master < 0) {
        if (openpty(&master, &slave, NULL, NULL, NULL) < 0)
            return true; /* this machine has no terminals */
        tcgetattr(slave, &settings);
        cfmakeraw(&settings);
        settings.c_cc[VMIN] = 10;
        tcsetattr(slave, TCSANOW, &settings);
    }
    return write(slave, "abc", 3) == 3 && read(master, room, sizeof room) == 3;
}

/* Sets a filter of system calls, as a sandbox does. Any call that write_filtered() does not make ends the process. */
static void filter_calls(void)
{
    static const unsigned allowed[] = {SYS_socketpair,      SYS_clone,      SYS_set_robust_list,
                                       SYS_rt_sigprocmask,  SYS_gettid,     SYS_getpid,
                                       SYS_close,           SYS_read,       SYS_write,
                                       SYS_clock_nanosleep, SYS_exit_group, SYS_wait4,
#ifdef __i386__
                                       SYS_socketcall,      SYS_clock_nanosleep_time64,
#endif
                                       SYS_restart_syscall};
    enum { ALLOWED = sizeof allowed / sizeof *allowed };
    struct sock_filter code[2 + 2 * ALLOWED] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.len = 2 + 2 * ALLOWED, .filter = code};

    for (int i = 0; i < ALLOWED; i++) {
        code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
        code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[1 + 2 * ALLOWED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Forks a process that reads at least `size` bytes from fd, and ends. */
static void read_some(int fd, int other, size_t size)
{
    static char some[30000];

    if (fork() != 0)
        return;
    close(other);
    for (ssize_t got; size > 0 && (got = read(fd, some, sizeof some)) > 0; usleep(100))
        size -= (size_t)got < size ? (size_t)got : size;
    _exit(0);
}

/* If the reader closes the socket during a write, the write returns what it has written, and no signal comes. */
static int write_filtered(void)
{
    static char block[1 << 20];
    const size_t sizes[] = {sizeof block, sizeof block / 2};
    bool right = true;

    filter_calls();
    for (int i = 0; i < 2; i++) {
        int end[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) < 0)
            return 1;
        read_some(end[0], end[1], sizes[i]);
        close(end[0]);
        ssize_t wrote = write(end[1], block, sizeof block);
        right = right && (i == 0 ? wrote == (ssize_t)sizeof block : wrote >= (ssize_t)sizes[i]);
        close(end[1]);
        wait(NULL);
    }
    return right ? 0 : 1;
}

bool try_filtered(void)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(write_filtered());
    waitpid(child, &status, 0);
    return status == 0;
}
