/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files in callgrind's format, ours and callgrind's own, as flat profiles: what each line cost
 * by itself. Calls are passed over, for nobody can tell which of a function's callers its own
 * calls were made for.
 *
 * Names and positions may be compressed: "fn=(3) main", then "fn=(3)"; "+2", "-1" and "*" are
 * relative to the last position.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "format/callgrind.h"
#include "format/named.h"
#include "format/text.h"

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION, NAME_KINDS };

struct reader {
    struct profile *profile;
    struct named named;
    struct memo names;            /* (kind, number) -> string of the profile */
    struct memo functions;        /* (file, name, object), strings -> function of the profile */
    uint32_t current[NAME_KINDS]; /* strings; FILE: of the function */
    uint32_t file;                /* string: of the lines */
    uint32_t object, function;    /* in the profile, if has_function */
    bool has_function;
    unsigned positions, line_position; /* numbers before the costs; which of them is the line */
    uint64_t last[2];
    int samples, cpu, wall; /* which costs they are; -1: none */
    bool has_events, after_call;
    uint32_t thread;
    bool has_thread;
    uint32_t pid;
};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* --- header -------------------------------------------------------------------------- */

static int read_events(struct reader *reader, char *list)
{
    char *rest, *word = strtok_r(list, " \t", &rest);

    reader->samples = reader->cpu = reader->wall = -1;
    reader->has_events = word != NULL;
    for (int i = 0; word != NULL; i++, word = strtok_r(NULL, " \t", &rest)) {
        if (strcmp(word, CALLGRIND_SAMPLES) == 0)
            reader->samples = i;
        else if (strcmp(word, CALLGRIND_CPU) == 0)
            reader->cpu = i;
        else if (strcmp(word, CALLGRIND_WALL) == 0)
            reader->wall = i;
    }
    if (reader->samples < 0)
        reader->samples = reader->cpu = 0;
    return reader->has_events ? 0 : -EBADMSG;
}

static int read_positions(struct reader *reader, char *list)
{
    char *rest, *word = strtok_r(list, " \t", &rest);

    reader->line_position = UINT32_MAX;
    for (reader->positions = 0; word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        if (strcmp(word, "line") == 0)
            reader->line_position = reader->positions;
        if (++reader->positions > 2)
            return -EBADMSG;
    }
    return reader->positions > 0 ? 0 : -EBADMSG;
}

static int read_command(struct reader *reader, const char *command)
{
    return *command != '\0' ? named_command(reader->profile, command) : 0;
}

/* "key: value"; those that mean nothing here are passed over. *known: is it one at all? */
static int read_header(struct reader *reader, char *line, bool *known)
{
    char *colon = strchr(line, ':'), *value;

    *known = colon != NULL && strspn(line, "abcdefghijklmnopqrstuvwxyz") == (size_t)(colon - line);
    if (!*known)
        return 0;
    *colon = '\0';
    value = colon + 1 + strspn(colon + 1, " \t");
    if (strcmp(line, "events") == 0)
        return read_events(reader, value);
    if (strcmp(line, "positions") == 0)
        return read_positions(reader, value);
    if (strcmp(line, "cmd") == 0)
        return read_command(reader, value);
    if (strcmp(line, "pid") == 0 && !reader->has_thread)
        reader->pid = (uint32_t)strtoul(value, NULL, 10);
    return 0;
}

/* --- names --------------------------------------------------------------------------- */

static int read_name(struct reader *reader, enum name_kind kind, const char *text, uint32_t *string)
{
    struct memory *known;
    uint64_t number;

    text = skip_blanks(text);
    const char *at = text + 1;
    if (*text != '(' || !text_number(&at, 10, &number) || *at != ')')
        return profile_string(reader->profile, text, string);
    int error = memo_recall(&reader->names, 0, kind, number, &known);
    if (error != 0)
        return error;
    at += 1 + (at[1] == ' '); /* the name may begin with blanks, too */
    if (*at == '\0') {
        *string = known->index;
        return known->used ? 0 : -EBADMSG;
    }
    error = profile_string(reader->profile, at, string);
    if (error == 0 && known->used)
        known->index = *string;
    else if (error == 0)
        memo_remember(&reader->names, known, *string);
    return error;
}

static const struct {
    const char *key;
    enum name_kind kind;
    bool lines, own; /* it is of the lines that follow; of the function */
} keys[] = {
    {"ob=", NAME_OBJECT, false, true},     {"fl=", NAME_FILE, true, true},
    {"fi=", NAME_FILE, true, false},       {"fe=", NAME_FILE, true, false},
    {"fn=", NAME_FUNCTION, false, true},   {"cob=", NAME_OBJECT, false, false},
    {"cfi=", NAME_FILE, false, false},     {"cfl=", NAME_FILE, false, false},
    {"cfn=", NAME_FUNCTION, false, false}, {"jfi=", NAME_FILE, false, false},
    {"jfn=", NAME_FUNCTION, false, false},
};

static int read_key(struct reader *reader, const char *line, bool *known)
{
    uint32_t string;

    *known = true;
    if (strncmp(line, "calls=", 6) == 0) {
        reader->after_call = true;
        return 0;
    }
    if (strncmp(line, "jump=", 5) == 0 || strncmp(line, "jcnd=", 5) == 0) {
        reader->after_call = true; /* a line of positions follows */
        return 0;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i].key);
        if (strncmp(line, keys[i].key, length) != 0)
            continue;
        int error = read_name(reader, keys[i].kind, line + length, &string);
        if (error == 0 && keys[i].own) {
            reader->current[keys[i].kind] = string;
            reader->has_function = false;
        }
        if (error == 0 && keys[i].lines)
            reader->file = string;
        if (error == 0 && strcmp(keys[i].key, "fn=") == 0)
            reader->file = reader->current[NAME_FILE];
        return error;
    }
    *known = false;
    return 0;
}

/* --- costs --------------------------------------------------------------------------- */

static bool read_position(const char **at, uint64_t *last)
{
    uint64_t number;
    char sign = **at;

    if (sign == '*') {
        ++*at;
        return true;
    }
    if (sign == '+' || sign == '-')
        ++*at;
    bool hex = strncmp(*at, "0x", 2) == 0;
    if (hex)
        *at += 2;
    if (!text_number(at, hex ? 16 : 10, &number))
        return false;
    *last = sign == '+' ? *last + number : sign == '-' ? *last - number : number;
    return true;
}

/* "???" is nothing that is known. */
static const char *text_of(const struct reader *reader, uint32_t string)
{
    const char *text = reader->profile->strings[string];
    return strcmp(text, "???") == 0 ? "" : text;
}

/* The last part of the program's path. */
static int need_thread(struct reader *reader)
{
    const char *command = reader->profile->command;
    char *program = command != NULL ? strndup(command, strcspn(command, " ")) : strdup("");

    if (program == NULL)
        return -ENOMEM;
    const char *comm = path_base_name(program);
    int error = named_task(&reader->named, reader->pid, reader->pid,
                             *comm != '\0' ? comm : "[unknown]", &reader->thread);
    free(program);
    reader->has_thread = true;
    return error;
}

static int add_function(struct reader *reader)
{
    int error = named_object(&reader->named, text_of(reader, reader->current[NAME_OBJECT]),
                             &reader->object);

    return error != 0
               ? error
               : named_function(&reader->named, reader->object,
                                reader->profile->strings[reader->current[NAME_FUNCTION]],
                                text_of(reader, reader->current[NAME_FILE]), 0, &reader->function);
}

/* A name may be long, and is said in three bytes from the second time on: it is looked up once. */
static int need_function(struct reader *reader)
{
    struct memory *known;
    int error = 0;

    if (reader->has_function)
        return 0;
    error = memo_recall(&reader->functions, reader->current[NAME_FILE],
                        reader->current[NAME_FUNCTION], reader->current[NAME_OBJECT], &known);
    if (error == 0 && !known->used) {
        error = add_function(reader);
        if (error == 0)
            memo_remember(&reader->functions, known, reader->function);
    }
    if (error != 0)
        return error;
    reader->function = known->index;
    reader->object = reader->profile->functions[reader->function].object - 1;
    reader->has_function = true;
    return 0;
}

static int need_location(struct reader *reader, uint32_t *location)
{
    const char *name = reader->profile->strings[reader->current[NAME_FUNCTION]];
    uint64_t number = reader->line_position <= 1 ? reader->last[reader->line_position] : 0;
    struct profile_line line = {.line = number <= UINT32_MAX ? (uint32_t)number : 0};

    if (named_is_mark(name))
        return profile_mark(reader->profile, name, location);
    if (number != 0 && *text_of(reader, reader->file) != '\0')
        line.file = reader->file;
    int error = need_function(reader);
    line.function = reader->function;
    return error == 0 ? named_location(&reader->named, reader->object, &line, 1, location) : error;
}

static int count(struct reader *reader, struct profile_sample *sample)
{
    uint32_t location;
    int error = need_location(reader, &location);

    if (error == 0)
        error = profile_node(reader->profile, PROFILE_NONE, location, &sample->node);
    if (error == 0 && !reader->has_thread)
        error = need_thread(reader);
    sample->thread = reader->thread;
    return error == 0 ? named_count(reader->profile, sample) : error;
}

static int read_cost(struct reader *reader, const char *line)
{
    struct profile_sample sample = {0};
    uint64_t value;

    if (!reader->has_events)
        return -EBADMSG;
    for (unsigned i = 0; i < reader->positions; i++) {
        line = skip_blanks(line);
        if (!read_position(&line, &reader->last[i]))
            return -EBADMSG;
    }
    for (int i = 0; *(line = skip_blanks(line)) != '\0'; i++) {
        if (!text_number(&line, 10, &value))
            return -EBADMSG;
        if (i == reader->samples)
            sample.count = value;
        if (i == reader->cpu)
            sample.cpu_ns = value;
        if (i == reader->wall)
            sample.wall_ns = value;
    }
    if (reader->after_call) {
        reader->after_call = false;
        return 0;
    }
    return (sample.count | sample.cpu_ns | sample.wall_ns) != 0 ? count(reader, &sample) : 0;
}

static int read_line(struct reader *reader, char *line)
{
    bool known = false;
    int error = 0;

    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return 0;
    if ((*line >= '0' && *line <= '9') || *line == '+' || *line == '-' || *line == '*')
        return read_cost(reader, line);
    error = read_key(reader, line, &known);
    if (error == 0 && !known)
        error = read_header(reader, line, &known);
    return error == 0 && !known ? -EBADMSG : error;
}

int callgrind_read(const char *path, struct profile *profile)
{
    struct reader reader = {.profile = profile, .named = {.profile = profile}, .positions = 1};
    struct text text;
    char *line;
    int error = text_load(path, &text);

    while (error == 0 && (line = text_next(&text)) != NULL)
        error = read_line(&reader, line);
    if (error == 0 && (!reader.has_events || reader.after_call))
        error = -EBADMSG;
    if (error == 0 && reader.wall >= 0)
        profile->totals.wall = true;
    text_unload(&text);
    free(reader.named.memo.slots);
    free(reader.names.slots);
    free(reader.functions.slots);
    return error;
}
