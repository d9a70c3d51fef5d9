/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-directory: a directory for the files of one test. Criterion runs each test in a process of its own, so each has
 * its own directory.
 */
#ifndef PPROFIL_TEST_DIRECTORY_H
#define PPROFIL_TEST_DIRECTORY_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] __attribute__((unused)) = "/tmp/pprofil-test-XXXXXX";

static inline void make_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
}

static inline void enter_directory(void)
{
    make_directory();
    cr_assert_eq(chdir(directory), 0);
}

static inline void remove_directory(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

/* Returns the path of a file in the directory. The last four returned paths are valid. */
static inline const char *in_directory(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static inline void put_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

/* Runs a command, which must succeed. */
static inline void sh(const char *format, ...)
{
    char command[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

static inline bool have(const char *program)
{
    char command[128];

    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

#endif
