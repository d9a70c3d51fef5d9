/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of the library that touch its caller, the program: blocking signals, reading settings from the environment,
 * and writing messages to standard error. The environment and standard error are examined only when the program starts.
 * Later a thread may change the environment while a signal handler calls profil. And descriptor 2 may later be a file
 * of the program, which a message would damage.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compat/compat.h"

static struct {
    bool debugged, silent, strict, per_thread;
    bool has_errors;      /* standard error was open when the program started */
    struct stat errors;   /* status of standard error when the program started */
} say;

static bool say_is_set(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && strcmp(value, "0") != 0;
}

__attribute__((constructor)) static void say_begin(void)
{
    const char *debug = secure_getenv("PPROFIL_DEBUG");

    say.debugged = say_is_set("PPROFIL_DEBUG");
    say.silent = debug != NULL && !say.debugged;
    say.strict = say_is_set("PPROFIL_STRICT");
    say.per_thread = say_is_set("PPROFIL_SOLARIS_PER_LWP");
    say.has_errors = fstat(STDERR_FILENO, &say.errors) == 0;
}

bool compat_is_debugged(void)
{
    return say.debugged;
}

bool compat_is_strict(void)
{
    return say.strict;
}

bool compat_is_per_thread(void)
{
    return say.per_thread;
}

void compat_enter(struct compat_guard *guard)
{
    sigset_t all;

    static_assert(sizeof guard->mask >= sizeof all, "room for a sigset_t");
    guard->before = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, (sigset_t *)guard->mask);
}

void compat_leave(const struct compat_guard *guard)
{
    pthread_sigmask(SIG_SETMASK, (const sigset_t *)guard->mask, NULL);
    pthread_setcancelstate(guard->cancel, NULL);
    errno = guard->before;
}

/* Returns true if descriptor 2 is still the file that it was when the program started, and can be written to without
 * waiting. */
static bool say_may_write(void)
{
    struct pollfd polled = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct stat now;

    return say.has_errors && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == say.errors.st_dev &&
           now.st_ino == say.errors.st_ino && poll(&polled, 1, 0) == 1 && (polled.revents & POLLOUT) != 0;
}

/* Writes a message; the caller has blocked all signals. Removes a SIGPIPE that this write raised, but not a SIGPIPE
 * that was pending before. */
static void say_write(const char *text, size_t length)
{
    const struct timespec now = {0};
    sigset_t pending, broken;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    bool waited = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    if (write(STDERR_FILENO, text, length) < 0 && errno == EPIPE && !waited)
        sigtimedwait(&broken, NULL, &now);
}

/* Writes a message in one line. Uses a single write(2), because other threads and child processes may write at the same
 * time. */
static void say_line(const char *call, const char *format, va_list arguments)
{
    struct compat_guard guard;
    char text[512];

    compat_enter(&guard);
    int used = snprintf(text, sizeof text - 1, "pprofil: %s: ", call);
    int more = vsnprintf(text + used, sizeof text - 1 - (size_t)used, format, arguments);
    size_t length = strlen(text);
    if (more >= 0)
        text[length++] = '\n';
    if (say_may_write())
        say_write(text, length);
    compat_leave(&guard);
}

void compat_say(const char *call, const char *format, ...)
{
    va_list arguments;

    if (!say.debugged)
        return;
    va_start(arguments, format);
    say_line(call, format, arguments);
    va_end(arguments);
}

void compat_warn(const char *call, const char *format, ...)
{
    va_list arguments;

    if (say.silent)
        return;
    va_start(arguments, format);
    say_line(call, format, arguments);
    va_end(arguments);
}
