/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and labels for pprofil push.
 *
 * Pyroscope takes a name and labels as one text, NAME{LABEL=VALUE,LABEL=VALUE}, which has no quotes. A comma or a brace
 * would end a value, so values with them are refused here. Its names may have letters, digits and "_.-/", and its
 * labels letters, digits and "_.". It leaves out labels that begin with two underscores, so these are refused, too.
 * Parca has the labels of Prometheus: letters, digits and underscores, and no digit at the beginning.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "push.h"

#define PUSH_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define PUSH_DIGITS "0123456789"
#define PUSH_NAME_CHARACTERS PUSH_LETTERS PUSH_DIGITS "_.-/"
#define PUSH_LABEL_CHARACTERS PUSH_LETTERS PUSH_DIGITS "_"

static bool push_has_only(const char *text, const char *characters)
{
    return text[strspn(text, characters)] == '\0';
}

const char *push_name_problem(const char *name)
{
    if (name[0] == '\0')
        return "it is empty";
    if (strlen(name) > PUSH_NAME_MAX)
        return "it is too long";
    return push_has_only(name, PUSH_NAME_CHARACTERS) ? NULL : "it may have letters, digits and _.-/ only";
}

static bool push_is_harmless(const char *text)
{
    while (*text != '\0')
        if (!utf8_is_harmless(utf8_decode(&text)))
            return false;
    return true;
}

static const char *push_value_problem(enum push_server server, const char *value)
{
    size_t size = strlen(value);

    if (size == 0)
        return "the value is empty";
    if (size > PUSH_VALUE_MAX)
        return "the value is too long";
    if (!push_is_harmless(value))
        return "the value has a control character, or is not UTF-8";
    if (server == PUSH_PYROSCOPE && strpbrk(value, ",}") != NULL)
        return "Pyroscope takes no comma and no } in a value";
    if (server == PUSH_PYROSCOPE && (value[0] == ' ' || value[size - 1] == ' '))
        return "Pyroscope cuts blanks at the ends of a value";
    return NULL;
}

const char *push_label_problem(enum push_server server, const char *name, const char *value)
{
    const char *characters = server == PUSH_PARCA ? PUSH_LABEL_CHARACTERS : PUSH_LABEL_CHARACTERS ".";

    if (name[0] == '\0')
        return "the name is empty";
    if (strlen(name) > PUSH_NAME_MAX)
        return "the name is too long";
    if (strchr(PUSH_DIGITS, name[0]) != NULL || !push_has_only(name, characters))
        return server == PUSH_PARCA ? "its name may have letters, digits and _ only, and no digit first"
                                    : "its name may have letters, digits, _ and . only, and no digit first";
    if (strncmp(name, "__", 2) == 0)
        return "names that begin with __ belong to the server";
    if (server == PUSH_RAW && (strcmp(name, "name") == 0 || strcmp(name, "from") == 0 || strcmp(name, "until") == 0))
        return "the request has a parameter of this name already";
    return push_value_problem(server, value);
}

static void push_clean(char *text, const char *characters)
{
    for (char *at = text + strspn(text, characters); *at != '\0'; at += strspn(at, characters))
        *at = '_';
}

void push_clean_name(char *text)
{
    push_clean(text, PUSH_NAME_CHARACTERS);
    if (strlen(text) > PUSH_NAME_MAX)
        text[PUSH_NAME_MAX] = '\0';
}

void push_clean_value(char *text)
{
    push_clean(text, PUSH_NAME_CHARACTERS ":@+=");
    if (strlen(text) > PUSH_VALUE_MAX)
        text[PUSH_VALUE_MAX] = '\0';
}

const struct push_label *push_labels_find(const struct push_labels *labels, const char *name)
{
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].name, name) == 0)
            return &labels->items[i];
    return NULL;
}

int push_labels_add(struct push_labels *labels, const char *name, const char *value)
{
    if (push_labels_find(labels, name) != NULL)
        return -EEXIST;
    if (labels->count == PUSH_LABELS_MAX)
        return -E2BIG;
    struct push_label label = {strdup(name), strdup(value)};
    if (label.name == NULL || label.value == NULL) {
        free(label.name);
        free(label.value);
        return -ENOMEM;
    }
    labels->items[labels->count++] = label;
    return 0;
}

void push_labels_clear(struct push_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->items[i].name);
        free(labels->items[i].value);
    }
    labels->count = 0;
}
