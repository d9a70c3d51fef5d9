/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes file names from patterns: see name-pattern.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/name-pattern.h"
#include "base/utf8.h"

#define LETTERS "pehtnrj%"

const char *name_pattern_find_wrong(const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
        if (at[1] == '\0' || strchr(LETTERS, at[1]) == NULL)
            return at;
    return NULL;
}

bool name_pattern_has(const char *pattern, char letter)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL && at[1] != '\0'; at += 2)
        if (at[1] == letter)
            return true;
    return false;
}

/* Makes a part of a file name of a name that anybody may have chosen. */
static void name_pattern_tame(const char *name, char *part, size_t size)
{
    snprintf(part, size, "%s", *name != '\0' ? name : "_");
    utf8_make_harmless(part, "");
    if (part[0] == '.' || part[0] == '-')
        part[0] = '_';
    for (char *at = part; *at != '\0'; at++)
        if (*at == '/' || *at == '?')
            *at = '_';
}

static void name_pattern_part(char letter, const struct name_pattern_values *values, char *part, size_t size)
{
    struct tm local = {0};

    if (values->glob && strchr("phtnr", letter) != NULL) {
        snprintf(part, size, "*");
        return;
    }
    switch (letter) {
    case 'p':
        snprintf(part, size, "%d", (int)values->pid);
        break;
    case 'e':
        name_pattern_tame(values->program, part, size);
        break;
    case 'h':
        name_pattern_tame(values->host, part, size);
        break;
    case 't':
        localtime_r(&values->time, &local);
        if (strftime(part, size, "%Y%m%d-%H%M%S", &local) == 0)
            part[0] = '\0';
        break;
    case 'n':
        snprintf(part, size, "%u", values->number);
        break;
    case 'r':
        snprintf(part, size, "%d", (int)values->rank);
        break;
    case 'j':
        name_pattern_tame(values->job, part, size);
        break;
    default:
        snprintf(part, size, "%%");
    }
}

int name_pattern_expand(const char *pattern, const struct name_pattern_values *values, char *path, size_t size)
{
    size_t used = 0;

    if (name_pattern_find_wrong(pattern) != NULL)
        return -EINVAL;
    for (const char *at = pattern; *at != '\0'; at++) {
        char part[NAME_MAX + 1] = {*at};
        if (*at == '%')
            name_pattern_part(*++at, values, part, sizeof part);
        size_t length = strlen(part);
        if (used + length >= size)
            return -ENAMETOOLONG;
        memcpy(path + used, part, length);
        used += length;
    }
    if (used >= size)
        return -ENAMETOOLONG;
    path[used] = '\0';
    return 0;
}

/* Returns the length of the time at the beginning of a text, as %t writes it; 0: there is none. */
static size_t name_pattern_time_length(const char *text)
{
    size_t day = strspn(text, "0123456789");

    return day == 8 && text[day] == '-' && strspn(text + day + 1, "0123456789") >= 6 ? day + 7 : 0;
}

bool name_pattern_matches(const char *pattern, const struct name_pattern_values *values, const char *path)
{
    for (; *pattern != '\0'; pattern++) {
        char part[NAME_MAX + 1] = {*pattern}, letter = '\0';
        if (*pattern == '%' && (letter = *++pattern) == '\0')
            return false;
        if (letter != '\0')
            name_pattern_part(letter, values, part, sizeof part);
        size_t length = strlen(part);
        if (letter == 't')
            length = name_pattern_time_length(path);
        else if (letter == 'n')
            length = strspn(path, "0123456789");
        else if (strncmp(path, part, length) != 0)
            return false;
        if (length == 0)
            return false;
        path += length;
    }
    return *path == '\0';
}
