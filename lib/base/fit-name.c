/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shortens names: see fit-name.h.
 *
 * Names of functions of C++, Rust and Go have brackets that are no arguments, too: <Vec<T> as Drop>::drop,
 * main.(*server).serve, operator<.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/fit-name.h"
#include "base/utf8.h"

size_t fit_width(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* --- names --------------------------------------------------------------------------------- */

/* Returns true if a sign at `at` is a part of an operator's name, such as operator<< or operator->. */
static bool is_in_operator(const char *name, const char *at)
{
    static const char word[] = "operator";
    const char *begin = at;

    while (begin > name && strchr("<>=-( ", begin[-1]) != NULL)
        begin--;
    size_t length = sizeof word - 1, before = (size_t)(begin - name);
    return before >= length && strncmp(begin - length, word, length) == 0 &&
           (before == length || (!isalnum((unsigned char)begin[-length - 1]) && begin[-length - 1] != '_'));
}

/* Returns true if arguments of a template, or parameters of a function, begin at `at`. Names such as <module> and
 * (anonymous namespace) begin with a bracket, as do names of Rust: <Vec<T> as Drop>::drop. */
static bool begins_arguments(const char *name, const char *at)
{
    if (at == name || (*at != '<' && *at != '('))
        return false;
    if (is_in_operator(name, at)) /* the parameters of an operator, but not the brackets of operator() itself */
        return *at == '(' && (at[-1] != 'r' || at[1] != ')');
    bool go_method = *at == '(' && at[-1] == '.'; /* main.(*server).serve */
    return strchr(" <(&", at[-1]) == NULL && strncmp(at, "(anonymous", 10) != 0 && !go_method;
}

/* Returns the end of the arguments that begin at `at`, or NULL if their brackets are not balanced. */
static const char *end_of_arguments(const char *name, const char *at)
{
    unsigned depth = 0;

    for (; *at != '\0'; at++) {
        bool sign = (*at == '<' || *at == '>') && is_in_operator(name, at);
        if (*at == '(' || (*at == '<' && !sign))
            depth++;
        else if ((*at == ')' || (*at == '>' && !sign && at[-1] != '-')) && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* Returns the end of the qualifiers of a member function, such as " const &", which begin at `at`. */
static const char *end_of_qualifiers(const char *at)
{
    size_t const_length = strncmp(at, " const", 6) == 0 ? 6 : 0;
    const char *reference = at + const_length + (at[const_length] == ' ');

    return *reference == '&' ? reference + strspn(reference, "&") : at + const_length;
}

void fit_short_name(const char *name, char *text, size_t size)
{
    size_t used = 0;

    for (const char *at = name; *at != '\0' && used + 2 < size;) {
        const char *end = begins_arguments(name, at) ? end_of_arguments(name, at) : NULL;
        if (end == NULL) {
            text[used++] = *at++;
            continue;
        }
        if (*at == '<') {
            text[used++] = '<';
            text[used++] = '>';
        } else {
            end = end_of_qualifiers(end);
        }
        at = end;
    }
    text[used] = '\0';
}

/* Returns the beginning of the character with this index in a text of UTF-8, or the end of the text. */
static const char *character_at(const char *text, size_t index)
{
    while (index > 0 && *text != '\0') {
        utf8_decode(&text);
        index--;
    }
    return text;
}

/* Shortens a text to `width` characters. `head`: how many of its first characters are kept at most. */
static void shorten(const char *text, size_t width, size_t head, bool utf8, char *to, size_t size)
{
    const char *mark = utf8 ? "\xe2\x80\xa6" : "..";
    size_t length = fit_width(text), mark_width = utf8 ? 1 : 2;

    if (length <= width || width <= mark_width) {
        snprintf(to, size, "%s", text);
        return;
    }
    size_t tail = width - mark_width - head;
    snprintf(to, size, "%.*s%s%s", (int)(character_at(text, head) - text), text, mark,
             character_at(text, length - tail));
}

void fit_name(const char *text, size_t width, bool utf8, char *to, size_t size)
{
    shorten(text, width, width / 2, utf8, to, size);
}

void fit_path(const char *text, size_t width, bool utf8, char *to, size_t size)
{
    shorten(text, width, 0, utf8, to, size);
}
