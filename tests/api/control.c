/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that others command, in a directory for their sockets:
 *
 *   control DIRECTORY
 *
 * Prints PASS and FAIL lines as the shell tests do.
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
#define PEERS 64        /* that a session serves at once */
#define PATIENCE_MS 5000 /* and for so long */
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

/* --- many that start at once ------------------------------------------------------------- */

struct shared {
    atomic_int arrived, ready;
    atomic_int started[ROUNDS]; /* that listen, and think that nobody else does */
};

/* Waits until all starters are here. */
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
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
    printf("# of %d: one listens %d, is reached %d, left %d, failed %d\n", ROUNDS, alone, reached,
           left, failed);
    check("many start at once: one listens", alone == ROUNDS);
    check("many start at once: it can be reached", reached == ROUNDS);
    check("many start at once: the sockets are gone with them", left == 0 && failed == 0);
}

/* --- peers ------------------------------------------------------------------------------- */

/* Asks in a process of its own; that ends with 0 where there is an answer. */
static pid_t ask(const char *target)
{
    char answer[1024];
    pid_t child = fork();

    if (child == 0)
        _exit(pprofil_control_send(target, "status", answer, sizeof answer) == 0 ? 0 : 1);
    return child;
}

/* Is there an answer after some pumps? */
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
    pump(session, PATIENCE_MS + 1000);
    check("as many as are served have said nothing for long: an answer",
          is_answered(session, path));
    for (int i = 0; i < PEERS; i++)
        close(silent[i]);
}

/* As many as find room, from a user who is not trusted. Returns when they have. */
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
    socklen_t size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length + 1);
    pid_t child = crowd(&address, size);
    check("behind strangers: an answer", is_answered(session, number));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    pprofil_session *session;
    char path[100];

    if (argc != 2)
        return 2;
    directory = argv[1];
    test_starters();
    snprintf(path, sizeof path, "%s/ctl", directory);
    if (pprofil_session_open(NULL, &session) != 0 ||
        pprofil_session_control(session, path, NULL, NULL) != 0) {
        check(pprofil_session_problem(session), false);
        return 1;
    }
    test_silent(session, path);
    test_strangers(session);
    pprofil_session_close(session);
    return failures > 0;
}
