/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>

#include "sink.h"

bool sink_open(struct sink *sink, const char *path)
{
    sink->name = path != NULL ? path : "standard output";
    sink->stream = path != NULL ? fopen(path, "we") : stdout;
    if (sink->stream == NULL) {
        complain_file(sink->name, -errno, true);
        return false;
    }
    sink->colour = view_colour(sink->stream);
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
    return error == 0 || error == -EPIPE ? 0 : complain_file(sink->name, error, true);
}
