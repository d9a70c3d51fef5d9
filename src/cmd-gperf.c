/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pprofil gperf PROGRAM: does what gperf(1P) of the Nintendo 64's development kit did, for programs on this machine
 * that call the functions of osProfile(3P). It asks a running program for its profile, or waits for the profiles that
 * programs send by osProfileFlush. base/gperf-address.h describes the connection.
 */
#include "config.h"

#include <argp.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "base/gperf-address.h"
#include "command-line.h"
#include "options.h"
#include "output-stream.h"

#define GPERF_META_MAX (1u << 20)      /* greatest size of the .meta lines from a program, in bytes */
#define GPERF_STREAM_MAX (1u << 30)    /* greatest size of the counters from a program, in bytes */
#define GPERF_WAIT_S 5           /* seconds to wait for a program that does not answer */
#define GPERF_TRANSFER_S 30      /* seconds to receive a whole profile; other programs wait meanwhile */

struct gperf {
    const char *program; /* path of the program's file; NULL: pid or -s was given instead */
    pid_t pid;           /* process to ask; 0: find the process that runs the program */
    bool serves;
    struct pprofil_style_options style;
};

static const struct argp_option options[] = {
    {"counts", 'c', 0, 0, "show counts instead of percent", 1},
    {"time", 'r', 0, 0, "show milliseconds instead of percent", 1},
    {"server", 's', 0, 0, "wait for programs to call osProfileFlush, until Ctrl-C", 1},
    {"threshold", 't', "NUMBER", 0, "leave out what is below NUMBER percent, counts or milliseconds", 1},
    {"pid", 'p', "PID", 0, "ask this process", 1},
    {0},
};

static error_t gperf_parse_option(int key, char *argument, struct argp_state *state)
{
    struct gperf *gperf = state->input;

    switch (key) {
    case 'c':
        gperf->style.unit = PPROFIL_UNIT_COUNTS;
        break;
    case 'r':
        gperf->style.unit = PPROFIL_UNIT_MILLISECONDS;
        break;
    case 's':
        gperf->serves = true;
        break;
    case 't':
        gperf->style.threshold = number_option("-t", argument, 0, 1e18);
        break;
    case 'p':
        gperf->pid = (pid_t)number_option("-p", argument, 1, INT_MAX);
        break;
    case ARGP_KEY_ARG:
        if (gperf->program != NULL)
            return ARGP_ERR_UNKNOWN;
        gperf->program = argument;
        break;
    case ARGP_KEY_END:
        if (gperf->program == NULL && gperf->pid == 0 && !gperf->serves)
            exit(complain("gperf: which program? Give its file, -p PID or -s"));
        if (gperf->pid != 0 && gperf->serves)
            exit(complain("gperf: -p asks a process, -s waits for any: give one of them"));
        gperf->style.object = gperf->program;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp gperf_argp = {
    options,     gperf_parse_option,
    "[PROGRAM]", "Prints the profile of a program that calls osProfileInit, as gperf(1P) did.",
    NULL,        NULL,
    NULL,
};

/* --- what comes over a connection ---------------------------------------------------------- */

static void gperf_limit(int fd)
{
    const struct timeval limit = {.tv_sec = GPERF_WAIT_S};

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* Returns true if the process at the other end of the connection belongs to this user or to root. */
static bool gperf_is_ours(int fd)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           (credentials.uid == geteuid() || credentials.uid == 0);
}

/* Receives `size` bytes. Returns 0, -EPROTO if the connection ends before all bytes have come, or
 * -errno. */
static int gperf_receive(int fd, void *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = recv(fd, bytes, size, 0);
        if (got == 0)
            return -EPROTO;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0) {
            bytes = (char *)bytes + got;
            size -= (size_t)got;
        }
    }
    return 0;
}

static int gperf_receive_meta(int fd, char **meta)
{
    uint32_t length;
    int error = gperf_receive(fd, &length, sizeof length);

    if (error != 0)
        return error;
    length = ntohl(length);
    if (length > GPERF_META_MAX || (*meta = calloc(1, (size_t)length + 1)) == NULL)
        return length > GPERF_META_MAX ? -EPROTO : -ENOMEM;
    return gperf_receive(fd, *meta, length);
}

/* Copies the bytes from a connection to a file, until the connection ends. Returns 0, -EAGAIN after GPERF_TRANSFER_S,
 * -EFBIG for more than GPERF_STREAM_MAX bytes, -ENOSPC if the file cannot be written, or -errno of recv(2). */
static int gperf_receive_stream(int fd, int file)
{
    time_t end = time(NULL) + GPERF_TRANSFER_S;
    char bytes[1u << 14];
    size_t all = 0;
    ssize_t got;

    while ((got = recv(fd, bytes, sizeof bytes, 0)) != 0) {
        if (time(NULL) > end)
            return -EAGAIN;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0 && (all += (size_t)got) > GPERF_STREAM_MAX)
            return -EFBIG;
        if (got > 0 && write(file, bytes, (size_t)got) != got)
            return -ENOSPC;
    }
    return 0;
}

/* Prints the profile that is in the file with the descriptor `file`, in the style gperf. This file has no name. So
 * messages about it say "what the program sends" instead of a path. Returns 0 or a negative error. */
static int gperf_print_file(int file, const struct pprofil_style_options *style)
{
    char path[64], *said = NULL;
    size_t size = 0, length = (size_t)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    FILE *errors = open_memstream(&said, &size);

    if (errors == NULL)
        return -ENOMEM;
    int error = pprofil_style_print(path, "gperf", style, stdout, errors);
    if (fclose(errors) != 0)
        return -ENOMEM;
    const char *named = strstr(said, path);
    if (named != NULL)
        fprintf(stderr, "%.*swhat the program sends%s", (int)(named - said), said, named + length);
    else
        fputs(said, stderr);
    free(said);
    return error;
}

/* Receives a profile over a connection, prints it, and closes the connection. Returns the exit status. */
static int gperf_print(int fd, const struct gperf *gperf)
{
    struct pprofil_style_options style = gperf->style;
    int file = memfd_create("pprofil-gperf", MFD_CLOEXEC), status = EXIT_OWN_FAILURE;
    char *meta = NULL;

    gperf_limit(fd);
    int error = file < 0 ? -errno : gperf_receive_meta(fd, &meta);
    if (error == 0)
        error = gperf_receive_stream(fd, file);
    style.meta = meta;
    if (error == 0)
        error = gperf_print_file(file, &style);
    if (error == 0)
        status = output_flush();
    else if (error == -EAGAIN)
        complain("gperf: the program does not answer");
    else if (error != 0 && error != PPROFIL_ERROR_EXPLAINED) /* pprofil_style_print has printed the reason */
        complain("gperf: cannot read what the program sends: %s", pprofil_error_text(error));
    free(meta);
    if (file >= 0)
        close(file);
    close(fd);
    return status;
}

/* --- asking a program ------------------------------------------------------------------------ */

/* Connects to a process. Returns a descriptor or -errno. -ECONNREFUSED: the process has not called
 * osProfileInit. -EPERM: another user's process has bound the address. */
static int gperf_connect(pid_t pid)
{
    struct sockaddr_un address;
    socklen_t size = gperf_program_address(&address, pid);

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    gperf_limit(fd); /* another user may have bound the address, and may not answer */
    int error = connect(fd, (struct sockaddr *)&address, size) < 0 ? -errno : 0;
    if (error == 0 && !gperf_is_ours(fd))
        error = -EPERM;
    if (error == 0)
        return fd;
    close(fd);
    return error;
}

static bool gperf_runs(pid_t pid, const struct stat *program)
{
    struct stat status;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    return stat(path, &status) == 0 && status.st_dev == program->st_dev && status.st_ino == program->st_ino;
}

/* Finds the process that runs the program and has called osProfileInit, connects to it, and sets
 * *pid. Returns a descriptor or -errno. -EEXIST: there are several such processes. -ENOENT: there
 * is none. */
static int gperf_find(const struct stat *program, pid_t *pid)
{
    DIR *directory = opendir("/proc");
    int found = -ENOENT;
    struct dirent *entry;

    if (directory == NULL)
        return -errno;
    while (found != -EEXIST && (entry = readdir(directory)) != NULL) {
        pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);
        int fd = other > 0 && gperf_runs(other, program) ? gperf_connect(other) : -ENOENT;
        if (fd >= 0 && found >= 0) {
            close(fd);
            close(found);
            found = -EEXIST;
        } else if (fd >= 0) {
            found = fd;
            *pid = other;
        }
    }
    closedir(directory);
    return found;
}

static int gperf_ask(const struct gperf *gperf)
{
    struct stat program;
    pid_t pid = gperf->pid;

    if (gperf->program != NULL && stat(gperf->program, &program) < 0)
        return complain("gperf: %s: %s", gperf->program, strerror(errno));
    int fd = pid != 0 ? gperf_connect(pid) : gperf_find(&program, &pid);
    if (fd == -ENOENT)
        return complain("gperf: no process that runs %s has called osProfileInit; see pprofil-n64(3)", gperf->program);
    if (fd == -EEXIST)
        return complain("gperf: several processes run %s: choose one with -p PID", gperf->program);
    if (fd == -ECONNREFUSED && kill(pid, 0) < 0 && errno == ESRCH)
        return complain("gperf: there is no process %d", (int)pid);
    if (fd == -ECONNREFUSED)
        return complain("gperf: process %d has not called osProfileInit", (int)pid);
    if (fd < 0)
        return complain("gperf: cannot ask process %d: %s", (int)pid, strerror(-fd));
    return gperf_print(fd, gperf);
}

/* --- waiting for programs ---------------------------------------------------------------------- */

static volatile sig_atomic_t gperf_end_wanted;

static void gperf_note_end(int signal)
{
    (void)signal;
    gperf_end_wanted = 1;
}

static int gperf_serve(const struct gperf *gperf)
{
    const struct sigaction end = {.sa_handler = gperf_note_end};
    struct sockaddr_un address;
    socklen_t size = gperf_server_address(&address, geteuid());

    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 8) < 0)
        return errno == EADDRINUSE ? complain("gperf: another gperf -s of yours runs already")
                                   : complain("gperf: cannot wait for programs: %s", strerror(errno));
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    fputs("pprofil: waiting for programs that call osProfileFlush; Ctrl-C ends\n", stderr);
    while (!gperf_end_wanted) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
            return complain("gperf: cannot wait for programs: %s", strerror(errno));
        if (fd >= 0 && gperf_is_ours(fd))
            gperf_print(fd, gperf);
        else if (fd >= 0)
            close(fd);
    }
    close(listener);
    return 0;
}

int command_gperf(int argc, char **argv)
{
    struct gperf gperf = {.style = {.size = sizeof gperf.style, .format = "n64"}};

    command_line_parse("pprofil gperf", &gperf_argp, argc, argv, 0, &gperf);
    return gperf.serves ? gperf_serve(&gperf) : gperf_ask(&gperf);
}
