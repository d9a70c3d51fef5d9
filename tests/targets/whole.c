/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocking calls that move all that they are asked for unless a signal comes: counts those that came
 * back short, and looks at every byte that arrived. Without a signal, and without a tracer, all counts
 * are 0: "NAME short 0 of 150, wrong 0".
 *
 *   whole [ROUNDS [NAME]]     all calls, or those whose name begins so
 *
 * Those that never come back short (tee, vmsplice, process_vm_readv) are here to prove it.
 */
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

#define SIZE (1u << 20)

static _Alignas(4096) unsigned char pattern[SIZE], room[SIZE];
static const char *wanted_name = "";
static long rounds = 100;
static int failures;

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

/* Bytes at an offset in a stream that repeats the pattern: are they the right ones? */
static bool is_pattern(const unsigned char *bytes, size_t size, uint64_t offset)
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

static void report(const char *name, long shorts, long calls, long wrong)
{
    printf("%s short %ld of %ld, wrong %ld\n", name, shorts, calls, wrong);
    fflush(stdout);
    failures += shorts + wrong > 0;
}

/* Elements of odd sizes that make up the pattern. */
static void make_vector(unsigned char *bytes, struct iovec vector[5])
{
    const size_t sizes[5] = {1, 4095, 0, 300001, SIZE - 304097};

    for (int i = 0; i < 5; i++) {
        vector[i] = (struct iovec){bytes, sizes[i]};
        bytes += sizes[i];
    }
}

/* --- sending: a child receives, and says by its status whether all was right -------------- */

/* What a terminal holds may be lost when the last to have it open closes it: its receiver does not wait
 * for that. */
static pid_t start_receiver(int fd, int other, uint64_t expected, bool to_the_end)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    uint64_t got = 0;
    unsigned step = 0;
    bool right = true;
    while (to_the_end || got < expected) {
        ssize_t some = read(fd, room, 1000 + step++ % 7 * 9000);
        if (some <= 0)
            break;
        right = right && is_pattern(room, (size_t)some, got);
        got += (uint64_t)some;
    }
    _exit(right && got == expected ? 0 : 1);
}

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

/* What is in a pipe: 64 KiB at a time. */
static ssize_t by_splice(int fd)
{
    static int source[2] = {-1, -1};
    ssize_t sum = 0;

    if (source[0] < 0)
        make_pipe(source);
    for (size_t at = 0; at < SIZE; at += 65536) {
        struct iovec part = {pattern + at, 65536};
        ssize_t given = vmsplice(source[1], &part, 1, 0);
        if (given != 65536)
            return given < 0 ? given : sum;
        ssize_t moved = splice(source[0], NULL, fd, NULL, 65536, 0);
        sum += moved > 0 ? moved : 0;
        if (moved != 65536)
            return sum;
    }
    return sum;
}

#ifdef __x86_64__
/* The 32-bit kernel's write, from a 64-bit program. */
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
#endif

static const struct sender {
    const char *name;
    void (*make)(int end[2]);
    ssize_t (*send)(int fd);
} senders[] = {
    {"pipe-write", make_pipe, by_write},       {"pipe-writev", make_pipe, by_writev},
    {"pipe-pwritev2", make_pipe, by_pwritev2}, {"unix-write", make_unix, by_write},
    {"unix-writev", make_unix, by_writev},     {"unix-send", make_unix, by_send},
    {"unix-sendmsg", make_unix, by_sendmsg},   {"unix-sendmmsg", make_unix, by_sendmmsg},
    {"tcp-write", make_tcp, by_write},         {"tcp-writev", make_tcp, by_writev},
    {"tcp-send", make_tcp, by_send},           {"tcp-sendmsg", make_tcp, by_sendmsg},
    {"tcp-sendfile", make_tcp, by_sendfile},   {"unix-sendfile", make_unix, by_sendfile},
    {"unix-splice", make_unix, by_splice},     {"terminal-write", make_terminal, by_write},
#ifdef __x86_64__
    {"pipe-int80", make_pipe, by_int80},
#endif
};

static void try_sender(const struct sender *sender)
{
    bool terminal = sender->make == make_terminal;
    int end[2], status = 0;
    long shorts = 0;

    sender->make(end);
    pid_t receiver = start_receiver(end[0], end[1], (uint64_t)rounds * SIZE, !terminal);
    close(end[0]);
    for (long i = 0; i < rounds; i++)
        shorts += sender->send(end[1]) != SIZE;
    if (!terminal)
        close(end[1]);
    waitpid(receiver, &status, 0);
    if (terminal)
        close(end[1]);
    report(sender->name, shorts, rounds, status != 0);
}

/* --- receiving: a child sends ------------------------------------------------------------- */

static pid_t start_sender(int fd, int other, uint64_t size)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    close(other);
    for (uint64_t sent = 0; sent < size;) {
        size_t at = (size_t)(sent % SIZE), some = SIZE - at < 5000 ? SIZE - at : 5000;
        ssize_t wrote = write(fd, pattern + at, some);
        if (wrote <= 0)
            _exit(1);
        sent += (uint64_t)wrote;
    }
    _exit(0);
}

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

/* At least so much at a time: SO_RCVLOWAT of socket(7). */
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

static const struct sender receivers[] = {
    {"unix-recv", make_unix, by_recv},       {"unix-recvmsg", make_unix, by_recvmsg},
    {"unix-recvmmsg", make_unix, by_recvmmsg}, {"tcp-recv", make_tcp, by_recv},
    {"tcp-recvmsg", make_tcp, by_recvmsg},   {"tcp-recvmmsg", make_tcp, by_recvmmsg},
    {"tcp-low-mark", make_tcp, by_low_mark},
};

static void try_receiver(const struct sender *receiver)
{
    int end[2];
    long shorts = 0, wrong = 0;

    receiver->make(end);
    pid_t child = start_sender(end[1], end[0], (uint64_t)rounds * SIZE);
    close(end[1]);
    for (long i = 0; i < rounds; i++) {
        memset(room, 0, SIZE);
        bool whole = receiver->send(end[0]) == SIZE;
        shorts += !whole;
        wrong += whole && memcmp(room, pattern, SIZE) != 0;
        if (!whole)
            break; /* what follows would not be at its place */
    }
    close(end[0]);
    waitpid(child, NULL, 0);
    report(receiver->name, shorts, rounds, wrong);
}

/* --- calls on devices and files ------------------------------------------------------------ */

static int zero, source_file, target_file;

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

static const struct call {
    const char *name;
    ssize_t (*call)(void);
    bool copies;
} calls[] = {
    {"read-zero", read_zero, false},       {"readv-zero", readv_zero, false},
    {"pread-zero", pread_zero, false},     {"preadv-zero", preadv_zero, false},
    {"getrandom", get_random, false},      {"read-urandom", read_urandom, false},
    {"sendfile", send_file, false},        {"copy_file_range", copy_range, false},
    {"process_vm_readv", copy_memory, true}, {"getdents", list_directory, false},
};

static void try_call(const struct call *call)
{
    long shorts = 0, wrong = 0;

    for (long i = 0; i < rounds; i++) {
        bool whole = call->call() == SIZE;
        shorts += !whole;
        wrong += whole && call->copies && memcmp(room, pattern, SIZE) != 0;
    }
    report(call->name, shorts, rounds, wrong);
}

static bool is_wanted(const char *name)
{
    return strncmp(name, wanted_name, strlen(wanted_name)) == 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = atol(argv[1]);
    if (argc > 2)
        wanted_name = argv[2];
    fill_pattern();
    zero = open("/dev/zero", O_RDONLY);
    source_file = pattern_file();
    target_file = memfd_create("target", 0);
    for (size_t i = 0; i < sizeof senders / sizeof *senders; i++)
        if (is_wanted(senders[i].name))
            try_sender(&senders[i]);
    for (size_t i = 0; i < sizeof receivers / sizeof *receivers; i++)
        if (is_wanted(receivers[i].name))
            try_receiver(&receivers[i]);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (is_wanted(calls[i].name))
            try_call(&calls[i]);
    return failures > 0;
}
