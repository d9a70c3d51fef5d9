/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each name is looked for once, in the table that has such names; samples then only ask what was
 * found. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/match.h"
#include "report/report.h"
#include "report/row.h"

struct selection {
    const struct profile *profile;
    const struct pprofil_selection *options;
    bool *keep; /* owned: of each sample */
    char *problem;
    size_t size;
};

static bool is_base_name(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && strcmp(slash + 1, name) == 0;
}

/* --- names ------------------------------------------------------------------------------- */

/* A table of names, and of what kind they are, for people. */
struct names {
    const char *option, *what, *pattern;
    const char **texts; /* owned */
    bool *marked;       /* owned */
    uint32_t count;
    bool may_be_none;
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

static int select_find(const struct selection *selection, struct names *names)
{
    char why[160] = "";
    uint32_t found;
    int error = match_texts(names->pattern, names->texts, names->count, names->marked, &found, why,
                            sizeof why);

    if (error == 0 && found == 0 && !names->may_be_none) {
        match_complain(names->what, names->pattern, names->texts, names->count, why, sizeof why);
        snprintf(selection->problem, selection->size, "%s: %s", names->option, why);
        return -ENOENT;
    }
    if (error == -EINVAL)
        snprintf(selection->problem, selection->size,
                 "%s: '%s' is no name that is there, nor a regular expression: %s", names->option,
                 names->pattern, why);
    return error;
}

/* --- who ran ----------------------------------------------------------------------------- */

static int keep_pids(const struct selection *selection)
{
    const struct profile *profile = selection->profile;
    const struct pprofil_selection *options = selection->options;
    bool any = options->pid_count == 0;

    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t process = profile->threads[profile->samples[i].thread].process;
        bool wanted = options->pid_count == 0;
        for (size_t k = 0; k < options->pid_count; k++)
            wanted |= options->pids[k] == profile->processes[process].pid;
        selection->keep[i] &= wanted;
        any |= wanted;
    }
    if (any)
        return 0;
    snprintf(selection->problem, selection->size, "--pid: no sample is of such a process");
    return -ENOENT;
}

static int keep_comm(const struct selection *selection)
{
    const struct profile *profile = selection->profile;
    struct names names = {
        .option = "--comm", .what = "process", .pattern = selection->options->comm};
    int error = names_new(&names, profile->process_count);

    for (uint32_t i = 0; error == 0 && i < names.count; i++)
        names.texts[i] = profile->strings[profile->processes[i].comm];
    if (error == 0)
        error = select_find(selection, &names);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        selection->keep[i] &= names.marked[profile->threads[profile->samples[i].thread].process];
    names_clear(&names);
    return error;
}

static bool is_number_of_thread(const struct profile *profile, const char *text, bool *marked)
{
    char *end;
    unsigned long tid = strtoul(text, &end, 10);
    bool any = false;

    for (uint32_t i = 0; *text != '\0' && *end == '\0' && i < profile->thread_count; i++) {
        marked[i] = profile->threads[i].tid == tid;
        any |= marked[i];
    }
    return any;
}

static int keep_thread(const struct selection *selection)
{
    const struct profile *profile = selection->profile;
    struct names names = {
        .option = "--thread", .what = "thread", .pattern = selection->options->thread};
    int error = names_new(&names, profile->thread_count);

    for (uint32_t i = 0; error == 0 && i < names.count; i++)
        names.texts[i] = profile->strings[profile->threads[i].comm];
    if (error == 0 && !is_number_of_thread(profile, names.pattern, names.marked))
        error = select_find(selection, &names);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        selection->keep[i] &= names.marked[profile->samples[i].thread];
    names_clear(&names);
    return error;
}

/* --- what ran ---------------------------------------------------------------------------- */

static const struct profile_location *leaf_of(const struct profile *profile, uint32_t sample)
{
    return &profile->locations[profile->nodes[profile->samples[sample].node].location];
}

static int keep_object(const struct selection *selection)
{
    const struct profile *profile = selection->profile;
    const char *pattern = selection->options->object;
    struct names names = {.option = "--object", .what = "object", .pattern = pattern};
    bool by_name = false;
    int error = names_new(&names, profile->object_count);

    for (uint32_t i = 0; error == 0 && i < names.count; i++) {
        names.texts[i] = profile->strings[profile->objects[i].path];
        names.marked[i] = is_base_name(names.texts[i], pattern);
        by_name |= names.marked[i];
    }
    if (error == 0 && !by_name)
        error = select_find(selection, &names);
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        selection->keep[i] &= names.marked[leaf_of(profile, i)->object];
    names_clear(&names);
    return error;
}

static int find_functions(const struct selection *selection, struct names *names)
{
    const struct profile *profile = selection->profile;
    int error = names_new(names, profile->function_count);

    for (uint32_t i = 1; error == 0 && i < names->count; i++)
        if (profile->functions[i].name != 0)
            names->texts[i] = profile->strings[profile->functions[i].name];
    return error == 0 ? select_find(selection, names) : error;
}

static int keep_function(const struct selection *selection)
{
    const struct profile *profile = selection->profile;
    struct names names = {
        .option = "--function", .what = "function", .pattern = selection->options->function};
    int error = find_functions(selection, &names);

    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++) {
        const struct profile_location *place = leaf_of(profile, i);
        uint32_t function = place->line_count == 0 || selection->options->no_inlines
                                ? row_function(place)
                                : place->lines[0].function;
        selection->keep[i] &= names.marked[function];
    }
    names_clear(&names);
    return error;
}

static bool has_frame(const struct selection *selection, const struct profile_location *place,
                      const bool *marked)
{
    uint32_t i =
        selection->options->no_inlines && place->line_count > 0 ? place->line_count - 1 : 0;
    bool has = false;

    for (; !has && i < place->line_count; i++)
        has = marked[place->lines[i].function];
    return has;
}

/* Keeps the samples with one of these on their stack (want), or those without. */
static int keep_stacks(const struct selection *selection, struct names *names, bool want)
{
    const struct profile *profile = selection->profile;
    bool *on_stack = calloc(profile->node_count, sizeof *on_stack);
    int error = on_stack == NULL ? -ENOMEM : find_functions(selection, names);

    for (uint32_t i = 1; error == 0 && i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        on_stack[i] = on_stack[node->parent] ||
                      has_frame(selection, &profile->locations[node->location], names->marked);
    }
    for (uint32_t i = 0; error == 0 && i < profile->sample_count; i++)
        selection->keep[i] &= on_stack[profile->samples[i].node] == want;
    names_clear(names);
    free(on_stack);
    return error;
}

static int keep_focus(const struct selection *selection)
{
    struct names names = {
        .option = "--focus", .what = "function", .pattern = selection->options->focus};
    return keep_stacks(selection, &names, true);
}

static int keep_ignore(const struct selection *selection)
{
    struct names names = {.option = "--ignore",
                          .what = "function",
                          .pattern = selection->options->ignore,
                          .may_be_none = true};
    return keep_stacks(selection, &names, false);
}

/* --- the whole --------------------------------------------------------------------------- */

static bool asks_for_functions(const struct pprofil_selection *options)
{
    return options->function != NULL || options->focus != NULL || options->ignore != NULL;
}

static int choose(const struct selection *selection)
{
    const struct pprofil_selection *options = selection->options;
    int error = keep_pids(selection);

    if (error == 0 && options->comm != NULL)
        error = keep_comm(selection);
    if (error == 0 && options->thread != NULL)
        error = keep_thread(selection);
    if (error == 0 && options->object != NULL)
        error = keep_object(selection);
    if (error == 0 && options->function != NULL)
        error = keep_function(selection);
    if (error == 0 && options->focus != NULL)
        error = keep_focus(selection);
    if (error == 0 && options->ignore != NULL)
        error = keep_ignore(selection);
    return error;
}

int report_select(struct profile *profile, struct symbolizer *symbolizer,
                  const struct pprofil_selection *options, struct profile **part, char *problem,
                  size_t size)
{
    struct pprofil_selection asked = *options;
    struct selection selection = {
        .profile = profile, .options = &asked, .problem = problem, .size = size};
    int error = 0;

    if (!report_has_stacks(profile)) /* then rows are functions as the linker knows them */
        asked.no_inlines = true;
    if (symbolizer != NULL && asks_for_functions(&asked))
        error = symbolizer_look_up_all(symbolizer, asked.no_inlines ? PROFILE_LOOKED_NAME
                                                                    : PROFILE_LOOKED_LINE);
    if (error == 0)
        selection.keep = malloc(profile->sample_count + 1u);
    if (error == 0 && selection.keep == NULL)
        error = -ENOMEM;
    if (error == 0) {
        memset(selection.keep, true, profile->sample_count);
        error = choose(&selection);
    }
    if (error == 0)
        error = profile_extract(profile, selection.keep, part);
    free(selection.keep);
    return error;
}
