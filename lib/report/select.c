/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Selects a part of a profile by process, thread, object or function.
 *
 * For each condition there is a table with the names of all processes, threads, objects or functions of the profile.
 * All names in the table that match the condition's pattern are marked. A sample meets the condition if the name of its
 * process, thread, object or function is marked. The conditions --focus and --ignore look at all functions on the
 * sample's stack.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "report/name-search.h"
#include "report/report.h"
#include "report/row.h"

struct selector {
    const struct profile *profile;
    const struct pprofil_selection *selection;
    bool no_inlines;
    bool *keep; /* owned; indexed by sample: true if the sample meets all conditions so far */
    char *problem;
    size_t size;
};

/* --- names ------------------------------------------------------------------------------- */

struct names {
    const char *option, *what, *pattern; /* what: word for this kind of name in messages */
    const char **texts;                  /* owned */
    bool *marked;                        /* owned; indexed by name: true if the pattern matches the name */
    uint32_t count;
};

static int names_new(struct names *names, uint32_t count)
{
    names->count = count;
    names->texts = calloc(count + 1u, sizeof *names->texts);
    names->marked = calloc(count + 1u, sizeof *names->marked);
    return names->texts == NULL || names->marked == NULL ? -ENOMEM : 0;
}

static void names_clear(struct names *names)
{
    free(names->texts);
    free(names->marked);
}

/* Marks the names that the pattern matches. If it matches no name, returns an error, except for the option --ignore. */
static int names_match(const struct selector *selector, struct names *names)
{
    char why[160] = "";
    uint32_t found;
    int error = name_search(names->pattern, names->texts, names->count, names->marked, &found, why, sizeof why);

    if (error == 0 && found == 0 && strcmp(names->option, "--ignore") != 0) {
        name_search_complain(names->what, names->pattern, names->texts, names->count, why, sizeof why);
        snprintf(selector->problem, selector->size, "%s: %s", names->option, why);
        return -ENOENT;
    }
    if (error == -EINVAL)
        snprintf(selector->problem, selector->size, "%s: '%s' is no name that is there, nor a regular expression: %s",
                 names->option, names->pattern, why);
    else if (error == 0 && why[0] != '\0')
        snprintf(selector->problem, selector->size, "%s: '%s' is no regular expression (%s), but a part of names",
                 names->option, names->pattern, why);
    return error;
}

/* Returns the index, in a table of names, of a sample's process, thread, object or function. */
typedef uint32_t entry_of(const struct selector *selector, const struct profile_sample *sample);

/* If `error` is 0, keeps only the samples whose names are marked in the table. Always clears the table, and returns
 * `error`. */
static int keep_marked(const struct selector *selector, struct names *names, entry_of *entry, int error)
{
    for (uint32_t i = 0; error == 0 && i < selector->profile->sample_count; i++)
        selector->keep[i] &= names->marked[entry(selector, &selector->profile->samples[i])];
    names_clear(names);
    return error;
}

/* --- who ran ----------------------------------------------------------------------------- */

static int keep_pids(const struct selector *selector)
{
    const struct profile *profile = selector->profile;
    const struct pprofil_selection *selection = selector->selection;
    bool any = false;

    if (selection->pid_count == 0)
        return 0;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t process = profile->threads[profile->samples[i].thread].process;
        bool wanted = false;
        for (size_t k = 0; k < selection->pid_count; k++)
            wanted |= selection->pids[k] == profile->processes[process].pid;
        selector->keep[i] &= wanted;
        any |= wanted;
    }
    if (any)
        return 0;
    snprintf(selector->problem, selector->size, "--pid: no sample is of such a process");
    return -ENOENT;
}

/* Keeps only the samples of the rows whose ids are selected. */
static void keep_rows(const struct selector *selector)
{
    const struct pprofil_selection *selection = selector->selection;
    const struct report_filter filter = {.process = (uint32_t)selection->process_row,
                                         .thread = (uint32_t)selection->thread_row,
                                         .object = (uint32_t)selection->object_row,
                                         .wait = selection->wait_row};

    for (uint32_t i = 0; i < selector->profile->sample_count; i++)
        selector->keep[i] &= report_lets_through(selector->profile, &filter, &selector->profile->samples[i]);
}

static uint32_t process_of(const struct selector *selector, const struct profile_sample *sample)
{
    return selector->profile->threads[sample->thread].process;
}

/* Returns the name that a sample's row has in a report, as struct pprofil_selection defines it. */
static const char *name_of_row(const struct profile *profile, enum pprofil_by by, const struct profile_sample *sample)
{
    uint32_t object = profile->locations[profile->nodes[sample->node].location].object;

    if (by == PPROFIL_BY_OBJECT)
        return path_base_name(profile->strings[profile->objects[object].path]);
    return row_subject_name(profile, by, row_subject(by, sample));
}

static void keep_named_rows(const struct selector *selector)
{
    const struct pprofil_selection *selection = selector->selection;
    const struct profile *profile = selector->profile;

    for (uint32_t i = 0; i < profile->sample_count; i++)
        selector->keep[i] &= strcmp(selection->row_name, name_of_row(profile, (enum pprofil_by)selection->row_by,
                                                                     &profile->samples[i])) == 0;
}

/* Keeps only the samples of the processes whose word (row_origin) the pattern matches. Does nothing without a pattern.
 * */
static int keep_origin(const struct selector *selector, enum pprofil_by by, const char *option, const char *what,
                       const char *pattern)
{
    const struct profile *profile = selector->profile;
    struct names names = {.option = option, .what = what, .pattern = pattern};

    if (pattern == NULL)
        return 0;
    int error = names_new(&names, profile->process_count);
    for (uint32_t i = 0; error == 0 && i < names.count; i++)
        names.texts[i] = profile->strings[row_origin(profile, by, i)];
    if (error == 0)
        error = names_match(selector, &names);
    return keep_marked(selector, &names, process_of, error);
}

static uint32_t thread_of(const struct selector *selector, const struct profile_sample *sample)
{
    (void)selector;
    return sample->thread;
}

/* Keeps only the samples of the threads that the pattern matches. If the pattern is the tid of a thread, it is compared
 * only with tids, not with names. */
static int keep_thread(const struct selector *selector)
{
    const struct profile *profile = selector->profile;
    struct names names = {
        .option = "--thread", .what = "thread", .pattern = selector->selection->thread};
    int error = names_new(&names, profile->thread_count);
    bool by_number = false;
    char *end;
    unsigned long tid = strtoul(names.pattern, &end, 10);

    for (uint32_t i = 0; error == 0 && i < names.count; i++) {
        names.texts[i] = profile->strings[profile->threads[i].comm];
        names.marked[i] = *names.pattern != '\0' && *end == '\0' && profile->threads[i].tid == tid;
        by_number |= names.marked[i];
    }
    if (error == 0 && !by_number)
        error = names_match(selector, &names);
    return keep_marked(selector, &names, thread_of, error);
}

static uint32_t wait_of(const struct selector *selector, const struct profile_sample *sample)
{
    (void)selector;
    return sample->wait;
}

static int keep_wait(const struct selector *selector)
{
    const struct profile *profile = selector->profile;
    struct names names = {.option = "--wait", .what = "wait", .pattern = selector->selection->wait};
    int error = names_new(&names, profile->wait_count);

    for (uint32_t i = 1; error == 0 && i < names.count; i++)
        names.texts[i] = profile->strings[profile->waits[i].name];
    if (error == 0)
        error = names_match(selector, &names);
    return keep_marked(selector, &names, wait_of, error);
}

/* --- what ran ---------------------------------------------------------------------------- */

static const struct profile_location *leaf_of(const struct profile *profile, const struct profile_sample *sample)
{
    return &profile->locations[profile->nodes[sample->node].location];
}

static uint32_t object_of(const struct selector *selector, const struct profile_sample *sample)
{
    return leaf_of(selector->profile, sample)->object;
}

static bool is_base_name(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && strcmp(slash + 1, name) == 0;
}

static int keep_object(const struct selector *selector)
{
    const struct profile *profile = selector->profile;
    struct names names = {
        .option = "--object", .what = "object", .pattern = selector->selection->object};
    int error = names_new(&names, profile->object_count);
    bool by_base_name = false;

    for (uint32_t i = 0; error == 0 && i < names.count; i++) {
        names.texts[i] = profile->strings[profile->objects[i].path];
        names.marked[i] = is_base_name(names.texts[i], names.pattern);
        by_base_name |= names.marked[i];
    }
    if (error == 0 && !by_base_name)
        error = names_match(selector, &names);
    return keep_marked(selector, &names, object_of, error);
}

static int names_of_functions(const struct selector *selector, struct names *names)
{
    const struct profile *profile = selector->profile;
    int error = names_new(names, profile->function_count);

    for (uint32_t i = 1; error == 0 && i < names->count; i++)
        if (profile->functions[i].name != 0)
            names->texts[i] = profile->strings[profile->functions[i].name];
    return error == 0 ? names_match(selector, names) : error;
}

static uint32_t function_of(const struct selector *selector, const struct profile_sample *sample)
{
    const struct profile_location *leaf = leaf_of(selector->profile, sample);

    return selector->no_inlines ? row_function(leaf) : row_line(leaf, 0)->function;
}

static int keep_function(const struct selector *selector)
{
    struct names names = {
        .option = "--function", .what = "function", .pattern = selector->selection->function};
    int error = names_of_functions(selector, &names);

    return keep_marked(selector, &names, function_of, error);
}

/* --- stacks ------------------------------------------------------------------------------ */

static bool has_marked_frame(const struct selector *selector,
                             const struct profile_location *location, const bool *marked)
{
    uint32_t i = selector->no_inlines && location->line_count > 0 ? location->line_count - 1 : 0;
    bool has = false;

    for (; !has && i < location->line_count; i++)
        has = marked[location->lines[i].function];
    return has;
}

/* If `want` is true, keeps only the samples whose stacks have a function that the pattern matches. If `want` is false,
 * keeps only the samples whose stacks have no such function. */
static int keep_stacks(const struct selector *selector, const char *option, const char *pattern, bool want)
{
    struct names names = {.option = option, .what = "function", .pattern = pattern};
    const struct profile *profile = selector->profile;
    bool *on_stack = calloc(profile->node_count, sizeof *on_stack);
    int error = names_of_functions(selector, &names);

    if (on_stack == NULL)
        error = -ENOMEM;
    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        on_stack[i] = on_stack[node->parent] ||
                      has_marked_frame(selector, &profile->locations[node->location], names.marked);
    }
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        selector->keep[i] &= on_stack[profile->samples[i].node] == want;
    names_clear(&names);
    free(on_stack);
    return error;
}

/* --- a range of time --------------------------------------------------------------------- */

/* Sets the range of time of the part that is wanted. */
static int select_range(const struct selector *selector, struct profile_part *wanted)
{
    const struct pprofil_selection *selection = selector->selection;
    const struct profile_history *history = &selector->profile->history;
    uint64_t length = history_length(history), to = selection->to_ns != 0 ? selection->to_ns : UINT64_MAX;

    if (selection->from_ns == 0 && selection->to_ns == 0)
        return 0;
    wanted->ranged = true;
    wanted->range = history_slots(history, selection->from_ns, to);
    if (length == 0)
        snprintf(selector->problem, selector->size, "--from, --to: the file does not say when its samples were taken");
    else if (selection->from_ns >= length)
        snprintf(selector->problem, selector->size, "--from: the profile ends after %.2f s", (double)length / 1e9);
    else if (wanted->range.from >= wanted->range.to)
        snprintf(selector->problem, selector->size, "--to: the shortest range of this profile is %.2f s",
                 (double)history->slot_ns / 1e9);
    else
        return 0;
    return -ENOENT;
}

/* --- the whole --------------------------------------------------------------------------- */

static int keep_selected(const struct selector *selector)
{
    const struct pprofil_selection *selection = selector->selection;
    int error = keep_pids(selector);

    keep_rows(selector);
    if (selection->row_name != NULL)
        keep_named_rows(selector);
    if (error == 0)
        error = keep_origin(selector, PPROFIL_BY_PROGRAM, "--comm", "process", selection->comm);
    if (error == 0)
        error = keep_origin(selector, PPROFIL_BY_HOST, "--host", "host", selection->host);
    if (error == 0)
        error = keep_origin(selector, PPROFIL_BY_JOB, "--job", "job", selection->job);
    if (error == 0)
        error = keep_origin(selector, PPROFIL_BY_RANK, "--rank", "rank", selection->rank);
    if (error == 0 && selection->thread != NULL)
        error = keep_thread(selector);
    if (error == 0 && selection->wait != NULL)
        error = keep_wait(selector);
    if (error == 0 && selection->object != NULL)
        error = keep_object(selector);
    if (error == 0 && selection->function != NULL)
        error = keep_function(selector);
    if (error == 0 && selection->focus != NULL)
        error = keep_stacks(selector, "--focus", selection->focus, true);
    if (error == 0 && selection->ignore != NULL)
        error = keep_stacks(selector, "--ignore", selection->ignore, false);
    return error;
}

int report_select(struct profile *profile, struct symbolizer *symbolizer, const struct pprofil_selection *selection,
                  struct profile **part, char *problem, size_t size)
{
    /* in a profile without stacks, only the functions that the linker knows count */
    const struct report_options options = {.by = PPROFIL_BY_FUNCTION,
                                           .no_inlines = selection->no_inlines ||
                                                         !report_has_stacks(profile)};
    struct selector selector = {.profile = profile,
                                .selection = selection,
                                .no_inlines = options.no_inlines,
                                .keep = malloc(profile->sample_count + 1u),
                                .problem = problem,
                                .size = size};
    int error = selector.keep == NULL ? -ENOMEM : 0;

    if (error == 0 && (selection->function != NULL || selection->focus != NULL || selection->ignore != NULL))
        error = row_look_up(symbolizer, &options);
    if (error == 0) {
        memset(selector.keep, true, profile->sample_count);
        error = keep_selected(&selector);
    }
    struct profile_part wanted = {.keep = selector.keep};
    if (error == 0)
        error = select_range(&selector, &wanted);
    if (error == 0)
        error = profile_extract(profile, &wanted, part);
    free(selector.keep);
    return error;
}
