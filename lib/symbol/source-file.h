/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* source-file: reads files of source code, and cuts them into lines. */
#ifndef PPROFIL_SYMBOL_SOURCE_FILE_H
#define PPROFIL_SYMBOL_SOURCE_FILE_H

#include <stdint.h>

struct source_file {
    char *text;         /* owned; the lines, each ended by a NUL; NULL: the file cannot be read */
    const char **lines; /* owned; for each line, where it begins in `text` */
    uint32_t line_count;
    int64_t written_ns; /* when the file was last written, ns since 1970; 0: not known */
};

/* Reads the file at path. The lines are made harmless (base/utf8.h). If the file cannot be read, is no regular file or
 * is too large, file->text becomes NULL. The caller clears the file in any case. Returns 0 or -ENOMEM. */
int source_file_read(const char *path, struct source_file *file);
/* Returns the text of a line, borrowed, or NULL if the file has no such line. Lines are numbered from 1. */
const char *source_file_line(const struct source_file *file, uint32_t number);
void source_file_clear(struct source_file *file);

#endif
