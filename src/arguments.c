/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts arguments of options to numbers: see arguments.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "command.h"

#define COUNT_MAX 1e9

struct unit {
    const char *name;
    double factor;
};

/* Reads a number that is not negative. Moves *at behind it. Returns a negative number if there is none. */
static double argument_number(const char **at)
{
    char *end;
    double value = strtod(*at, &end);

    if (end == *at || !isfinite(value) || value < 0 || **at == '-')
        return -1;
    *at = end;
    return value;
}

/* Reads the longest unit of a list that stands at *at, and moves *at behind it. Returns its factor, or 0 if none of
 * them stands there. `units` ends with a name that is NULL. */
static double argument_unit(const struct unit *units, const char **at)
{
    const struct unit *found = NULL;

    for (const struct unit *unit = units; unit->name != NULL; unit++)
        if (strncmp(*at, unit->name, strlen(unit->name)) == 0 &&
            (found == NULL || strlen(unit->name) > strlen(found->name)))
            found = unit;
    if (found == NULL)
        return 0;
    *at += strlen(found->name);
    return found->factor;
}

static bool is_within(double value, double lowest, double highest)
{
    return isfinite(value) && value >= lowest && value <= highest;
}

double number_option(const char *option, const char *text, double lowest, double highest)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !is_within(value, lowest, highest))
        exit(complain("%s takes a number from %.10g to %.10g, not '%s'", option, lowest, highest, text));
    return value;
}

double percent_option(const char *option, const char *text, double lowest, double highest)
{
    char *end;
    double value = strtod(text, &end);

    if (end != text && *end == '%')
        end++;
    if (end == text || *end != '\0' || !is_within(value, lowest, highest))
        exit(complain("%s takes a number of percent from %.10g to %.10g, not '%s'", option, lowest, highest, text));
    return value / 100;
}

uint32_t count_option(const char *option, const char *text)
{
    double value = number_option(option, text, 0, COUNT_MAX);

    if (value != floor(value))
        exit(complain("%s takes a whole number, not '%s'", option, text));
    return (uint32_t)value;
}

uint32_t integer_option(const char *option, const char *text)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || *text == '-' || value > UINT32_MAX)
        exit(complain("%s takes a number from 0 to 0xffffffff, not '%s'", option, text));
    return (uint32_t)value;
}

/* Returns seconds, or a negative number if the text is no time. */
static double argument_duration(const char *text)
{
    static const struct unit units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1},     {"sec", 1}, {"m", 60},
                                        {"min", 60},  {"h", 3600},  {"d", 86400}, {NULL, 0}};
    double all = 0;

    for (bool first = true; first || *text != '\0'; first = false) {
        double number = argument_number(&text);
        if (number >= 0 && first && *text == '\0')
            return number; /* seconds */
        double factor = argument_unit(units, &text);
        if (number < 0 || factor == 0)
            return -1;
        all += number * factor;
    }
    return all;
}

double duration_option(const char *option, const char *text, double lowest, double highest)
{
    double seconds = argument_duration(text);

    if (!is_within(seconds, lowest, highest))
        exit(complain("%s takes a time from %.10g to %.10g seconds, such as 10, 10s, %s1m or 1h30m, not '%s'",
                      option, lowest, highest, lowest < 1 ? "500ms, " : "", text));
    return seconds;
}

double frequency_option(const char *option, const char *text, double lowest, double highest)
{
    static const struct unit units[] = {{"k", 1000}, {"K", 1000}, {NULL, 0}};
    const char *at = text;

    if (strcmp(text, "max") == 0)
        return highest;
    double hz = argument_number(&at), factor = argument_unit(units, &at);
    if (factor != 0)
        hz *= factor;
    if ((*at != '\0' && strcasecmp(at, "Hz") != 0) || !is_within(hz, lowest, highest))
        exit(complain("%s takes a number from %.10g to %.10g, such as 500, 10k, 1000Hz or max, not '%s'", option,
                      lowest, highest, text));
    return hz;
}

size_t size_option(const char *option, const char *text, size_t lowest, size_t highest)
{
    static const struct unit units[] = {{"k", 1024}, {"K", 1024}, {"M", 1048576}, {NULL, 0}};
    const char *at = text;
    double bytes = argument_number(&at), factor = argument_unit(units, &at);

    if (factor != 0)
        bytes *= factor;
    if (*at != '\0' || !is_within(bytes, (double)lowest, (double)highest))
        exit(complain("%s takes a size from %zu to %zuk, such as 4096, 64k or 1M, not '%s'", option, lowest,
                      highest / 1024, text));
    return (size_t)bytes;
}
