/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs threads that wait, each for something else, for SECONDS after all have begun:
 *
 *   waiters SECONDS
 *
 * The name of a thread says what it waits for. The thread "holder" holds the lock for which the thread "lock" waits,
 * and sleeps in the function refill.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t robust_lock, inherit_lock;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER, config_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t held;
static sem_t work_sem, begun;
static pthread_t holder_thread;
static int pipe_fds[2], unix_fds[2], tcp_fds[2], listener, epoll_fd, event_fd, lock_file, child_file;
static pid_t child;

__attribute__((noinline)) static void refill(void)
{
    pause();
    __asm__ volatile(""); /* no tail call, which would leave no frame of refill */
}

static void wait_holder(void)
{
    pthread_mutex_lock(&account_lock);
    pthread_mutex_lock(&robust_lock);
    pthread_mutex_lock(&inherit_lock);
    pthread_rwlock_wrlock(&table_lock);
    pthread_rwlock_rdlock(&config_lock);
    pthread_barrier_wait(&held);
    refill();
    __asm__ volatile("");
}

static void wait_lock(void)
{
    pthread_mutex_lock(&account_lock);
    __asm__ volatile("");
}

static void wait_robust(void)
{
    pthread_mutex_lock(&robust_lock);
}
static void wait_inherit(void)
{
    pthread_mutex_lock(&inherit_lock);
}
static void wait_reader(void)
{
    pthread_rwlock_rdlock(&table_lock);
}
static void wait_writer(void)
{
    pthread_rwlock_wrlock(&table_lock);
}
static void wait_config(void)
{
    pthread_rwlock_wrlock(&config_lock);
}
static void wait_semaphore(void)
{
    sem_wait(&work_sem);
}
static void wait_join(void)
{
    pthread_join(holder_thread, NULL);
}

static void wait_pipe(void)
{
    char byte;
    (void)!read(pipe_fds[0], &byte, 1);
}

static void wait_unix(void)
{
    char byte;
    recv(unix_fds[0], &byte, 1, 0);
}

static void wait_tcp(void)
{
    char byte;
    recv(tcp_fds[0], &byte, 1, 0);
}

static void wait_listener(void)
{
    accept(listener, NULL, NULL);
}

/* waits once for an event that is there, and then for one that never comes */
static void wait_epoll(void)
{
    struct epoll_event got[4];
    uint64_t count;

    epoll_wait(epoll_fd, got, 4, -1);
    (void)!read(event_fd, &count, sizeof count);
    epoll_wait(epoll_fd, got, 4, -1);
}

static void wait_poll(void)
{
    struct pollfd polled[2] = {{pipe_fds[0], POLLIN, 0}, {listener, POLLIN, 0}};
    poll(polled, 2, -1);
}

static void wait_select(void)
{
    fd_set set;

    FD_ZERO(&set);
    FD_SET(tcp_fds[1], &set);
    select(tcp_fds[1] + 1, &set, NULL, NULL, NULL);
}

static void wait_child(void)
{
    waitpid(child, NULL, 0);
}

static void wait_signal(void)
{
    sigset_t set;
    int got;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigwait(&set, &got);
}

static void wait_time(void)
{
    sleep(1000);
}
static void wait_file(void)
{
    flock(lock_file, LOCK_EX);
}
static void lock_child_file(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    fcntl(child_file, F_SETLKW, &lock);
}

static const struct {
    const char *name;
    void (*run)(void);
} waiters[] = {
    {"holder", wait_holder},     {"lock", wait_lock},           {"robust", wait_robust},
    {"inherit", wait_inherit},   {"semaphore", wait_semaphore}, {"join", wait_join},
    {"pipe", wait_pipe},         {"unix", wait_unix},           {"tcp", wait_tcp},
    {"listener", wait_listener}, {"epoll", wait_epoll},         {"poll", wait_poll},
    {"select", wait_select},     {"child", wait_child},         {"signal", wait_signal},
    {"time", wait_time},         {"file", wait_file},           {"reader", wait_reader},
    {"writer", wait_writer},     {"config", wait_config},       {"process", lock_child_file},
};
#define WAITERS (sizeof waiters / sizeof *waiters)

static void *run_waiter(void *index)
{
    size_t i = (size_t)index;

    pthread_setname_np(pthread_self(), waiters[i].name);
    sem_post(&begun);
    waiters[i].run();
    return NULL;
}

static void make_locks(void)
{
    pthread_mutexattr_t robust, inherit;

    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust_lock, &robust);
    pthread_mutexattr_init(&inherit);
    pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inherit_lock, &inherit);
    pthread_barrier_init(&held, NULL, 2);
    sem_init(&work_sem, 0, 0);
    sem_init(&begun, 0, 0);
}

static int make_tcp(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;

    listener = socket(AF_INET, SOCK_STREAM, 0);
    tcp_fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
        connect(tcp_fds[0], (struct sockaddr *)&address, size) != 0)
        return -1;
    tcp_fds[1] = accept(listener, NULL, NULL);
    return tcp_fds[1];
}

static int make_files(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    uint64_t one = 1;
    int other;

    epoll_fd = epoll_create1(0);
    event_fd = eventfd(0, 0);
    if (pipe(pipe_fds) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, unix_fds) != 0 || make_tcp() < 0)
        return -1;
    event.data.fd = pipe_fds[0];
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_fds[0], &event);
    event.data.fd = event_fd;
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event);
    if (write(event_fd, &one, sizeof one) < 0)
        return -1;
    other = open("lock-file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    lock_file = open("lock-file", O_RDWR | O_CLOEXEC);
    child_file = open("child-file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return flock(other, LOCK_EX);
}

/* The child has the writing end of the pipe, one socket and the lock of a file to itself. */
static void run_child(int ready)
{
    close(pipe_fds[0]);
    close(unix_fds[0]);
    lock_child_file();
    close(ready);
    pause();
    _exit(0);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    sigset_t set;
    pthread_t thread;
    int ready[2];
    char end;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    make_locks();
    if (make_files() != 0 || pipe(ready) != 0)
        return 1;
    child = fork();
    if (child == 0)
        run_child(ready[1]);
    close(ready[1]);
    if (read(ready[0], &end, 1) != 0)
        return 1;
    close(pipe_fds[1]);
    close(unix_fds[1]);
    pthread_create(&holder_thread, NULL, run_waiter, (void *)0);
    pthread_barrier_wait(&held);
    for (size_t i = 1; i < WAITERS; i++)
        pthread_create(&thread, NULL, run_waiter, (void *)i);
    for (size_t i = 0; i < WAITERS; i++)
        sem_wait(&begun);
    usleep((useconds_t)(1e6 * seconds));
    kill(child, SIGKILL);
    _exit(0);
}
