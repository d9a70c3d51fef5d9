/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The streams that subcommands print to, and messages on standard error. Output for a regular file is collected in
 * memory, and written when it is complete. Output for a pipe or a terminal is printed immediately, because it replaces
 * no old content, and a reader may be waiting.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output-path.h"
#include "base/utf8.h"
#include "output-stream.h"

#define RED "\033[31m"
#define YELLOW "\033[33m"

/* --- messages -------------------------------------------------------------------------------- */

/* what messages are about; see complain_about */
static struct {
    const char *path;
    unsigned line;
} complaint_source;

void complain_about(const char *path, unsigned line)
{
    complaint_source.path = path;
    complaint_source.line = line;
}

int complain(const char *format, ...)
{
    va_list arguments;
    char *text;

    fflush(stdout);
    flockfile(stderr); /* several threads may complain */
    fputs("pprofil: ", stderr);
    if (complaint_source.path != NULL)
        fputs(complaint_source.path, stderr);
    if (complaint_source.line != 0)
        fprintf(stderr, ":%u", complaint_source.line);
    if (complaint_source.path != NULL)
        fputs(": ", stderr);
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        utf8_make_harmless(text, ""); /* names that the message quotes may have line ends */
    fprintf(stderr, "%s\n", length >= 0 ? text : strerror(ENOMEM));
    funlockfile(stderr);
    if (length >= 0)
        free(text);
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
        return complain("%s: no space left on the disk; free some, or write elsewhere", path);
    return complain("%s: cannot %s: %s", path, writing ? "write" : "read", pprofil_error_text(error));
}

int complain_saving(const pprofil_profile *profile, const char *path, const struct pprofil_file *file, int error)
{
    char name[PATH_MAX];
    struct stat status;

    for (unsigned i = 1; error == -EEXIST && pprofil_profile_file_at(profile, path, file, i, name,
                                                                     sizeof name) == 0; i++)
        if (stat(name, &status) == 0 && !S_ISREG(status.st_mode))
            return complain("%s: cannot write: it is no file", name);
    return complain_file(path, error, true);
}

int output_check(const char *path)
{
    struct output_path found;

    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    int error = output_path_find(path, &found);
    if (error == 0)
        error = output_path_check(&found);
    output_path_close(&found);
    return error == 0 ? 0 : complain_file(path, error, true);
}

int launch_failure_status(int error)
{
    if (error == -ENOENT || error == -ENOTDIR)
        return EXIT_NOT_FOUND;
    return error == -EACCES || error == -ENOEXEC || error == -EISDIR ? EXIT_NOT_EXECUTABLE : EXIT_OWN_FAILURE;
}

/* --- output ---------------------------------------------------------------------------------- */

bool output_wants_colour(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (no_color != NULL && *no_color != '\0')
        return false;
    return isatty(fileno(out)) && term != NULL && strcmp(term, "dumb") != 0;
}

unsigned output_columns(FILE *out)
{
    struct winsize size;

    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char *output_colour_of_share(double share)
{
    if (share >= 0.10)
        return RED;
    return share >= 0.02 ? YELLOW : "";
}

static FILE *output_open_directly(const char *path)
{
    int fd = output_path_open(path);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (fd < 0)
        errno = -fd;
    else if (stream == NULL)
        close(fd);
    return stream;
}

static FILE *output_open_stream(struct output_stream *output, const char *path)
{
    struct stat status;

    if (path == NULL || strcmp(path, "-") == 0)
        return stdout;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return output_open_directly(path);
    output->path = path;
    return open_memstream(&output->text, &output->size);
}

bool output_stream_open(struct output_stream *output, const char *path)
{
    *output = (struct output_stream){.name = path != NULL ? path : "standard output"};
    output->stream = output_open_stream(output, path);
    if (output->stream == NULL) {
        complain_file(output->name, -errno, true);
        return false;
    }
    output->colour = output_wants_colour(output->stream);
    output->columns = output_columns(output->stream);
    errno = 0;
    return true;
}

int output_stream_close(struct output_stream *output, int error)
{
    bool failed = ferror(output->stream) != 0;
    int why = errno;

    if (fclose(output->stream) != 0) {
        failed = true;
        why = errno;
    }
    if (failed && error == 0)
        error = why != 0 ? -why : -EIO;
    if (error == 0 && output->path != NULL)
        error = pprofil_write_file(output->path, output->text, output->size);
    free(output->text);
    return error == 0 || error == -EPIPE ? 0 : complain_file(output->name, error, true);
}

int output_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    /* if an earlier write failed, fflush may have had nothing to do, and errno is still that of the write */
    return errno == EPIPE ? 0 : complain_file("standard output", errno != 0 ? -errno : -EIO, true);
}

void output_stream_abandon(struct output_stream *output)
{
    fclose(output->stream);
    free(output->text);
}

/* --- the pager ------------------------------------------------------------------------------- */

#define NOT_FOUND 127      /* exit status of sh if it does not find a command */
#define LESS_OPTIONS "-FRX" /* if the user has set none: as those of git */

static const char *find_pager(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return "command -v less >/dev/null || exec cat; exec less";
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

static struct pager pager_start(const char *program)
{
    struct pager pager = {.out = stdout};

    fflush(stdout);
    FILE *pipe = popen(program, "we");
    if (pipe == NULL)
        return pager;
    /* Ctrl-C and Ctrl-\ are for the pager, which was started before these calls and so does not inherit SIG_IGN */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    return (struct pager){.out = pipe, .runs = true};
}

struct pager pager_open(bool wanted)
{
    const char *program = wanted && isatty(STDOUT_FILENO) ? find_pager() : NULL;

    if (program == NULL)
        return (struct pager){.out = stdout};
    setenv("LESS", LESS_OPTIONS, 0);
    return pager_start(program);
}

/* Commands of less(1) may follow its options. -j keeps some lines above the one that less goes to. */
struct pager pager_open_at(bool wanted, unsigned long line, const char *pattern)
{
    const char *program = wanted && isatty(STDOUT_FILENO) ? find_pager() : NULL, *options = getenv("LESS");
    char text[512];

    if (program == NULL)
        return (struct pager){.out = stdout};
    snprintf(text, sizeof text, "%s -j.3 +/%s\n%lug", options != NULL ? options : LESS_OPTIONS, pattern, line);
    setenv("LESS", text, 1);
    return pager_start(program);
}

int pager_close(struct pager *pager)
{
    errno = 0;
    int error = fflush(pager->out) != 0 || ferror(pager->out) ? (errno != 0 ? -errno : -EIO) : 0;

    if (!pager->runs) {
        if (fclose(pager->out) != 0 && error == 0)
            error = -errno;
        return error == -EPIPE ? 0 : error;
    }
    int status = pclose(pager->out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return -ENOENT;
    return error == -EPIPE || error == -EIO ? 0 : error;
}
