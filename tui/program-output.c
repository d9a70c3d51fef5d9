/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of the program that top started. The program writes to a pseudo-terminal, as it would to the user's
 * terminal, and top keeps the last lines of this output. Only text is kept, as control sequences would disturb top.
 *
 * The program must not suffer when top ends, not even if top is killed. If no process had the master end of the
 * pseudo-terminal open, the program's writes would fail. So a second process, the keeper, has the master end open, too.
 * The keeper waits until top has ended, and then reads and discards output until the program has ended.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "program-output.h"

#define LINES_MAX 5000u
/* number of lines that are dropped together; moving the other lines for each new line would cost too much time */
#define DROPPED_LINES (LINES_MAX / 4)
#define READ_SIZE_MAX (256u << 10)      /* after this number of bytes, keys are read again */
#define COLUMNS_MAX 4096u /* greatest length of a line in bytes; the rest of a longer line is dropped */
#define TAB 8

/* --- the keeper ------------------------------------------------------------------------ */

static void keeper_run(int master, int until)
{
    char bytes[4096];

    setsid();
    if (dup2(master, 0) < 0 || dup2(until, 1) < 0)
        _exit(1);
    descriptors_close(2);
    while (read(1, bytes, sizeof bytes) < 0 && errno == EINTR)
        ;
    fcntl(0, F_SETFL, 0); /* from here on reads wait for data */
    ssize_t got;
    while ((got = read(0, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        ;
    _exit(0);
}

/* Starts the keeper. The keeper is not a child of top, so nobody has to call wait(2) for it. Returns 0 or -errno. */
static int output_start_keeper(struct output *output)
{
    int ends[2], status;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        if (fork() == 0)
            keeper_run(output->master, ends[0]);
        _exit(0);
    }
    int error = child < 0 ? -errno : 0;
    close(ends[0]);
    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    if (error != 0)
        close(ends[1]);
    else
        output->keeper = ends[1];
    return error;
}

int output_open(struct output *output, int rows, int columns, int *program)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    *output = (struct output){.master = -1, .keeper = -1};
    if (openpty(&output->master, program, NULL, NULL, &size) < 0)
        return -errno;
    fcntl(output->master, F_SETFD, FD_CLOEXEC);
    fcntl(output->master, F_SETFL, O_NONBLOCK);
    fcntl(*program, F_SETFD, FD_CLOEXEC);
    int error = output_start_keeper(output);
    if (error != 0) {
        close(*program);
        output_close(output);
    }
    return error;
}

void output_close(struct output *output)
{
    for (uint32_t i = 0; i < output->count; i++)
        free(output->lines[i]);
    free(output->lines);
    free(output->line);
    if (output->master >= 0)
        close(output->master);
    if (output->keeper >= 0)
        close(output->keeper);
    *output = (struct output){.master = -1, .keeper = -1};
}

void output_resize(const struct output *output, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    if (output->master >= 0)
        ioctl(output->master, TIOCSWINSZ, &size);
}

/* --- lines ----------------------------------------------------------------------------- */

static bool output_have_room(struct output *output)
{
    if (output->lines == NULL)
        output->lines = calloc(LINES_MAX, sizeof *output->lines);
    if (output->line == NULL)
        output->line = calloc(1, COLUMNS_MAX + 1);
    return output->lines != NULL && output->line != NULL;
}

static void output_drop_lines(struct output *output)
{
    for (uint32_t i = 0; i < DROPPED_LINES; i++)
        free(output->lines[i]);
    output->count -= DROPPED_LINES;
    output->dropped += DROPPED_LINES;
    memmove(output->lines, output->lines + DROPPED_LINES, output->count * sizeof *output->lines);
}

/* Copies the unfinished line, output->line, to the end of output->lines. If `begin` is true, the
 * copy becomes a new line. Otherwise the copy replaces the last line. */
static void output_show_line(struct output *output, bool begin)
{
    char *copy = strndup(output->line, output->length);

    if (copy == NULL)
        return;
    if (!begin && output->count > 0) {
        free(output->lines[output->count - 1]);
        output->lines[output->count - 1] = copy;
        return;
    }
    if (output->count == LINES_MAX)
        output_drop_lines(output);
    output->lines[output->count++] = copy;
}

static void output_end_line(struct output *output)
{
    output_show_line(output, false);
    output->length = output->column = 0;
    output_show_line(output, true);
}

static void output_put_byte(struct output *output, char byte)
{
    if (output->column >= COLUMNS_MAX)
        return;
    output->line[output->column++] = byte;
    if (output->column > output->length)
        output->length = output->column;
}

static void output_take_text(struct output *output, char byte)
{
    switch (byte) {
    case '\n':
        output_end_line(output);
        break;
    case '\r':
        output->column = 0; /* later text overwrites the line, as programs with progress bars expect */
        break;
    case '\b':
        output->column -= output->column > 0;
        break;
    case '\t':
        do
            output_put_byte(output, ' ');
        while (output->column % TAB != 0 && output->column < COLUMNS_MAX);
        break;
    case '\033':
        output->state = OUTPUT_ESCAPE;
        break;
    default:
        if ((unsigned char)byte >= ' ' && byte != 0x7f)
            output_put_byte(output, byte);
    }
}

/* Handles a byte of output. By ECMA-48, a CSI sequence ends with a byte from @ to ~. A string (OSC,
 * DCS, ...) ends with BEL or ST. All other sequences have two or three bytes. */
static void output_take_byte(struct output *output, char byte)
{
    switch (output->state) {
    case OUTPUT_TEXT:
        output_take_text(output, byte);
        break;
    case OUTPUT_ESCAPE:
        output->state = OUTPUT_TEXT;
        if (byte == '[')
            output->state = OUTPUT_CONTROL;
        else if (byte != '\0' && strchr("]PX^_", byte) != NULL)
            output->state = OUTPUT_STRING;
        else if (byte >= ' ' && byte <= '/')
            output->state = OUTPUT_ESCAPE;
        break;
    case OUTPUT_CONTROL:
        if (byte == '\033')
            output->state = OUTPUT_ESCAPE;
        else if (byte >= '@' && byte <= '~')
            output->state = OUTPUT_TEXT;
        break;
    case OUTPUT_STRING:
        if (byte == '\033')
            output->state = OUTPUT_ESCAPE;
        else if (byte == '\a')
            output->state = OUTPUT_TEXT;
        break;
    }
}

void output_feed(struct output *output, const char *bytes, size_t size)
{
    if (!output_have_room(output))
        return;
    if (output->count == 0)
        output_show_line(output, true);
    for (size_t i = 0; i < size; i++)
        output_take_byte(output, bytes[i]);
    output_show_line(output, false);
}

bool output_read(struct output *output)
{
    char bytes[16384];
    size_t all = 0;
    ssize_t got = 0;

    if (output->master < 0)
        return false;
    while (all < READ_SIZE_MAX && (got = read(output->master, bytes, sizeof bytes)) > 0) {
        output_feed(output, bytes, (size_t)got);
        all += (size_t)got;
    }
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return all > 0;
    close(output->master); /* EIO: no process has the other end open */
    output->master = -1;
    return true;
}
