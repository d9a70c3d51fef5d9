/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "blocking-calls.h"

#define SIZE BLOCKING_SIZE

unsigned char *pattern, *room;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static void fill_pattern(void)
{
    uint32_t state = 12345;

    for (size_t i = 0; i < SIZE; i++) {
        state = state * 1664525 + 1013904223;
        pattern[i] = (unsigned char)(state >> 24);
    }
}

bool is_pattern(const unsigned char *bytes, size_t size, uint64_t offset)
{
    while (size > 0) {
        size_t at = (size_t)(offset % SIZE), some = SIZE - at < size ? SIZE - at : size;
        if (memcmp(bytes, pattern + at, some) != 0)
            return false;
        bytes += some;
        offset += some;
        size -= some;
    }
    return true;
}

/* Makes a vector of elements of unusual sizes, which cover SIZE bytes together. */
static void make_vector(unsigned char *bytes, struct iovec vector[5])
{
    const size_t sizes[5] = {1, 4095, 0, 300001, SIZE - 304097};

    for (int i = 0; i < 5; i++) {
        vector[i] = (struct iovec){bytes, sizes[i]};
        bytes += sizes[i];
    }
}

/* --- sending --------------------------------------------------------------------------- */

static void make_pipe(int end[2])
{
    if (pipe(end) < 0)
        die("pipe");
}

static void make_unix(int end[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) < 0)
        die("socketpair");
}

static void make_tcp(int end[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(listener, (void *)&address, size) < 0 || listen(listener, 1) < 0 ||
        getsockname(listener, (void *)&address, &size) < 0)
        die("listen");
    end[1] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(end[1], (void *)&address, size) < 0)
        die("connect");
    end[0] = accept(listener, NULL, NULL);
    close(listener);
}

static void make_terminal(int end[2])
{
    struct termios raw;

    if (openpty(&end[0], &end[1], NULL, NULL, NULL) < 0)
        die("openpty");
    tcgetattr(end[1], &raw);
    cfmakeraw(&raw);
    tcsetattr(end[1], TCSANOW, &raw);
}

static ssize_t by_write(int fd)
{
    return write(fd, pattern, SIZE);
}

static ssize_t by_writev(int fd)
{
    struct iovec vector[5];

    make_vector(pattern, vector);
    return writev(fd, vector, 5);
}

static ssize_t by_pwritev2(int fd)
{
    struct iovec vector[5];

    make_vector(pattern, vector);
    return pwritev2(fd, vector, 5, -1, 0);
}

static ssize_t by_send(int fd)
{
    return send(fd, pattern, SIZE, MSG_NOSIGNAL);
}

static ssize_t by_sendmsg(int fd)
{
    struct iovec vector[5];
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = 5};

    make_vector(pattern, vector);
    return sendmsg(fd, &message, 0);
}

static ssize_t by_sendmmsg(int fd)
{
    struct iovec vector[5];
    struct mmsghdr messages[3];
    ssize_t sum = 0;

    make_vector(pattern, vector);
    memset(messages, 0, sizeof messages);
    messages[0].msg_hdr = (struct msghdr){.msg_iov = vector, .msg_iovlen = 2};
    messages[1].msg_hdr = (struct msghdr){.msg_iov = vector + 2, .msg_iovlen = 2};
    messages[2].msg_hdr = (struct msghdr){.msg_iov = vector + 4, .msg_iovlen = 1};
    int sent = sendmmsg(fd, messages, 3, 0);
    for (int i = 0; i < sent; i++)
        sum += messages[i].msg_len;
    return sum;
}

static int pattern_file(void)
{
    int file = memfd_create("pattern", 0);

    if (file < 0 || write(file, pattern, SIZE) != SIZE)
        die("memfd");
    return file;
}

static ssize_t by_sendfile(int fd)
{
    static int file = -1;
    off_t offset = 0;

    if (file < 0)
        file = pattern_file();
    return sendfile(fd, file, &offset, SIZE);
}

/* Splices from a pipe that holds the whole pattern. */
static ssize_t by_splice(int fd)
{
    struct iovec all = {pattern, SIZE};
    ssize_t moved = -1;
    int source[2];

    make_pipe(source);
    if (fcntl(source[1], F_SETPIPE_SZ, SIZE) >= (int)SIZE && vmsplice(source[1], &all, 1, 0) == SIZE)
        moved = splice(source[0], NULL, fd, NULL, SIZE, 0);
    close(source[0]);
    close(source[1]);
    return moved;
}

#ifdef __x86_64__
/* Calls the 32-bit system call write from a 64-bit program. */
static ssize_t by_int80(int fd)
{
    static unsigned char *low;
    int result;

    if (low == NULL) {
        low = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
        memcpy(low, pattern, SIZE);
    }
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(4), "b"(fd), "c"(low), "d"(SIZE)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

/* Returns true if the kernel has 32-bit system calls. A kernel without them kills the caller (ia32_emulation=off). */
static bool int80_works(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11"); /* getpid */
        _exit(result > 0 ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
#endif

static struct blocking_call senders[] = {
    {.name = "pipe-write", .make = make_pipe, .call = by_write},
    {.name = "pipe-writev", .make = make_pipe, .call = by_writev},
    {.name = "pipe-pwritev2", .make = make_pipe, .call = by_pwritev2},
    {.name = "unix-write", .make = make_unix, .call = by_write},
    {.name = "unix-writev", .make = make_unix, .call = by_writev},
    {.name = "unix-send", .make = make_unix, .call = by_send},
    {.name = "unix-sendmsg", .make = make_unix, .call = by_sendmsg},
    {.name = "unix-sendmmsg", .make = make_unix, .call = by_sendmmsg},
    {.name = "tcp-write", .make = make_tcp, .call = by_write},
    {.name = "tcp-writev", .make = make_tcp, .call = by_writev},
    {.name = "tcp-send", .make = make_tcp, .call = by_send},
    {.name = "tcp-sendmsg", .make = make_tcp, .call = by_sendmsg},
    {.name = "tcp-sendfile", .make = make_tcp, .call = by_sendfile},
    {.name = "unix-sendfile", .make = make_unix, .call = by_sendfile},
    {.name = "unix-splice", .make = make_unix, .call = by_splice},
    {.name = "terminal-write", .make = make_terminal, .call = by_write},
#ifdef __x86_64__
    {.name = "pipe-int80", .make = make_pipe, .call = by_int80}, /* must be last: blocking_init may remove it */
#endif
    {.name = NULL},
};

/* --- receiving ------------------------------------------------------------------------- */

static ssize_t by_recv(int fd)
{
    return recv(fd, room, SIZE, MSG_WAITALL);
}

static ssize_t by_recvmsg(int fd)
{
    struct iovec vector[5];
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = 5};

    make_vector(room, vector);
    return recvmsg(fd, &message, MSG_WAITALL);
}

static ssize_t by_recvmmsg(int fd)
{
    struct iovec vector[5];
    struct mmsghdr messages[2];
    ssize_t sum = 0;

    make_vector(room, vector);
    memset(messages, 0, sizeof messages);
    messages[0].msg_hdr = (struct msghdr){.msg_iov = vector, .msg_iovlen = 4};
    messages[1].msg_hdr = (struct msghdr){.msg_iov = vector + 4, .msg_iovlen = 1};
    int got = recvmmsg(fd, messages, 2, MSG_WAITALL, NULL);
    for (int i = 0; i < got; i++)
        sum += messages[i].msg_len;
    return sum;
}

/* Each receive must return at least 60000 bytes, or all that are left: SO_RCVLOWAT of socket(7). */
static ssize_t by_low_mark(int fd)
{
    const int least = 60000;
    ssize_t sum = 0;

    setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
    while (sum < (ssize_t)SIZE) {
        size_t left = SIZE - (size_t)sum;
        ssize_t some = recv(fd, room + sum, left, 0);
        if (some <= 0 || (some < least && (size_t)some != left))
            return -1;
        sum += some;
    }
    return sum;
}

static const struct blocking_call receivers[] = {
    {.name = "unix-recv", .make = make_unix, .call = by_recv},
    {.name = "unix-recvmsg", .make = make_unix, .call = by_recvmsg},
    {.name = "unix-recvmmsg", .make = make_unix, .call = by_recvmmsg, .goes_on = true},
    {.name = "tcp-recv", .make = make_tcp, .call = by_recv},
    {.name = "tcp-recvmsg", .make = make_tcp, .call = by_recvmsg},
    {.name = "tcp-recvmmsg", .make = make_tcp, .call = by_recvmmsg, .goes_on = true},
    {.name = "tcp-low-mark", .make = make_tcp, .call = by_low_mark, .goes_on = true},
    {.name = NULL},
};

/* --- devices and files ------------------------------------------------------------------- */

static int zero, source_file, target_file;
static unsigned char *target; /* the target file, mapped */

static ssize_t read_zero(void)
{
    return read(zero, room, SIZE);
}

static ssize_t readv_zero(void)
{
    struct iovec vector[5];

    make_vector(room, vector);
    return readv(zero, vector, 5);
}

static ssize_t preadv_zero(void)
{
    struct iovec vector[5];

    make_vector(room, vector);
    return preadv(zero, vector, 5, 8);
}

static ssize_t pread_zero(void)
{
    return pread(zero, room, SIZE, 8);
}

static ssize_t get_random(void)
{
    return getrandom(room, SIZE, 0);
}

static ssize_t read_urandom(void)
{
    static int urandom = -1;

    if (urandom < 0)
        urandom = open("/dev/urandom", O_RDONLY);
    return read(urandom, room, SIZE);
}

static ssize_t send_file(void)
{
    off_t offset = 0;

    lseek(target_file, 0, SEEK_SET);
    return sendfile(target_file, source_file, &offset, SIZE);
}

static ssize_t copy_range(void)
{
    loff_t from = 0, to = 0;

    return copy_file_range(source_file, &from, target_file, &to, SIZE, 0);
}

static ssize_t copy_memory(void)
{
    struct iovec here = {room, SIZE}, there = {pattern, SIZE};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

static ssize_t list_directory(void)
{
    static long expected;
    int directory = open("/proc/self/fd/..", O_RDONLY | O_DIRECTORY);
    long got = syscall(SYS_getdents64, directory, room, SIZE);

    close(directory);
    expected = expected == 0 ? got : expected;
    return got == expected ? (ssize_t)SIZE : got;
}

static const struct blocking_call alone[] = {
    {.name = "read-zero", .alone = read_zero, .changes = &room},
    {.name = "readv-zero", .alone = readv_zero, .changes = &room},
    {.name = "pread-zero", .alone = pread_zero, .changes = &room},
    {.name = "preadv-zero", .alone = preadv_zero, .changes = &room},
    {.name = "getrandom", .alone = get_random, .changes = &room},
    {.name = "read-urandom", .alone = read_urandom, .changes = &room},
    {.name = "sendfile", .alone = send_file, .changes = &target},
    {.name = "copy_file_range", .alone = copy_range, .changes = &target},
    {.name = "process_vm_readv", .alone = copy_memory, .changes = &room, .copies = true},
    {.name = "getdents", .alone = list_directory},
    {.name = NULL},
};

const struct blocking_call *blocking_calls(int kind)
{
    static const struct blocking_call *const kinds[] = {
        [BLOCKING_SENDERS] = senders, [BLOCKING_RECEIVERS] = receivers, [BLOCKING_ALONE] = alone};

    return kinds[kind];
}

bool blocking_is_terminal(const struct blocking_call *call)
{
    return call->make == make_terminal;
}

static unsigned char *map_shared(int fd)
{
    int flags = MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0);
    void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);

    if (mapped == MAP_FAILED)
        die("mmap");
    return mapped;
}

void blocking_init(void)
{
#ifdef __x86_64__
    struct blocking_call *last = &senders[sizeof senders / sizeof *senders - 2];
    if (strcmp(last->name, "pipe-int80") != 0)
        abort(); /* only the last sender can be removed */
    if (!int80_works())
        last->name = NULL;
#endif
    pattern = map_shared(-1);
    room = map_shared(-1);
    fill_pattern();
    zero = open("/dev/zero", O_RDONLY);
    source_file = pattern_file();
    target_file = pattern_file();
    target = map_shared(target_file);
}
