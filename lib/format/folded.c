/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes folded stacks, the input of flamegraph.pl. Each line has a stack, a space and a number. A stack has
 * its functions from the outermost to the innermost, with semicolons between them. There is no field for the thread. So
 * the first frame may name it, as stackcollapse-perf.pl does: COMM, COMM-PID or COMM-PID/TID.
 *
 * The file does not say what its numbers count. The reader takes them as samples of a millisecond each, or as
 * microseconds if the options say so. If the time of all samples would then be more than 2^63 - 1 nanoseconds, the
 * numbers count something else, such as cycles. Then a count of 1 is taken as 1 ns, so that the shares are right.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/frames.h"
#include "format/profile-builder.h"
#include "format/text.h"

#define NS_IN_COUNT 1000000u
#define NS_IN_US 1000u

/* --- writing ------------------------------------------------------------------------- */

/* Returns which frame comes before the functions of each stack. By default this is the process if the samples belong
 * to several processes, otherwise there is no such frame. */
static enum format_roots choose_roots(const struct profile *profile, const struct format_options *options)
{
    if (options->roots != FORMAT_ROOTS_ANY)
        return options->roots;
    for (uint32_t i = 1; i < profile->sample_count; i++)
        if (profile->threads[profile->samples[i].thread].process !=
            profile->threads[profile->samples[0].thread].process)
            return FORMAT_ROOTS_PROCESS;
    return FORMAT_ROOTS_NONE;
}

/* Puts threads whose stacks get the same first frame into one group. Returns an array with the group of each thread,
 * which the caller frees, or NULL if there is no memory. */
static uint32_t *make_groups(const struct profile *profile, enum format_roots roots)
{
    uint32_t *groups = calloc(profile->thread_count + 1u, sizeof *groups);

    for (uint32_t i = 0; groups != NULL && i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (roots == FORMAT_ROOTS_THREAD)
            groups[i] = i;
        else if (roots == FORMAT_ROOTS_PROCESS)
            groups[i] = thread->process;
        else if (roots == FORMAT_ROOTS_COMM)
            groups[i] = thread->comm != 0 ? thread->comm : profile->processes[thread->process].comm;
    }
    return groups;
}

static void put_root(FILE *out, const struct profile *profile, enum format_roots roots, uint32_t group)
{
    const struct profile_process *process;
    const char *comm;

    switch (roots) {
    case FORMAT_ROOTS_COMM:
        comm = profile->strings[group];
        text_put(out, comm[0] != '\0' ? comm : "[unknown]", ";", ':');
        break;
    case FORMAT_ROOTS_PROCESS:
        process = &profile->processes[group];
        comm = profile->strings[process->comm];
        text_put(out, comm[0] != '\0' ? comm : "[unknown]", ";", ':');
        fprintf(out, "-%u", process->pid);
        break;
    case FORMAT_ROOTS_THREAD:
        process = &profile->processes[profile->threads[group].process];
        text_put(out, frame_comm(profile, group), ";", ':');
        fprintf(out, "-%u/%u", process->pid, profile->threads[group].tid);
        break;
    default:
        return;
    }
    putc(';', out);
}

static int put_stacks(FILE *out, const struct profile *profile, const struct frame_tree *tree,
                      enum format_roots roots, bool time)
{
    struct frame_list list = {0};
    char buffer[FRAME_NAME];
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < tree->weight_count; i++) {
        const struct frame_weight *weight = &tree->weights[i];
        uint64_t value = time ? (weight->ns + NS_IN_US / 2) / NS_IN_US : weight->count;
        if (value == 0)
            continue;
        error = frame_tree_stack(tree, weight->node, &list);
        put_root(out, profile, roots, weight->group);
        if (list.count == 0)
            fputs("[unknown] ", out);
        for (uint32_t k = 0; k < list.count; k++) {
            text_put(out, frame_name(profile, &list.all[k], buffer), ";", ':');
            putc(k + 1 < list.count ? ';' : ' ', out);
        }
        fprintf(out, "%llu\n", (unsigned long long)value);
    }
    free(list.all);
    return error;
}

static int write_folded(int fd, const struct profile *profile, const struct format_options *options)
{
    enum format_roots roots = choose_roots(profile, options);
    uint32_t *groups = make_groups(profile, roots);
    struct frame_tree tree = {0};
    FILE *out = text_open(fd);
    int error = groups == NULL || out == NULL ? -ENOMEM : frame_tree_make(&tree, profile, groups);

    if (error == 0)
        error = put_stacks(out, profile, &tree, roots, options->time);
    int closed = out != NULL ? text_close(out) : 0;
    frame_tree_clear(&tree);
    free(groups);
    return error != 0 ? error : closed;
}

/* --- reading ------------------------------------------------------------------------- */

/* Returns a pointer to the number at the end of a line, or NULL if there is no number. Removes blanks after the number.
 * The number may have a fraction, which take_number ignores. */
static char *find_number(char *line)
{
    char *end = line + strlen(line);

    while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    char *number = end;
    while (number > line && number[-1] != ' ' && number[-1] != '\t')
        number--;
    if (number == line || *number < '0' || *number > '9' || strspn(number, "0123456789.") != (size_t)(end - number))
        return NULL;
    return number;
}

/* Parses the first frame of a stack if it has the form "comm-12" or "comm-12/13". `stop` points past the frame. Sets
 * *length to the length of comm. */
static bool parse_root(const char *stack, const char *stop, size_t *length, uint32_t *pid, uint32_t *tid)
{
    const char *dash = memrchr(stack, '-', (size_t)(stop - stack)), *at;
    uint64_t first, second;

    if (dash == NULL || dash == stack)
        return false;
    at = dash + 1;
    if (!text_number(&at, 10, &first) || first > UINT32_MAX)
        return false;
    second = first;
    if (*at == '/' && at++ != stop && !text_number(&at, 10, &second))
        return false;
    *length = (size_t)(dash - stack);
    *pid = (uint32_t)first;
    *tid = (uint32_t)second;
    return at == stop && second <= UINT32_MAX;
}

static const char *first_end(const char *stack)
{
    const char *end = strchr(stack, ';');
    return end != NULL ? end : stack + strlen(stack);
}

/* What is found out about a file before its stacks are read. */
struct survey {
    bool roots;  /* all stacks begin with a process ("comm-pid"); false: their first frames are functions */
    uint64_t ns; /* nanoseconds that a count of 1 stands for */
};

/* Reads the number at the end of a line, and removes it from the line. Returns false if there is no number. */
static bool take_number(char *line, uint64_t *value)
{
    char *number = find_number(line);
    const char *at = number;

    if (number == NULL || !text_number(&at, 10, value) || (*at != '.' && *at != '\0'))
        return false;
    number[-1] = '\0';
    return true;
}

static struct survey survey_file(const char *path, bool time)
{
    struct survey found = {.roots = true, .ns = time ? NS_IN_US : NS_IN_COUNT};
    uint64_t value, sum = 0;
    struct text text;
    uint32_t pid, tid;
    size_t length;
    char *line;
    int error = text_load(path, &text);

    while (error == 0 && (line = text_next(&text)) != NULL) {
        if (!take_number(line, &value))
            continue;
        if (__builtin_add_overflow(sum, value, &sum))
            sum = UINT64_MAX;
        if (found.roots)
            found.roots = strchr(line, ';') != NULL && parse_root(line, first_end(line), &length, &pid, &tid);
    }
    text_unload(&text);
    if (!time && sum > INT64_MAX / NS_IN_COUNT)
        found.ns = 1;
    return found;
}

static int read_stack(struct builder *builder, char *stack, uint32_t *node)
{
    int error = 0;

    *node = PROFILE_NONE;
    for (char *name = stack, *next; error == 0 && name != NULL; name = next) {
        next = strchr(name, ';');
        if (next != NULL)
            *next++ = '\0';
        error = builder_frame(builder, *node, name, node);
    }
    return error;
}

static int folded_read_line(struct builder *builder, char *line, const struct survey *found, bool time)
{
    struct profile_sample sample = {0};
    uint32_t pid = 0, tid = 0;
    const char *comm = "[unknown]";
    uint64_t value;
    size_t length;

    if (!take_number(line, &value) || __builtin_mul_overflow(value, found->ns, &sample.cpu_ns))
        return PPROFIL_ERROR_DAMAGED;
    if (found->roots && parse_root(line, first_end(line), &length, &pid, &tid)) {
        char *stack = strchr(line, ';') + 1;
        line[length] = '\0';
        comm = line;
        line = stack;
    }
    sample.count = time ? 1 : value;
    int error = builder_task(builder, pid, tid, comm, &sample.thread);
    if (error == 0)
        error = read_stack(builder, line, &sample.node);
    return error == 0 && value > 0 ? builder_count_sample(builder->profile, &sample) : error;
}

static int read_folded(const char *path, struct profile *profile, const struct format_options *options)
{
    struct builder builder = {.profile = profile};
    const struct survey found = survey_file(path, options->time);
    struct text text;
    char *line;
    int error = text_load(path, &text);

    while (error == 0 && (line = text_next(&text)) != NULL)
        if (*line != '\0')
            error = folded_read_line(&builder, line, &found, options->time);
    if (error == 0 && profile->sample_count == 0)
        error = PPROFIL_ERROR_DAMAGED;
    text_unload(&text);
    memo_free(&builder.memo);
    return error;
}

/* Returns true if the file is a text whose first line ends with a number. If `head` has only a part of this line, the
 * line must contain a semicolon instead. */
static bool folded_matches(const unsigned char *head, size_t size, uint64_t all)
{
    const unsigned char *end = memchr(head, '\n', size);
    size_t length = end != NULL ? (size_t)(end - head) : size, tail;
    char line[64];

    if (!text_is(head, size) || length == 0)
        return false;
    if (end == NULL && all > size)
        return memchr(head, ';', size) != NULL;
    tail = length < sizeof line ? length : sizeof line - 1;
    memcpy(line, head + length - tail, tail);
    line[tail] = '\0';
    line[strcspn(line, "\r")] = '\0';
    return find_number(line) != NULL;
}

const struct format format_folded = {
    .name = "folded",
    .extensions = ".folded .collapsed .collapsedstack.txt",
    .summary = "folded stacks, for flamegraph.pl, speedscope and Firefox Profiler",
    .keeps = "stacks of function names, inlined functions as frames, marks, and one number: "
             "samples or microseconds; processes or threads as first frames",
    .loses = "objects, addresses, source lines, system calls, states, totals; control characters "
             "in names",
    .matches = folded_matches,
    .read_with = read_folded,
    .write_with = write_folded,
};
