/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The guard of kpctl. It is a process that puts a socket in the place of the FIFO kpctl if the
 * server that reads the FIFO was killed, or if the sampled process has ended; see kprof.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "kprof.h"

#define ALL_WELL 'q'

/* Numbers of the descriptors that the guard keeps. The guard closes all others. */
enum { GUARD_PIPE, GUARD_DIRECTORY, GUARD_CONTROL, GUARD_DESCRIPTORS };

/* Returns true if the name still leads to the guarded FIFO. */
static int guard_owns(const char *name)
{
    struct stat there, ours;

    return fstatat(GUARD_DIRECTORY, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(GUARD_CONTROL, &ours) == 0 &&
           there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

static void guard_replace(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char temporary[64];

    snprintf(temporary, sizeof temporary, ".%s-%d", name, (int)getpid());
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", GUARD_DIRECTORY, temporary);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        unlinkat(GUARD_DIRECTORY, name, 0); /* without the FIFO, open(2) fails and nobody waits */
        return;
    }
    renameat(GUARD_DIRECTORY, temporary, GUARD_DIRECTORY, name);
}

/* Waits for the server's end, and puts a socket in the place of the FIFO, unless the server sent ALL_WELL before. When
 * the guard exits, its descriptor of the FIFO is closed, so processes that still have the FIFO open get an error. */
_Noreturn static void guard_run(int pipe, int directory, int control, const char *name)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    int kept[GUARD_DESCRIPTORS] = {pipe, directory, control};
    char byte = 0;

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    for (int i = 0; i < GUARD_DESCRIPTORS; i++)
        kept[i] = fcntl(kept[i], F_DUPFD, GUARD_DESCRIPTORS);
    for (int i = 0; i < GUARD_DESCRIPTORS; i++)
        dup2(kept[i], i);
    descriptors_close(GUARD_DESCRIPTORS);
    ssize_t got;
    do
        got = read(GUARD_PIPE, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (byte != ALL_WELL && guard_owns(name))
        guard_replace(name);
    _exit(0);
}

int kprof_guard_begin(int directory, int control, const char *name)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0)
        guard_run(ends[0], directory, control, name);
    int error = -errno;
    close(ends[0]);
    if (child > 0)
        return ends[1];
    close(ends[1]);
    return error;
}

void kprof_guard_end(int guard, bool all_well)
{
    char byte = ALL_WELL;

    if (guard < 0)
        return;
    ssize_t ignored = all_well ? write(guard, &byte, 1) : 0;
    (void)ignored;
    close(guard);
}
