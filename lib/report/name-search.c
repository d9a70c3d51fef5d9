/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searches for names that match a pattern, and for similar names: see name-search.h. */
#include "config.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/edit-distance.h"
#include "base/utf8.h"
#include "report/name-search.h"

/* bytes; longer names are not compared byte by byte, and are similar only if they contain the name that was not
 * found */
/* if a name is like none of the names, and these are so few, a message lists them all */
#define LISTED_MAX (NAME_SEARCH_NEAREST + 5u)
#define COMPARED_SIZE_MAX EDIT_DISTANCE_SIZE_MAX

/* Returns the length of a C++ name without its parameters. */
static size_t length_without_parameters(const char *text)
{
    return strcspn(text, "(");
}

static bool is_text(const char *pattern, const char *text)
{
    return strcmp(pattern, text) == 0;
}

static bool is_text_without_parameters(const char *pattern, const char *text)
{
    size_t length = length_without_parameters(text);
    return length > 0 && text[length] != '\0' && strncmp(pattern, text, length) == 0 && pattern[length] == '\0';
}

static bool is_part(const char *pattern, const char *text)
{
    return strstr(text, pattern) != NULL;
}

static uint32_t name_search_mark(const char *pattern, const char *const *texts, uint32_t count,
                                 bool (*means)(const char *pattern, const char *text), bool *marked)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        if (texts[i] != NULL && means(pattern, texts[i])) {
            marked[i] = true;
            found++;
        }
    return found;
}

static int name_search_compile(regex_t *expression, const char *pattern, char *problem, size_t size)
{
    int error = regcomp(expression, pattern, REG_EXTENDED | REG_NOSUB);

    if (error != 0)
        regerror(error, expression, problem, size);
    return error == 0 ? 0 : error == REG_ESPACE ? -ENOMEM : -EINVAL;
}

static int name_search_mark_expression(const char *pattern, const char *const *texts, uint32_t count, bool *marked,
                                       uint32_t *found, char *problem, size_t size)
{
    regex_t expression;
    int error = name_search_compile(&expression, pattern, problem, size);

    if (error != 0)
        return error;
    for (uint32_t i = 0; i < count; i++)
        if (texts[i] != NULL && regexec(&expression, texts[i], 0, NULL, 0) == 0) {
            marked[i] = true;
            ++*found;
        }
    regfree(&expression);
    return 0;
}

/* Writes to `problem` why the pattern is not an expression, if it is not. */
static int name_search_try_expression(const char *pattern, char *problem, size_t size)
{
    regex_t expression;
    int error = name_search_compile(&expression, pattern, problem, size);

    if (error == 0)
        regfree(&expression);
    return error == -ENOMEM ? error : 0;
}

int name_search(const char *pattern, const char *const *texts, uint32_t count, bool *marked, uint32_t *found,
                char *problem, size_t size)
{
    problem[0] = '\0';
    if ((*found = name_search_mark(pattern, texts, count, is_text, marked)) > 0 ||
        (*found = name_search_mark(pattern, texts, count, is_text_without_parameters, marked)) > 0)
        return 0;
    if ((*found = name_search_mark(pattern, texts, count, is_part, marked)) > 0)
        return name_search_try_expression(pattern, problem, size);
    return name_search_mark_expression(pattern, texts, count, marked, found, problem, size);
}

/* --- similar names ----------------------------------------------------------------------- */

/* Returns how similar `text` is to `wrong`, a name that does not exist. Returns 0 if they are not similar. */
static uint32_t name_search_likeness(const char *wrong, const char *text)
{
    size_t length = length_without_parameters(text), wrong_length = strlen(wrong);

    if (length == 0)
        length = strlen(text);
    if (strcasestr(text, wrong) != NULL)
        return 2 * COMPARED_SIZE_MAX;
    if (length > COMPARED_SIZE_MAX || wrong_length > COMPARED_SIZE_MAX)
        return 0;
    uint32_t changes = edit_distance(wrong, wrong_length, text, length);
    return edit_distance_is_near(changes, wrong_length) ? COMPARED_SIZE_MAX - changes : 0;
}

uint32_t name_search_nearest(const char *wrong, const char *const *texts, uint32_t count,
                             uint32_t nearest[NAME_SEARCH_NEAREST])
{
    uint32_t scores[NAME_SEARCH_NEAREST + 1] = {0}, found = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t score = texts[i] != NULL ? name_search_likeness(wrong, texts[i]) : 0, at = found;
        for (uint32_t k = 0; k < found; k++)
            if (score == scores[k] && strcmp(texts[i], texts[nearest[k]]) == 0)
                score = 0;
        for (; at > 0 && score > scores[at - 1]; at--)
            if (at < NAME_SEARCH_NEAREST) {
                scores[at] = scores[at - 1];
                nearest[at] = nearest[at - 1];
            }
        if (score == 0 || at == NAME_SEARCH_NEAREST)
            continue;
        scores[at] = score;
        nearest[at] = i;
        if (found < NAME_SEARCH_NEAREST)
            found++;
    }
    return found;
}

/* Stores the indexes of all different names if there are at most LISTED_MAX. Returns how many, or 0. */
static uint32_t name_search_list(const char *const *texts, uint32_t count, uint32_t names[LISTED_MAX])
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool known = texts[i] == NULL || *texts[i] == '\0';
        for (uint32_t k = 0; k < found && !known; k++)
            known = strcmp(texts[i], texts[names[k]]) == 0;
        if (known)
            continue;
        if (found == LISTED_MAX)
            return 0;
        names[found++] = i;
    }
    return found;
}

void name_search_complain(const char *what, const char *wrong, const char *const *texts, uint32_t count, char *problem,
                          size_t size)
{
    uint32_t nearest[LISTED_MAX], found = name_search_nearest(wrong, texts, count, nearest);
    int length = snprintf(problem, size, "no %s is called '%s'", what, wrong);

    if (found == 0)
        found = name_search_list(texts, count, nearest);
    for (uint32_t i = 0; i < found && length >= 0 && (size_t)length < size; i++)
        length += snprintf(problem + length, size - (size_t)length, "%s '%s'", i == 0 ? "; there is" : ",",
                           texts[nearest[i]]);
    utf8_make_harmless(problem, ""); /* names come from files, and may contain control characters */
}
