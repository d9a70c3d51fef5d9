/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdlib.h>

#include "selection.h"

enum option_key { KEY_COMM = 256, KEY_THREAD, KEY_OBJECT, KEY_FUNCTION, KEY_FOCUS, KEY_IGNORE };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Only a part of the profile (names are whole names, or patterns):", 0},
    {"pid", 'p', "PID", 0, "only these processes: numbers with commas between them", 0},
    {"comm", KEY_COMM, "NAME", 0, "only processes of this name", 0},
    {"thread", KEY_THREAD, "NAME", 0, "only threads of this name, or number", 0},
    {"object", KEY_OBJECT, "PATH", 0,
     "only what ran in this program or library; of a file of counters, the one they are of", 0},
    {"function", KEY_FUNCTION, "NAME", 0, "only what ran in this function itself", 0},
    {"focus", KEY_FOCUS, "NAME", 0, "only stacks that have this function", 0},
    {"ignore", KEY_IGNORE, "NAME", 0, "only stacks that do not have this function", 0},
    {0},
};

static error_t selection_parse_option(int key, char *argument, struct argp_state *state)
{
    struct selection_request *request = state->input;
    struct pprofil_selection *selection = &request->selection;

    switch (key) {
    case 'p':
        if (!pids_parse(&request->pids, argument))
            exit(complain("--pid takes process numbers with commas between them, not '%s'",
                          argument));
        break;
    case KEY_COMM:
        selection->comm = argument;
        break;
    case KEY_THREAD:
        selection->thread = argument;
        break;
    case KEY_OBJECT:
        selection->object = argument;
        break;
    case KEY_FUNCTION:
        selection->function = argument;
        break;
    case KEY_FOCUS:
        selection->focus = argument;
        break;
    case KEY_IGNORE:
        selection->ignore = argument;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp selection_parser = {options, selection_parse_option, NULL, NULL, NULL, NULL, NULL};

const struct argp_child selection_children[] = {
    {&selection_parser, 0, NULL, 3},
    {0},
};

pprofil_profile *selection_open(const struct selection_request *request, const char *path,
                                const char *format)
{
    const struct pprofil_file file = {.size = sizeof file, .format = format, .object = request->selection.object};
    pprofil_profile *profile = open_profile(path, &file);

    if (profile != NULL && !selection_apply(request, path, &profile)) {
        pprofil_profile_close(profile);
        profile = NULL;
    }
    return profile;
}

bool selection_apply(const struct selection_request *request, const char *path,
                     pprofil_profile **profile)
{
    struct pprofil_selection selection = request->selection;
    uint32_t pids[PIDS_MAX];
    pprofil_profile *part;

    for (unsigned i = 0; i < request->pids.count; i++)
        pids[i] = (uint32_t)request->pids.pids[i];
    selection.size = sizeof selection;
    selection.pids = pids;
    selection.pid_count = request->pids.count;
    if (pprofil_profile_has_counters(*profile))
        selection.object = NULL; /* it has been told what they are of */
    if (!pprofil_selection_any(&selection))
        return true;
    int error = pprofil_profile_select(*profile, &selection, &part);
    const char *problem = pprofil_profile_problem(*profile);
    if (error != 0 && problem[0] != '\0')
        complain("%s: %s", path, problem);
    else if (error != 0)
        complain_file(path, error, false);
    if (error != 0)
        return false;
    pprofil_profile_close(*profile);
    *profile = part;
    return true;
}
