/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests sessions that launch a program, and sessions that get commands from other processes:
 *
 *   sessions DIRECTORY
 *
 * DIRECTORY is for the sockets of the sessions.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define STARTERS 8
#define ROUNDS 400
#define SILENT 40
#define PEERS 64        /* connections that a session serves at the same time */
#define PEER_MS_MAX 5000 /* ms that a session waits for the command of a connection */
#define PUMPS 40

static const char *directory;

static struct sockaddr_un address_of(int round)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", directory, round);
    return address;
}

static int connect_to(const struct sockaddr_un *address, socklen_t size)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (connect(fd, (const struct sockaddr *)address, size) == 0)
        return fd;
    close(fd);
    return -1;
}

static void leave_stale(int round)
{
    struct sockaddr_un address = address_of(round);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
        perror(address.sun_path);
    close(fd);
}

/* --- many sessions that start at once ---------------------------------------------------- */

struct shared {
    atomic_int arrived, ready;
    atomic_int started[ROUNDS]; /* for each round, the number of sessions that listen on its socket */
};

/* A meeting of all starters, once in each round: waits until all of them have arrived. `times` is 1 in the first round,
 * 2 in the second, and so on. */
static void meet(struct shared *shared, int times)
{
    atomic_fetch_add(&shared->arrived, 1);
    while (atomic_load(&shared->arrived) < times * STARTERS)
        sched_yield();
}

static void start_all(struct shared *shared, int leave)
{
    pprofil_session *session;
    char byte;

    if (pprofil_session_open(NULL, &session) != 0)
        _exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct sockaddr_un address = address_of(round);
        meet(shared, round + 1);
        if (pprofil_session_control(session, address.sun_path, NULL, NULL) == 0)
            atomic_fetch_add(&shared->started[round], 1);
    }
    atomic_fetch_add(&shared->ready, 1);
    if (read(leave, &byte, 1) != 0)
        _exit(1);
    pprofil_session_close(session);
    _exit(0);
}

static void test_starters(void)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int leave[2], alone = 0, reached = 0, left = 0, status, failed = 0;
    pid_t starters[STARTERS];

    for (int round = 0; round < ROUNDS; round++)
        leave_stale(round);
    if (pipe(leave) < 0)
        exit(1);
    for (int i = 0; i < STARTERS; i++)
        if ((starters[i] = fork()) == 0) {
            close(leave[1]);
            start_all(shared, leave[0]);
        }
    while (atomic_load(&shared->ready) < STARTERS && waitpid(-1, NULL, WNOHANG) == 0)
        usleep(1000);
    for (int round = 0; round < ROUNDS; round++) {
        struct sockaddr_un address = address_of(round);
        int fd = connect_to(&address, sizeof address);
        alone += atomic_load(&shared->started[round]) == 1;
        reached += fd >= 0;
        if (fd >= 0)
            close(fd);
    }
    close(leave[1]);
    for (int i = 0; i < STARTERS; i++)
        failed += waitpid(starters[i], &status, 0) == starters[i] && status != 0;
    for (int round = 0; round < ROUNDS; round++)
        left += access(address_of(round).sun_path, F_OK) == 0;
    printf("# of %d: one listens %d, is reached %d, left %d, failed %d\n", ROUNDS, alone, reached, left, failed);
    check("many start at once: one listens", alone == ROUNDS);
    check("many start at once: it can be reached", reached == ROUNDS);
    check("many start at once: the sockets are gone with them", left == 0 && failed == 0);
}

/* --- peers ------------------------------------------------------------------------------- */

/* Asks the session for its status in a new process. The exit status of the process is 0 if the session answers. */
static pid_t ask(const char *target)
{
    char answer[1024];
    pid_t child = fork();

    if (child == 0)
        _exit(pprofil_control_send(target, "status", answer, sizeof answer) == 0 ? 0 : 1);
    return child;
}

/* Returns true if the session answers before it has been pumped PUMPS times. */
static bool is_answered(pprofil_session *session, const char *target)
{
    pid_t child = ask(target);
    int status = -1;

    for (int i = 0; i < PUMPS && waitpid(child, &status, WNOHANG) == 0; i++) {
        usleep(50000);
        pprofil_session_pump(session, 0);
    }
    if (status == -1) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return status == 0;
}

static void test_silent(pprofil_session *session, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int silent[PEERS];

    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    for (int i = 0; i < SILENT; i++)
        silent[i] = connect_to(&address, sizeof address);
    check("behind many that say nothing: an answer", is_answered(session, path));
    for (int i = SILENT; i < PEERS; i++) {
        silent[i] = connect_to(&address, sizeof address);
        pprofil_session_pump(session, 0);
    }
    pump(session, PEER_MS_MAX + 1000);
    check("as many as are served have said nothing for long: an answer", is_answered(session, path));
    for (int i = 0; i < PEERS; i++)
        close(silent[i]);
}

/* Forks a process with another user ID, which opens connections until the socket takes no more. Returns after that. */
static pid_t crowd(const struct sockaddr_un *address, socklen_t size)
{
    int come[2], fd;
    char byte;

    if (pipe(come) < 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        if (setuid(65534) < 0)
            _exit(1);
        while ((fd = connect_to(address, size)) >= 0)
            continue;
        close(come[1]);
        for (;;)
            pause();
    }
    close(come[1]);
    if (read(come[0], &byte, 1) != 0)
        exit(1);
    close(come[0]);
    return child;
}

static void test_strangers(pprofil_session *session)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char number[16];

    if (getuid() != 0) {
        puts("SKIP strangers: needs root");
        return;
    }
    snprintf(number, sizeof number, "%d", (int)getpid());
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "pprofil/%s", number);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
    pid_t child = crowd(&address, size);
    check("behind strangers: an answer", is_answered(session, number));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* --- launching -------------------------------------------------------------------------------- */

/* Returns true if the number is in the first line of the text. */
static bool lists(const char *text, int number)
{
    const char *end = strchr(text, '\n');
    char *next;

    while (end != NULL && text < end) {
        if (strtol(text, &next, 10) == number)
            return true;
        text = next == text ? end : next;
    }
    return false;
}

static void test_launch(void)
{
    const char *const argv[] = {"sh", "-c",
                                "echo $(ls /proc/self/fd); read x; echo got $x >&2; "
                                "cut -d' ' -f6 /proc/self/stat",
                                NULL};
    char expected[64], text[256] = "";
    int input[2], output[2];
    size_t got = 0;
    pid_t pid = 0;

    pprofil_session *session = open_session(100);
    if (pipe(input) != 0 || pipe(output) != 0) /* without O_CLOEXEC, so that programs inherit the pipes */
        return;
    /* the descriptors have numbers from 100 up, which the program does not use for its own files */
    struct pprofil_launch how = {.size = sizeof how,
                                 .input = fcntl(input[0], F_DUPFD, 100),
                                 .output = fcntl(output[1], F_DUPFD, 100),
                                 .new_session = true};
    check("launch", pprofil_session_launch(session, (char *const *)argv, &how, &pid) == 0);
    check("the caller keeps its descriptors",
          write(input[1], "word\n", 5) == 5 && fcntl(how.input, F_GETFD) == 0 && fcntl(how.output, F_GETFD) == 0);
    close(output[1]);
    close(how.output);
    for (ssize_t part; got < sizeof text - 1 && (part = read(output[0], text + got, sizeof text - 1 - got)) > 0;)
        got += (size_t)part;
    /* the first line lists the program's descriptors; the caller's ends of the pipes may be among them */
    snprintf(expected, sizeof expected, "got word\n%d\n", pid);
    const char *rest = strchr(text, '\n');
    check("input, output and error", rest != NULL && strcmp(rest + 1, expected) == 0);
    check("and no descriptor of its own",
          lists(text, 0) && lists(text, 2) && !lists(text, how.input) && !lists(text, how.output));
    close(how.input);
    how.input = how.output = 9999;
    check("a descriptor that is none", pprofil_session_launch(session, (char *const *)argv, &how, &pid) == -EBADF);
    pprofil_session_close(session);
    close(input[0]);
    close(input[1]);
    close(output[0]);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

/* Runs a program to its end. Returns what its processes have used, which the caller frees, or NULL. */
static struct pprofil_usage *usages_of_run(unsigned flags, uint32_t *count)
{
    const char *const argv[] = {"sh", "-c", "(exit 4); exit 5", NULL};
    struct pprofil_options options = {.size = sizeof options, .flags = flags};
    struct pprofil_usage *usages = NULL;
    pprofil_session *session;

    if (pprofil_session_open(&options, &session) != 0)
        return NULL;
    pid_t pid = launch(session, argv);
    while (pprofil_session_pump(session, 100) == 0)
        ;
    pprofil_session_finish(session);
    pprofil_session_usage(session, &usages, count);
    pprofil_session_close(session);
    waitpid(pid, NULL, 0);
    return usages;
}

static void test_usage(void)
{
    uint32_t count = 9;
    struct pprofil_usage *usages = usages_of_run(PPROFIL_USAGE, &count);

    check("usage: both processes", usages != NULL && count == 2);
    check("usage: in the order of their ends", count == 2 && WEXITSTATUS(usages[0].status) == 4 &&
                                                   WEXITSTATUS(usages[1].status) == 5 &&
                                                   usages[0].ppid == usages[1].pid);
    check("usage: names", count == 2 && strcmp(usages[0].comm, "sh") == 0 && strcmp(usages[1].comm, "sh") == 0);
    check("usage: figures", count == 2 && usages[0].minor_faults != 0 && usages[1].cpu_ns != 0 &&
                                usages[1].cpu_ns != PPROFIL_UNKNOWN && usages[0].threads == 1);
    free(usages);
    usages = usages_of_run(0, &count);
    check("usage: none without the flag", usages != NULL && count == 0);
    free(usages);
}

int main(int argc, char **argv)
{
    pprofil_session *session;
    char path[100];

    if (argc != 2)
        return 2;
    directory = argv[1];
    test_launch();
    test_usage();
    test_starters();
    snprintf(path, sizeof path, "%s/ctl", directory);
    if (pprofil_session_open(NULL, &session) != 0 || pprofil_session_control(session, path, NULL, NULL) != 0) {
        check(pprofil_session_problem(session), false);
        return 1;
    }
    test_silent(session, path);
    test_strangers(session);
    pprofil_session_close(session);
    return failures > 0;
}
