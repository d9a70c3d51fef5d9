/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls at the edges of what a tracer may mend: broken by a signal with a handler, ended by a time limit,
 * short by themselves. Without a tracer no try goes wrong: "NAME wrong 0 of 20".
 *
 *   edges [NAME]     all, or those whose name begins so
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Each case tries once. True: all is as it is without a tracer. */

static void handle(int signal)
{
    (void)signal;
    handled++;
    getppid(); /* a call of the handler's own */
}

static bool try_handled_signal(void)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval alarm = {.it_value.tv_usec = 20000};
    struct epoll_event event;
    int epoll = epoll_create1(0);
    sig_atomic_t before = handled;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &alarm, NULL);
    int result = epoll_wait(epoll, &event, 1, 1000);
    bool right = result < 0 && errno == EINTR && handled == before + 1;
    close(epoll);
    return right;
}

/* SIGWINCH is ignored by who does not ask for it. */
static void signal_later(pid_t process, useconds_t delay)
{
    usleep(delay);
    kill(process, SIGWINCH);
}

static void limit_socket(int fd, int option, suseconds_t limit)
{
    const struct timeval time = {.tv_usec = limit};

    setsockopt(fd, SOL_SOCKET, option, &time, sizeof time);
}

/* For some seconds. */
static pid_t send_signals(useconds_t period)
{
    pid_t parent = getpid(), child = fork();

    if (child != 0)
        return child;
    for (double end = now() + 5; now() < end && getppid() == parent;)
        signal_later(parent, period);
    _exit(0);
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Signals that are ignored neither break a call nor make it wait for longer and longer. */

static bool try_signals_in_receive(void)
{
    char byte;
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[0], SO_RCVTIMEO, 200000);
    pid_t child = send_signals(40000);
    double begin = now();
    bool right = recv(pair[0], &byte, 1, 0) < 0 && errno == EAGAIN && now() - begin < 4;
    end_child(child);
    close(pair[0]);
    close(pair[1]);
    return right;
}

static bool try_signals_in_events(void)
{
    char byte;
    aio_context_t context = 0;
    struct iocb request = {.aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = (uintptr_t)&byte, .aio_nbytes = 1};
    struct iocb *requests[] = {&request};
    struct io_event events[2];
    struct timespec limit = {.tv_nsec = 200000000};

    if (syscall(SYS_io_setup, 2, &context) < 0)
        return errno == ENOSYS || errno == EPERM || errno == EAGAIN;
    request.aio_fildes = (uint32_t)open("/proc/self/exe", O_RDONLY);
    syscall(SYS_io_submit, context, 1, requests);
    pid_t child = send_signals(40000);
    double begin = now();
    bool right = syscall(SYS_io_getevents, context, 2, 2, events, &limit) == 1 && now() - begin < 4;
    end_child(child);
    close((int)request.aio_fildes);
    syscall(SYS_io_destroy, context);
    return right;
}

static bool try_signals_in_ring(void)
{
    struct io_uring_params params = {0};
    struct timespec limit = {.tv_nsec = 200000000};
    struct io_uring_getevents_arg more = {.ts = (uintptr_t)&limit};
    int ring = (int)syscall(SYS_io_uring_setup, 1, &params);

    if (ring < 0 || (params.features & IORING_FEAT_EXT_ARG) == 0)
        return true; /* not to be had here */
    pid_t child = send_signals(40000);
    double begin = now();
    long got = syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &more,
                       sizeof more);
    bool right = got < 0 && errno == ETIME && now() - begin < 4;
    end_child(child);
    close(ring);
    return right;
}

/* The rest comes within the socket's time limit, which an ignored signal does not end. */
static bool try_limit_of_receive(void)
{
    char got[8];
    int pair[2];
    pid_t parent = getpid();

    usleep(500000); /* longer than the limit: a tracer has not stopped us for as long */
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[0], SO_RCVTIMEO, 400000);
    pid_t child = fork();
    if (child == 0) {
        if (write(pair[1], "abcd", 4) == 4)
            signal_later(parent, 50000);
        usleep(50000);
        _exit(write(pair[1], "efgh", 4) != 4);
    }
    ssize_t size = recv(pair[0], got, sizeof got, MSG_WAITALL);
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    return size == 8;
}

/* The time limit holds for each buffer: a send that makes progress never comes to its end. */
static bool try_limit_of_send(void)
{
    static char block[1 << 20], some[16384];
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[1], SO_SNDTIMEO, 200000);
    pid_t child = fork();
    if (child == 0) {
        close(pair[1]);
        while (recv(pair[0], some, sizeof some, MSG_WAITALL) > 0)
            usleep(8000);
        _exit(0);
    }
    close(pair[0]);
    ssize_t size = send(pair[1], block, sizeof block, MSG_NOSIGNAL);
    close(pair[1]);
    waitpid(child, NULL, 0);
    return size == (ssize_t)sizeof block;
}

/* A pipe holds less, and the call does not wait for room. */
static bool try_no_wait(void)
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

/* Its time is over behind the first message. */
static bool try_time_of_messages(void)
{
    static char room[4][4096];
    static int pair[2] = {-1, -1};
    struct mmsghdr messages[4] = {0};
    struct iovec vectors[4];
    struct timespec limit = {0};

    if (pair[0] < 0) {
        socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
        limit_socket(pair[0], SO_RCVTIMEO, 300000); /* only a wrong one waits for it */
    }
    for (int i = 0; i < 4; i++) {
        vectors[i] = (struct iovec){room[i], sizeof room[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &vectors[i], .msg_iovlen = 1};
    }
    if (send(pair[1], room[0], sizeof room[0], 0) < 0)
        return false;
    double begin = now();
    return recvmmsg(pair[0], messages, 4, 0, &limit) == 1 && now() - begin < 0.25;
}

/* A read is one record, however much room there is: dev_kmsg in the kernel's ABI documents. */
static bool try_records(void)
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
static bool try_low_mark(void)
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

static int replaced, other_file;

static void *replace_file(void *nothing)
{
    usleep(20000);
    dup2(other_file, replaced);
    return nothing;
}

/* What a call writes goes to the file that it began with. */
static bool try_replaced_file(void)
{
    static char block[1 << 20], some[16384];
    struct iovec vectors[16];
    pthread_t other;
    int end[2];

    if (pipe(end) < 0)
        return false;
    for (int i = 0; i < 16; i++)
        vectors[i] = (struct iovec){block + i * 65536, 65536};
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        for (ssize_t size; (size = read(end[0], some, sizeof some)) > 0; usleep(1000))
            ;
        _exit(0);
    }
    close(end[0]);
    replaced = end[1];
    other_file = memfd_create("other", 0);
    pthread_create(&other, NULL, replace_file, NULL);
    ssize_t size = writev(replaced, vectors, 16);
    pthread_join(other, NULL);
    off_t strayed = lseek(other_file, 0, SEEK_END);
    close(replaced);
    close(other_file);
    waitpid(child, NULL, 0);
    return size > 0 && strayed == 0;
}

/* As in a container: a filter that refuses one call. */
static void filter_calls(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kexec_load, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};

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

static bool try_filtered(void)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(write_filtered());
    waitpid(child, &status, 0);
    return status == 0;
}

static const struct edge {
    const char *name;
    bool (*try)(void);
    double seconds;
} edges[] = {
    {"handled-signal", try_handled_signal, 1},
    {"signals-in-receive", try_signals_in_receive, 1},
    {"signals-in-events", try_signals_in_events, 1},
    {"signals-in-ring", try_signals_in_ring, 1},
    {"limit-of-receive", try_limit_of_receive, 1},
    {"limit-of-send", try_limit_of_send, 4},
    {"no-wait", try_no_wait, 1},
    {"time-of-messages", try_time_of_messages, 3},
    {"low-mark", try_low_mark, 2},
    {"replaced-file", try_replaced_file, 3},
    {"records", try_records, 1},
    {"filtered", try_filtered, 2},
};

static void run(const struct edge *edge)
{
    long wrong = 0, tries = 0;

    for (double end = now() + edge->seconds; now() < end; tries++)
        wrong += !edge->try();
    printf("%s wrong %ld of %ld\n", edge->name, wrong, tries);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strncmp(edges[i].name, wanted, strlen(wanted)) == 0)
            run(&edges[i]);
    return 0;
}
