/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that use a file of a file system that may hang (hangfs.c):
 *
 *   hung-file write FILE            makes a file of an empty page and a page of code
 *   hung-file run FILE              maps only the second page, prints "ready", and runs the code of that page for ever.
 *                                   Does not read the first page, in which the kernel looks for a build-id
 *   hung-file close FILE SECONDS    opens the file and works in burn(). Makes a child ten times a second. The child
 *                                   executes true(1), and this exec closes the file. Before the exec, every second
 *                                   child sleeps for 0.25 s and works for 5 ms
 *   hung-file path FILE             maps the file and works in burn(). After SIGUSR1 a thread calls open(2) with a path
 *                                   that lies in the mapping, and was not read before
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clocks.h"

#define PAGE 65536 /* bytes; the largest page of the supported machines */

#if defined(__x86_64__)
static const unsigned char forever[] = {0xeb, 0xfe}; /* jmp . */
#elif defined(__aarch64__)
static const unsigned char forever[] = {0x00, 0x00, 0x00, 0x14}; /* b . */
#endif

static int write_code(const char *path)
{
    static unsigned char pages[2 * PAGE];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

    memcpy(pages + PAGE, forever, sizeof forever);
    return fd < 0 || write(fd, pages, sizeof pages) != (ssize_t)sizeof pages || close(fd) < 0;
}

static int run_code(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);

    if (fd < 0 || code == MAP_FAILED)
        return 1;
    close(fd);
    if (*(volatile const unsigned char *)code != forever[0]) /* reads the code now, because the file may hang later */
        return 1;
    printf("ready\n");
    fflush(stdout);
    ((void (*)(void))code)();
    return 0;
}

__attribute__((noinline)) static void burn(void)
{
    static volatile double number;

    for (int i = 0; i < 100000; i++)
        number = number * 1.0001 + 1;
}

static void execute_true(bool delayed)
{
    if (delayed) {
        usleep(250000);
        for (double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + 0.005; clock_now(CLOCK_PROCESS_CPUTIME_ID) < end;)
            burn();
    }
    execlp("true", "true", (char *)NULL);
    _exit(1);
}

static int close_often(const char *path, double seconds)
{
    double end = now() + seconds, next = 0;
    bool delayed = false;

    if (open(path, O_RDONLY | O_CLOEXEC) < 0)
        return 1;
    signal(SIGCHLD, SIG_IGN);
    while (now() < end) {
        if (now() < next) {
            burn();
            continue;
        }
        next = now() + 0.1;
        delayed = !delayed;
        if (fork() == 0)
            execute_true(delayed);
    }
    return 0;
}

static void *open_path(void *mapping)
{
    sigset_t set;
    int signal;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &signal);
    return open(mapping, O_RDONLY | O_CLOEXEC) < 0 ? NULL : mapping;
}

static int work_with_path(const char *path)
{
    sigset_t set;
    pthread_t thread;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *mapping = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

    if (fd < 0 || mapping == MAP_FAILED)
        return 1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, open_path, mapping) != 0)
        return 1;
    for (;;)
        burn();
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_code(argv[2]);
    if (argc == 3 && strcmp(argv[1], "run") == 0)
        return run_code(argv[2]);
    if (argc == 3 && strcmp(argv[1], "path") == 0)
        return work_with_path(argv[2]);
    if (argc == 4 && strcmp(argv[1], "close") == 0)
        return close_often(argv[2], strtod(argv[3], NULL));
    return 125;
}
