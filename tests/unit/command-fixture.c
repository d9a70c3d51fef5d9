/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of src/output-stream.c and src/main.c for the tests of src/: see command-fixture.h. */
#include "config.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command-fixture.h"

int complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vdprintf(STDERR_FILENO, format, arguments);
    va_end(arguments);
    return EXIT_OWN_FAILURE;
}

const struct command *command_at(unsigned i)
{
    static const struct command commands[] = {{.name = "report"}, {.name = "top"}};

    return i < sizeof commands / sizeof *commands ? &commands[i] : NULL;
}

const struct command *command_by_name(const char *name)
{
    for (unsigned i = 0; command_at(i) != NULL; i++)
        if (strcmp(command_at(i)->name, name) == 0)
            return command_at(i);
    return NULL;
}

void complain_about(const char *path, unsigned line)
{
    (void)path;
    (void)line;
}

const char *complaint_of(void (*act)(const char *argument), const char *argument)
{
    static char message[1024];
    int ends[2], status;

    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        act(argument);
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], message, sizeof message - 1);
    close(ends[0]);
    message[length < 0 ? 0 : length] = '\0';
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OWN_FAILURE, "%s: status %d", argument, status);
    return message;
}
