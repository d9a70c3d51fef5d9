/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the options of a command, and checks command lines against the list: see option-table.h.
 *
 * The check comes before argp's own, which would print getopt's message and a second line. Like getopt, it accepts the
 * beginning of a long option if only one option begins so.
 */
#include "config.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/edit-distance.h"
#include "command.h"
#include "option-table.h"

void option_table_add(struct option_table *table, const struct argp *argp)
{
    const struct argp_option *option = argp->options;

    for (; option != NULL && (option->name != NULL || option->key != 0 || option->doc != NULL || option->group != 0);
         option++)
        if ((option->name != NULL || option->key != 0) && !(option->flags & OPTION_DOC) && table->count < OPTIONS_MAX)
            table->options[table->count++] = option;
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++)
        option_table_add(table, child->argp);
}

char option_letter(const struct argp_option *option)
{
    return option->key > 0 && option->key <= UINT8_MAX && isprint(option->key) ? (char)option->key : '\0';
}

static const struct argp_option *option_by_letter(const struct option_table *table, char letter)
{
    for (unsigned i = 0; i < table->count; i++)
        if (option_letter(table->options[i]) == letter)
            return table->options[i];
    return NULL;
}

/* Finds the option of this name, or the only one whose name begins so. *other: a second one that begins so; NULL: there
 * is none. */
static const struct argp_option *option_by_name(const struct option_table *table, const char *name, size_t length,
                                                const struct argp_option **other)
{
    const struct argp_option *found = NULL;

    *other = NULL;
    for (unsigned i = 0; i < table->count; i++) {
        const struct argp_option *option = table->options[i];
        if (option->name == NULL || strncmp(option->name, name, length) != 0)
            continue;
        if (option->name[length] == '\0') {
            *other = NULL;
            return option;
        }
        *other = found;
        found = option;
    }
    return found;
}

static const char *nearest_name(const struct option_table *table, const char *name, size_t length)
{
    const char *nearest = NULL;
    uint32_t least = UINT32_MAX;

    for (unsigned i = 0; i < table->count && length <= EDIT_DISTANCE_SIZE_MAX; i++) {
        const struct argp_option *option = table->options[i];
        if (option->name == NULL || option->flags == OPTION_HIDDEN)
            continue;
        uint32_t distance = edit_distance(name, length, option->name, strlen(option->name));
        if (edit_distance_is_near(distance, length) && distance < least) {
            least = distance;
            nearest = option->name;
        }
    }
    return nearest;
}

static _Noreturn void complain_of_name(const struct option_table *table, const char *command, const char *name,
                                       size_t length)
{
    const char *nearest = nearest_name(table, name, length);

    if (nearest != NULL)
        exit(complain("there is no option --%.*s; did you mean '--%s'? See %s --help", (int)length, name, nearest,
                      command));
    exit(complain("there is no option --%.*s; see %s --help", (int)length, name, command));
}

/* Returns true if the argument of the option is the next word. */
static bool check_long(const struct option_table *table, const char *command, const char *word)
{
    const struct argp_option *other, *option;
    size_t length = strcspn(word + 2, "=");
    bool has_argument = word[2 + length] == '=';

    option = option_by_name(table, word + 2, length, &other);
    if (option == NULL)
        complain_of_name(table, command, word + 2, length);
    if (other != NULL)
        exit(complain("%.*s may be --%s or --%s", (int)length + 2, word, other->name, option->name));
    if (has_argument && option->arg == NULL)
        exit(complain("--%s takes no argument", option->name));
    return option->arg != NULL && !has_argument;
}

/* Does the same for a word with one or more letters. */
static bool check_letters(const struct option_table *table, const char *command, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const struct argp_option *option = option_by_letter(table, *letter);
        if (option == NULL)
            exit(complain("there is no option -%c; see %s --help", *letter, command));
        if (option->arg != NULL)
            return letter[1] == '\0';
    }
    return false;
}

int option_table_check(const struct option_table *table, const char *name, int count, char **words, bool in_order)
{
    int at = 1;

    for (; at < count && strcmp(words[at], "--") != 0; at++) {
        const char *word = words[at];
        if (word[0] != '-' || word[1] == '\0') {
            if (in_order)
                return at;
            continue;
        }
        bool takes_next = word[1] == '-' ? check_long(table, name, word) : check_letters(table, name, word);
        if (takes_next && at + 1 == count)
            exit(complain("%s needs an argument; see %s --help", word, name));
        at += takes_next;
    }
    return at;
}
