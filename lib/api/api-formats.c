/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats of files as pprofil.h shows them. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "api/api.h"
#include "format/format.h"

const char *pprofil_format_for(const char *path)
{
    const struct format *format = format_by_path(path);

    return (format != NULL ? format : &format_pprof)->name;
}

int pprofil_format_at(unsigned i, struct pprofil_format *description, size_t size)
{
    const struct format *format = format_at(i);

    if (format == NULL)
        return -ENOENT;
    struct pprofil_format all = {
        .name = format->name,
        .extensions = format->extensions,
        .summary = format->summary,
        .keeps = format->keeps != NULL ? format->keeps : "",
        .loses = format->loses != NULL ? format->loses : "",
        .readable = format_readable(format),
        .writable = format_writable(format),
    };
    api_copy(description, size, &all, sizeof all);
    return 0;
}
