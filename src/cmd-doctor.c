/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pprofil doctor: makes all checks (doctor.h), and prints what they have found as text or JSON. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "choices.h"
#include "command-line.h"
#include "doctor.h"
#include "options.h"
#include "output-stream.h"

enum option_key { KEY_BUSY = 256 };

struct doctor_request {
    struct pids pids;
    struct process_search search;
    enum doctor_format format;
    pid_t busy_for; /* --busy: the process for which this one only uses CPU time; 0: none */
};

/* --- findings ---------------------------------------------------------------------------------- */

/* The texts contain names of processes and variables of the environment, which may have any characters. */
static void finding_store(char text[DOCTOR_TEXT_SIZE], const char *format, va_list values)
{
    vsnprintf(text, DOCTOR_TEXT_SIZE, format, values);
    utf8_make_harmless(text, "");
}

void finding_yes(struct finding *finding, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    finding->verdict = VERDICT_YES;
    finding_store(finding->fact, format, values);
    va_end(values);
}

void finding_limited(struct finding *finding, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    finding->verdict = VERDICT_LIMITED;
    finding_store(finding->fact, format, values);
    va_end(values);
}

void finding_no(struct finding *finding, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    finding->verdict = VERDICT_NO;
    finding_store(finding->fact, format, values);
    va_end(values);
}

void finding_why(struct finding *finding, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    finding_store(finding->why, format, values);
    va_end(values);
}

void finding_number(struct finding *finding, const char *name, double value)
{
    for (unsigned i = 0; i < DOCTOR_NUMBERS_MAX; i++)
        if (finding->numbers[i].name == NULL) {
            finding->numbers[i].name = name;
            finding->numbers[i].value = value;
            return;
        }
}

/* --- output ------------------------------------------------------------------------------------ */

static const struct {
    const char *word, *colour;
} verdicts[] = {
    [VERDICT_YES] = {"yes", "\033[32m"},
    [VERDICT_LIMITED] = {"limited", "\033[33m"},
    [VERDICT_NO] = {"no", "\033[31m"},
};

static void doctor_print_text(const struct output_stream *output, const struct finding *finding)
{
    const char *colour = output->colour ? verdicts[finding->verdict].colour : "";

    fprintf(output->stream, "  %s%-7s%s  %s\n", colour, verdicts[finding->verdict].word,
            output->colour ? OUTPUT_PLAIN : "", finding->fact);
    if (finding->why[0] != '\0')
        fprintf(output->stream, "           %s\n", finding->why);
}

static json_t *doctor_json(const struct check_group *group, const struct check *check, const struct finding *finding)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o}", "group", group->name, "name", check->name, "verdict",
                               verdicts[finding->verdict].word, "fact", json_text(finding->fact), "why",
                               json_text(finding->why));
    json_t *numbers = json_object();

    for (unsigned i = 0; i < DOCTOR_NUMBERS_MAX && finding->numbers[i].name != NULL; i++)
        json_object_set_new(numbers, finding->numbers[i].name, json_real(finding->numbers[i].value));
    json_object_set_new(object, "numbers", numbers);
    return object;
}

static bool doctor_profiles_programs(const struct doctor *doctor)
{
    return doctor->one.error == 0 && doctor->one.totals.samples > 0;
}

static void doctor_print_begin(FILE *out)
{
    struct pprofil_candidate self = {.user = ""};
    unsigned cpus = sampling_cpu_count();

    pprofil_candidate_of(getpid(), &self, sizeof self);
    fprintf(out, "pprofil %s, user %s (%u), %u CPU%s\n", pprofil_version(), self.user, geteuid(), cpus,
            cpus == 1 ? "" : "s");
}

static void doctor_print_end(FILE *out, const struct doctor *doctor)
{
    fprintf(out, "\npprofil %s profile programs that it starts", doctor_profiles_programs(doctor) ? "can" : "cannot");
    if (doctor->pid != 0)
        fprintf(out, ", and %s attach to %d", doctor->attaches ? "can" : "cannot", (int)doctor->pid);
    fputs(".\n", out);
}

static int doctor_print_json(FILE *out, const struct doctor *doctor, json_t *checks)
{
    json_t *document = json_pack("{s:s, s:I, s:I, s:b, s:o}", "pprofil", pprofil_version(), "user",
                                 (json_int_t)geteuid(), "cpus", (json_int_t)sampling_cpu_count(), "profiles_programs",
                                 doctor_profiles_programs(doctor), "checks", checks);

    if (doctor->pid != 0)
        json_object_set_new(document, "attaches", json_boolean(doctor->attaches));
    int error = json_dumpf(document, out, json_flags(out)) < 0 ? -ENOMEM : 0;
    fputc('\n', out);
    json_decref(document);
    return error;
}

/* --- checks -------------------------------------------------------------------------------------- */

/* Makes the checks of a group. Prints each finding as soon as it is known, or, if `list` is not NULL, adds it to the
 * list. */
static void doctor_run_group(struct doctor *doctor, const struct check_group *group, const struct output_stream *output,
                             json_t *list)
{
    if (list == NULL)
        fprintf(output->stream, "\n%s\n", group->title);
    for (doctor->check = group->checks; doctor->check->name != NULL && !ferror(output->stream); doctor->check++) {
        struct finding finding = {.fact = ""};
        doctor->check->run(doctor, &finding);
        if (finding.fact[0] == '\0')
            continue;
        if (list != NULL)
            json_array_append_new(list, doctor_json(group, doctor->check, &finding));
        else
            doctor_print_text(output, &finding);
        fflush(output->stream);
    }
}

static int doctor_run(const struct doctor_request *request)
{
    static const struct check_group *const groups[] = {&doctor_tracing, &doctor_kernel, &doctor_costs, &doctor_parts};
    struct doctor doctor = {.pid = request->pids.count > 0 ? request->pids.pids[0] : 0};
    json_t *list = NULL;
    struct output_stream output;
    int error = 0;

    if (pprofil_ptrace_limits(&doctor.limits, sizeof doctor.limits) != 0)
        return complain("doctor: /proc is not mounted: pprofil needs it; mount -t proc proc /proc");
    if (!output_stream_open(&output, NULL))
        return EXIT_OWN_FAILURE;
    if (request->format == DOCTOR_JSON)
        list = json_array();
    else
        doctor_print_begin(output.stream);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        doctor_run_group(&doctor, groups[i], &output, list);
    if (doctor.pid != 0)
        doctor_run_group(&doctor, &doctor_process, &output, list);
    if (list == NULL)
        doctor_print_end(output.stream, &doctor);
    else
        error = doctor_print_json(output.stream, &doctor, list);
    int status = output_stream_close(&output, error);
    return status != 0 ? status : !(doctor_profiles_programs(&doctor) && (doctor.pid == 0 || doctor.attaches));
}

/* --- options ------------------------------------------------------------------------------------- */

static const struct argp_option options[] = {
    {"pid", 'p', "PID|NAME", 0, "also say whether pprofil can attach to this process, and what is known of it", 0},
    {"format", 'f', "OUTPUT", 0, "{OUTPUT} (text)", 0},
    {"busy", KEY_BUSY, "PID", OPTION_HIDDEN, "only use CPU time, until this process ends", 0},
    {0},
};

/* Returns false, and complains, if the process that -p means cannot be found, or is not the only one. */
static bool doctor_find_process(struct doctor_request *request)
{
    if (!process_search_any(&request->search))
        return true;
    if (!process_search_find(&request->search, true))
        return false;
    if (request->pids.count > 1)
        complain("doctor: -p means %u processes here: give the number of one", request->pids.count);
    return request->pids.count == 1;
}

static error_t doctor_parse_option(int key, char *argument, struct argp_state *state)
{
    struct doctor_request *request = state->input;

    switch (key) {
    case 'p':
        process_search_add(&request->search, argument);
        break;
    case 'f':
        request->format = (enum doctor_format)choice_option("-f", &choices_doctor_formats, argument);
        break;
    case KEY_BUSY:
        request->busy_for = pid_parse(argument, strlen(argument));
        if (request->busy_for == 0)
            exit(complain("doctor: --busy takes the number of a process, not '%s'", argument));
        break;
    case ARGP_KEY_ARG:
        exit(complain("doctor: '%s' is no option; a process is given as -p PID", argument));
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp doctor_argp = {
    options,
    doctor_parse_option,
    NULL,
    "Says what works on this machine and for this user, and why the rest does not. It profiles programs of its own for "
    "about three seconds.",
    NULL,
    NULL,
    NULL,
};

int command_doctor(int argc, char **argv)
{
    struct doctor_request request = {.format = DOCTOR_TEXT};

    request.search.pids = &request.pids;
    command_line_parse("pprofil doctor", &doctor_argp, argc, argv, 0, &request);
    if (request.busy_for > 0)
        return child_be_busy(request.busy_for);
    return doctor_find_process(&request) ? doctor_run(&request) : EXIT_OWN_FAILURE;
}
