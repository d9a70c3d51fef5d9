/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of words that options take: see choices.h. Synonyms are the words of perf(1) and pprof, and words that are
 * part of a name. */
#include "config.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "report.h"

#define LIST_SIZE 512
#define NAME_AT(names, i) ((i) < sizeof(names) / sizeof *(names) ? (names)[i] : NULL)

static const char *grouping_at(unsigned i)
{
    static const char *const names[] = {
        [PPROFIL_BY_FUNCTION] = "function", [PPROFIL_BY_OBJECT] = "object",   [PPROFIL_BY_LINE] = "line",
        [PPROFIL_BY_THREAD] = "thread",     [PPROFIL_BY_PROCESS] = "process", [PPROFIL_BY_SYSCALL] = "syscall",
        [PPROFIL_BY_STATE] = "state",       [PPROFIL_BY_WAIT] = "wait",       [PPROFIL_BY_PROGRAM] = "program",
        [PPROFIL_BY_HOST] = "host",         [PPROFIL_BY_JOB] = "job",         [PPROFIL_BY_RANK] = "rank",
    };

    return NAME_AT(names, i);
}

static const struct choice_synonym grouping_synonyms[] = {
    {"fn", "function"},    {"sym", "function"},  {"symbol", "function"}, {"dso", "object"},      {"lib", "object"},
    {"library", "object"}, {"module", "object"}, {"srcline", "line"},    {"source", "line"},     {"tid", "thread"},
    {"task", "thread"},    {"pid", "process"},   {"comm", "program"},    {"command", "program"},
    {"node", "host"},      {0},
};

const struct choices choices_groupings = {"WHAT", grouping_at, grouping_synonyms, NULL, NULL};

static const char *report_format_at(unsigned i)
{
    static const char *const names[] = {[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_CSV] = "csv"};

    return NAME_AT(names, i);
}

static const struct choice_synonym report_format_synonyms[] = {{"txt", "text"}, {"stdio", "text"}, {0}};

const struct choices choices_report_formats = {"KIND", report_format_at, report_format_synonyms, NULL, NULL};

static const char *diff_format_at(unsigned i)
{
    static const char *const names[] = {[DIFF_TEXT] = "text",
                                        [DIFF_JSON] = "json",
                                        [DIFF_CSV] = "csv",
                                        [DIFF_MARKDOWN] = "markdown",
                                        [DIFF_JUNIT] = "junit"};

    return NAME_AT(names, i);
}

static const struct choice_synonym diff_format_synonyms[] = {
    {"txt", "text"}, {"stdio", "text"}, {"md", "markdown"}, {"xml", "junit"}, {0}};

const struct choices choices_diff_formats = {"FORM", diff_format_at, diff_format_synonyms, NULL, NULL};

static const char *doctor_format_at(unsigned i)
{
    static const char *const names[] = {[DOCTOR_TEXT] = "text", [DOCTOR_JSON] = "json"};

    return NAME_AT(names, i);
}

const struct choices choices_doctor_formats = {"OUTPUT", doctor_format_at, report_format_synonyms, NULL, NULL};

static const char *order_at(unsigned i)
{
    static const char *const names[] = {
        [PPROFIL_SORT_TIME] = "time", [PPROFIL_SORT_CALLS] = "calls", [PPROFIL_SORT_ADDRESS] = "address",
        [PPROFIL_SORT_NAME] = "name", [CHOICE_ORDER_SELF] = "self",   [CHOICE_ORDER_TOTAL] = "total",
    };

    return NAME_AT(names, i);
}

static const struct choice_synonym order_synonyms[] = {
    {"flat", "self"}, {"cum", "total"}, {"cumulative", "total"}, {"children", "total"}, {0},
};

static const char *names_at(unsigned i)
{
    static const char *const names[] = {
        [REPORT_NAMES_FIT] = "fit", [REPORT_NAMES_FULL] = "full", [REPORT_NAMES_SHORT] = "short"};

    return NAME_AT(names, i);
}

const struct choices choices_names = {"NAMES", names_at, NULL, NULL, NULL};

const struct choices choices_orders = {"ORDER", order_at, order_synonyms, NULL, NULL};

static const char *format_at(unsigned i)
{
    struct pprofil_format format;

    if (pprofil_format_at(i, &format, sizeof format) == 0)
        return format.name;
    return i > 0 && pprofil_format_at(i - 1, &format, sizeof format) == 0 ? "list" : NULL;
}

static const struct choice_synonym format_synonyms[] = {
    {"proto", "pprof"},
    {"protobuf", "pprof"},
    {"collapsed", "folded"},
    {"flamegraph", "flame-svg"},
    {"svg", "flame-svg"},
    {"html", "flame-html"},
    {"heatmap", "heat-svg"},
    {"ranks", "rank-heat-svg"},
    {"chrome", "chrome-trace"},
    {"kcachegrind", "callgrind"},
    {"perf-data", "perf.data"},
    {"jsoneachrow", "clickhouse"},
    {"jsonl", "clickhouse"},
    {"ndjson", "clickhouse"},
    {0},
};

const struct choices choices_formats = {"FORMAT", format_at, format_synonyms, "format", "-f list"};

static const char *style_at(unsigned i)
{
    const char *name;

    return pprofil_style_at(i, &name, NULL) == 0 ? name : NULL;
}

const struct choices choices_styles = {"STYLE", style_at, NULL, NULL, NULL};

static const char *dialect_at(unsigned i)
{
    const char *name;

    return pprofil_dialect_at(i, &name, NULL, NULL) == 0 ? name : NULL;
}

static const struct choice_synonym dialect_synonyms[] = {
    {"macos", "osx"},
    {"tru64", "osf1"},
    {0},
};

const struct choices choices_dialects = {"DIALECT", dialect_at, dialect_synonyms, "dialect", "pprofil --help=dialects"};

static const char *root_at(unsigned i)
{
    static const char *const names[] = {"none", "comm", "process", "thread"};

    return NAME_AT(names, i);
}

static const struct choice_synonym root_synonyms[] = {{"pid", "process"}, {"tid", "thread"}, {0}};

const struct choices choices_roots = {"WHO", root_at, root_synonyms, NULL, NULL};

static const char *value_at(unsigned i)
{
    static const char *const names[] = {"samples", "time"};

    return NAME_AT(names, i);
}

const struct choices choices_values = {"UNIT", value_at, NULL, NULL, NULL};

static const char *control_at(unsigned i)
{
    static const char *const names[] = {"start", "stop", "startclr", "flush", "status"};

    return NAME_AT(names, i);
}

static const struct choice_synonym control_synonyms[] = {
    {"enable", "start"},
    {"disable", "stop"},
    {"clear", "startclr"},
    {0},
};

const struct choices choices_control = {"ACTION", control_at, control_synonyms, NULL, NULL};

static const char *push_server_at(unsigned i)
{
    static const char *const names[] = {[PUSH_PYROSCOPE] = "pyroscope", [PUSH_PARCA] = "parca", [PUSH_RAW] = "raw"};

    return NAME_AT(names, i);
}

const struct choices choices_push_servers = {"SERVER", push_server_at, NULL, NULL, NULL};

static const char *command_name_at(unsigned i)
{
    return command_at(i) != NULL ? command_at(i)->name : NULL;
}

static const char *shell_at(unsigned i)
{
    static const char *const names[] = {"bash", "zsh", "fish"};

    return NAME_AT(names, i);
}

const struct choices choices_shells = {"SHELL", shell_at, NULL, NULL, NULL};

const struct choices choices_commands = {"COMMAND", command_name_at, NULL, "command", "pprofil help"};

/* --- all lists ------------------------------------------------------------------------------- */

const struct choices *choices_at(unsigned i)
{
    static const struct choices *const all[] = {
        &choices_groupings, &choices_names,    &choices_report_formats, &choices_orders, &choices_doctor_formats,
        &choices_formats,   &choices_styles,   &choices_dialects,       &choices_roots,  &choices_values,
        &choices_control,   &choices_commands, &choices_shells,         &choices_diff_formats,
        &choices_push_servers,
    };

    return NAME_AT(all, i);
}

const struct choices *choices_by_placeholder(const char *placeholder, size_t length)
{
    for (unsigned i = 0; choices_at(i) != NULL; i++)
        if (strlen(choices_at(i)->placeholder) == length &&
            strncmp(choices_at(i)->placeholder, placeholder, length) == 0)
            return choices_at(i);
    return NULL;
}

char *choices_help(int key, const char *text, void *input)
{
    const char *begin = text != NULL ? strchr(text, '{') : NULL, *end = begin != NULL ? strchr(begin, '}') : NULL;
    const struct choices *choices = end != NULL ? choices_by_placeholder(begin + 1, (size_t)(end - begin) - 1) : NULL;
    char names[LIST_SIZE], *help;

    (void)key;
    (void)input;
    if (choices == NULL)
        return (char *)text;
    choices_list(choices, ", ", names, sizeof names);
    return asprintf(&help, "%.*s%s%s", (int)(begin - text), text, names, end + 1) < 0 ? (char *)text : help;
}
