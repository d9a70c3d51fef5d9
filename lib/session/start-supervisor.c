/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts the supervisor of a session, and reads its first answer. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/spawn.h"
#include "session/session.h"

#define ARGUMENTS_MAX 16
#define ARGUMENT_SIZE 48

/* Adds to session->problem that there is a supervisor in the directory of this program, but that it is not trusted and
 * so was not started. */
static void explain_passed_over(struct pprofil_session *session, const struct spawn_supervisor *found)
{
    size_t used = strlen(session->problem);

    if (found->passed_over[0] != '\0')
        snprintf(session->problem + used, sizeof session->problem - used,
                 "; %s is not taken, for others may have put it there", found->passed_over);
}

static int open_debug_log(struct pprofil_session *session, int *fd)
{
    int error = spawn_open_debug_log(fd);

    return error == 0 ? 0
                      : session_fail(session, error, "PPROFIL_DEBUG=%s: %s", getenv("PPROFIL_DEBUG"), strerror(-error));
}

struct arguments {
    char texts[ARGUMENTS_MAX][ARGUMENT_SIZE];
    char *all[ARGUMENTS_MAX + 1]; /* pointers to texts, then NULL */
    unsigned count;
};

static void add_argument(struct arguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_argument(struct arguments *arguments, const char *format, ...)
{
    char *text = arguments->texts[arguments->count];
    va_list values;

    va_start(values, format);
    vsnprintf(text, ARGUMENT_SIZE, format, values);
    va_end(values);
    arguments->all[arguments->count++] = text;
}

/* Makes the arguments of the supervisor. `kept` has the descriptors of the socket, of the ring, of the eventfd that
 * wakes the session, and of the debug log (-1 if there is no log). */
static void make_arguments(const struct pprofil_options *options, const int kept[4], struct arguments *arguments)
{
    static const struct {
        unsigned flag;
        const char *argument;
    } flags[] = {{PPROFIL_WALL, "--wall"},
                 {PPROFIL_NO_FOLLOW, "--no-follow"},
                 {PPROFIL_NO_INHERIT, "--no-inherit"},
                 {PPROFIL_PARSE_MAPS, "--parse-maps"},
                 {PPROFIL_KERNEL, "--kernel"},
                 {PPROFIL_USAGE, "--usage"},
                 {PPROFIL_RESTLESS, "--restless"},
                 {PPROFIL_WARY, "--wary"}};

    add_argument(arguments, "%s", SPAWN_SUPERVISOR);
    add_argument(arguments, "--frequency=%.17g", options->frequency);
    add_argument(arguments, "--overhead=%.9g", options->overhead / 100);
    add_argument(arguments, "--seed=%llu", (unsigned long long)options->seed);
    add_argument(arguments, "--stack-size=%zu", options->stack_size);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if ((options->flags & flags[i].flag) != 0)
            add_argument(arguments, "%s", flags[i].argument);
    if (kept[3] >= 0)
        add_argument(arguments, "--debug=%d", kept[3]);
    for (unsigned i = 0; i < 3; i++)
        add_argument(arguments, "%d", kept[i]);
}

int session_start_supervisor(struct pprofil_session *session, int socket, int ring, int wake)
{
    struct arguments arguments = {.count = 0};
    struct spawn_supervisor found;
    int kept[4] = {socket, ring, wake};
    int error = open_debug_log(session, &kept[3]);

    if (error != 0)
        return error;
    make_arguments(&session->options, kept, &arguments);
    spawn_find_supervisor(true, &found);
    error = spawn_quietly(found.path, arguments.all, kept, kept[3] >= 0 ? 4 : 3);
    if (kept[3] >= 0)
        close(kept[3]);
    if (error == 0)
        return 0;
    session_fail(session, error, "cannot start %s: %s; %s", found.path, strerror(-error),
                 error == -EMFILE   ? "raise the limit (ulimit -n)"
                 : error == -EAGAIN ? "raise the limit of processes (ulimit -u)"
                                    : "PPROFIL_SUPERVISE names another");
    explain_passed_over(session, &found);
    return error;
}

int session_await_hello(struct pprofil_session *session)
{
    struct wire_message none = {0};
    struct spawn_supervisor found;
    const char *path = found.path;
    int error = session_command(session, &none);

    session->supervisor = session->reply.pid;
    spawn_find_supervisor(true, &found);
    if (session->answered && session->reply.value != WIRE_VERSION)
        error = session_fail(session, -EPROTO, "%s is of another build: it speaks protocol %llu, and we speak %u", path,
                             (unsigned long long)session->reply.value, WIRE_VERSION);
    else if (error == -EPIPE)
        session_fail(session, error,
                     "%s said nothing that we understand: it is of another build, or cannot run "
                     "here",
                     path);
    else if (error == -EPERM && (session->options.flags & PPROFIL_KERNEL) != 0)
        return session_fail(session, error,
                            "--kernel: Linux shows kernel stacks only to processes with CAP_SYS_ADMIN outside of any "
                            "user namespace; run pprofil as root, or without --kernel");
    else if (error == -ENOTSUP && (session->options.flags & PPROFIL_KERNEL) != 0)
        return session_fail(session, error,
                            "--kernel: this kernel was built without CONFIG_STACKTRACE, and shows no kernel stacks; "
                            "run pprofil without --kernel");
    else if (error != 0)
        session_fail(session, error, "%s did not start: %s", path, strerror(-error));
    if (error != 0)
        explain_passed_over(session, &found);
    return error;
}
