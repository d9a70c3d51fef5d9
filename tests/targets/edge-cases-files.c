/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files and pipes, and calls that send messages, with limits that the kernel enforces. A tracer must not
 * continue a call beyond such a limit. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge-cases.h"

int temporary_file(off_t size)
{
    char name[] = "/tmp/pprofil-edge-cases-XXXXXX";
    int fd = mkstemp(name);

    unlink(name);
    return ftruncate(fd, size) == 0 ? fd : -1;
}

/* A copy ends at the largest size that a file may have (RLIMIT_FSIZE), and raises no SIGXFSZ. */
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

/* copy_file_range(2) appends a file to itself. The copy must stop where the file ended when the call began. */
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

/* sendmmsg(2) sends at most 1024 messages. The socket does not hold them all, so the call waits for the reader. */
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

/* A writev(2) into a pipe of packets (O_DIRECT) writes packets of one page each, whatever the sizes of its elements. */
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
        _exit(written > 0 && (size_t)written % page == 0 ? 0 : 1); /* even a short write ends with a whole packet */
    }
    close(end[1]);
    for (ssize_t packet; (packet = read(end[0], some, sizeof some)) > 0; got += (size_t)packet)
        right = right && (size_t)packet == page;
    close(end[0]);
    return waitpid(child, &status, 0) == child && status == 0 && right && got > 0;
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
    return true; /* no block can be larger than MAX_RW_COUNT */
#endif
}

enum { ELEMENT = 3 << 20, ELEMENTS = 2 };
enum stage { STAGE_READING, STAGE_WAITING, STAGE_REPLACED };

static struct {
    int fd, other_file; /* the descriptor to write to; later dup2() makes it refer to the file of `other_file` */
    atomic_int *stage;  /* shared with the reader */
    pid_t writer;       /* thread ID of the thread that writes */
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
    /* waits until the writer is found asleep twice in a row, because it also sleeps for a moment when a tracer
     * continues its call */
    for (int sleeps = 0; sleeps < 2; sleeps = writer_sleeps() ? sleeps + 1 : 0)
        usleep(5000);
    dup2(replaced.other_file, replaced.fd);
    *replaced.stage = STAGE_REPLACED;
    return nothing;
}

/* Reads half of the writer's first element, waits until the file is replaced, and reads the rest. While this function
 * reads, the writer runs most of the time, so a tracer stops the writer and cuts its call short. Then the tracer needs
 * two calls to continue: one for the rest of the first element, and one for the second element. */
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

/* A call writes all its bytes to the file that its descriptor referred to when the call began. */
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
    replaced.stage = mmap(NULL, sizeof *replaced.stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
