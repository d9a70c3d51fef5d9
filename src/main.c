/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * main() of pprofil: prepares signals, standard descriptors and standard error, and runs the subcommand.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "command.h"

/* in the order in which --help lists them */
static const struct command commands[] = {
    {"top", "watch live", command_top, &top_argp},
    {"view", "show a saved profile on the screen of top", command_view, &view_argp},
    {"web", "show a saved profile in a browser", command_web, &web_argp},
    {"report", "print a saved profile", command_report, &report_argp},
    {"annotate", "print a function's source and instructions with counts", command_annotate, &annotate_argp},
    {"diff", "show what two profiles differ in", command_diff, &diff_argp},
    {"merge", "make one profile of several", command_merge, &merge_argp},
    {"convert", "save a profile in another format", command_convert, &convert_argp},
    {"push", "send saved profiles to a server", command_push, &push_argp},
    {"ctl", "start, stop, clear or query a running pprofil", command_ctl, &ctl_argp},
    {"kprof", "serve kpctl and kpdata for a process", command_kprof, &kprof_argp},
    {"gperf", "print the profile of a program that calls osProfileInit", command_gperf, &gperf_argp},
    {"stat", "say what a program and its children have used", command_stat, &stat_argp},
    {"doctor", "say what works on this machine", command_doctor, &doctor_argp},
    {"help", "print the options of pprofil or of a command", command_help, &help_argp},
};

const struct command *command_at(unsigned i)
{
    return i < sizeof commands / sizeof *commands ? &commands[i] : NULL;
}

const struct command *command_by_name(const char *name)
{
    for (unsigned i = 0; command_at(i) != NULL; i++)
        if (strcmp(command_at(i)->name, name) == 0)
            return command_at(i);
    return NULL;
}

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

static void ignore_signal(int signal)
{
    (void)signal;
}

/* Keeps the default action of SIGPIPE or SIGXFSZ from ending pprofil. A closed pipe or a file at its size limit is an
 * error to report, and no reason to die while a target is traced. The signal gets a handler and is not ignored, because
 * the program that pprofil runs would inherit SIG_IGN. */
static void survive_signal(int signal)
{
    struct sigaction action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, old;

    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(signal, &action, NULL);
}

/* Opens /dev/null for each standard descriptor that is closed. Otherwise the next file that pprofil
 * opens would get that descriptor, and output for the user would go into the file. As standard
 * output, /dev/null is opened for reading only. So writes still fail, and lost output is noticed.
 * The program that pprofil runs finds these descriptors closed, as it would without pprofil. */
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
    const struct command *command = argc > 1 ? command_by_name(argv[1]) : NULL;
    return command != NULL ? command->run(argc - 1, argv + 1) : command_run(argc, argv);
}
