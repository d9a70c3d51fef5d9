/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that are short by themselves, or may be continued only in one way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
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
#include <time.h>
#include <unistd.h>

#include "edge-cases.h"

/* A pipe holds less, and the call does not wait for room. */
bool try_no_wait(void)
{
    static char block[1 << 20], some[65536];
    const struct iovec vector = {block, sizeof block};
    int end[2];

    if (pipe(end) < 0)
        return false;
    pid_t child = fork();
    if (child == 0) { /* only a wrong one waits for it */
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

/* Its time is over behind the first message, though there is a second. */
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

/* What comes in is whole and in order, however many messages a call fills. What is told beside a message
 * (msg_control) would be lost to calls for the rest of it. */
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

/* Before the page of the call there is nothing mapped. */
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

/* A read is one record, however much room there is: dev_kmsg in the kernel's ABI documents. */
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
        if (line[1] != '\0' && line[1] != ' ') /* a record's further lines begin with a space */
            return false;
    return true;
}

/* SO_RCVLOWAT of socket(7) holds for every way to read. */
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

/* A socket of messages keeps that mark, too, and does not look at it. */
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

/* What is written into the slave comes out of the master at once, whatever the slave's own reads wait
 * for. */
bool try_terminal_master(void)
{
    static int master = -1, slave;
    struct termios settings;
    char room[100];

    if (master < 0) {
        if (openpty(&master, &slave, NULL, NULL, NULL) < 0)
            return true; /* not to be had here */
        tcgetattr(slave, &settings);
        cfmakeraw(&settings);
        settings.c_cc[VMIN] = 10;
        tcsetattr(slave, TCSANOW, &settings);
    }
    return write(slave, "abc", 3) == 3 && read(master, room, sizeof room) == 3;
}

/* The kernel moves at most MAX_RW_COUNT bytes in one call: write(2). */
bool try_largest_write(void)
{
#if SIZE_MAX > UINT32_MAX
    const size_t size = (size_t)3 << 30, most = 0x7ffff000;
    static char some[1 << 16];
    size_t got = 0;
    int end[2], status;
    char *block = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (block == MAP_FAILED || pipe(end) < 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        for (ssize_t part; (part = read(end[0], some, sizeof some)) > 0;)
            got += (size_t)part;
        _exit(got != most);
    }
    close(end[0]);
    ssize_t wrote = write(end[1], block, size);
    close(end[1]);
    waitpid(child, &status, 0);
    munmap(block, size);
    return wrote == (ssize_t)most && status == 0;
#else
    return true; /* no block is so large */
#endif
}

enum { ELEMENT = 3 << 20, ELEMENTS = 2 };
enum stage { STAGE_READING, STAGE_WAITING, STAGE_REPLACED };

static struct {
    int fd, other_file; /* the descriptor, and the file that it gets */
    atomic_int *stage;  /* shared with the reader */
    pid_t writer;       /* a thread */
} replaced;

static bool writer_sleeps(void)
{
    char path[64], text[256] = "";

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)replaced.writer);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(text, sizeof text, file) == NULL)
            text[0] = '\0';
        fclose(file);
    }
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

static void *replace_file(void *nothing)
{
    while (*replaced.stage != STAGE_WAITING)
        usleep(1000);
    /* a writer that a tracer makes go on does not sleep for long */
    for (int sleeps = 0; sleeps < 2; sleeps = writer_sleeps() ? sleeps + 1 : 0)
        usleep(5000);
    dup2(replaced.other_file, replaced.fd);
    *replaced.stage = STAGE_REPLACED;
    return nothing;
}

/* Reads half of the first element, waits until the file is replaced, and reads the rest. While it reads
 * the writer runs most of the time, so that a tracer breaks its call. To continue it takes a call for the
 * rest of the first element, and one for the second. */
static void read_half_and_wait(int fd)
{
    static char some[16384];
    ssize_t size, sum = 0;

    while (sum < ELEMENT / 2 && (size = read(fd, some, sizeof some)) > 0)
        sum += size;
    for (*replaced.stage = STAGE_WAITING; *replaced.stage != STAGE_REPLACED;)
        usleep(1000);
    while (read(fd, some, sizeof some) > 0)
        ;
}

/* What a call writes goes to the file that it began with. */
bool try_replaced_file(void)
{
    static char block[ELEMENT];
    struct iovec vectors[ELEMENTS];
    pthread_t other;
    int end[2];

    if (pipe(end) < 0)
        return false;
    for (int i = 0; i < ELEMENTS; i++)
        vectors[i] = (struct iovec){block, sizeof block};
    replaced.fd = end[1];
    replaced.writer = gettid();
    replaced.other_file = memfd_create("other", 0);
    replaced.stage = mmap(NULL, sizeof *replaced.stage, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        read_half_and_wait(end[0]);
        _exit(0);
    }
    close(end[0]);
    pthread_create(&other, NULL, replace_file, NULL);
    ssize_t size = writev(replaced.fd, vectors, ELEMENTS);
    pthread_join(other, NULL);
    off_t strayed = lseek(replaced.other_file, 0, SEEK_END);
    close(replaced.fd);
    close(replaced.other_file);
    waitpid(child, NULL, 0);
    munmap(replaced.stage, sizeof *replaced.stage);
    return size > 0 && strayed == 0;
}

/* As in a sandbox: a call that write_filtered() does not make ends the process. */
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
    struct sock_filter code[2 + 2 * ALLOWED] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.len = 2 + 2 * ALLOWED, .filter = code};

    for (int i = 0; i < ALLOWED; i++) {
        code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
        code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[1 + 2 * ALLOWED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Reads from fd until so many bytes have come, and ends. */
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

/* A reader that goes away ends a write with what was written, and no signal. */
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

