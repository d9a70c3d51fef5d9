/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that signals interrupt. The signals must not change the time limits of these calls. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge-cases.h"

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
    getppid(); /* a call made by the handler */
}

/* Returns 1 if the handler ran once and ended the wait, -1 if the signal came before the wait, otherwise 0. */
static int wait_for_signal(void)
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
    return result == 0 && handled == before + 1 ? -1 : right;
}

bool try_handled_signal(void)
{
    int right = -1;

    for (int tries = 0; tries < 5 && right < 0; tries++)
        right = wait_for_signal();
    return right > 0;
}

/* `signal` is SIGWINCH or SIGCONT, which are ignored by default. */
static void signal_later(pid_t process, useconds_t delay, int signal)
{
    usleep(delay);
    kill(process, signal);
}

/* Forks a process that sends SIGWINCH for five seconds, once every `period` microseconds. */
static pid_t send_signals(useconds_t period)
{
    pid_t parent = getpid(), child = fork();

    if (child != 0)
        return child;
    for (double end = now() + 5; now() < end && getppid() == parent;)
        signal_later(parent, period, SIGWINCH);
    _exit(0);
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Ignored signals neither end a call nor make its time limit begin anew. */

bool try_signals_in_receive(void)
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

bool try_signals_in_epoll(void)
{
    struct epoll_event event;
    int epoll = epoll_create1(0);
    pid_t child = send_signals(40000);
    double begin = now();
    bool right = epoll_wait(epoll, &event, 1, 200) == 0 && now() - begin < 4;

    end_child(child);
    close(epoll);
    return right;
}

bool try_signals_in_events(void)
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

static bool ring_waits_to_its_end(void)
{
    struct io_uring_params params = {0};
    struct __kernel_timespec limit = {.tv_nsec = 200000000};
    struct io_uring_getevents_arg more = {.ts = (uintptr_t)&limit};
    int ring = (int)syscall(SYS_io_uring_setup, 1, &params);

    if (ring < 0 || (params.features & IORING_FEAT_EXT_ARG) == 0)
        return true; /* this kernel has no io_uring with time limits */
    pid_t child = send_signals(40000);
    double begin = now();
    long got = syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &more,
                       sizeof more);
    bool right = got < 0 && errno == ETIME && now() - begin < 4;
    end_child(child);
    close(ring);
    return right;
}

/* A child process makes the ring. Some time after a ring is closed, the kernel interrupts the thread that made it, even
 * without a tracer (io_ring_exit_work in io_uring/io_uring.c). In this process, that could disturb a later case. */
bool try_signals_in_ring(void)
{
    int status = -1;
    pid_t waiter = fork();

    if (waiter == 0)
        _exit(!ring_waits_to_its_end());
    return waitpid(waiter, &status, 0) == waiter && status == 0;
}

static void handle_with_frame(int signal, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    handle(signal);
}

static void signal_writer(pid_t process, int fd, int result)
{
    static char some[65536];
    size_t total = (size_t)read(fd, some, sizeof some);

    usleep(20000);
    kill(process, SIGSTOP);
    kill(process, SIGUSR1);
    kill(process, SIGWINCH);
    kill(process, SIGCONT);
    usleep(20000);
    for (ssize_t got; (got = read(fd, some, sizeof some)) > 0;)
        total += (size_t)got;
    _exit(write(result, &total, sizeof total) != sizeof total);
}

/* While the process is stopped, it gets SIGUSR1 and then SIGCONT. SIGCONT makes a traced thread stop once more: after
 * the kernel has made the frame of SIGUSR1's handler, but before the handler runs. */
bool try_stop_in_handler(void)
{
    static char block[1 << 20];
    const struct sigaction action = {.sa_sigaction = handle_with_frame, .sa_flags = SA_SIGINFO | SA_RESTART};
    pid_t parent = getpid();
    sig_atomic_t before = handled;
    size_t total = 0;
    int end[2], result[2];

    sigaction(SIGUSR1, &action, NULL);
    if (pipe(end) < 0 || pipe(result) < 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        signal_writer(parent, end[0], result[1]);
    }
    close(end[0]);
    close(result[1]);
    ssize_t wrote = write(end[1], block, sizeof block);
    close(end[1]);
    bool right = read(result[0], &total, sizeof total) == sizeof total && wrote > 0 &&
                 total == (size_t)wrote && handled == before + 1;
    close(result[0]);
    waitpid(child, NULL, 0);
    return right;
}

bool connect_tcp(int pair[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    pair[0] = pair[1] = -1;
    if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        pair[1] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(pair[1], (struct sockaddr *)&address, size) == 0)
            pair[0] = accept(listener, NULL, NULL);
    }
    close(listener);
    return pair[0] >= 0;
}

/* A peek (MSG_PEEK) removes no bytes from the socket. If the other side ends the connection while a peek waits for more
 * bytes, the peek returns the bytes that are there. */
bool try_peek(void)
{
    char got[100];
    int pair[2];
    pid_t parent = getpid();

    if (!connect_tcp(pair))
        return false;
    pid_t child = fork();
    if (child == 0) {
        if (write(pair[1], "abcd", 4) == 4)
            signal_later(parent, 20000, SIGWINCH);
        usleep(20000);
        _exit(0);
    }
    close(pair[1]);
    ssize_t size = recv(pair[0], got, sizeof got, MSG_PEEK | MSG_WAITALL);
    waitpid(child, NULL, 0);
    close(pair[0]);
    return size == 4;
}

/* The rest of the bytes comes within the socket's time limit. An ignored signal does not end the receive. */
bool try_limit_of_receive(void)
{
    static int tries;
    double *sent = shared_time();
    char got[8];
    int pair[2];
    pid_t parent = getpid();

    usleep(500000); /* longer than the limit, so that the last stop by a tracer is longer ago than the limit */
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[0], SO_RCVTIMEO, 400000);
    int signal = tries++ % 2 == 0 ? SIGWINCH : SIGCONT;
    double begin = now();
    *sent = begin;
    pid_t child = fork();
    if (child == 0) {
        if (write(pair[1], "abcd", 4) == 4)
            signal_later(parent, 50000, signal);
        usleep(50000);
        int wrong = write(pair[1], "efgh", 4) != 4;
        *sent = now();
        _exit(wrong);
    }
    ssize_t size = recv(pair[0], got, sizeof got, MSG_WAITALL);
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    note_lateness(*sent - begin > 0.35);
    return size == 8;
}

static bool sleeps(pid_t pid)
{
    char path[64], line[64] = "";

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "State:", 6) != 0)
        ;
    if (file != NULL)
        fclose(file);
    return strstr(line, "S (") != NULL;
}

/* One signal interrupts a receive before any byte has come. Another signal interrupts it when some bytes have come. One
 * time limit holds for the whole call. */
bool try_limit_after_part(void)
{
    double *sent = shared_time();
    char got[8];
    int pair[2];
    pid_t parent = getpid();

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[0], SO_RCVTIMEO, 3000000);
    double begin = now();
    pid_t child = fork();
    if (child == 0) {
        while (!sleeps(parent))
            usleep(1000);
        signal_later(parent, 50000, SIGWINCH);
        double first = now();
        usleep(2300000);
        int wrong = write(pair[1], "abcd", 4) != 4;
        signal_later(parent, 1000, SIGWINCH);
        *sent = first - begin < 0.5 ? now() : begin + 4;
        _exit(wrong);
    }
    ssize_t size = recv(pair[0], got, sizeof got, MSG_WAITALL);
    double end = now();
    waitpid(child, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    note_lateness(*sent - begin > 2.9);
    return size == 4 && end - begin < 5;
}

/* On a local socket, the time limit holds for each buffer that a send fills. So a send that makes progress never
 * reaches the limit. */
bool try_limit_of_send(void)
{
    static char block[1 << 20], some[16384];
    double *longest = shared_time();
    int pair[2];

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    limit_socket(pair[1], SO_SNDTIMEO, 200000);
    *longest = 0;
    pid_t child = fork();
    if (child == 0) {
        close(pair[1]);
        double last = now();
        while (recv(pair[0], some, sizeof some, MSG_WAITALL) > 0) {
            usleep(8000);
            *longest = now() - last > *longest ? now() - last : *longest;
            last = now();
        }
        _exit(0);
    }
    close(pair[0]);
    ssize_t size = send(pair[1], block, sizeof block, MSG_NOSIGNAL);
    close(pair[1]);
    waitpid(child, NULL, 0);
    note_lateness(*longest > 0.1); /* the reader made no progress for half of the time limit */
    return size == (ssize_t)sizeof block;
}

/* TCP's time limit holds for the whole call (tcp_sendmsg_locked() in the kernel). So the call sends less than was asked
 * for, although it makes progress. */
bool try_limit_of_tcp_send(void)
{
    static const size_t size = 64 << 20;
    static char some[65536];
    int pair[2];

    if (!connect_tcp(pair))
        return false;
    limit_socket(pair[1], SO_SNDTIMEO, 200000);
    pid_t child = fork();
    if (child == 0) {
        close(pair[1]);
        while (recv(pair[0], some, sizeof some, 0) > 0)
            usleep(20000);
        _exit(0);
    }
    close(pair[0]);
    char *block = calloc(1, size);
    double begin = now();
    ssize_t sent = send(pair[1], block, size, MSG_NOSIGNAL);
    bool right = sent > 0 && (size_t)sent < size && now() - begin < 5;
    free(block);
    end_child(child);
    close(pair[1]);
    return right;
}
