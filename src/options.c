/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define COUNT_MAX 1e9

double number_option(const char *option, const char *text, double lowest, double highest)
{
    double value = 0;

    if (!parse_number(option, text, lowest, highest, &value))
        exit(EXIT_OWN_FAILURE);
    return value;
}

uint32_t count_option(const char *option, const char *text)
{
    double value = number_option(option, text, 0, COUNT_MAX);

    if (value != floor(value))
        exit(complain("%s takes a whole number, not '%s'", option, text));
    return (uint32_t)value;
}

const char *format_option(const char *option, const char *name)
{
    if (strcmp(name, "list") == 0)
        exit(list_formats());
    if (!is_format(name))
        exit(complain("%s %s: no such format; see pprofil-formats(5)", option, name));
    return name;
}

enum report_format report_format_option(const char *text)
{
    int format = report_format_name(text);

    if (format < 0)
        exit(complain("-f takes text, json or csv, not '%s'", text));
    return (enum report_format)format;
}
