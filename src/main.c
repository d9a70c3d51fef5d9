/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main() of pprofil, which runs the subcommand, and functions that all subcommands share: messages
 * and formats.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output-path.h"
#include "base/utf8.h"
#include "command.h"

static const struct command commands[] = {
    {"top", "watch live", command_top},
    {"report", "print a saved profile", command_report},
    {"ctl", "start, stop, clear or query a running pprofil", command_ctl},
    {"kprof", "serve kpctl and kpdata for a process", command_kprof},
    {"gperf", "print the profile of a program that calls osProfileInit", command_gperf},
    {"convert", "save a profile in another format", command_convert},
    {"annotate", "print a function's source and instructions with counts", command_annotate},
    {"diff", "show what two profiles differ in", command_diff},
    {"merge", "make one profile of several", command_merge},
};

/* Writes a message to standard error, with '?' for characters that could harm a terminal. Messages
 * contain names of files, names of processes and words of the command line, which other people may
 * have chosen. Messages of argp go through this function, too. */
static ssize_t write_plain(void *cookie, const char *bytes, size_t size)
{
    char text[BUFSIZ];
    size_t room = sizeof text - 1, taken = size < room ? size : room;
    const char *at = text;

    (void)cookie;
    memcpy(text, bytes, taken);
    text[taken] = '\0';
    utf8_make_harmless(text, "\n\t");
    for (size_t left = strlen(text); left > 0;) {
        ssize_t wrote = write(STDERR_FILENO, at, left);
        if (wrote < 0)
            return 0; /* fopencookie(3): 0 is an error */
        at += wrote;
        left -= (size_t)wrote;
    }
    return (ssize_t)taken;
}

/* Replaces stderr by a stream that writes through write_plain. The stream is line-buffered, so that
 * no character is cut in two. */
static void make_messages_plain(void)
{
    FILE *plain = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_plain});

    if (plain == NULL)
        return;
    setvbuf(plain, NULL, _IOLBF, 0);
    stderr = plain;
}

int complain(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("pprofil: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_OWN_FAILURE;
}

static bool is_strangers(const char *path)
{
    struct output_path found;
    int error = output_path_find(path, &found);

    output_path_close(&found);
    return error != 0 && found.strangers;
}

int complain_file(const char *path, int error, bool writing)
{
    if (error == -EACCES && writing && is_strangers(path))
        return complain("%s: cannot write: another user made what is there, in a directory where "
                        "anybody may; remove it, or name another file", path);
    if (error == -ENOSPC)
        return complain("%s: no space left on the disk; free some, or write elsewhere with -o",
                        path);
    return complain("%s: cannot %s: %s", path, writing ? "write" : "read", pprofil_error_text(error));
}

int complain_saving(const pprofil_profile *profile, const char *path,
                    const struct pprofil_file *file, int error)
{
    char name[PATH_MAX];
    struct stat status;

    for (unsigned i = 1; error == -EEXIST && pprofil_profile_file_at(profile, path, file, i, name,
                                                                     sizeof name) == 0; i++)
        if (stat(name, &status) == 0 && !S_ISREG(status.st_mode))
            return complain("%s: cannot write: it is no file", name);
    return complain_file(path, error, true);
}

int launch_failure_status(int error)
{
    if (error == -ENOENT || error == -ENOTDIR)
        return EXIT_NOT_FOUND;
    return error == -EACCES || error == -ENOEXEC || error == -EISDIR ? EXIT_NOT_EXECUTABLE
                                                                     : EXIT_OWN_FAILURE;
}

bool is_format(const char *name)
{
    struct pprofil_format known;

    for (unsigned i = 0; pprofil_format_at(i, &known, sizeof known) == 0; i++)
        if (strcmp(known.name, name) == 0)
            return true;
    return false;
}

/* The first line of a format is like "folded .folded .collapsed read, write". Indented lines about
 * the format follow. */
int list_formats(void)
{
    struct pprofil_format format;

    for (unsigned i = 0; pprofil_format_at(i, &format, sizeof format) == 0; i++) {
        printf("%-12s %-36s %s%s%s\n", format.name, format.extensions,
               format.readable ? "read" : "", format.readable && format.writable ? ", " : "",
               format.writable ? "write" : "");
        printf("    %s\n", format.summary);
        if (*format.keeps != '\0')
            printf("    keeps: %s\n", format.keeps);
        if (*format.loses != '\0')
            printf("    loses: %s\n", format.loses);
    }
    return fflush(stdout) == 0 ? 0 : complain_file("standard output", -errno, true);
}

pprofil_profile *open_profile(const char *path, const struct pprofil_file *file)
{
    pprofil_profile *profile;
    int error = pprofil_profile_open(path, file, &profile);

    if (strcmp(path, "-") == 0)
        path = "standard input";
    if (error == 0)
        return profile;
    if (error == PPROFIL_ERROR_NO_OBJECT || error == PPROFIL_ERROR_NOT_ELF)
        complain("--object %s: %s", file->object, pprofil_error_text(error));
    else if (error == PPROFIL_ERROR_DAMAGED && file != NULL && file->format != NULL)
        complain("%s: it is damaged, cut short, or no %s file", path, file->format);
    else
        complain_file(path, error, false);
    return NULL;
}

static void ignore_signal(int signal)
{
    (void)signal;
}

/* Keeps the default action of SIGPIPE or SIGXFSZ from ending pprofil. A reader that has left, or a
 * limit on the size of files, is an error to report. It is no reason to die while a target is
 * traced. The program that pprofil runs would inherit SIG_IGN, but does not inherit a handler. */
static void survive_signal(int signal)
{
    struct sigaction action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, old;

    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(signal, &action, NULL);
}

/* Opens /dev/null for each standard descriptor that is closed. Otherwise the next file to be opened
 * would get that number, and with it the output for people. Writes to standard output must still
 * fail, so that lost output is noticed. The program that pprofil runs finds these descriptors
 * closed, as it would without pprofil. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC) < 0)
            return;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    make_messages_plain();
    survive_signal(SIGPIPE);
    survive_signal(SIGXFSZ);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return command_run(argc, argv);
}
