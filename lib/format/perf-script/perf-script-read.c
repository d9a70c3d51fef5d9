/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the output of perf script, and files that pprofil wrote in this format. Samples have the fields that perf
 * script prints by default, but some of these fields may be missing. If there are several events, only the first event
 * in the file is read, as stackcollapse-perf.pl does. The periods of this event are taken as nanoseconds, which is
 * right for cpu-clock and task-clock. A sample without a period counts as a millisecond.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/perf-script/perf-script.h"
#include "format/profile-builder.h"
#include "format/text.h"
#include "pprofil/error.h"

#define NS_IN_SAMPLE 1000000u
#define DIGITS "0123456789"

struct reader {
    struct profile *profile;
    struct builder builder;
    char *event; /* owned: name of the event whose samples are read; NULL: no sample has been found yet */
    bool open;   /* the current sample is of this event, so its frames are read, too */
    struct profile_sample sample;
    uint32_t *locations; /* owned: locations of the current sample, leaf first */
    uint32_t location_count;
    /* owned: the inlined functions that have been read. They are kept until the function into which they were inlined
     * is read */
    struct profile_line *lines;
    uint32_t line_count;
};

/* --- the first line ------------------------------------------------------------------ */

struct head {
    const char *comm;
    size_t comm_size;
    uint32_t pid, tid;
    uint64_t period;
    const char *event; /* without its colon */
    size_t event_size;
    const char *rest; /* address and function, which are in the first line if the sample has no stack; else "" */
};

/* Parses the pid and the tid, "12/13", up to the blank after them. A single number, as in "12", is taken as both. */
static bool parse_numbers(const char *at, struct head *head)
{
    uint64_t first, second;

    if (!text_number(&at, 10, &first))
        return false;
    second = first;
    if (*at == '/' && (at++, !text_number(&at, 10, &second)))
        return false;
    head->pid = (uint32_t)first;
    head->tid = (uint32_t)second;
    return (*at == ' ' || *at == '\t') && first <= UINT32_MAX && second <= UINT32_MAX;
}

static const char *next_word(const char *at)
{
    at += strcspn(at, " \t");
    return at + strspn(at, " \t");
}

static bool is_time(const char *word)
{
    size_t seconds = strspn(word, DIGITS);
    size_t fraction = word[seconds] == '.' ? strspn(word + seconds + 1, DIGITS) : 0;

    return seconds > 0 && fraction > 0 && word[seconds + 1 + fraction] == ':';
}

/* Parses what comes after the pid and the tid: "[cpu]", the time, the period and the event. All of these except the
 * event may be missing. */
static bool parse_rest(const char *at, struct head *head)
{
    bool timed = false;

    at = next_word(at);
    if (*at == '[')
        at = next_word(at);
    if (is_time(at)) {
        timed = true;
        at = next_word(at);
    }
    const char *word = at;
    head->period = NS_IN_SAMPLE;
    if (text_number(&word, 10, &head->period) && (*word == ' ' || *word == '\t'))
        at = next_word(at);
    else
        head->period = NS_IN_SAMPLE;
    size_t size = strcspn(at, " \t");
    head->event = at;
    head->event_size = size > 0 && at[size - 1] == ':' ? size - 1 : size;
    head->rest = at + size + strspn(at + size, " \t");
    return timed ? size == 0 || at[size - 1] == ':' : size > 1 && at[size - 1] == ':';
}

/* Parses the first line of a sample. The line begins with a comm, which may contain blanks and numbers, so its end is
 * not obvious. It is taken to end before the first word from which the rest of the line can be parsed. If the comm is
 * empty, pid and tid must both be there, because a single number at the beginning of a line would be the address of a
 * frame. */
static bool parse_head(const char *line, struct head *head)
{
    line += strspn(line, " \t");
    head->comm = line;
    for (const char *word = line; *word != '\0'; word = next_word(word)) {
        if (!parse_numbers(word, head) || !parse_rest(word, head) ||
            (word == line && word[strspn(word, DIGITS)] != '/'))
            continue;
        const char *end = word;
        while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        head->comm_size = (size_t)(end - line);
        return true;
    }
    return false;
}

bool perf_script_begins(const char *line)
{
    struct head head;
    return *line != '\t' && parse_head(line, &head);
}

static int perf_script_read_frame(struct reader *reader, char *line);

static int begin_sample(struct reader *reader, char *line)
{
    struct head head;

    if (!parse_head(line, &head))
        return PPROFIL_ERROR_DAMAGED;
    if (reader->event == NULL && (reader->event = strndup(head.event, head.event_size)) == NULL)
        return -ENOMEM;
    reader->location_count = reader->line_count = 0;
    reader->open = strlen(reader->event) == head.event_size && memcmp(reader->event, head.event, head.event_size) == 0;
    if (!reader->open)
        return 0;
    char *comm = head.comm_size == 0 ? strdup("[unknown]") : strndup(head.comm, head.comm_size);
    if (comm == NULL)
        return -ENOMEM;
    reader->sample = (struct profile_sample){.count = 1};
    *(strcmp(reader->event, PERF_SCRIPT_WALL) == 0 ? &reader->sample.wall_ns
                                                   : &reader->sample.cpu_ns) = head.period;
    int error = builder_task(&reader->builder, head.pid, head.tid, comm, &reader->sample.thread);
    free(comm);
    if (error == 0 && *head.rest != '\0')
        error = perf_script_read_frame(reader, line + (head.rest - line));
    return error;
}

/* --- frames -------------------------------------------------------------------------- */

/* Splits a line like "address function+0x12 (object)" into its parts. The object is in the last parentheses. But if the
 * line ends with " (deleted)", this belongs to the path of the object. */
static bool parse_frame(char *line, uint64_t *address, char **name, char **object)
{
    const char *at = line + strspn(line, " \t");
    size_t length = strlen(line);

    if (!text_number(&at, 16, address) || (*at != ' ' && *at != '\t'))
        return false;
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = '\0';
    *name = line + (at - line) + 1;
    if (length == 0 || line[length - 1] != ')')
        return false;
    line[length - 1] = '\0';
    char *open = NULL, *next = *name - 1;
    while ((next = strstr(next + 1, " (")) != NULL)
        if (strcmp(next, " (deleted)") != 0)
            open = next;
    if (open == NULL)
        return false;
    *open = '\0';
    *object = open + 2;
    char *plus = strstr(*name, "+0x");
    for (char *later = plus; later != NULL; later = strstr(later + 1, "+0x"))
        plus = later;
    if (plus != NULL && plus[3] != '\0' && strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3))
        *plus = '\0';
    return true;
}

static int add_line(struct reader *reader, uint32_t object, const char *name)
{
    struct profile_line line = {0};
    int error = builder_function(&reader->builder, object, name, "", 0, &line.function);

    if (error == 0)
        error = array_grow(&reader->lines, reader->line_count, sizeof line);
    if (error == 0)
        reader->lines[reader->line_count++] = line;
    return error;
}

static int add_location(struct reader *reader, uint32_t location)
{
    int error = array_grow(&reader->locations, reader->location_count, sizeof location);

    if (error == 0)
        reader->locations[reader->location_count++] = location;
    return error;
}

/* Reads the line of a frame. The lines of inlined functions come before the line of the function into which they were
 * inlined. Only the last of these lines contains an object. */
static int perf_script_read_frame(struct reader *reader, char *line)
{
    uint64_t address;
    uint32_t object, location;
    char *name, *path;

    if (!parse_frame(line, &address, &name, &path))
        return PPROFIL_ERROR_DAMAGED;
    if (strcmp(path, "inlined") == 0) {
        int error = builder_object(&reader->builder, "", &object);
        return error == 0 ? add_line(reader, object, name) : error;
    }
    if (address == 0 && builder_is_mark(name)) {
        int error = profile_mark(reader->profile, name, &location);
        return error == 0 ? add_location(reader, location) : error;
    }
    int error = builder_object(&reader->builder, path, &object);
    for (uint32_t i = 0; error == 0 && i < reader->line_count; i++) {
        const struct profile_function *function = &reader->profile->functions[reader->lines[i].function];
        const char *inlined = reader->profile->strings[function->name];
        error = builder_function(&reader->builder, object, inlined, "", 0, &reader->lines[i].function);
    }
    if (error == 0)
        error = add_line(reader, object, name);
    if (error == 0)
        error = builder_location(&reader->builder, object, reader->lines, reader->line_count, &location);
    reader->line_count = 0;
    return error == 0 ? add_location(reader, location) : error;
}

static int end_sample(struct reader *reader)
{
    struct profile_sample *sample = &reader->sample;
    int error = 0;

    if (!reader->open)
        return 0;
    reader->open = false;
    if (reader->line_count > 0)
        return PPROFIL_ERROR_DAMAGED;
    sample->node = PROFILE_NONE;
    for (uint32_t i = reader->location_count; error == 0 && i > 0; i--)
        error = profile_node(reader->profile, sample->node, reader->locations[i - 1], &sample->node);
    if (error == 0 && reader->location_count == 0)
        error = builder_frame(&reader->builder, PROFILE_NONE, "[unknown]", &sample->node);
    return error == 0 ? builder_count_sample(reader->profile, sample) : error;
}

static int perf_script_read_line(struct reader *reader, char *line)
{
    if (*line == '\0')
        return end_sample(reader);
    if (*line == '#')
        return 0;
    if (perf_script_begins(line)) {
        int error = end_sample(reader);
        return error == 0 ? begin_sample(reader, line) : error;
    }
    if (reader->event == NULL)
        return PPROFIL_ERROR_DAMAGED;
    return reader->open ? perf_script_read_frame(reader, line) : 0;
}

int perf_script_read(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .builder = {.profile = profile}};
    struct text text;
    char *line;
    int error = text_load(path, &text);

    while (error == 0 && (line = text_next(&text)) != NULL)
        error = perf_script_read_line(&reader, line);
    if (error == 0)
        error = end_sample(&reader);
    if (error == 0 && reader.event == NULL)
        error = PPROFIL_ERROR_DAMAGED;
    text_unload(&text);
    free(reader.event);
    free(reader.locations);
    free(reader.lines);
    memo_free(&reader.builder.memo);
    return error;
}
