/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes by name, user, control group and descent: see process-search.h.
 *
 * The processes are those that pprofil_candidates lists. Neither pprofil itself nor its ancestors are found by a
 * search, because their command lines contain what is searched for. They can be given by number.
 */
#include "config.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/edit-distance.h"
#include "command.h"
#include "process-search.h"

#define FOUND_SHOWN 5u /* a message lists at most this number of processes */

/* The processes of this machine, and what is known of them for this search. */
struct machine {
    struct pprofil_candidate *processes; /* owned */
    uint32_t count;
    bool *ancestor; /* owned; indexed by process: pprofil descends from it */
};

/* --- the command line ---------------------------------------------------------------------- */

static void process_search_complain(const char *text)
{
    exit(complain("-p takes numbers or names of processes with commas between them, not '%s'", text));
}

static void process_search_add_pid(struct process_search *search, pid_t pid, const char *all)
{
    if (pid == 0)
        process_search_complain(all);
    if (!pids_add(search->pids, pid))
        exit(complain("-p takes at most %d processes", PIDS_MAX));
}

/* Adds a copy of a name, which is in search->text. */
static void process_search_add_name(struct process_search *search, const char *name, size_t length)
{
    char *copy = search->text + search->text_size;

    if (search->name_count == PROCESS_NAMES_MAX)
        exit(complain("-p takes at most %d names", PROCESS_NAMES_MAX));
    if (length >= sizeof search->text - search->text_size)
        exit(complain("-p takes at most %zu bytes of names", sizeof search->text));
    memcpy(copy, name, length);
    copy[length] = '\0';
    search->text_size += length + 1;
    search->names[search->name_count++] = copy;
}

void process_search_add(struct process_search *search, const char *text)
{
    const char *at = text;

    if (text[0] == '\0' || text[0] == '-')
        process_search_complain(text);
    if (process_name_is_pattern(text)) {
        process_search_add_name(search, text, strlen(text));
        return;
    }
    for (;; at++) {
        size_t length = strcspn(at, ",");
        if (length == 0)
            process_search_complain(text);
        if (strspn(at, "0123456789") >= length)
            process_search_add_pid(search, pid_parse(at, length), text);
        else
            process_search_add_name(search, at, length);
        at += length;
        if (*at == '\0')
            return;
    }
}

bool process_search_any(const struct process_search *search)
{
    return search->pids->count > 0 || search->name_count > 0 || search->all || search->user != NULL ||
           search->cgroup != NULL || search->container != NULL;
}

void process_search_describe(const struct process_search *search, char *text, size_t size)
{
    const struct {
        const char *option, *value;
    } others[] = {{"-u", search->user}, {"--cgroup", search->cgroup}, {"--container", search->container}};
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < search->name_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "-p " : ",", search->names[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others && used < size; i++)
        if (others[i].value != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", used > 0 ? " " : "", others[i].option,
                                     others[i].value);
    if (search->all && used < size)
        used += (size_t)snprintf(text + used, size - used, "%s-a", used > 0 ? " " : "");
    bool named = used > 0;
    if (named && search->pids->count > 0 && used < size)
        snprintf(text + used, size - used, " (%u process%s)", search->pids->count,
                 search->pids->count == 1 ? "" : "es");
    for (unsigned i = 0; !named && i < search->pids->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i > 0 ? ",%d" : "-p %d", search->pids->pids[i]);
}

enum option_key { KEY_CHILDREN = 256, KEY_CGROUP, KEY_CONTAINER };

static const struct argp_option options[] = {
    {"pid", 'p', "PID|NAME[,...]", 0, "attach to running processes: numbers, names, or a pattern", 1},
    {"all", 'a', 0, 0, "attach to all processes that can be attached to", 1},
    {"user", 'u', "USER", 0, "only processes of this user", 1},
    {"cgroup", KEY_CGROUP, "GROUP", 0, "only processes in this control group, such as nginx.service", 1},
    {"container", KEY_CONTAINER, "ID", 0, "only processes in this container", 1},
    {"children", KEY_CHILDREN, 0, 0, "also the children that the processes have already", 1},
    {0},
};

/* An empty word, such as that of a shell variable that is not set, must not mean all processes. */
static const char *condition_option(const char *option, const char *argument)
{
    if (argument[0] == '\0')
        exit(complain("%s needs a word that is not empty", option));
    return argument;
}

static const char *user_option(const char *argument)
{
    const char *user = condition_option("-u", argument);

    if (user[strspn(user, "0123456789")] != '\0' && getpwnam(user) == NULL)
        exit(complain("-u %s: there is no such user here; a number is possible, too", user));
    return user;
}

static error_t process_search_parse(int key, char *argument, struct argp_state *state)
{
    struct process_search *search = state->input;

    switch (key) {
    case 'p':
        process_search_add(search, argument);
        break;
    case 'a':
        search->all = true;
        break;
    case 'u':
        search->user = user_option(argument);
        break;
    case KEY_CGROUP:
        search->cgroup = condition_option("--cgroup", argument);
        break;
    case KEY_CONTAINER:
        search->container = condition_option("--container", argument);
        break;
    case KEY_CHILDREN:
        search->children = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp process_search_argp = {.options = options, .parser = process_search_parse};

/* --- processes ----------------------------------------------------------------------------- */

static int machine_find(const struct machine *machine, uint32_t pid)
{
    for (uint32_t i = 0; i < machine->count; i++)
        if (machine->processes[i].pid == pid)
            return (int)i;
    return -1;
}

static bool machine_read(struct machine *machine)
{
    int error = pprofil_candidates(&machine->processes, &machine->count);

    if (error == 0)
        machine->ancestor = calloc(machine->count + 1u, sizeof *machine->ancestor);
    if (error != 0 || machine->ancestor == NULL) {
        complain("cannot list the processes: %s", pprofil_error_text(error != 0 ? error : -ENOMEM));
        return false;
    }
    for (int i = machine_find(machine, (uint32_t)getppid()); i >= 0 && !machine->ancestor[i];
         i = machine_find(machine, machine->processes[i].ppid))
        machine->ancestor[i] = true;
    return true;
}

static void machine_clear(struct machine *machine)
{
    free(machine->processes);
    free(machine->ancestor);
}

/* --- the search ---------------------------------------------------------------------------- */

static bool search_add(struct process_search *search, uint32_t pid)
{
    if (pids_add(search->pids, (pid_t)pid))
        return true;
    complain("more than %d processes match: choose fewer", PIDS_MAX);
    return false;
}

static bool search_has_conditions(const struct process_search *search)
{
    return search->user != NULL || search->cgroup != NULL || search->container != NULL;
}

static bool process_meets_conditions(const struct process_search *search, const struct pprofil_candidate *process)
{
    return (search->user == NULL || process_has_user(process, search->user)) &&
           ((search->cgroup == NULL && search->container == NULL) || process_is_in_group(process, search));
}

/* Returns true if a process can be found by what is searched for other than its name. Kernel threads, which have no
 * command line, cannot. */
static bool process_qualifies(const struct process_search *search, const struct machine *machine, uint32_t i)
{
    const struct pprofil_candidate *process = &machine->processes[i];

    return !machine->ancestor[i] && process->command[0] != '\0' && process_meets_conditions(search, process);
}

/* Returns true if the processes that are given by number meet the conditions. */
static bool search_check_numbers(const struct process_search *search, const struct machine *machine)
{
    for (unsigned i = 0; i < search->pids->count; i++) {
        int found = machine_find(machine, (uint32_t)search->pids->pids[i]);
        if (found < 0 || process_meets_conditions(search, &machine->processes[found]))
            continue;
        complain("-p %d: %s of user %s is none of the processes that -u, --cgroup or --container mean",
                 (int)search->pids->pids[i], machine->processes[found].comm, machine->processes[found].user);
        return false;
    }
    return true;
}

/* Complains that nothing is called `name`. If a process has a similar name, proposes it. */
static void complain_of_name(const struct machine *machine, const char *name)
{
    size_t length = strnlen(name, EDIT_DISTANCE_SIZE_MAX);
    uint32_t least = UINT32_MAX;
    const char *nearest = NULL;

    for (uint32_t i = 0; i < machine->count; i++) {
        const char *comm = machine->processes[i].comm;
        uint32_t distance = edit_distance(name, length, comm, strlen(comm));
        if (machine->processes[i].command[0] == '\0' || !edit_distance_is_near(distance, length) || distance >= least ||
            process_name_is_pattern(name))
            continue;
        least = distance;
        nearest = comm;
    }
    if (nearest != NULL)
        complain("-p %s: no process is called so; did you mean '%s'?", name, nearest);
    else if (process_name_is_pattern(name))
        complain("-p '%s': no process has such a name or command line", name);
    else
        complain("-p %s: no process is called so; a part of a command line is found by -p '*%s*'", name, name);
}

static bool search_names(struct process_search *search, const struct machine *machine)
{
    for (unsigned k = 0; k < search->name_count; k++) {
        unsigned found = 0;
        for (uint32_t i = 0; i < machine->count; i++) {
            if (!process_matches(&machine->processes[i], search->names[k]) || !process_qualifies(search, machine, i))
                continue;
            found++;
            if (!search_add(search, machine->processes[i].pid))
                return false;
        }
        if (found == 0) {
            complain_of_name(machine, search->names[k]);
            return false;
        }
    }
    return true;
}

/* Adds all processes that meet the conditions, except those that the caller may not attach to. */
static bool search_all(struct process_search *search, const struct machine *machine, bool quiet)
{
    const char *reason = NULL;
    unsigned found = 0, refused = 0;
    char asked[256];

    for (uint32_t i = 0; i < machine->count; i++) {
        const struct pprofil_candidate *process = &machine->processes[i];
        if (!process_qualifies(search, machine, i))
            continue;
        if (process->refused[0] != '\0') {
            refused++;
            reason = process->refused;
            continue;
        }
        found++;
        if (!search_add(search, process->pid))
            return false;
    }
    process_search_describe(search, asked, sizeof asked);
    if (found == 0 && refused == 0)
        complain("no process matches: %s", asked);
    else if (found == 0)
        complain("%u process%s would match, but: %s", refused, refused == 1 ? "" : "es", reason);
    else if (refused > 0 && !quiet)
        complain("%u more process%s left out: %s", refused, refused == 1 ? " is" : "es are", reason);
    return found > 0;
}

/* Adds all descendants of the processes. Each turn finds the children of those that were found before. */
static bool search_children(struct process_search *search, const struct machine *machine)
{
    unsigned before;

    do {
        before = search->pids->count;
        for (uint32_t i = 0; i < machine->count; i++)
            if (pids_have(search->pids, (pid_t)machine->processes[i].ppid) &&
                !search_add(search, machine->processes[i].pid))
                return false;
    } while (search->pids->count > before);
    return true;
}

/* Says which processes a name has found, if they are several: others may have programs of the same name. */
static void search_say_found(const struct process_search *search, const struct machine *machine)
{
    char text[FOUND_SHOWN * 96] = "";
    unsigned count = search->pids->count, shown = 0;
    size_t used = 0;

    if (search->name_count == 0 || count < 2)
        return;
    for (; shown < FOUND_SHOWN && shown < count; shown++) {
        int found = machine_find(machine, (uint32_t)search->pids->pids[shown]);
        const struct pprofil_candidate *process = found < 0 ? NULL : &machine->processes[found];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", shown == 0 ? "" : "; ",
                                 (int)search->pids->pids[shown]);
        if (process != NULL)
            used += (size_t)snprintf(text + used, sizeof text - used, " %.16s %.50s", process->user, process->command);
    }
    if (count > shown)
        complain("%u processes: %s; and %u more", count, text, count - shown);
    else
        complain("%u processes: %s", count, text);
}

bool process_search_find(struct process_search *search, bool quiet)
{
    bool conditions = search_has_conditions(search), given = search->name_count > 0 || search->pids->count > 0;
    struct machine machine = {0};

    if (search->name_count == 0 && !conditions && !search->all && !search->children)
        return true; /* all processes are given by number */
    bool found = machine_read(&machine) && search_check_numbers(search, &machine) && search_names(search, &machine);
    if (found && (search->all || (conditions && !given)))
        found = search_all(search, &machine, quiet);
    if (found && search->children)
        found = search_children(search, &machine);
    if (found && !quiet)
        search_say_found(search, &machine);
    machine_clear(&machine);
    return found;
}
