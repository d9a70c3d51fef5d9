/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads files of source code: see source-file.h. A file is read once, and its lines are found through a table of where
 * they begin.
 *
 * The paths come from debug information that others wrote, so only regular files of at most SOURCE_SIZE_MAX are read.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"
#include "launch/file-opener.h"
#include "symbol/source-file.h"

#define SOURCE_SIZE_MAX (16 << 20) /* bytes */

static void source_file_load(const char *path, struct source_file *file)
{
    struct stat status;
    size_t got = 0;
    int fd = file_opener_open(path, 0);

    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size <= SOURCE_SIZE_MAX)
        file->text = malloc((size_t)status.st_size + 1);
    while (file->text != NULL && got < (size_t)status.st_size) {
        ssize_t part = read(fd, file->text + got, (size_t)status.st_size - got);
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    if (file->text != NULL) {
        file->text[got] = '\0';
        file->written_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    }
    close(fd);
}

static void source_file_clean_line(char *line)
{
    size_t length = strlen(line);

    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
    utf8_make_harmless(line, "\t");
}

int source_file_read(const char *path, struct source_file *file)
{
    *file = (struct source_file){0};
    source_file_load(path, file);
    for (char *text = file->text; text != NULL;) {
        char *line = strsep(&text, "\n");
        int error = array_grow(&file->lines, file->line_count, sizeof *file->lines);
        if (error != 0)
            return error;
        source_file_clean_line(line);
        file->lines[file->line_count++] = line;
    }
    return 0;
}

const char *source_file_line(const struct source_file *file, uint32_t number)
{
    return number == 0 || number > file->line_count ? NULL : file->lines[number - 1];
}

void source_file_clear(struct source_file *file)
{
    free(file->text);
    free(file->lines);
    *file = (struct source_file){0};
}
