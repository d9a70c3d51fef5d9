/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What goes into a regular file is printed into memory, and written when it is whole. Pipes and
 * terminals are printed to: there is nothing to be lost, and somebody waits.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-path.h"
#include "report.h"
#include "sink.h"

static FILE *open_directly(const char *path)
{
    int fd = output_path_open(path);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (fd < 0)
        errno = -fd;
    else if (stream == NULL)
        close(fd);
    return stream;
}

static FILE *open_stream(struct sink *sink, const char *path)
{
    struct stat status;

    if (path == NULL || strcmp(path, "-") == 0)
        return stdout;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return open_directly(path);
    sink->path = path;
    return open_memstream(&sink->text, &sink->size);
}

bool sink_open(struct sink *sink, const char *path)
{
    *sink = (struct sink){.name = path != NULL ? path : "standard output"};
    sink->stream = open_stream(sink, path);
    if (sink->stream == NULL) {
        complain_file(sink->name, -errno, true);
        return false;
    }
    sink->colour = report_wants_colour(sink->stream);
    errno = 0;
    return true;
}

int sink_close(struct sink *sink, int error)
{
    bool failed = ferror(sink->stream) != 0;
    int why = errno;

    if (fclose(sink->stream) != 0) {
        failed = true;
        why = errno;
    }
    if (failed && error == 0)
        error = why != 0 ? -why : -EIO;
    if (error == 0 && sink->path != NULL)
        error = pprofil_write_file(sink->path, sink->text, sink->size);
    free(sink->text);
    return error == 0 || error == -EPIPE ? 0 : complain_file(sink->name, error, true);
}

void sink_abandon(struct sink *sink)
{
    fclose(sink->stream);
    free(sink->text);
}
