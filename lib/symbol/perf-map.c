/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines "START SIZE name", hexadecimal, in the order in which code was made
 * (tools/perf/Documentation/jit-interface.txt in the kernel).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "symbol/perf-map.h"

static char *read_all(int fd, size_t size)
{
    char *text = malloc(size + 1);
    size_t got = 0;

    while (text != NULL && got < size) {
        ssize_t part = pread(fd, text + got, size - got, (off_t)got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (text == NULL)
        return NULL;
    while (got > 0 && text[got - 1] != '\n') /* a line without its end is still being written */
        got--;
    text[got] = '\0';
    /* a file that is cut while it is written has holes */
    for (char *hole = text; (hole = memchr(hole, '\0', got - (size_t)(hole - text))) != NULL;)
        *hole = '\n';
    return text;
}

static bool parse_line(char *line, struct code_name *entry)
{
    char *next, *name;
    uint64_t start = strtoull(line, &next, 16);

    if (next == line || *next != ' ')
        return false;
    uint64_t size = strtoull(next, &name, 16);
    if (name == next || *name != ' ' || size == 0 || start + size < start)
        return false;
    plain_make(++name, "");
    entry->start = start;
    entry->end = start + size;
    entry->name = name;
    return *name != '\0';
}

bool perf_map_read(int fd, size_t size, struct code_names *names)
{
    char *text = read_all(fd, size), *line;
    bool done = text != NULL && code_names_keep(names, text);

    while (done && (line = strsep(&text, "\n")) != NULL) {
        struct code_name name = {0};
        if (parse_line(line, &name))
            done = code_names_tell(names, &name);
    }
    return done;
}
