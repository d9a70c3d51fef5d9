/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/debug-log.h"
#include "supervisor/tracer.h"

#define TEXT_SIZE (64u << 10)
#define LINE_MAX_SIZE 256u

struct debug_log {
    int fd;
    size_t used;
    char text[TEXT_SIZE];
};

struct debug_log *debug_log_new(int fd)
{
    struct debug_log *log = calloc(1, sizeof *log);

    if (log != NULL)
        log->fd = fd;
    return log;
}

/* Returns the size of the lines at the beginning of `text` that fit into one atomic write to a pipe. With such writes,
 * the lines of two tracers do not get mixed. */
static size_t debug_log_lines(const char *text, size_t size)
{
    if (size <= PIPE_BUF)
        return size;
    const char *end = memrchr(text, '\n', PIPE_BUF);
    return (size_t)(end - text) + 1;
}

void debug_log_flush(struct tracer *tracer)
{
    struct debug_log *log = tracer->debug_log;
    size_t written = 0;

    while (log != NULL && written < log->used) {
        size_t size = debug_log_lines(log->text + written, log->used - written);
        ssize_t got = write(log->fd, log->text + written, size);
        if (got < 0 && errno != EINTR)
            break; /* nobody reads the log any more, or the disk is full, so the lines are dropped */
        written += got > 0 ? (size_t)got : 0;
    }
    if (log != NULL)
        log->used = 0;
}

void debug_log(struct tracer *tracer, const char *format, ...)
{
    struct debug_log *log = tracer->debug_log;
    va_list arguments;

    if (log == NULL)
        return;
    if (log->used + LINE_MAX_SIZE > TEXT_SIZE)
        debug_log_flush(tracer);
    uint64_t now = time_now();
    char *line = log->text + log->used;
    int head = snprintf(line, LINE_MAX_SIZE, "%llu.%09llu %u ", (unsigned long long)(now / 1000000000u),
                        (unsigned long long)(now % 1000000000u), tracer->number);
    va_start(arguments, format);
    int rest = vsnprintf(line + head, LINE_MAX_SIZE - (size_t)head - 1, format, arguments);
    va_end(arguments);
    size_t size = (size_t)head + (size_t)(rest > 0 ? rest : 0);
    if (size > LINE_MAX_SIZE - 2)
        size = LINE_MAX_SIZE - 2;
    line[size] = '\n';
    log->used += size + 1;
}
