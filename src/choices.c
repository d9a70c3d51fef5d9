/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the name that an argument of an option means: see choices.h. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edit-distance.h"
#include "choices.h"
#include "command.h"

#define LIST_SIZE 512

static bool is_last_synonym(const struct choice_synonym *synonym)
{
    return synonym == NULL || synonym->word == NULL;
}

static int choices_index(const struct choices *choices, const char *name)
{
    for (unsigned i = 0; choices->at(i) != NULL; i++)
        if (strcmp(choices->at(i), name) == 0)
            return (int)i;
    return CHOICES_UNKNOWN;
}

static bool begins_with(const char *name, const char *word)
{
    return strncmp(name, word, strlen(word)) == 0;
}

static bool has_synonym_with(const struct choices *choices, const char *name, const char *word)
{
    bool found = false;

    for (const struct choice_synonym *synonym = choices->synonyms; !found && !is_last_synonym(synonym); synonym++)
        found = strcmp(synonym->name, name) == 0 && begins_with(synonym->word, word);
    return found;
}

/* Returns the index of the only name that begins with `word`. If none does, returns the index of the only name that has
 * a synonym which begins with it. */
static int choices_find_beginning(const struct choices *choices, const char *word)
{
    int named = CHOICES_UNKNOWN, synonymous = CHOICES_UNKNOWN;

    for (unsigned i = 0; word[0] != '\0' && choices->at(i) != NULL; i++) {
        if (begins_with(choices->at(i), word))
            named = named == CHOICES_UNKNOWN ? (int)i : CHOICES_AMBIGUOUS;
        if (has_synonym_with(choices, choices->at(i), word))
            synonymous = synonymous == CHOICES_UNKNOWN ? (int)i : CHOICES_AMBIGUOUS;
    }
    return named != CHOICES_UNKNOWN ? named : synonymous;
}

int choices_find(const struct choices *choices, const char *word)
{
    int index = choices_index(choices, word);

    if (index >= 0)
        return index;
    for (const struct choice_synonym *synonym = choices->synonyms; !is_last_synonym(synonym); synonym++)
        if (strcmp(synonym->word, word) == 0)
            return choices_index(choices, synonym->name);
    return choices_find_beginning(choices, word);
}

/* Remembers `name` as the nearest one if `known`, which is the name or a synonym, is nearer than all before it. */
static void choices_compare(const char *word, const char *known, const char *name, uint32_t *least,
                            const char **nearest)
{
    size_t length = strlen(word), known_length = strlen(known);

    if (length > EDIT_DISTANCE_SIZE_MAX || known_length > EDIT_DISTANCE_SIZE_MAX)
        return;
    uint32_t distance = edit_distance(word, length, known, known_length);
    if (edit_distance_is_near(distance, length) && distance < *least) {
        *least = distance;
        *nearest = name;
    }
}

const char *choices_nearest(const struct choices *choices, const char *word)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    for (unsigned i = 0; choices->at(i) != NULL; i++)
        choices_compare(word, choices->at(i), choices->at(i), &least, &nearest);
    for (const struct choice_synonym *synonym = choices->synonyms; !is_last_synonym(synonym); synonym++)
        choices_compare(word, synonym->word, synonym->name, &least, &nearest);
    return nearest;
}

void choices_list(const struct choices *choices, const char *last, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; choices->at(i) != NULL && length < size; i++) {
        const char *between = i == 0 ? "" : choices->at(i + 1) == NULL ? last : ", ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", between, choices->at(i));
    }
}

/* Writes the names that an ambiguous word may mean, as in "syscall or state". */
static void choices_list_meant(const struct choices *choices, const char *word, char *text, size_t size)
{
    size_t length = 0;
    bool named = false;

    for (unsigned i = 0; choices->at(i) != NULL; i++)
        named = named || begins_with(choices->at(i), word);
    text[0] = '\0';
    for (unsigned i = 0; choices->at(i) != NULL && length < size; i++)
        if (named ? begins_with(choices->at(i), word) : has_synonym_with(choices, choices->at(i), word))
            length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : " or ", choices->at(i));
}

int choice_option(const char *option, const struct choices *choices, const char *word)
{
    int index = choices_find(choices, word);
    char names[LIST_SIZE], hint[LIST_SIZE] = "";
    const char *nearest;

    if (index >= 0)
        return index;
    if (index == CHOICES_AMBIGUOUS) {
        choices_list_meant(choices, word, names, sizeof names);
        exit(complain("%s %s: this may be %s", option, word, names));
    }
    if ((nearest = choices_nearest(choices, word)) != NULL)
        snprintf(hint, sizeof hint, "; did you mean '%s'?", nearest);
    if (choices->what != NULL)
        exit(complain("%s %s: there is no such %s%s %s lists all", option, word, choices->what,
                      nearest != NULL ? hint : ";", choices->see));
    choices_list(choices, " or ", names, sizeof names);
    exit(complain("%s takes %s, not '%s'%s", option, names, word, hint));
}

const char *choice_option_name(const char *option, const struct choices *choices, const char *word)
{
    return choices->at((unsigned)choice_option(option, choices, word));
}
