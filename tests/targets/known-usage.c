/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Uses what its arguments say, in their order, and prints what the kernel says of it at the end (getrusage):
 *
 *     faults N       touches N new pages
 *     resident KB    makes so much memory resident
 *     writes N SIZE  writes SIZE bytes N times, to /dev/null
 *     reads N SIZE   the same, from /dev/zero
 *     sleeps N       sleeps N times
 *     threads N      runs N threads, each of which sleeps ten times
 *     burn MS        uses CPU time
 *     children N     forks N children, one after the other, each of which touches ten pages and writes ten bytes
 *     orphan         forks a child, and does not wait for it
 *     exec           executes itself with the rest of the arguments
 *     thread-exec    the same, from another thread than the leader
 *     kill           kills itself
 *     wait           prints "ready", and waits until its standard input ends
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **arguments; /* of this program; the next one */

static long next_number(void)
{
    return strtol(*arguments++, NULL, 10);
}

static void touch_pages(long count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)count * page;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        exit(1);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += page)
        memory[at] = 1;
}

static void transfer(const char *path, int flags, ssize_t (*call)(int fd, void *bytes, size_t size))
{
    long count = next_number(), size = next_number();
    char *bytes = malloc((size_t)size);
    int fd = open(path, flags);

    for (long i = 0; i < count; i++)
        if (call(fd, bytes, (size_t)size) != size)
            exit(1);
    close(fd);
    free(bytes);
}

static ssize_t write_some(int fd, void *bytes, size_t size)
{
    return write(fd, bytes, size);
}

static void sleep_often(long count)
{
    const struct timespec pause = {.tv_nsec = 100000};

    for (long i = 0; i < count; i++)
        nanosleep(&pause, NULL);
}

static void *run_thread(void *none)
{
    sleep_often(10);
    return none;
}

static void run_threads(long count)
{
    pthread_t threads[count];

    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0)
            exit(1);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void burn(long ms)
{
    struct timespec began, time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    while ((time.tv_sec - began.tv_sec) * 1000000000LL + time.tv_nsec - began.tv_nsec < ms * 1000000LL);
}

static void run_children(long count)
{
    for (long i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            touch_pages(10);
            int fd = open("/dev/null", O_WRONLY);
            _exit(write(fd, "0123456789", 10) == 10 ? 7 : 1);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child)
            exit(1);
    }
}

static void *exec_self(void *program)
{
    char *all[64] = {program};

    for (unsigned i = 0; i < 62 && arguments[i] != NULL; i++)
        all[i + 1] = arguments[i];
    execv("/proc/self/exe", all);
    exit(1);
}

static void exec_from_thread(char *program)
{
    pthread_t thread;

    pthread_create(&thread, NULL, exec_self, program);
    for (;;)
        pause();
}

static void await_end_of_input(void)
{
    char byte;

    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

static void use(const char *what, char *program)
{
    if (strcmp(what, "faults") == 0)
        touch_pages(next_number());
    else if (strcmp(what, "resident") == 0)
        touch_pages(next_number() * 1024 / sysconf(_SC_PAGESIZE));
    else if (strcmp(what, "writes") == 0)
        transfer("/dev/null", O_WRONLY, write_some);
    else if (strcmp(what, "reads") == 0)
        transfer("/dev/zero", O_RDONLY, read);
    else if (strcmp(what, "sleeps") == 0)
        sleep_often(next_number());
    else if (strcmp(what, "threads") == 0)
        run_threads(next_number());
    else if (strcmp(what, "burn") == 0)
        burn(next_number());
    else if (strcmp(what, "children") == 0)
        run_children(next_number());
    else if (strcmp(what, "orphan") == 0 && fork() == 0)
        _exit(0);
    else if (strcmp(what, "exec") == 0)
        exec_self(program);
    else if (strcmp(what, "thread-exec") == 0)
        exec_from_thread(program);
    else if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(what, "wait") == 0)
        await_end_of_input();
}

int main(int argc, char **argv)
{
    struct rusage usage;

    (void)argc;
    arguments = argv + 1;
    while (*arguments != NULL)
        use(*arguments++, argv[0]);
    getrusage(RUSAGE_SELF, &usage);
    printf("minor_faults %ld\nvoluntary_switches %ld\ninvoluntary_switches %ld\nmax_rss_kb %ld\ncpu_us %lld\n",
           usage.ru_minflt, usage.ru_nvcsw, usage.ru_nivcsw, usage.ru_maxrss,
           (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
               usage.ru_stime.tv_usec);
    return 3;
}
